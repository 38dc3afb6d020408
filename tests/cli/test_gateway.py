"""`recto gateway` as operators run it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import anyio.to_thread
import pytest
from watchfiles import watch

from recto.server.listen import bind
from tests.cli.recto import RECTO, Command, ready_line
from tests.fakes.providers import AnthropicServer, says
from tests.forking import Started
from tests.storage.server import running_server, url

ROOT = Path(__file__).parent.parent.parent
READY = "Recto gateway is ready at "
ESTABLISHED = "01"


@contextmanager
def gateway(recto: Command, *arguments: str) -> Generator[tuple[Started, str]]:
    """A gateway for the length of the block, and where it is."""
    process = recto.fork("gateway", "--port", "0", *arguments)
    try:
        line = ready_line(process)
        assert line.startswith(READY)
        yield process, line.removeprefix(READY)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=120)


def post(address: str, body: dict[str, Any]) -> Any:
    data = json.dumps(body).encode()
    request = Request(address, data, {"content-type": "application/json"}, method="POST")
    with urlopen(request, timeout=120) as answer:
        return json.loads(answer.read())


def check_commands(recto: Command) -> str:
    """Everything that the commands do; the key that was made."""
    link = recto.run("gateway", "user", "add", "ann", "--monthly", "20", "--balance", "1.50")
    assert (link.returncode, link.stderr) == (0, "")
    assert "/invitation/" in link.stdout
    people = json.loads(recto.run("gateway", "user", "list", "--json").stdout)
    [ann] = [person for person in people if person["name"] == "ann"]
    assert ann["limits"]["monthlyMicros"] == 20_000_000
    assert ann["limits"]["balanceMicros"] == 1_500_000
    made = recto.run(
        *("gateway", "key", "add", "--user", "ann", "--name", "laptop", "--monthly", "0"),
        *("--models", "a,b", "--rpm", "60", "--expires", "30"),
    )
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert key.startswith("sk-recto-")
    [listed] = json.loads(recto.run("gateway", "key", "list", "--json").stdout)
    assert listed["limits"]["monthlyMicros"] == 0
    assert (listed["limits"]["models"], listed["limits"]["requestsPerMinute"]) == (["a", "b"], 60)
    assert listed["expiresMs"] - listed["createdMs"] > 29 * 24 * 60 * 60 * 1000
    assert key not in json.dumps(listed)
    shown = recto.run("gateway", "usage", "--user", "ann", "--json")
    assert json.loads(shown.stdout)["models"] == []
    assert "ann" in recto.run("gateway", "usage").stdout
    assert "$0.00 of $20.00 this month, $1.50 left" in recto.run("gateway", "user", "list").stdout
    kept = recto.run("gateway", "user", "keep", "ann", "--days", "30")
    assert kept.stdout == "Prompts and answers are kept for 30 days. ann sees that.\n"
    off = recto.run("gateway", "user", "keep", "ann", "--off", "--json")
    assert json.loads(off.stdout)["keepDays"] is None
    assert recto.run("gateway", "user", "keep", "ann").returncode == 2
    revoked = recto.run("gateway", "key", "revoke", listed["id"])
    assert revoked.stdout == "It is revoked.\n"
    assert "revoked" in recto.run("gateway", "key", "list").stdout
    return key


def test_the_commands_work_while_no_gateway_runs(recto: Command) -> None:
    check_commands(recto)
    twice = recto.run("gateway", "user", "add", "ann")
    assert (twice.returncode, twice.stdout) == (2, "")
    assert twice.stderr == "recto: There is an account ann already. Choose another name.\n"
    nobody = recto.run("gateway", "key", "add", "--user", "bob")
    assert (nobody.returncode, nobody.stdout) == (2, "")
    assert recto.run("gateway", "key", "revoke", "nothing").returncode == 2
    assert recto.run("gateway", "user", "add", "eve", "--monthly", "-1").returncode == 2
    assert recto.run("gateway", "--workers", "0").returncode == 2


def test_the_commands_work_while_it_runs_and_the_first_admin_gets_a_link(recto: Command) -> None:
    with gateway(recto) as (process, address):
        link = process.stdout.readline().split()[-1]
        assert link.startswith(f"{address}/invitation/")
        code = link.rpartition("/")[2]
        body = {"code": code, "password": "a long password"}
        assert post(f"{address}/api/v1/invitations/accept", body)["accessToken"]
        with urlopen(f"{address}/readyz", timeout=120) as answer:
            assert answer.status == 200
        check_commands(recto)
    assert process.returncode == 0
    with gateway(recto) as (process, address):
        # There is an admin now: no other link.
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=120)
        assert out == ""


def test_what_must_not_be_served_is_refused(recto: Command, tmp_path: Path) -> None:
    several = recto.run("gateway", "--port", "0", "--workers", "2")
    assert "Several workers need PostgreSQL" in several.stderr
    far = recto.run("gateway", "--port", "0", "--host", "0.0.0.0")
    assert "can be reached from other computers" in far.stderr
    recto.home.joinpath("settings.toml").write_text(
        '[gateway.openid]\nissuer = "https://id.example"\nclient_secret = "NOWHERE"\n',
        encoding="utf-8",
    )
    missing = recto.run("gateway", "--port", "0")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.startswith("recto: keys.env has no NOWHERE")
    recto.home.joinpath("settings.toml").unlink()
    with recto.serving(tmp_path):
        other = recto.run("gateway", "user", "list")
        assert "A workspace runs with this home" in other.stderr


@pytest.mark.slow
def test_workers_that_cannot_start_say_why(recto: Command, tmp_path: Path) -> None:
    with running_server() as folder:
        recto.home.mkdir()
        settings = f'[storage]\nurl = "{url(folder)}"\n'
        (recto.home / "settings.toml").write_text(settings, encoding="utf-8")
        (recto.home / "gateway-2.log").mkdir()
        ended = recto.run("gateway", "--port", "0", "--workers", "2")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("recto: Worker 2 did not start: ")


@pytest.mark.slow
def test_several_workers_share_an_address_and_one_that_is_killed_comes_back(
    recto: Command,
) -> None:
    with running_server() as folder:
        recto.home.mkdir()
        settings = f'[storage]\nurl = "{url(folder)}"\n[gateway]\nmetrics_key = "METRICS_TOKEN"\n'
        (recto.home / "settings.toml").write_text(settings, encoding="utf-8")
        recto.run("keys", "set", "METRICS_TOKEN", typed="a-long-token\n")
        with gateway(recto, "--workers", "2") as (process, address):
            check_commands(recto)
            check_metrics(address)
            workers = children(process.pid)
            assert len(workers) == 2
            check_shares(address, workers)
            check_taken(recto, address)
            killed = workers.pop()
            os.kill(killed, signal.SIGKILL)
            wait_for_worker(recto.home / "gateway.log", starts=3)
            assert killed not in children(process.pid)
            assert len(children(process.pid)) == 2
            for _ in range(10):
                with urlopen(f"{address}/healthz", timeout=120) as answer:
                    assert answer.status == 200
        assert process.returncode == 0
        assert all(not Path(f"/proc/{pid}").exists() for pid in workers)


@pytest.mark.slow
def test_what_is_revoked_opens_nothing_on_any_worker_within_a_second(recto: Command) -> None:
    with running_server() as folder:
        recto.home.mkdir()
        settings = f'[storage]\nurl = "{url(folder)}"\n'
        (recto.home / "settings.toml").write_text(settings, encoding="utf-8")
        with gateway(recto, "--workers", "3") as (_, address):
            recto.run("gateway", "user", "add", "ann")
            key = recto.run("gateway", "key", "add", "--user", "ann").stdout.strip()
            for _ in range(60):
                assert status_of(address, key) == 200, "every worker knows it by now"
            [listed] = json.loads(recto.run("gateway", "key", "list", "--json").stdout)
            assert recto.run("gateway", "key", "revoke", listed["id"]).returncode == 0
            revoked = time.monotonic()
            last, refused = revoked, 0
            # Each request is a connection of its own, and any of the workers takes it.
            while refused < 100:
                asked = time.monotonic()
                if status_of(address, key) == 200:
                    last, refused = asked, 0
                else:
                    refused += 1
            assert last - revoked < 1


def check_shares(address: str, workers: list[int]) -> None:
    """New connections are shared among the workers, however idle these are."""
    port = int(address.rpartition(":")[2])
    with ExitStack() as opened:
        for _ in range(200):
            opened.enter_context(closing(socket.create_connection(("127.0.0.1", port), 30)))
        # An answer shows that all before it were taken.
        for _ in range(20):
            status_of(address, "nobody's")
        shares = [connections(pid, port) for pid in workers]
    assert sum(shares) >= 200
    assert min(shares) > 60, "of 200, this few come once in ten million runs"


def connections(pid: int, port: int) -> int:
    """How many clients of a port a process has."""
    own = {
        f"socket:[{fields[9]}]"
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        if (fields := line.split())[1].endswith(f":{port:04X}") and fields[3] == ESTABLISHED
    }
    return sum(os.readlink(file) in own for file in Path(f"/proc/{pid}/fd").iterdir())


def check_taken(recto: Command, address: str) -> None:
    """Nobody else gets the address, not even to share it."""
    port = address.rpartition(":")[2]
    other = Command(recto.home.parent / "other", {})
    other.home.mkdir()
    shutil.copy(recto.home / "settings.toml", other.home)
    refused = other.run("gateway", "--port", port, "--workers", "2")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"Port {port} is taken." in refused.stderr


def status_of(address: str, key: str) -> int:
    """What a door answers to somebody with a key."""
    headers = {"authorization": f"Bearer {key}"}
    try:
        with urlopen(Request(f"{address}/v1/models", headers=headers), timeout=120) as answer:
            return answer.status
    except HTTPError as refused:
        with refused:
            return refused.code


def check_metrics(address: str) -> None:
    """Whichever worker is asked tells of all: each request came by a connection of its own."""
    for _ in range(12):
        with pytest.raises(HTTPError, match="401") as refused:
            urlopen(Request(f"{address}/v1/models"), timeout=120)
        refused.value.close()
    wanted = 'recto_gateway_refused_requests_total{reason="unknown"} 12.0'
    # A refusal is counted once its answer is out: the last one may still be under way.
    for _ in range(500):
        if wanted in metrics(address):
            break
    for _ in range(4):
        assert wanted in metrics(address)


def metrics(address: str) -> str:
    """What one of the workers tells of all."""
    request = Request(f"{address}/metrics", headers={"authorization": "Bearer a-long-token"})
    with urlopen(request, timeout=120) as answer:
        return answer.read().decode()


CLAUDE = """\
#!{python}
# What Claude Code does with its environment: asks in Anthropic's protocol, and tries again.
import anthropic

