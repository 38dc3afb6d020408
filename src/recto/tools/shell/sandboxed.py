"""Running a command in the sandbox, and reading from the overlay what it did."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio

from recto.processes import RunningProgram, end_marked
from recto.tools.shell.command_result import (
    CommandChanges,
    CommandResult,
    SandboxFailed,
    build_command_result,
)
from recto.tools.shell.execution import Execution
from recto.tools.shell.output import CommandOutput
from recto.tools.shell.overlay import Reading, is_opaque
from recto.tools.shell.path_states import look
from recto.tools.shell.private_folder import PrivateFolder, private_folder
from recto.tools.shell.repository import (
    CONFIG,
    FOLDER,
    RepositoryChanges,
    harmless_config,
    is_plain_repository,
    is_taken_over,
)
from recto.tools.shell.sandbox import Sandbox, prepare

GIT_KEPT = "What it did in .git can't be undone."
GIT_LOST = "Nothing of what it did in .git was taken over."


@dataclass(frozen=True, slots=True)
class SandboxedCommands:
    """A folder's commands in the sandbox: the real folder stays as it is."""

    root: str
    secret: Sequence[str]
    hidden: Sequence[str]
    allow_network: bool
    obeys_repository: bool
    """Whether git may run what the repository's own configuration names."""

    async def run(self, command: str, output: CommandOutput, timeout_s: float) -> CommandResult:
        """Run one. Raises SandboxFailed."""
        config = None if self.obeys_repository else await harmless_config(self.root)
        async with private_folder() as private:
            since = await anyio.to_thread.run_sync(prepare, private, self.root, self.hidden, config)
            execution = await anyio.to_thread.run_sync(self._execution, private, command)
            ended = await execution.run(output, timeout_s)
            # The command's own errors go to its output: this is from bubblewrap or mount.
            if ended.errors:
                raise SandboxFailed(ended.errors)
            found, repository = await anyio.to_thread.run_sync(self._read, private, since, config)
        not_covered = GIT_KEPT if repository.effects else ""
        return build_command_result(ended, output, found, "sandboxed", not_covered, repository)

    def _read(
        self, private: PrivateFolder, since: int, config: bytes | None
    ) -> tuple[CommandChanges, RepositoryChanges]:
        """What it did to the folder, and what in .git, if that can be taken over at all."""
        upper = private.inside("upper")
        is_plain = is_plain_repository(self.root)
        elsewhere = (FOLDER,) if is_plain else ()
        found = Reading(upper, self.root, since, frozenset(self.hidden), elsewhere).run()
        above = os.path.join(upper, FOLDER)
        if not is_plain or look(above) is None:
            return found, RepositoryChanges()
        real = os.path.join(self.root, FOLDER)
        # Taken away, or another one in its place: the history is not the command's to replace.
        if not os.path.isdir(above) or is_opaque(above):
            return replace(found, lost=f"{found.lost} {GIT_LOST}".strip()), RepositoryChanges()
        # Under another configuration than its own, it could only have changed that one.
        hidden = frozenset(() if config is None else (CONFIG,))
        inside = Reading(above, real, since, hidden).run()
        effects = tuple(filter(is_taken_over, inside.changes_of_files()))
        if inside.lost or inside.clashes:
            said = f"{found.lost} In .git: {inside.lost or 'somebody else changed it meanwhile.'}"
            found = replace(found, lost=said.strip())
        if inside.clashes:
            return found, RepositoryChanges()
        return found, RepositoryChanges(real, effects)

    def _execution(self, private: PrivateFolder, command: str) -> Execution:
        sandbox = Sandbox(self.root, self.secret)
        argv = sandbox.argv(private, command, allow_network=self.allow_network)

        async def end(running: RunningProgram) -> None:
            # ended by itself, it took everything with it: its first process was the last to go
            if running.is_running:
                await end_marked(private.mark)

        return Execution(argv, self.root, private.mark, private.path, talks=False, end=end)
