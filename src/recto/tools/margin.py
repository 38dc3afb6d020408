"""What tools may say beside a text: proposals and tasks. None of it changes a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to choose in a proposal; with a path it is an edit of that file."""

    title: str
    detail: str = ""
    path: str | None = None
    old: str = ""
    """The words that are replaced, as they stand in the text."""
    new: str = ""


@dataclass(frozen=True, slots=True)
class ThreadSubject:
    """The passage that a conversation is about, where it is now."""

    path: str
    span: tuple[int, int] | None
    """Its characters in the text with plain line ends; None when it is gone."""


@dataclass(frozen=True, slots=True)
class OpenTask:
    """Something to be done at a place: a task of a model, or a comment of a person."""

    path: str
    """Empty for a passage of an answer."""
    line: int | None
    passage: str
    words: str
    author: Literal["person", "run"]
    state: str
    """How far it is, in a few words: "not answered yet"."""


class Margin(Protocol):
    """The margin of a project, for one call."""

    async def subject(self) -> ThreadSubject | None:
        """What the conversation is about; None unless it is a thread on a file."""
        ...

    async def propose(self, question: str, options: Sequence[Option]) -> None:
        """Show a card. Raises ToolFailure."""
        ...

    async def add_task(self, path: str, span: tuple[int, int], passage: str, task: str) -> None:
        """Note a task on a passage that stands there. Raises ToolFailure."""
        ...

    async def open_tasks(self, path: str | None) -> Sequence[OpenTask]:
        """What is open in a file, or everywhere."""
        ...
