"""Wakes those who wait for a change to be committed."""

import anyio

from recto.storage.failures import Unavailable


class CommitSignal:
    """The number of the latest committed change, and an alarm for when it grows."""

    def __init__(self, latest: int) -> None:
        self._latest = latest
        self._alarm = anyio.Event()
        self._is_closed = False

    @property
    def latest(self) -> int:
        """The latest committed change that we know of."""
        return self._latest

    def reached(self, seq: int) -> None:
        """Tell that the change `seq` is committed."""
        if seq > self._latest:
            self._latest = seq
            self.wake()

    def wake(self) -> None:
        """Have every waiter look again."""
        self._alarm.set()
        self._alarm = anyio.Event()

    def close(self) -> None:
        """Tell every waiter that nothing will come any more."""
        self._is_closed = True
        self.wake()

    def check(self) -> None:
        """Raise when nothing will come any more."""
        if self._is_closed:
            raise Unavailable("The records were closed.", "Start again.")

    async def wait(self) -> None:
        """Wait for the next wake-up."""
        await self._alarm.wait()
