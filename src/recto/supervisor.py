"""Keeps background work going: what fails is logged, begun again after a pause, and reported.

Nothing that runs beside the requests may end the program, so everything that does is begun here.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

import anyio
from anyio import CancelScope
from anyio.abc import TaskGroup

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 30.0
STEADY_S = 60.0
"""Work that went on for this long before it failed is begun again as if it had never failed."""

Work = Callable[[], Awaitable[None]]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TaskHealth:
    """How one kind of background work is."""

    name: str
    state: Literal["idle", "running", "pausing"]
    """`pausing`: one of them failed and is about to begin again."""
    failures: int
    last_error: str | None
    """What went wrong last: only its kind, never its words, which may quote a document."""


@dataclass(slots=True)
class _Record:
    running: int = 0
    pausing: int = 0
    failures: int = 0
    last_error: str | None = None


class Supervisor:
    """Begins every background task, begins it again when it fails, and knows how each is."""

    def __init__(
        self,
        tasks: TaskGroup,
        monotonic: Callable[[], float],
        *,
        wait: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._tasks = tasks
        self._monotonic = monotonic
        self._wait = wait
        self._records: dict[str, _Record] = {}

    def keep(self, name: str, work: Work) -> CancelScope:
        """Begin work, and begin it again whenever it raises, until it returns by itself.

        Cancelling the scope ends it.
        """
        scope = CancelScope()
        self._tasks.start_soon(self._keep, self._record(name), name, work, scope)
        return scope

    def run_once(self, name: str, work: Work) -> None:
        """Begin work that must not be repeated: when it raises, that is its end."""
        self._tasks.start_soon(self._run_once, self._record(name), name, work)

    def health(self) -> tuple[TaskHealth, ...]:
        """How everything is that was ever begun, by name."""
        return tuple(health_of(name, self._records[name]) for name in sorted(self._records))

    async def attempt(self, name: str, work: Work) -> None:
        """One try of some work."""
        await work()

    def _record(self, name: str) -> _Record:
        return self._records.setdefault(name, _Record())

    async def _keep(self, record: _Record, name: str, work: Work, scope: CancelScope) -> None:
        pause = FIRST_PAUSE_S
        with scope:
            while True:
                began = self._monotonic()
                if await self._is_done(record, name, work):
                    return
                # A failure after days is a new one, and need not wait half a minute.
                if self._monotonic() - began >= STEADY_S:
                    pause = FIRST_PAUSE_S
                log.warning("background work begins again", extra={"task": name, "pause_s": pause})
                await self._pause(record, pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)

    async def _pause(self, record: _Record, pause_s: float) -> None:
        record.pausing += 1
        try:
            await self._wait(pause_s)
        finally:
            record.pausing -= 1

    async def _run_once(self, record: _Record, name: str, work: Work) -> None:
        await self._is_done(record, name, work)

    async def _is_done(self, record: _Record, name: str, work: Work) -> bool:
        """Whether the work came to its own end; what it raises ends nothing but itself."""
        record.running += 1
        try:
            await self.attempt(name, work)
        except Exception as error:
            record.failures += 1
            record.last_error = type(error).__name__
            log.exception(
                "background work failed", extra={"task": name, "failures": record.failures}
            )
            return False
        finally:
            record.running -= 1
        return True


def health_of(name: str, record: _Record) -> TaskHealth:
    """What is told of a record."""
    state = "pausing" if record.pausing else "running" if record.running else "idle"
    return TaskHealth(name, state, record.failures, record.last_error)
