"""Running a command in the sandbox, and reading from the overlay what it did."""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from recto.processes import RunningProgram, end_marked, shielded
from recto.tools.shell.command_result import CommandResult, SandboxFailed, build_command_result
from recto.tools.shell.execution import Execution
from recto.tools.shell.output import CommandOutput
from recto.tools.shell.overlay import Reading
from recto.tools.shell.private_folder import PrivateFolder, private_folder
from recto.tools.shell.repository import CommandRepository, find_repository
from recto.tools.shell.sandbox import Sandbox, prepare

GIT_DIRECT = "What it does in .git is done at once and can't be undone."


@dataclass(frozen=True, slots=True)
class SandboxedCommands:
    """A folder's commands in the sandbox: the real folder stays as it is."""

    root: str
    secret: Sequence[str]
    hidden: Sequence[str]
    allow_network: bool

    async def run(self, command: str, output: CommandOutput, timeout_s: float) -> CommandResult:
        """Run one. Raises SandboxFailed."""
        async with private_folder() as private:
            since = await anyio.to_thread.run_sync(prepare, private, self.root, self.hidden)
            repository = await anyio.to_thread.run_sync(find_repository, self.root)
            execution = await anyio.to_thread.run_sync(
                self._execution, private, repository, command
            )
            try:
                ended = await execution.run(output, timeout_s)
            finally:
                # Before anybody runs git there: a planted hook would run a program outside.
                await shielded(repository.take_away_planted())
            # The command's own errors go to its output: this is from bubblewrap or mount.
            if ended.errors:
                raise SandboxFailed(ended.errors)
            reading = Reading(private.inside("upper"), self.root, since, frozenset(self.hidden))
            found = await anyio.to_thread.run_sync(reading.run)
        not_covered = GIT_DIRECT if repository.writable else ""
        return build_command_result(ended, output, found, "sandboxed", not_covered)

    def _execution(
        self, private: PrivateFolder, repository: CommandRepository, command: str
    ) -> Execution:
        sandbox = Sandbox(self.root, self.secret)
        argv = sandbox.argv(private, repository, command, allow_network=self.allow_network)

        async def end(running: RunningProgram) -> None:
            # ended by itself, it took everything with it: its first process was the last to go
            if running.is_running:
                await end_marked(private.mark)

        return Execution(argv, self.root, private.mark, private.path, talks=False, end=end)
