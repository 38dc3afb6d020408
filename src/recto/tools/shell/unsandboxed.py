"""Running a command in the folder itself, where there is no sandbox, and finding what it did."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.processes import InputClosed, RunningProgram, end_marked, shielded
from recto.tools.shell.command_result import CommandChanges, CommandResult, build_command_result
from recto.tools.shell.execution import End, Execution
from recto.tools.shell.limits import count_tasks, max_memory, max_tasks
from recto.tools.shell.output import CommandOutput
from recto.tools.shell.private_folder import PrivateFolder, private_folder
from recto.tools.shell.sandbox import find_shell
from recto.tools.shell.snapshot import Snapshot, take_snapshot
from recto.workspace import Workspace

KEEPER = Path(__file__).with_name("keeper.py")
KEEPER_S = 1.5
OnInterrupt = Callable[[CommandChanges], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class UnsandboxedCommands:
    """A folder's commands without a sandbox."""

    workspace: Workspace
    on_interrupt: OnInterrupt

    async def run(self, command: str, output: CommandOutput, timeout_s: float) -> CommandResult:
        """Run one. Interrupted, what it had done by then still is told."""
        async with private_folder() as private:
            before = await self._look(private)
            argv = await anyio.to_thread.run_sync(keeper_argv, private, command)
            root = self.workspace.root
            execution = Execution(argv, root, private.mark, root, talks=True, end=ending(private))
            try:
                ended = await execution.run(output, timeout_s)
            except BaseException:
                # The folder is changed already: without this, an undo would not know of it.
                await shielded(self._tell(before))
                raise
            found = await self._compare(before)
        return build_command_result(ended, output, found, "unsandboxed", before.not_covered())

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


def keeper_argv(private: PrivateFolder, command: str) -> list[str]:
    """The program that keeps hold of all that a command starts."""
    limits = [private.group or "", str(max_memory()), str(count_tasks() + max_tasks())]
    # -I and -S: nothing of the user's folder or site-packages runs inside the keeper.
    return [sys.executable, "-I", "-S", str(KEEPER), *limits, find_shell(), command]


def talking_keeper(lifeline: int, argv: Sequence[str]) -> list[str]:
    """The same for a program that talks; it is ended when the handle `lifeline` reads the end."""
    return [sys.executable, "-I", "-S", str(KEEPER), "--talks", str(lifeline), *argv]


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
