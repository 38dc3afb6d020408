"""The protocol's official conformance suite, for clients, at both revisions.

What passes and what does not apply is exactly what `client_scenarios.py` names.
"""

import asyncio
import json
import shlex
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import anyio
import pytest
from pydantic import ValidationError

from recto.mcp.connection import MCPError
from recto.mcp.failures import McpFailure
from scripts.page import node_files
from tests.mcp.client_scenarios import APPLYING, NOT_APPLYING, OLDER
from tests.mcp.conforming import drive

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
SUITE = (
    Path(__file__).parent.parent
    / "npm/node_modules/@modelcontextprotocol/conformance/dist/index.js"
)
SHIM = Path(__file__).with_name("shim.py")
FEW = 4
"""How many scenarios our one process takes at a time; the suite begins all at once."""


@asynccontextmanager
async def clients(folder: Path) -> AsyncGenerator[str]:
    """A command behind which our client takes scenarios, one process for all of them."""
    numbers = count()
    few = anyio.CapacityLimiter(FEW)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wanted = json.loads(await reader.readline())
        words = NOT_APPLYING.get(wanted["scenario"], "done")
        try:
            if words == "done":
                async with few:
                    await drive(folder / str(next(numbers)), wanted)
        except (McpFailure, MCPError, ValidationError, AssertionError, ExceptionGroup) as error:
            # Some scenarios want the client to give up; the suite knows which.
            words = repr(error).replace("\n", " ")
        finally:
            writer.write(words.encode() + b"\n")
            await writer.drain()
            writer.close()

    place = folder / "socket"
    server = await asyncio.start_unix_server(take, place)
    try:
        yield shlex.join([sys.executable, "-I", "-S", str(SHIM), str(place)])
    finally:
        server.close()
        await server.wait_closed()


async def run_suite(folder: Path, *arguments: str) -> str:
    """What the suite says."""
    argv = [str(node_files()[0]), str(SUITE), *arguments]
    with anyio.fail_after(300):
        ended = await anyio.run_process(
            argv, cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    return ended.stdout.decode()


@pytest.mark.parametrize("revision", APPLYING)
async def test_every_scenario_that_a_revision_requires_passes_if_it_applies(
    revision: str, tmp_path: Path
) -> None:
    async with clients(tmp_path) as command:
        told = await run_suite(
            tmp_path,
            *("client", "--command", command, "--requirements", revision, "--timeout", "240000"),
        )
    summary = told[told.index("=== SUITE SUMMARY ===") :].splitlines()
    found = {line[0]: set[str]() for line in summary if line[:1] in ("✗", "✓")}
    for line in summary:
        if line[:1] in found:
            found[line[0]].add(line.split()[1].rstrip(":"))
    assert found["✗"] <= NOT_APPLYING.keys(), told
    assert found["✓"] == APPLYING[revision]


async def test_older_servers_are_signed_in_to_and_every_scenario_is_named(tmp_path: Path) -> None:
    async with clients(tmp_path) as command:
        for scenario in OLDER:
            told = await run_suite(
                tmp_path,
                *("client", "--command", command, "--scenario", scenario, "--timeout", "240000"),
            )
            assert "OVERALL: PASSED" in told, told
    listed = await run_suite(tmp_path, "list", "--client")
    names = {line.split()[1] for line in listed.splitlines() if line.startswith("  - ")}
    assert names == set().union(*APPLYING.values(), OLDER, NOT_APPLYING)
