"""Runs a few commands in the sandbox as whoever started this, and prints what came of them."""

import json
import sys

import anyio

from recto.tools.effects import Effect
from recto.tools.shell import Shell, limits
from recto.tools.shell.command_result import CommandChanges
from recto.workspace import Workspace

COMMANDS = {
    "changes": "echo two > a.txt; rm -r deep; mkdir new; chmod 000 new; id -u",
    "outside": "touch /etc/planted /tmp/x; ls /tmp; cat .env",
    "survivor": "(env -i setsid bash -c '(exec -a $TOKEN sleep 600) &' &)",
    "too many": "for i in $(seq 60); do sleep 600 & done; echo all",
}


async def main(root: str, token: str) -> None:
    """Print the level, then for each command its code, its output and its changes."""
    answers: dict[str, object] = {}
    async with await Workspace.open(root) as workspace:
        shell = Shell(workspace)
        level = await shell.level()
        answers["level"] = [level.kind, level.why]
        for name, command in COMMANDS.items() if level.kind == "sandboxed" else ():
            limits.MAX_PROCESSES = 20 if name == "too many" else 1_000
            asked = command.replace("$TOKEN", token)
            ran = await shell.run(
                asked, tell=ignore, on_interrupt=forget, hidden=[".env"], timeout_s=30
            )
            changes = [
                [change.path, change.before is not None, change.after is not None]
                for change in ran.changes
                if isinstance(change, Effect)
            ]
            answers[name] = [ran.code, ran.output, changes]
    sys.stdout.write(json.dumps(answers))


async def ignore(_text: str) -> None:
    """Nobody watches."""


async def forget(_found: CommandChanges) -> None:
    """Nothing is interrupted."""


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2])
