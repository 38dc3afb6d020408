"""Running a command in the sandbox, and reading from the overlay what it did."""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from recto.processes import Running, end_marked, shielded
from recto.tools.shell.execution import Execution
from recto.tools.shell.output import Output
from recto.tools.shell.overlay import Reading
from recto.tools.shell.private import Private, private_folder
from recto.tools.shell.ran import Ran, SandboxFailed, build_ran
from recto.tools.shell.repository import Repository, find_repository
from recto.tools.shell.sandbox import Sandbox, prepare

GIT_DIRECT = "What it does in .git is done at once and can't be undone."


@dataclass(frozen=True, slots=True)
class Apart:
    """A folder's commands in the sandbox: the real folder stays as it is."""

    root: str
    secret: Sequence[str]
    hidden: Sequence[str]
    allow_network: bool

    async def run(self, command: str, output: Output, timeout_s: float) -> Ran:
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
                await shielded(repository.take_away_planted())
            if ended.errors:
                raise SandboxFailed(ended.errors)
            reading = Reading(private.inside("upper"), self.root, since, frozenset(self.hidden))
            found = await anyio.to_thread.run_sync(reading.run)
        not_covered = GIT_DIRECT if repository.writable else ""
        return build_ran(ended, output, found, "sandboxed", not_covered)

    def _execution(self, private: Private, repository: Repository, command: str) -> Execution:
        sandbox = Sandbox(self.root, self.secret)
        argv = sandbox.argv(private, repository, command, allow_network=self.allow_network)

        async def end(running: Running) -> None:
            # ended by itself, it took everything with it: its first process was the last to go
            if running.is_running:
                await end_marked(private.mark)

        return Execution(argv, self.root, private.mark, private.path, talks=False, end=end)
