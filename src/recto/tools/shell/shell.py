"""The shell of one folder: runs commands sandboxed where that works, else in the folder itself."""

import os
from collections.abc import Sequence

from recto.tools.shell.command_result import CommandRefused, CommandResult
from recto.tools.shell.output import CommandOutput
from recto.tools.shell.sandbox_level import SandboxLevel, find_sandbox
from recto.tools.shell.sandboxed import SandboxedCommands
from recto.tools.shell.unsandboxed import Confinement, OnInterrupt, UnsandboxedCommands
from recto.tools.tool import Tell
from recto.workspace import Workspace

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 1800.0
MAX_COMMAND_BYTES = 100_000


class Shell:
    """Runs commands in a folder. `secret` are Recto's own folders, which no command may see."""

    def __init__(
        self, workspace: Workspace, *, secret: Sequence[str] = (), level: SandboxLevel | None = None
    ) -> None:
        """A level that is known already is not tried again."""
        self._workspace = workspace
        self._secret = tuple(os.path.realpath(path) for path in secret)
        self._level = level

    async def level(self) -> SandboxLevel:
        """How far commands are kept apart in this folder; tried once."""
        if self._level is None:
            self._level = await find_sandbox(self._workspace.root)
        return self._level

    async def run(
        self,
        command: str,
        *,
        tell: Tell,
        on_interrupt: OnInterrupt,
        hidden: Sequence[str] = (),
        timeout_s: float = DEFAULT_TIMEOUT_S,
        allow_network: bool = False,
        obeys_repository: bool = True,
    ) -> CommandResult:
        """Run a command to its end, at most `timeout_s`; afterwards nothing of it runs any more.

        Sandboxed, the folder is untouched and the changes are the caller's to make; `hidden` paths
        can't be read or changed, and git runs what the repository's configuration names only with
        `obeys_repository`. Confined or unsandboxed, the changes are made already, and `hidden` and
        `allow_network` can't be held to. Cancelled, a sandboxed command leaves nothing;
        of an unsandboxed one `on_interrupt` gets what it had done by then, before the cancellation
        goes on. Raises CommandRefused, SandboxFailed and other ProcessFailures.
        """
        check(command)
        output = CommandOutput(tell)
        timeout_s = min(timeout_s, MAX_TIMEOUT_S)
        kind = (await self.level()).kind
        if kind == "sandboxed":
            apart = SandboxedCommands(
                self._workspace.root, self._secret, hidden, allow_network, obeys_repository
            )
            return await apart.run(command, output, timeout_s)
        held = Confinement(self._secret, allow_network) if kind == "confined" else None
        in_place = UnsandboxedCommands(self._workspace, on_interrupt, held)
        return await in_place.run(command, output, timeout_s)


def check(command: str) -> None:
    """Refuse what no program can be given. Raises CommandRefused."""
    if "\0" in command:
        raise CommandRefused("it has a zero byte")
    try:
        size = len(command.encode("utf-8"))
    except UnicodeEncodeError:
        raise CommandRefused("it is not valid Unicode") from None
    if size > MAX_COMMAND_BYTES:
        raise CommandRefused(f"it is longer than {MAX_COMMAND_BYTES:,} bytes")
