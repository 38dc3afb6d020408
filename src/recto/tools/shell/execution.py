"""Running one command to its end: output, time, limits, and the end of all that it started."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from recto.processes import MARK, RunningProgram, shielded, start
from recto.tools.shell.limits import CommandWatch
from recto.tools.shell.output import CommandOutput

End = Callable[[RunningProgram], Coroutine[None, None, None]]


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """How it ended. `errors` come from what runs the command, never from the command."""

    code: int | None
    timed_out: bool
    stopped: str
    errors: str


@dataclass(frozen=True, slots=True)
class Execution:
    """A command ready to run. `end` ends all that it started; it is used however this ends."""

    argv: Sequence[str]
    cwd: str
    mark: str
    writes_to: str
    talks: bool
    end: End
    env: Mapping[str, str] = field(default_factory=dict[str, str])

    async def run(self, output: CommandOutput, timeout_s: float) -> ExecutionResult:
        """Run it. Cancelled or not, afterwards nothing of it runs any more."""
        watch = await CommandWatch.begin(self.writes_to)
        env = {MARK: self.mark, **self.env}
        async with start(self.argv, cwd=self.cwd, env=env, talks=self.talks) as running:
            guard = asyncio.create_task(self._guard(running, watch, timeout_s))
            try:
                # the guard ends the command, which ends its output
                await output.take(running.chunks())
                # Shielded: a cancelled caller must not cancel the guard's own cleaning up.
                stopped = await asyncio.shield(guard)
                code = await running.wait()
            finally:
                guard.cancel()
                await shielded(wait_for(guard))
            errors = (await running.errors()).decode("utf-8", "replace").strip()
        timed_out = stopped is None
        said = f"It took over {timeout_s:g} s." if timed_out else stopped
        ended = code if not said else None
        return ExecutionResult(
            ended if ended is None or ended >= 0 else 128 - ended, timed_out, said, errors
        )

    async def _guard(
        self, running: RunningProgram, watch: CommandWatch, timeout_s: float
    ) -> str | None:
        """End the command when it must; why, or None when it took too long."""
        try:
            with anyio.move_on_after(timeout_s):
                return await watch.until_end_or_breach(running)
            return None
        finally:
            # Also after a normal end: what the command left in the background must go.
            await shielded(self.end(running))


async def wait_for(task: "asyncio.Task[str | None]") -> None:
    """Wait for a task's end, however it ends."""
    await asyncio.wait({task})