client = anthropic.Anthropic(max_retries=30)
asked = {{"model": "claude-sonnet-5-5", "max_tokens": 100}}
turn = {{"role": "user", "content": "When is high water?"}}
with client.messages.stream(messages=[turn], **asked) as stream:
    print(stream.get_final_text())
"""


@pytest.mark.anyio
async def test_the_five_commands_of_the_docs_lead_to_an_answer(
    recto: Command, tmp_path: Path
) -> None:
    docs = (ROOT / "docs" / "gateway-operation.md").read_text(encoding="utf-8")
    commands = docs.partition("```sh\n")[2].partition("```")[0]
    assert len(commands.splitlines()) == 5
    with bind("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "claude").write_text(CLAUDE.format(python=sys.executable), encoding="utf-8")
    (programs / "claude").chmod(0o755)
    (programs / "recto").symlink_to(RECTO)
    recto.home.mkdir()
    (recto.home / "settings.toml").write_text(f"[gateway]\nport = {port}\n", encoding="utf-8")
    environment = recto.full_environment()
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    async with AnthropicServer() as upstream:
        upstream.answer(says("At noon."))
        models = {"providers": {"anthropic": {"url": upstream.url}}}
        (recto.home / "models.json").write_text(json.dumps(models), encoding="utf-8")
        ended = await anyio.to_thread.run_sync(
            lambda: subprocess.run(
                [
                    "bash",
                    "-c",
                    f"set -e\n{commands.replace('7458', port)}\nkill %1\nwait %1 || true",
                ],
                input="test-key\n",
                env=environment,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=600,  # only ends what hangs: four programs start from the very beginning
                check=False,
            )
        )
    assert (ended.returncode, ended.stdout.splitlines()[-1:]) == (0, ["At noon."]), ended.stderr


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in found.split()]


def wait_for_worker(log: Path, *, starts: int) -> None:
    """Return once the log tells of so many workers that began to serve."""
    # Looked at whenever it changes; now and then besides, for what it told before the watch began.
    for _ in watch(log.parent, rust_timeout=5_000, yield_on_timeout=True, debounce=50, step=50):
        if log.read_text(encoding="utf-8").count("serves as process") >= starts:
            return
