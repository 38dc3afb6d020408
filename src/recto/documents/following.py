"""Whoever shows a document follows it: every stored edit, in order, and how it stands."""

from dataclasses import dataclass, replace

import anyio
from pycrdt import merge_updates

from recto.documents.origins import Origin
from recto.documents.state import State
from recto.documents.tracking.hunks import Hunk

MAX_WAITING = 64  # a slow follower gets more than these as one


@dataclass(frozen=True, slots=True)
class Edited:
    """An edit that is stored. An `undoable` one is for everybody's undo, as a run's always is."""

    update: bytes
    origin: Origin
    undoable: bool = False

    @property
    def is_undoable(self) -> bool:
        """Whether the undo of every page takes it back."""
        return self.undoable or self.origin.who == "run"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What waits for review has changed, and is this now. It is told behind the edit."""

    hunks: tuple[Hunk, ...]


class Follower:
    """What one follower has not taken yet."""

    def __init__(self, state: State) -> None:
        self._edits: list[Edited] = []
        self._reviewed: Reviewed | None = None
        self._state: State | None = state
        self._news = anyio.Event()
        self._news.set()

    def tell(self, news: Edited | Reviewed | State) -> None:
        """Add an edit, or what waits for review, or what is the state now."""
        match news:
            case State():
                self._state = news
            case Reviewed():
                self._reviewed = news
            case Edited():
                self._edits.append(news)
        if len(self._edits) > MAX_WAITING:
            self._edits = list(merged(self._edits))
        self._news.set()

    async def news(self) -> tuple[Edited | Reviewed | State, ...]:
        """Everything since the last time; waits until there is something."""
        await self._news.wait()
        self._news = anyio.Event()
        latest = (self._reviewed, self._state)
        news = (*self._edits, *(one for one in latest if one is not None))
        self._edits = []
        self._reviewed = self._state = None
        return news


def merged(edits: list[Edited]) -> list[Edited]:
    """Neighbours of one origin as one."""
    result: list[Edited] = []
    for edit in edits:
        last = result[-1] if result else None
        if last and (last.origin, last.undoable) == (edit.origin, edit.undoable):
            result[-1] = replace(last, update=merge_updates(last.update, edit.update))
        else:
            result.append(edit)
    return result
