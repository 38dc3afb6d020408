"""Whoever shows a document follows it: every stored edit, in order, and how it stands."""

from dataclasses import dataclass

import anyio
from pycrdt import merge_updates

from recto.documents.journal import Origin
from recto.documents.state import State

MAX_WAITING = 64  # a slow follower gets more than these as one


@dataclass(frozen=True, slots=True)
class Edited:
    """An edit that is stored."""

    update: bytes
    origin: Origin


class Follower:
    """What one follower has not taken yet."""

    def __init__(self, state: State) -> None:
        self._edits: list[Edited] = []
        self._state: State | None = state
        self._news = anyio.Event()
        self._news.set()

    def tell(self, news: Edited | State) -> None:
        """Add an edit, or what is the state now."""
        if isinstance(news, State):
            self._state = news
        else:
            self._edits.append(news)
        if len(self._edits) > MAX_WAITING:
            self._edits = list(merged(self._edits))
        self._news.set()

    async def news(self) -> tuple[Edited | State, ...]:
        """Everything since the last time; waits until there is something."""
        await self._news.wait()
        self._news = anyio.Event()
        state = () if self._state is None else (self._state,)
        news = (*self._edits, *state)
        self._edits = []
        self._state = None
        return news


def merged(edits: list[Edited]) -> list[Edited]:
    """Neighbours of one origin as one."""
    result: list[Edited] = []
    for edit in edits:
        if result and result[-1].origin == edit.origin:
            result[-1] = Edited(merge_updates(result[-1].update, edit.update), edit.origin)
        else:
            result.append(edit)
    return result
