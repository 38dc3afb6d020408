"""The transcript of one turn: entries and events, committed before anybody sees them."""

import asyncio
from asyncio import Task
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TypeVar

from recto.agent import TurnEnded
from recto.chats.history.archive import entry_events
from recto.chats.history.entries import Assistant, ChatEntry, EntryContent, Error
from recto.chats.history.journal import Work
from recto.chats.prompts.turn_input import input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.thread_announcements import announce_threads
from recto.storage import Chat, ChatEvent, NewEvent, Run, WriteTransaction, finish_shielded

T = TypeVar("T")


class Transcript:
    """Writes down what happens in a turn, and knows the history that the turn builds on."""

    def __init__(
        self, services: ChatServices, chat: Chat, run: Run, *, is_over: bool = False
    ) -> None:
        """`is_over`: something is added to a turn that has ended."""
        self.entries: list[ChatEntry] = []
        self._journal = services.journals.of(chat.id)
        self._services = services
        self._chat = chat
        self._run = run
        # With a run id, a commit fails once another process has ended the run.
        self._holding = None if is_over else run.id
        self._beside: Task[object] | None = None
        self._shown_step: object = None

    @property
    def chat_id(self) -> str:
        """The chat that the turn belongs to."""
        return self._chat.id

    @property
    def project_id(self) -> str:
        """The project whose files the turn works on."""
        return self._chat.project_id

    @property
    def turn(self) -> str:
        """The turn's id."""
        return self._run.id

    def last_answer(self) -> Assistant:
        """The answer that makes the calls which run now."""
        answers = (entry.content for entry in reversed(self.entries))
        return next(answer for answer in answers if isinstance(answer, Assistant))

    def event(self, kind: str, body: Mapping[str, object]) -> NewEvent:
        """An event of this turn."""
        return NewEvent(kind, body, self._run.id)

    def add(self, kind: str, body: Mapping[str, object]) -> None:
        """Something that may wait a moment before it is written."""
        self._journal.add(self.event(kind, body))

    async def show(self, kind: str, body: Mapping[str, object]) -> None:
        """A piece of an answer. The first one is written now, the others as they come."""
        self.add(kind, body)
        if self._shown_step != body["step"]:
            self._shown_step = body["step"]
            # Before more is read: a short answer is over at once, and its first word would wait
            # until its cost is booked.
            await self._journal.write_waiting(self._run.id)

    async def keep_writing(self) -> None:
        """Write what may wait as it comes, until cancelled. Raises RunTaken."""
        await self._journal.keep_writing(self._run.id)

    async def commit(self, *events: NewEvent) -> None:
        """Write everything that waits, then these events of this turn. Raises RunTaken."""
        await self._catch_up()
        await self._journal.commit(*events, run_id=self._holding)

    async def commit_with(self, work: Work[T], tell: Callable[[T], Sequence[NewEvent]]) -> T:
        """Do some work of this turn and tell of it, in one transaction. Raises RunTaken."""
        await self._catch_up()
        return await self._journal.commit_with(work, tell, run_id=self._holding)

    async def commit_beside(self, work: Work[T], tell: Callable[[T], Sequence[NewEvent]]) -> None:
        """The same while the turn goes on. What it commits later comes after, or fails as this."""
        await self._catch_up()
        self._beside = asyncio.create_task(
            self._journal.commit_with(work, tell, run_id=self._holding)
        )

    async def _catch_up(self) -> None:
        """Wait for what is committed beside the turn. Raises RunTaken."""
        if self._beside is not None:
            beside, self._beside = self._beside, None
            await finish_shielded(_ended(beside))

    def follow(self, after: int) -> AsyncGenerator[ChatEvent]:
        """Every event of the chat after a number, as it is committed."""
        return self._journal.follow(after)

    async def append(self, *contents: EntryContent) -> None:
        """Entries of the history."""

        async def work(write: WriteTransaction) -> list[ChatEntry]:
            return await self.write(write, contents)

        self.entries += await self.commit_with(work, self.told)

    async def write(
        self, write: WriteTransaction, contents: tuple[EntryContent, ...]
    ) -> list[ChatEntry]:
        """Entries of the history, in a transaction that does more."""
        archive = self._services.archive
        return [await archive.append(write, self._chat.id, content) for content in contents]

    def told(self, entries: list[ChatEntry]) -> list[NewEvent]:
        """The events that tell of new entries."""
        return entry_events(entries, self._run.id)

    async def end(self, event: TurnEnded, *, is_stopped: bool) -> None:
        """The turn is over: its last words, and how its run ended."""
        reason, state = event_bodies.ending(event, is_stopped=is_stopped)
        words = event.words if reason != "interrupted" else event_bodies.CLOSED
        is_said = not words or (event.failure is not None and self._has_error())
        contents = () if is_said else (event_bodies.last_words(event, reason, words, self._run.id),)

        # State, notice and event in one transaction: no watcher sees an end without its reason.
        async def work(write: WriteTransaction) -> list[ChatEntry]:
            await self._services.storage.runs.end(write, self._run.id, state)
            comments = input_of(self._run.body).comments
            await announce_threads(self._services.storage, write, self._chat, comments)
            return await self.write(write, contents)

        body = event_bodies.turn_body(self._run.id, state, input_of(self._run.body))
        self.entries += await self.commit_with(
            work, lambda entries: [*self.told(entries), self.event("turn", body)]
        )

    def _has_error(self) -> bool:
        """Whether the failure that ends the turn stands in the history already."""
        last = self.entries[-1].content if self.entries else None
        return isinstance(last, Error) and last.turn == self._run.id


async def _ended(task: Task[object]) -> None:
    await task
