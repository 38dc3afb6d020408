"""A Recto of its own that runs one command, until it is killed. Prints what the command prints.

Usage: python -m tests.attacks.planter FOLDER COMMAND
"""

import sys
from dataclasses import replace
from pathlib import Path

import anyio

from recto.messages import ToolCall
from recto.tools import Permissions, Shell, Toolbox, ToolRule, ToolRules, builtin_tools
from tests.tools.bench import bench_in, text_of


async def run(root: Path, command: str) -> None:
    """Run it as a turn would, with nobody there to agree to anything more."""

    async def tell(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    async with bench_in(root) as bench:
        rules = ToolRules(allow=(ToolRule("run_command"),))
        tools = Toolbox(builtin_tools(Shell(bench.workspace)), Permissions(rules, sandboxed=True))
        call = ToolCall("1", "run_command", {"command": command})
        outcome = await tools.call(call, replace(bench.context, approved=True, tell=tell))
        await tell(text_of(outcome))


if __name__ == "__main__":
    anyio.run(run, Path(sys.argv[1]), sys.argv[2])
