"""Running a command in the folder itself, where there is no sandbox, and finding what it did."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.processes import InputClosed, Running, end_marked, shielded
from recto.tools.shell.execution import End, Execution
from recto.tools.shell.limits import count_tasks, max_memory, max_tasks
from recto.tools.shell.output import Output
from recto.tools.shell.private import Private, private_folder
from recto.tools.shell.ran import Found, Ran, build_ran
from recto.tools.shell.sandbox import find_shell
from recto.tools.shell.snapshot import Snapshot, take_snapshot
from recto.workspace import Workspace

KEEPER = Path(__file__).with_name("keeper.py")
KEEPER_S = 1.5
OnInterrupt = Callable[[Found], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class InPlace:
    """A folder's commands without a sandbox."""

    workspace: Workspace
    on_interrupt: OnInterrupt

    async def run(self, command: str, output: Output, timeout_s: float) -> Ran:
        """Run one. Interrupted, what it had done by then still is told."""
        async with private_folder() as private:
            before = await self._look(private)
            argv = await anyio.to_thread.run_sync(keeper_argv, private, command)
            root = self.workspace.root
            execution = Execution(argv, root, private.mark, root, talks=True, end=ending(private))
            try:
                ended = await execution.run(output, timeout_s)
            except BaseException:
                await shielded(self._tell(before))
                raise
            found = await self._compare(before)
        return build_ran(ended, output, found, "unsandboxed", before.not_covered())

    async def _look(self, private: Private) -> Snapshot:
        names = await self.workspace.file_names(refresh=True)
        since_ns = (await anyio.Path(private.path).stat()).st_ctime_ns

        def take() -> Snapshot:
            complete = not names.truncated
            root = self.workspace.root
            return take_snapshot(root, names.paths, complete=complete, since_ns=since_ns)

        return await anyio.to_thread.run_sync(take)

    async def _compare(self, before: Snapshot) -> Found:
        names = await self.workspace.file_names(refresh=True)
        return await anyio.to_thread.run_sync(before.compare, names.paths)

    async def _tell(self, before: Snapshot) -> None:
        await self.on_interrupt(await self._compare(before))


def keeper_argv(private: Private, command: str) -> list[str]:
    """The program that keeps hold of all that a command starts."""
    limits = [private.group or "", str(max_memory()), str(count_tasks() + max_tasks())]
    return [sys.executable, "-I", "-S", str(KEEPER), *limits, find_shell(), command]


def ending(private: Private) -> End:
    """How to end a command that is kept: its keeper does it, and what killed that is found."""

    async def end(running: Running) -> None:
        if running.is_running:
            await ask_to_end(running)
        await end_marked(private.mark)

    return end


async def ask_to_end(running: Running) -> None:
    """Have the keeper end everything, then itself."""
    with anyio.move_on_after(KEEPER_S):
        try:
            await running.send(b"end\n")
        except InputClosed:
            return
        await running.wait()
