"""Each client reads a file and edits it, over each protocol that is not its own.

`python -m tests.clients.run FOLDER [NAME…]`, as `scripts/clients.py` starts it: FOLDER is where the
clients are installed. Prints a table; fails if anything in it is red.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cli.recto import RECTO, Command, ready_line
from tests.clients.known import CHANGED, CLIENTS, HELD, READ, Client, Place
from tests.clients.shut_off import NameServer, shut_off
from tests.clients.upstreams import (
    AtWork,
    WorkingAnthropic,
    WorkingChat,
    WorkingGemini,
    WorkingResponses,
)

READY = "Recto gateway is ready at "
LONGEST_S = 180
PRICE = {"input": 1, "output": 4}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "LAB_API_KEY")
MODELS = {
    "anthropic-messages": ("anthropic", "claude-sonnet-5-5"),
    "openai-responses": ("openai", "gpt-5.4"),
    "openai-chat": ("lab", "qwen3:8b"),
    "gemini": ("google", "gemini-2.5-pro"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run."""

    client: str
    protocol: str
    seconds: float
    problems: tuple[str, ...]
    said: str


@contextmanager
def running_gateway(home: Path, models: object) -> Generator[tuple[str, str]]:
    """A gateway as operators run it: its address, and a key."""
    home.mkdir()
    (home / "models.json").write_text(json.dumps(models), encoding="utf-8")
    recto = Command(home, dict.fromkeys(KEYS, "test-key"))
    recto.run_anew("gateway", "user", "add", "ann", "--monthly", "10")
    key = recto.run_anew("gateway", "key", "add", "--user", "ann").stdout.strip()
    process = subprocess.Popen(
        [RECTO, "gateway", "--port", "0"],
        env=recto.full_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield ready_line(process).removeprefix(READY), key
    finally:
        process.terminate()
        process.communicate(timeout=60)


def models_file(servers: dict[str, AtWork]) -> dict[str, object]:
    """Each protocol under its own name, and under every name that a client insists on."""
    urls = {protocol: server.url for protocol, server in servers.items()}
    names = [
        (name, protocol)
        for protocol in servers
        for name in {client.names.get(protocol, protocol) for client in CLIENTS}
    ]
    return {
        "models": [
            {
                "id": name,
                "name": name,
                "provider": MODELS[protocol][0],
                "model": MODELS[protocol][1],
                "price": PRICE,
            }
            for name, protocol in names
        ],
        "providers": {
            "anthropic": {"url": urls["anthropic-messages"]},
            "openai": {"url": urls["openai-responses"]},
            "google": {"url": urls["gemini"] + "/v1beta"},
            "lab": {
                "url": urls["openai-chat"],
                "protocol": "openai-chat",
                "apiKeyEnv": "LAB_API_KEY",
            },
        },
    }


def lay_out(folder: Path, client: Client, protocol: str, way: tuple[str, str]) -> Place:
    """A folder with a file in it, under git, and an empty home."""
    place = Place(folder / "project", folder / "home", *way, client.names.get(protocol, protocol))
    place.folder.mkdir()
    place.home.mkdir()
    (place.folder / READ).write_text(HELD + "\n", encoding="utf-8")
    for command in (["init", "--quiet"], ["add", READ]):
        subprocess.run(["git", *command], cwd=place.folder, check=True)
    return place


async def run_client(where: Path, client: Client, place: Place) -> tuple[int | None, str]:
    """Run it to its end: how it ended (None: not by itself) and what it said."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.home), "TERM": "dumb"}
    process = await asyncio.create_subprocess_exec(
        *client.command(where, place),
        env={**environment, **client.environment(place)},
        cwd=place.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), LONGEST_S)
    except TimeoutError:
        process.kill()
        said, _ = await process.communicate()
        return None, said.decode(errors="replace")
    return process.returncode, said.decode(errors="replace")


def problems_of(ended: int | None, place: Place, server: AtWork) -> list[str]:
    """Everything that did not go as it must."""
    found: list[str] = []
    if ended != 0:
        found.append("it did not end by itself" if ended is None else f"it ended with {ended}")
    if (place.folder / READ).read_text(encoding="utf-8") != CHANGED + "\n":
        found.append("the file was not edited")
    if not any(HELD in words for seen in server.seen for words in (*seen.results, seen.text)):
        found.append("the model never saw the file")
    found += [f"refused: {one.refusal.body}" for one in server.exchanges if one.refusal is not None]
    return found


async def try_each(
    where: Path,
    chosen: list[Client],
    servers: dict[str, AtWork],
    way: tuple[str, str],
    names: NameServer,
) -> list[Outcome]:
    """Every client over every protocol that is not its own."""
    found: list[Outcome] = []
    for client in chosen:
        for protocol, server in servers.items():
            if protocol == client.protocol:
                continue
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                place = await asyncio.to_thread(lay_out, Path(folder), client, protocol, way)
                server.begin(client.work(place))
                names.asked.clear()
                began = time.monotonic()
                ended, said = await run_client(where, client, place)
                problems = problems_of(ended, place, server)
                problems += [f"looked up {name}" for name in names.asked]
                seconds = time.monotonic() - began
                found.append(Outcome(client.name, protocol, seconds, tuple(problems), said))
                tell(found[-1])
    return found


def tell(outcome: Outcome) -> None:
    """One line of the table, and what is wrong."""
    mark = "red" if outcome.problems else "green"
    print(f"{outcome.client:24}{outcome.protocol:22}{mark:8}{outcome.seconds:5.1f} s", flush=True)  # noqa: T201
    if outcome.problems:
        print("    " + "\n    ".join(outcome.problems))  # noqa: T201
        print(outcome.said[-2000:])  # noqa: T201


async def main(where: Path, asked: list[str]) -> None:
    """Start everything, run the clients, judge."""
    servers: dict[str, AtWork] = {
        "anthropic-messages": WorkingAnthropic(),
        "openai-responses": WorkingResponses(),
        "openai-chat": WorkingChat(flavour="vllm"),
        "gemini": WorkingGemini(),
    }
    chosen = [client for client in CLIENTS if not asked or client.name in asked]
    async with AsyncExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        names = await shut_off(folder)
        for server in servers.values():
            await running.enter_async_context(server)
        way = running.enter_context(running_gateway(folder / "gateway", models_file(servers)))
        found = await try_each(where, chosen, servers, way, names)
    red = sum(bool(outcome.problems) for outcome in found)
    print(f"{len(found) - red} of {len(found)} are green.")  # noqa: T201
    if red or not found:
        sys.exit("clients: something does not work through the gateway.")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
