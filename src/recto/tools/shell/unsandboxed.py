"""Running a command in the folder itself, where there is no overlay, and finding what it did.

Where the system lets it, the command is confined: it writes in the folder alone, sees of the rest
of the disk the system's programs, and has no network unless that is allowed.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import anyio

from recto.processes import InputClosed, RunningProgram, confined, end_marked, kept, shielded
from recto.tools.shell.command_result import CommandChanges, CommandResult, build_command_result
from recto.tools.shell.execution import End, Execution
from recto.tools.shell.limits import count_tasks, max_memory, max_tasks
from recto.tools.shell.machine import COVERED_FILES, SYSTEM, own_programs, without
from recto.tools.shell.output import CommandOutput
from recto.tools.shell.private_folder import PrivateFolder, private_folder
from recto.tools.shell.repository import RepositoryChanges
from recto.tools.shell.sandbox import find_shell
from recto.tools.shell.snapshot import Snapshot, take_snapshot
from recto.workspace import Workspace

KEEPER_S = 1.5
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
OnInterrupt = Callable[[CommandChanges], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a command may reach besides the folder; `secret` is nothing of it."""

    secret: Sequence[str]
    allow_network: bool

    def argv(self, private: PrivateFolder, root: str, command: Sequence[str]) -> list[str]:
        """The program that confines itself and becomes the command."""
        os.mkdir(private.inside("tmp"), 0o700)
        closed = [*self.secret, *COVERED_FILES, "/etc/ssl/private"]
        reads = [path for one in (*SYSTEM, *own_programs()) for path in without(one, closed)]
        return confined(
            command,
            file=private.inside("confinement.json"),
            reads=[*reads, "/proc", *names_of_hosts(allow_network=self.allow_network)],
            writes=[*without(root, self.secret), private.inside("tmp"), *DEVICES],
            allow_network=self.allow_network,
        )


@dataclass(frozen=True, slots=True)
class UnsandboxedCommands:
    """A folder's commands without an overlay."""

    workspace: Workspace
    on_interrupt: OnInterrupt
    confinement: Confinement | None = None

    async def run(self, command: str, output: CommandOutput, timeout_s: float) -> CommandResult:
        """Run one. Interrupted, what it had done by then still is told."""
        async with private_folder() as private:
            before = await self._look(private)
            argv = await anyio.to_thread.run_sync(self._argv, private, command)
            root = self.workspace.root
            env = {} if self.confinement is None else {"TMPDIR": private.inside("tmp")}
            execution = Execution(
                argv, root, private.mark, root, talks=True, end=ending(private), env=env
            )
            try:
                ended = await execution.run(output, timeout_s)
            except BaseException:
                # The folder is changed already: without this, an undo would not know of it.
                await shielded(self._tell(before))
                raise
            found = await self._compare(before)
        words = before.not_covered()
        level = "unsandboxed" if self.confinement is None else "confined"
        return build_command_result(ended, output, found, level, words, RepositoryChanges())

    def _argv(self, private: PrivateFolder, command: str) -> list[str]:
        argv = [find_shell(), "-c", command]
        if self.confinement is not None:
            argv = self.confinement.argv(private, self.workspace.root, argv)
        return keeper_argv(private, argv)

    async def _look(self, private: PrivateFolder) -> Snapshot:
        names = await self.workspace.file_names(refresh=True)
        since_ns = (await anyio.Path(private.path).stat()).st_ctime_ns

        def take() -> Snapshot:
            complete = not names.truncated
            root = self.workspace.root
            return take_snapshot(root, names.paths, complete=complete, since_ns=since_ns)

        return await anyio.to_thread.run_sync(take)

    async def _compare(self, before: Snapshot) -> CommandChanges:
        names = await self.workspace.file_names(refresh=True)
        return await anyio.to_thread.run_sync(before.compare, names.paths)

    async def _tell(self, before: Snapshot) -> None:
        await self.on_interrupt(await self._compare(before))


def names_of_hosts(*, allow_network: bool) -> list[str]:
    """Where names of computers are looked up, if that lies outside of the system's own folders."""
    real = os.path.realpath("/etc/resolv.conf")
    return [real] if allow_network and real.startswith("/run/") else []


def keeper_argv(private: PrivateFolder, argv: Sequence[str]) -> list[str]:
    """The program that keeps hold of all that a command starts."""
    return kept(
        argv,
        group=private.group or "",
        max_memory=max_memory(),
        max_tasks=count_tasks() + max_tasks(),
    )


def ending(private: PrivateFolder) -> End:
    """How to end a command that is kept: its keeper does it, and what killed that is found."""

    async def end(running: RunningProgram) -> None:
        if running.is_running:
            await ask_to_end(running)
        # What left its session or its parent still has the mark in its environment.
        await end_marked(private.mark)

    return end


async def ask_to_end(running: RunningProgram) -> None:
    """Have the keeper end everything, then itself."""
    with anyio.move_on_after(KEEPER_S):
        try:
            await running.send(b"end\n")
        except InputClosed:
            return
        await running.wait()
