"""Wakes those who wait for something to be committed, by whichever process."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from recto.storage.failures import Unavailable


@dataclass(slots=True)
class CommitNews:
    """What a transaction will have to tell when it is committed."""

    last_change: int = 0
    events: dict[str, int] = field(default_factory=dict[str, int])
    """The chats that have new events, each with the number of the last one."""
    documents: dict[str, int] = field(default_factory=dict[str, int])
    """The live documents that have new updates, each with the number of the last one."""

    def reached(self, change: int) -> None:
        """The number of the last change is known."""
        self.last_change = change


OnEvents = Callable[[str | None, int], None]
"""Called with a chat and the number of its last event; with None when any chat may have some."""
OnDocument = Callable[[str | None, int], None]
"""Called with a document and the number of its last update; with None when any may have some."""


class CommitSignal:
    """The number of the latest committed change, and an alarm for when it grows."""

    def __init__(self, latest: int) -> None:
        self._latest = latest
        self._alarm = anyio.Event()
        self._is_closed = False
        self._on_events: list[OnEvents] = []
        self._on_document: list[OnDocument] = []

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

    def listen(self, on_events: OnEvents) -> None:
        """Call back for events of chats that other processes committed; ours may come too."""
        self._on_events.append(on_events)

    def happened(self, chat_id: str | None, seq: int = 0) -> None:
        """Tell that a chat has events up to a number, or that any may have some."""
        for call in self._on_events:
            call(chat_id, seq)

    def listen_to_documents(self, on_document: OnDocument) -> None:
        """Call back for updates of documents that other processes committed; ours may come too."""
        self._on_document.append(on_document)

    def written(self, document_id: str | None, seq: int = 0) -> None:
        """Tell that a document has updates up to a number, or that any may have some."""
        for call in self._on_document:
            call(document_id, seq)

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
