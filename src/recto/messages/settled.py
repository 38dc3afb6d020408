"""The beginning of a conversation that stays as it is, with what was worked out for it.

For each request a conversation is checked, hashed, counted and written. What its beginning came to
is kept with it, so that only what is new is gone through.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, Self, TypeVar

from recto.messages.message import Message


class Fold(Protocol):
    """Something that is worked out message by message."""

    def take(self, message: Message, /) -> None:
        """Take in the next message."""
        ...

    def copy(self) -> Self:
        """The same, to go on from without changing this one."""
        ...


F = TypeVar("F", bound=Fold)


class SettledStart:
    """Messages at the beginning that nothing said later changes.

    The last of them is the user's, and what follows is an answer that says something: there every
    protocol begins anew.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._folds: dict[Hashable, tuple[int, Fold]] = {}

    def fold(self, key: Hashable, begin: Callable[[], F]) -> F:
        """What all of these messages come to, for the caller to go on from."""
        # Taken out meanwhile: what fails half-way is not gone on from.
        done, fold = self._folds.pop(key, None) or (0, begin())
        for message in self.messages[done:]:
            fold.take(message)
        self._folds[key] = len(self.messages), fold
        # Whoever has the key began it, so it is of the same kind.
        return fold.copy()  # pyright: ignore[reportReturnType]


class GrownMessages(tuple[Message, ...]):
    """The messages of a request that begin with settled ones."""

    start: SettledStart
    settled: int
    """How many of them were settled when the request was made."""

    @classmethod
    def grown(cls, start: SettledStart, rest: Iterable[Message]) -> Self:
        """The settled messages and those after them."""
        made = cls((*start.messages, *rest))
        made.start, made.settled = start, len(start.messages)
        return made


def folded(messages: Sequence[Message], key: Hashable, begin: Callable[[], F]) -> tuple[F, int]:
    """What the settled beginning of some messages comes to, and how many messages that are."""
    # A start that has grown meanwhile has folded more than these messages.
    if isinstance(messages, GrownMessages) and messages.settled == len(messages.start.messages):
        return messages.start.fold(key, begin), messages.settled
    return begin(), 0


def fold_all(messages: Sequence[Message], key: Hashable, begin: Callable[[], F]) -> F:
    """What all of the messages come to."""
    fold, done = folded(messages, key, begin)
    for message in messages[done:]:
        fold.take(message)
    return fold
