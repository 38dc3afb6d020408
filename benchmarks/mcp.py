"""MCP servers: what a call through Recto adds, and what 20 servers with 500 tools cost a chat.

    python -m benchmarks.mcp [--calls 400]

Calls go over stdio to one server, in turns with the SDK's own client. A chat is opened with all the
servers running, and without any. In the auto mode a scripted model finds the tools for 65 tasks
through the one tool that it has; beside it, one that sees all definitions. Targets: at most 2 ms
more for a call, a chat opened as fast (within a fifth), under 5 % of the tokens, as many tasks.
"""

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.catalog import SERVERS, tasks
from recto.app import open_mcp
from recto.config import Home
from recto.context import TokenCalibration, TokenCounter, ToolInclusion, included_tools
from recto.mcp import McpServers
from recto.messages import Text, ToolCall, ToolSpec
from recto.tools import CALL_TOOL, Permissions, Tool, Toolbox, describe_tools
from recto.workspace import Workspace
from tests.served import TOKEN, served
from tests.tools.bench import bench_in

PROGRAM = Path(__file__).parent / "catalog" / "program.py"
ADDED_MS, SLOWER, SHARE = 2.0, 1.2, 0.05
OPENED = 30


def command(name: str) -> list[str]:
    """What starts one of the servers."""
    return [sys.executable, "-I", str(PROGRAM), name]


def lay(home: Path, names: Sequence[str]) -> None:
    """Name servers in a home."""
    home.mkdir(parents=True)
    servers = {name: {"command": command(name)[0], "args": command(name)[1:]} for name in names}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


async def added_by_a_call(place: Path, calls: int) -> float:
    """Milliseconds that a call takes longer through Recto's tools than through the SDK alone."""
    lay(place / "home", ["shop"])
    (place / "folder").mkdir()
    first, *arguments = command("shop")
    name, given = "find_order", {"order_id": "1"}
    own, ours = list[float](), list[float]()
    async with (
        open_mcp(Home(place / "home"), place / "folder") as (servers, workspace),
        bench_in(place / "folder") as bench,
        Client(stdio_client(StdioServerParameters(command=first, args=arguments))) as client,
    ):
        tools = (await offered(servers, workspace))[0]
        box = Toolbox(tools, Permissions())
        context = replace(bench.context, approved=True)
        for number in range(calls):
            began = time.perf_counter()
            await client.call_tool(name, given)
            between = time.perf_counter()
            outcome = await box.call(ToolCall(f"call_{number}", f"shop__{name}", given), context)
            ended = time.perf_counter()
            assert outcome.content == (Text("done"),), outcome
            own.append((between - began) * 1000)
            ours.append((ended - between) * 1000)
    print(f"  a call: {statistics.median(own):.2f} ms by the SDK, {statistics.median(ours):.2f} ms")
    return statistics.median(ours) - statistics.median(own)


async def offered(
    servers: McpServers, workspace: Workspace
) -> tuple[tuple[Tool, ...], tuple[ToolSpec, ...]]:
    """The tools of all servers, once each has listed them, and as they are sent."""
    for server in (await servers.look("", workspace)).servers:
        assert (await server.settled()).kind == "ready", (server.name, server.log.lines)
    tools = (await servers.offer("", workspace)).tools
    declared = [tool.declaration for tool in tools]
    return tools, tuple(ToolSpec(d.name, d.description, d.parameters) for d in declared)


class Opener:
    """Opens new chats of a Recto, and keeps how long each took in milliseconds."""

    def __init__(self, client: httpx.AsyncClient, project_id: str) -> None:
        self.took: list[float] = []
        self._client = client
        self._address = f"/api/v1/projects/{project_id}"

    async def all_ready(self) -> None:
        """Wait for the servers."""
        while True:
            states = (await self._client.get(f"{self._address}/mcp")).json()["items"]
            if all(item["state"] == "ready" for item in states):
                return
            await asyncio.sleep(0.5)

    async def open(self) -> None:
        """Until a new chat is there and shown."""
        began = time.perf_counter()
        chat = (await self._client.post(f"{self._address}/chats", json={})).json()["id"]
        (await self._client.get(f"/api/v1/chats/{chat}")).raise_for_status()
        self.took.append((time.perf_counter() - began) * 1000)


