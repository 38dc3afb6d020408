"""Whoever shows a document follows it: every stored edit, in order, and how it stands."""

from dataclasses import dataclass, replace

import anyio
from pycrdt import merge_updates

from recto.documents.origins import EditOrigin
from recto.documents.state import DocumentState
from recto.documents.tracking.hunks import Hunk

MAX_WAITING = 64  # a slow follower gets more than these as one


@dataclass(frozen=True, slots=True)
class EditedEvent:
    """An edit that is stored. An `undoable` one is for everybody's undo, as a run's always is."""

    update: bytes
    origin: EditOrigin
    undoable: bool = False

    @property
    def is_undoable(self) -> bool:
        """Whether the undo of every page takes it back."""
        return self.undoable or self.origin.who == "run"


@dataclass(frozen=True, slots=True)
class ReviewedEvent:
    """What waits for review has changed, and is this now. It is told behind the edit."""

    hunks: tuple[Hunk, ...]


class DocumentFollower:
    """What one follower has not taken yet."""

    def __init__(self, state: DocumentState) -> None:
        self._edits: list[EditedEvent] = []
        self._reviewed: ReviewedEvent | None = None
        self._state: DocumentState | None = state
        self._news = anyio.Event()
        self._news.set()

    def tell(self, news: EditedEvent | ReviewedEvent | DocumentState) -> None:
        """Add an edit, or what waits for review, or what is the state now."""
        match news:
            case DocumentState():
                # Only the last state matters; edits must all arrive, in order.
                self._state = news
            case ReviewedEvent():
                self._reviewed = news
            case EditedEvent():
                self._edits.append(news)
        if len(self._edits) > MAX_WAITING:
            self._edits = list(merged(self._edits))
        self._news.set()

    async def news(self) -> tuple[EditedEvent | ReviewedEvent | DocumentState, ...]:
        """Everything since the last time; waits until there is something."""
        await self._news.wait()
        self._news = anyio.Event()
        latest = (self._reviewed, self._state)
        news = (*self._edits, *(item for item in latest if item is not None))
        self._edits = []
        self._reviewed = self._state = None
        return news


def merged(edits: list[EditedEvent]) -> list[EditedEvent]:
    """Neighbours of one origin as one."""
    result: list[EditedEvent] = []
    for edit in edits:
        last = result[-1] if result else None
        # Pages show who wrote and what can be undone, so edits of two origins can't be one.
        if last and (last.origin, last.undoable) == (edit.origin, edit.undoable):
            result[-1] = replace(last, update=merge_updates(last.update, edit.update))
        else:
            result.append(edit)
    return result
