"""What is not kept for ever: deleted chats are erased, and what old turns no longer need goes."""

import logging
from collections.abc import Awaitable, Callable

import anyio

from recto.clock import Clock
from recto.storage import Storage, WriteTransaction

DAY_MS = 24 * 60 * 60 * 1000
ERASED_AFTER_MS = 5 * 60 * 1000
"""A turn that is just being stopped, in this process or another, has ended by then."""
PIECES_DAYS = 1
"""For how long a page that was away can catch up with an answer piece by piece."""
CHANGES_DAYS = 7
PAUSE_S = 600.0
log = logging.getLogger(__name__)


class Keeping:
    """Applies the rules of keeping, a little in each transaction, while others work."""

    def __init__(self, storage: Storage, clock: Clock, request_days: int) -> None:
        self._storage = storage
        self._clock = clock
        self._request_days = request_days
        # An earlier program may have ended between an erasure and the last step of it.
        self._has_remains = True

    async def run(self) -> None:
        """Apply the rules now and again, until cancelled."""
        while True:
            await self.sweep()
            await anyio.sleep(PAUSE_S)

    async def sweep(self) -> None:
        """Apply every rule to all there is now."""
        keeping = self._storage.keeping
        await self._erase()
        await self._until_done(keeping.drop_pieces, PIECES_DAYS)
        await self._until_done(keeping.drop_records, self._request_days)
        await self._until_done(keeping.drop_changes, CHANGES_DAYS)

    async def _erase(self) -> None:
        """Erase what was deleted; its words leave the search index, too."""
        keeping, erased = self._storage.keeping, 0
        while owner := await keeping.next_to_erase(self._clock.now_ms() - ERASED_AFTER_MS):
            is_done = False
            while not is_done:
                async with self._storage.write() as write:
                    is_done = await keeping.erase_some(write, owner)
            erased += 1
        is_merged = not erased
        while not is_merged:
            async with self._storage.write() as write:
                is_merged = await keeping.merge_words(write)
        if erased or self._has_remains:
            self._has_remains = not await self._storage.forget_deleted_bytes()
        if erased:
            log.info("deleted records were erased", extra={"count": erased})

    async def _until_done(
        self, drop_some: Callable[[WriteTransaction, int], Awaitable[bool]], days: int
    ) -> None:
        before_ms = self._clock.now_ms() - days * DAY_MS
        is_done = False
        while not is_done:
            async with self._storage.write() as write:
                is_done = await drop_some(write, before_ms)
