"""The programs that are measured: each started for the length of a block, with its address."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tests.cli.recto import RECTO, Command, ready_line

ROOT = Path(__file__).resolve().parent.parent.parent
LITELLM = ROOT / "build" / "litellm" / "bin" / "litellm"
NGINX = ROOT / "build" / "nginx" / "usr" / "sbin" / "nginx"
READY = "Recto gateway is ready at "
MODELS = ("at-once", "paced", "idle")
START_S = 120


@dataclass(frozen=True, slots=True)
class Relay:
    """A program between the client and the model's server."""

    name: str
    port: int
    key: str
    process: int
    """The number of its process; its children belong to it."""


def free_port() -> int:
    """A port nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def upstream() -> Generator[int]:
    """The model's server: its port."""
    command = [sys.executable, "-m", "benchmarks.relays.upstream"]
    with running(command, ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())


@contextmanager
def recto(folder: Path, port: int, *, workers: int = 1, database: str = "") -> Generator[Relay]:
    """A gateway with a limit to keep, as operators run it."""
    home = folder / f"recto-{workers}"
    home.mkdir()
    price = {"input": 0.01, "output": 0.01}
    models = [
        {"id": name, "name": name, "provider": "lab", "model": name, "price": price}
        for name in MODELS
    ]
    lab = {"url": f"http://127.0.0.1:{port}", "protocol": "openai-chat", "apiKeyEnv": "LAB_KEY"}
    file = {"models": models, "providers": {"lab": lab}}
    (home / "models.json").write_text(json.dumps(file), encoding="utf-8")
    (home / "budget.json").write_text('{"monthly_limit_usd": 10000}', encoding="utf-8")
    storage = f'[storage]\nurl = "{database}"\n' if database else ""
    (home / "settings.toml").write_text(storage, encoding="utf-8")
    command = Command(home, {"LAB_KEY": "test-key"})
    command.run_anew("gateway", "user", "add", "ann", "--monthly", "5000")
    key = command.run_anew("gateway", "key", "add", "--user", "ann", "--monthly", "5000")
    process = subprocess.Popen(
        [RECTO, "gateway", "--port", "0", "--workers", str(workers)],
        env=command.full_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = ready_line(process).removeprefix(READY)
        name = "recto" if workers == 1 else f"recto, {workers} workers"
        yield Relay(name, int(address.rpartition(":")[2]), key.stdout.strip(), process.pid)
    finally:
        process.send_signal(signal.SIGKILL if workers == 1 else signal.SIGTERM)
        process.communicate(timeout=180)


NGINX_FILE = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream model {{ server 127.0.0.1:{port}; keepalive 64; }}
  server {{
    listen 127.0.0.1:{own};
    location / {{
      proxy_pass http://model;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      keepalive_requests 1000000;
    }}
  }}
}}
"""


@contextmanager
def nginx(folder: Path, port: int) -> Generator[Relay | None]:
    """Nginx as a plain proxy; None where there is none."""
    program = NGINX if NGINX.exists() else shutil.which("nginx")
    if program is None:
        yield None
        return
    place = folder / "nginx"
    place.mkdir()
    own = free_port()
    file = place / "nginx.conf"
    file.write_text(NGINX_FILE.format(folder=place, port=port, own=own), encoding="utf-8")
    command = [str(program), "-p", str(place), "-c", str(file), "-e", str(place / "error.log")]
    with running(command, place) as process:
        wait_for_port(own, process)
        yield Relay("nginx", own, "none", process.pid)


@contextmanager
def bare(port: int) -> Generator[Relay]:
    """The least that a relay in Python can be."""
    command = [sys.executable, "-m", "benchmarks.relays.bare", str(port)]
    with running(command, ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield Relay("bare", int(process.stdout.readline()), "none", process.pid)


@contextmanager
def litellm(folder: Path, port: int) -> Generator[Relay]:
    """LiteLLM's proxy, without a database: it keeps no limit."""
    place = folder / "litellm"
    place.mkdir()
    served = {"api_base": f"http://127.0.0.1:{port}/v1", "api_key": "test-key"}
    models = [
        {"model_name": name, "litellm_params": {"model": f"openai/{name}", **served}}
        for name in MODELS
    ]
    settings = {
        "model_list": models,
        "general_settings": {"master_key": "sk-bench"},
        # Else it translates Messages to the Responses API, which this server does not speak.
        "litellm_settings": {"use_chat_completions_url_for_anthropic_messages": True},
    }
    (place / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    own = free_port()
    command = [str(LITELLM), "--config", str(place / "config.yaml"), "--host", "127.0.0.1"]
    command += ["--port", str(own), "--telemetry", "False"]
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HOME": str(place), "NO_DOCS": "True"}
    with running(command, place, environment=offline) as process:
        wait_for_port(own, process)
        yield Relay("litellm", own, "sk-bench", process.pid)


@contextmanager
def running(
    command: list[str],
    place: Path,
    stdout: int = subprocess.DEVNULL,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Generator[subprocess.Popen[str]]:
    """A program for the length of the block, with everything that it starts."""
    process = subprocess.Popen(
        command,
        cwd=place,
        env={**os.environ, **environment},
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for_port(port: int, process: subprocess.Popen[str]) -> None:
    """Return once somebody listens. Raises RuntimeError if it takes too long."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{process.args!r} does not listen")


def family(pid: int) -> list[int]:
    """A process and everything below it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(one for child in children for one in family(int(child)))]


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid: int) -> int:
    """Memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0])
