"""One chat's log: what happens is committed first, then seen. Any watcher starts at any number.

Pieces of an answer come faster than a disk can confirm them. They are collected and committed
together a moment later, or with the next event that can't wait, whichever comes first.
"""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

import anyio

from recto.storage import ChatEvent, NewEvent, Storage, Write

FLUSH_S = 0.04
"""The longest that a piece waits before it is written; well under what may be lost in a crash."""
REMEMBERED = 1000
BATCH = 500
JOINABLE = frozenset({"text", "thinking", "call_output"})

T = TypeVar("T")
Work = Callable[[Write], Awaitable[T]]


class Journal:
    """The log of one chat, in this process."""

    def __init__(self, storage: Storage, chat_id: str) -> None:
        self.chat_id = chat_id
        self._storage = storage
        self._waiting: list[NewEvent] = []
        self._committing = anyio.Lock()
        self._recent: deque[ChatEvent] = deque(maxlen=REMEMBERED)
        self._news = anyio.Event()
        self._piece_came = anyio.Event()

    def add(self, event: NewEvent) -> None:
        """Take a piece; it is written soon, in its place among the others."""
        last = self._waiting[-1] if self._waiting else None
        if last is not None and belong_together(last, event):
            text = last.body["text"] + event.body["text"]
            self._waiting[-1] = replace(last, body={**last.body, **event.body, "text": text})
        else:
            self._waiting.append(event)
        self._piece_came.set()

    async def keep_writing(self) -> None:
        """Write the pieces as they come, until cancelled."""
        while True:
            await self._piece_came.wait()
            self._piece_came = anyio.Event()
            await self.commit()
            await anyio.sleep(FLUSH_S)

    async def commit(self, *events: NewEvent) -> None:
        """Write everything that waits, then these. When it returns, all of it is safe and seen."""
        await self.commit_with(nothing, lambda _: events)

    async def commit_with(self, work: Work[T], tell: Callable[[T], Sequence[NewEvent]]) -> T:
        """Do some work and tell of it, in one transaction with everything that waits."""
        async with self._committing:
            pieces, self._waiting = self._waiting, []
            try:
                async with self._storage.write() as write:
                    done = await work(write)
                    events = (*pieces, *tell(done))
                    added = await self._storage.events.append(write, self.chat_id, events)
            except BaseException:
                self._waiting = [*pieces, *self._waiting]
                raise
            self._publish(added)
        return done

    async def follow(self, after: int) -> AsyncGenerator[ChatEvent]:
        """Every event after a number, as it is committed, for as long as somebody listens."""
        while True:
            news = self._news
            batch = self._remembered(after)
            if batch is None:
                batch = await self._storage.events.after(self.chat_id, after, BATCH)
            for event in batch:
                after = event.seq
                yield event
            if not batch:
                await news.wait()

    def _remembered(self, after: int) -> Sequence[ChatEvent] | None:
        """What follows a number, without asking the store; None when only that knows."""
        if not self._recent or after < self._recent[0].seq - 1:
            return None
        return list(islice(self._recent, max(0, after + 1 - self._recent[0].seq), None))

    def heard(self, seq: int | None) -> None:
        """The log goes up to a number now, or (None) nobody knows how far: somebody else wrote."""
        if seq is None or not self._recent or self._recent[-1].seq < seq:
            # Only the store knows everything.
            self._recent.clear()
            self._wake()

    def _publish(self, added: Sequence[ChatEvent]) -> None:
        if added:
            if self._recent and added[0].seq != self._recent[-1].seq + 1:
                # Another process wrote between, and we have not heard of it yet.
                self._recent.clear()
            self._recent.extend(added)
            self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()


async def nothing(write: Write) -> None:
    """No work."""


def belong_together(one: NewEvent, two: NewEvent) -> bool:
    """Whether two pieces are more of the same."""
    return (
        one.kind == two.kind
        and one.kind in JOINABLE
        and one.run_id == two.run_id
        and one.body.get("step") == two.body.get("step")
        and one.body.get("call_id") == two.body.get("call_id")
        and not one.body.get("is_over")
    )


class Journals:
    """The logs that are in use, one for each chat."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._open: dict[str, Journal] = {}
        storage.on_events(self._heard)

    def of(self, chat_id: str) -> Journal:
        """The log of a chat."""
        if chat_id not in self._open:
            self._open[chat_id] = Journal(self._storage, chat_id)
        return self._open[chat_id]

    def _heard(self, chat_id: str | None, seq: int) -> None:
        """Another process wrote into the log of a chat, or (None) may have into any."""
        if chat_id is None:
            for journal in self._open.values():
                journal.heard(None)
        elif chat_id in self._open:
            self._open[chat_id].heard(seq)
