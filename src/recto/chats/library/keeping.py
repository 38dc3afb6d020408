"""What is not kept for ever: deleted chats are erased, and what old turns no longer need goes."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from recto.clock import Clock
from recto.storage import Storage, WriteTransaction

DAY_MS = 24 * 60 * 60 * 1000
ERASED_AFTER_MS = 5 * 60 * 1000
"""A turn that is just being stopped, in this process or another, has ended by then."""
PIECES_DAYS = 1
"""For how long a page that was away can catch up with an answer piece by piece."""
CHANGES_DAYS = 7
REPLACEMENTS_DAYS = 7
"""For how long a replacement in all files can be taken back."""
PAUSE_S = 600.0
UNTIL_DELETED = "until you delete the chat"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeepingRule:
    """What is kept for how long, in words."""

    kept: str
    how_long: str
    why: str


def keeping_rules(request_days: int, save_days: int) -> tuple[KeepingRule, ...]:
    """Every rule of keeping, for people."""
    return (
        KeepingRule(
            "What was said in a chat, what tools answered, and what undo needs",
            UNTIL_DELETED,
            "So that it can be searched, taken back and continued.",
        ),
        KeepingRule(
            "A deleted chat",
            "up to a quarter of an hour",
            "Then its words, files and pictures are erased and overwritten. Its id, its times and "
            "what it cost remain.",
        ),
        KeepingRule(
            "The exact requests and answers of each turn",
            in_days(request_days),
            "For the trace, for replays, and for comparing requests. You choose the days: "
            "request_days under [storage] in settings.toml.",
        ),
        KeepingRule(
            "The pieces in which an answer came",
            in_days(PIECES_DAYS),
            "So that a page that was away can catch up. The whole answer stays.",
        ),
        KeepingRule(
            "The list by which pages hear of changes",
            in_days(CHANGES_DAYS),
            "So that a page that was away can catch up.",
        ),
        KeepingRule(
            "What takes a replacement in all files back", in_days(REPLACEMENTS_DAYS), "For undo."
        ),
        KeepingRule(
            "Versions of files that an AI's edits made",
            "until you remove the project",
            "So that any version can be looked at and brought back.",
        ),
        KeepingRule(
            "Versions of files that you saved yourself",
            in_days(save_days),
            "At most 100 of a file; they are erased when the file is deleted for good. You choose "
            "the days: save_days under [storage] in settings.toml.",
        ),
        KeepingRule(
            "What every request cost", "for ever", "So that the sums of past months stay true."
        ),
    )


def in_days(days: int) -> str:
    """A number of days, in words."""
    return "1 day" if days == 1 else f"{days:,} days"


class Keeping:
    """Applies the rules of keeping, a little in each transaction, while others work."""

    def __init__(self, storage: Storage, clock: Clock, request_days: int, save_days: int) -> None:
        self._storage = storage
        self._clock = clock
        self._request_days = request_days
        self._save_days = save_days
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
        await self._until_done(keeping.drop_replacements, REPLACEMENTS_DAYS)
        await self._until_done(keeping.drop_own_saves, self._save_days)

    async def _erase(self) -> None:
        """Erase what was deleted; its words leave the search index, too."""
        keeping, erased = self._storage.keeping, 0
        while owner := await keeping.next_to_erase(self._clock.now_ms() - ERASED_AFTER_MS):
            is_done = False
            while not is_done:
                async with self._storage.write() as write:
                    is_done = await keeping.erase_some(write, owner)
            erased += 1
            self._has_remains = True
        # An erasure of an earlier program that ended before its words were forgotten counts, too.
        is_merged = not await keeping.has_words_to_merge()
        while not is_merged:
            async with self._storage.write() as write:
                is_merged = await keeping.merge_words(write)
        if self._has_remains:
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
