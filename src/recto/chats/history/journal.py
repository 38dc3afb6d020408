"""One chat's log: what happens is committed first, then seen. Any watcher starts at any number.

Pieces of an answer come faster than a disk can confirm them. They are collected and committed
together a moment later, with those of other chats, or with the next event that can't wait.
"""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar
from weakref import WeakValueDictionary

import anyio

from recto.storage import (
    ChatEvent,
    GroupedRequests,
    NewEvent,
    RunTaken,
    Storage,
    WriteTransaction,
    chat_name,
    finish_shielded,
)

FLUSH_S = 0.04
"""The longest that a piece waits before it is written; well under what may be lost in a crash."""
# Enough for a tab that reconnects; whoever is further behind reads from the store.
REMEMBERED = 1000
BATCH = 500
JOINABLE = frozenset({"text", "thinking", "call_output"})

T = TypeVar("T")
Work = Callable[[WriteTransaction], Awaitable[T]]


@dataclass(frozen=True, slots=True)
class WaitingPieces:
    """Pieces that a chat has to write for a run."""

    chat_id: str
    run_id: str
    pieces: Sequence[NewEvent]


class ChatJournal:
    """The log of one chat, in this process."""

    def __init__(
        self, storage: Storage, chat_id: str, pieces: "GroupedPieces | None" = None
    ) -> None:
        """With `pieces`, those of all chats that have it are committed together."""
        self.chat_id = chat_id
        self._storage = storage
        self._pieces = pieces or grouped_pieces(storage)
        self._waiting: list[NewEvent] = []
        self._committing = anyio.Lock()
        self._recent: deque[ChatEvent] = deque(maxlen=REMEMBERED)
        self._news = anyio.Event()
        self._piece_came = anyio.Event()
        self._words_came = anyio.Event()

    def add(self, event: NewEvent) -> None:
        """Take a piece; it is written soon, in its place among the others."""
        last = self._waiting[-1] if self._waiting else None
        if last is not None and belong_together(last, event):
            text = last.body["text"] + event.body["text"]
            self._waiting[-1] = replace(last, body={**last.body, **event.body, "text": text})
        else:
            self._waiting.append(event)
        self._piece_came.set()
        if event.kind in JOINABLE:
            self._words_came.set()

    async def keep_writing(self, run_id: str) -> None:
        """Write the pieces of a run as they come, until cancelled. Raises RunTaken."""
        while True:
            await self._piece_came.wait()
            # That a step begins can be told with its first words: no commit before them that the
            # money set aside for it, or they themselves, would have to wait for.
            with anyio.move_on_after(FLUSH_S):
                await self._words_came.wait()
            self._piece_came, self._words_came = anyio.Event(), anyio.Event()
            is_flowing = any(event.kind in JOINABLE for event in self._waiting)
            await self.write_waiting(run_id)
            # Only pieces that flow are collected: an answer's first word waits for nothing.
            if is_flowing:
                await anyio.sleep(FLUSH_S)

    async def write_waiting(self, run_id: str) -> None:
        """Write the pieces of a run that wait now, with those of other chats. Raises RunTaken."""
        async with self._committing:
            # Another commit may have taken them along: an empty one would only be in the way of
            # an answer's first word.
            if self._waiting:
                await finish_shielded(self._write_pieces(run_id))

    async def commit(self, *events: NewEvent, run_id: str | None = None) -> None:
        """Write everything that waits, then these. When it returns, all of it is safe and seen."""
        await self.commit_with(nothing, lambda _: events, run_id=run_id)

    async def commit_with(
        self,
        work: Work[T],
        tell: Callable[[T], Sequence[NewEvent]],
        *,
        run_id: str | None = None,
    ) -> T:
        """Do some work and tell of it, in one transaction with everything that waits.

        Once begun it goes on to its end: cut off after the commit, it would write the pieces again.
        What a run of this process does has its `run_id`: nothing of it is written once another
        process has ended the run. Raises RunTaken.
        """
        # One commit at a time, or pieces that wait could get in behind what followed them.
        async with self._committing:
            return await finish_shielded(self._commit(work, tell, run_id))

    async def _commit(
        self, work: Work[T], tell: Callable[[T], Sequence[NewEvent]], run_id: str | None
    ) -> T:
        pieces, self._waiting = self._waiting, []
        try:
            # What does nothing else concerns this chat alone.
            names = (chat_name(self.chat_id),) if work is nothing else ()
            async with self._storage.write(*names) as write:
                runs = {piece.run_id for piece in pieces} | {run_id}
                # Pieces of several runs can wait here: that of a dead one must not stop the others.
                taken = await self._storage.runs.taken(write, [run for run in runs if run])
                if run_id in taken:
                    raise RunTaken(run_id)
                # Nobody has seen them, and the run whose words they are has its end already.
                pieces = [piece for piece in pieces if piece.run_id not in taken]
                done = await work(write)
                events = (*pieces, *tell(done))
                added = await self._storage.events.append(write, self.chat_id, events)
        except BaseException:
            # Back in front of what came meanwhile: the next commit tries them again, in order.
            self._waiting = [*pieces, *self._waiting]
            raise
        self._publish(added)
        return done

    async def _write_pieces(self, run_id: str) -> None:
        pieces, self._waiting = self._waiting, []
        try:
            added = await self._pieces.do(WaitingPieces(self.chat_id, run_id, pieces))
            if isinstance(added, RunTaken):
                raise added
        except BaseException:
            self._waiting = [*pieces, *self._waiting]
            raise
        self._publish(added)

    async def follow(self, after: int) -> AsyncGenerator[ChatEvent]:
        """Every event after a number, as it is committed, for as long as somebody listens."""
        while True:
            # Taken before the look: what is published in between sets this very event.
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
        # The first event after the number must be among the remembered, else there is a gap.
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
        # An event fires once: those who wait hold the old one.
        self._news = anyio.Event()


