"""The minutes of one turn: entries and events, written so that what is seen is safe."""

from collections.abc import Mapping

from recto.agent import TurnEnded
from recto.chats import telling
from recto.chats.archive import told
from recto.chats.entries import Assistant, Content, Entry, Error
from recto.chats.inputs import input_of
from recto.chats.means import Means
from recto.chats.threads.telling import tell_threads
from recto.storage import Chat, NewEvent, Run, Write


class Minutes:
    """Writes down what happens in a turn, and knows the history that the turn builds on."""

    def __init__(self, means: Means, chat: Chat, run: Run) -> None:
        self.entries: list[Entry] = []
        self.journal = means.journals.of(chat.id)
        self._means = means
        self._chat = chat
        self._run = run

    def last_answer(self) -> Assistant:
        """The answer that makes the calls which run now."""
        answers = (one.content for one in reversed(self.entries))
        return next(one for one in answers if isinstance(one, Assistant))

    def event(self, kind: str, body: Mapping[str, object]) -> NewEvent:
        """An event of this turn."""
        return NewEvent(kind, body, self._run.id)

    def add(self, kind: str, body: Mapping[str, object]) -> None:
        """Something that may wait a moment before it is written."""
        self.journal.add(self.event(kind, body))

    async def append(self, *contents: Content) -> None:
        """Entries of the history."""

        async def work(write: Write) -> list[Entry]:
            return await self.write(write, contents)

        self.entries += await self.journal.commit_with(work, self.told)

    async def write(self, write: Write, contents: tuple[Content, ...]) -> list[Entry]:
        """Entries of the history, in a transaction that does more."""
        archive = self._means.archive
        return [await archive.append(write, self._chat.id, one) for one in contents]

    def told(self, entries: list[Entry]) -> list[NewEvent]:
        """The events that tell of new entries."""
        return told(entries, self._run.id)

    async def end(self, event: TurnEnded, *, is_stopped: bool) -> None:
        """The turn is over: its last words, and how its run ended."""
        reason, state = telling.ending(event, is_stopped=is_stopped)
        words = event.words if reason != "interrupted" else telling.CLOSED
        is_said = not words or (event.failure is not None and self._has_error())
        contents = () if is_said else (telling.last_words(event, reason, words, self._run.id),)

        async def work(write: Write) -> list[Entry]:
            await self._means.storage.runs.end(write, self._run.id, state)
            comments = input_of(self._run.body).comments
            await tell_threads(self._means.storage, write, self._chat, comments)
            return await self.write(write, contents)

        body = telling.turn(self._run.id, state, input_of(self._run.body))
        self.entries += await self.journal.commit_with(
            work, lambda entries: [*self.told(entries), self.event("turn", body)]
        )

    def _has_error(self) -> bool:
        """Whether the failure that ends the turn stands in the history already."""
        last = self.entries[-1].content if self.entries else None
        return isinstance(last, Error) and last.turn == self._run.id