@asynccontextmanager
async def opener(place: Path, names: Sequence[str]) -> AsyncGenerator[Opener]:
    """A Recto with some servers."""
    lay(place / "home", names)
    async with served(place / "home", place / "folder") as recto:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(base_url=recto.url, headers=headers, timeout=120) as client:
            project = (await client.get("/api/v1/projects/current")).json()["id"]
            found = Opener(client, project)
            await found.all_ready()
            yield found


async def openings(place: Path) -> tuple[float, float]:
    """Milliseconds until a new chat is shown, with all servers and without any, in turns."""
    async with (
        opener(place / "with", list(SERVERS)) as with_all,
        opener(place / "without", ()) as without,
    ):
        for _ in range(OPENED):
            await with_all.open()
            await without.open()
    return statistics.median(with_all.took), statistics.median(without.took)


def reached(found: Sequence[str]) -> int:
    """Of how many tasks the best of what was found is the right tool."""
    return sum(name == wanted for name, (_, wanted) in zip(found, tasks(), strict=True))


def best(words: str, specs: Sequence[ToolSpec]) -> str:
    """The tool whose name and description have most of the words; the model of this benchmark."""

    def score(spec: ToolSpec) -> int:
        known = re.findall("[a-z]+", f"{spec.name} {spec.description}".casefold())
        return sum(word in known for word in words.split())

    return max(specs, key=score).name if specs else ""


async def tokens_and_tasks(place: Path) -> tuple[float, int, int]:
    """The share of tokens in the auto mode, and the tasks whose tool is reached: all, auto."""
    lay(place / "home", list(SERVERS))
    (place / "folder").mkdir()
    async with open_mcp(Home(place / "home"), place / "folder") as (servers, workspace):
        tools, specs = await offered(servers, workspace)
        box, counter = Toolbox(tools, Permissions()), TokenCounter(TokenCalibration())
        sizes = {
            mode: sum(
                counter.text(f"{spec.name}\n{spec.description}\n{json.dumps(spec.parameters)}")
                for spec in included_tools(specs, ToolInclusion(mode))
            )
            for mode in ("all_on", "auto")
        }
        print(f"  {len(specs)} tools: {sizes['all_on']:,} tokens all on, {sizes['auto']:,} in auto")
        seen, found = list[str](), list[str]()
        for number, (words, _) in enumerate(tasks()):
            seen.append(best(words, specs))
            call = ToolCall(f"call_{number}", CALL_TOOL, {"tool": words})
            outcome = describe_tools(call, box.offered())
            told = "".join(part.text for part in outcome.content if isinstance(part, Text))
            shown = [spec for spec in specs if f"{spec.name}: {spec.description}" in told]
            found.append(best(words, shown))
    return sizes["auto"] / sizes["all_on"], reached(seen), reached(found)


async def measure(calls: int) -> bool:
    """All figures; whether each is as it must be."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        added = await added_by_a_call(place / "calls", calls)
        share, all_on, auto = await tokens_and_tasks(place / "tokens")
        with_all, without = await openings(place)
    slower = with_all / without
    print(f"a call takes {added:+.2f} ms (at most {ADDED_MS:g})")
    print(
        f"a chat opens in {with_all:.1f} ms with 20 servers, {without:.1f} ms without: {slower:.2f}"
    )
    print(f"auto sends {share:.1%} of the tokens of all-on (under {SHARE:.0%})")
    print(f"the right tool for {auto} of {len(tasks())} tasks, with all definitions for {all_on}")
    return added <= ADDED_MS and slower <= SLOWER and share < SHARE and auto >= all_on


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=400)
    if not asyncio.run(measure(parser.parse_args().calls)):
        sys.exit("It is not as it must be.")


if __name__ == "__main__":
    main()