GroupedPieces = GroupedRequests[WaitingPieces, tuple[ChatEvent, ...] | RunTaken]


def grouped_pieces(storage: Storage) -> GroupedPieces:
    """Where chats bring their pieces; what comes during a commit is in the next one, together."""

    async def write_all(
        write: WriteTransaction, waiting: Sequence[WaitingPieces]
    ) -> Sequence[tuple[ChatEvent, ...] | RunTaken]:
        runs = {piece.run_id for item in waiting for piece in item.pieces if piece.run_id}
        taken, last = await storage.runs.taken_and_last(
            write,
            runs | {item.run_id for item in waiting},
            {item.chat_id for item in waiting},
        )
        told = [
            # Nobody has seen those of a dead run, and the run whose words they are has its end.
            (item.chat_id, [one for one in item.pieces if one.run_id not in taken])
            for item in waiting
            if item.run_id not in taken
        ]
        added = iter(await storage.events.append_all(write, told, last))
        return [RunTaken(item.run_id) if item.run_id in taken else next(added) for item in waiting]

    return GroupedRequests(storage, write_all, lambda waiting: [chat_name(waiting.chat_id)])


async def nothing(write: WriteTransaction) -> None:
    """No work."""


def belong_together(one: NewEvent, two: NewEvent) -> bool:
    """Whether two pieces are more of the same."""
    return (
        one.kind == two.kind
        and one.kind in JOINABLE
        and one.run_id == two.run_id
        and one.body.get("step") == two.body.get("step")
        and one.body.get("call_id") == two.body.get("call_id")
        # The end of one thought and the start of the next must not become one.
        and not one.body.get("is_over")
    )


class ChatJournals:
    """The logs that are in use, one for each chat."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        # A log that no turn writes and nobody follows is forgotten, with the events it remembers.
        self._open = WeakValueDictionary[str, ChatJournal]()
        self._pieces = grouped_pieces(storage)
        storage.on_events(self._heard)

    def of(self, chat_id: str) -> ChatJournal:
        """The log of a chat."""
        journal = self._open.get(chat_id)
        if journal is None:
            journal = self._open[chat_id] = ChatJournal(self._storage, chat_id, self._pieces)
        return journal

    def _heard(self, chat_id: str | None, seq: int) -> None:
        """Another process wrote into the log of a chat, or (None) may have into any."""
        if chat_id is None:
            for journal in list(self._open.values()):
                journal.heard(None)
        elif (journal := self._open.get(chat_id)) is not None:
            journal.heard(seq)
