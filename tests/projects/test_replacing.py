"""A text that was edited counts as edited, also when the disk does not take it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import pytest

from recto.projects.replacements import NOT_SAVED, KeptText, in_file
from recto.workspace import ReplacementLine
from recto.workspace.replacing import ReplacementSpan

pytestmark = pytest.mark.anyio


@dataclass
class State:
    conflict: object = None
    problem: str | None = None


class FullDisk:
    """Documents of one text, on a disk that takes nothing more."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.state = State()

    @asynccontextmanager
    async def using(self, path: str) -> AsyncGenerator["FullDisk"]:
        yield self

    async def edit(self, splices: list[Any], origin: object, *, undoable: bool) -> None:
        [one] = splices
        self.text = self.text[: one.start] + one.new + self.text[one.end :]

    async def save(self) -> State:
        self.state.problem = "The disk is full."
        return self.state


async def test_what_could_not_be_saved_is_said_and_can_be_taken_back_all_the_same() -> None:
    documents = FullDisk("high tide\n")
    line = ReplacementLine("a.md", 1, "high tide", (ReplacementSpan(5, 9, "ebb"),))
    done = await in_file(cast(Any, documents), "a.md", [line])
    assert documents.text == "high ebb\n"
    assert done == (
        KeptText("a.md", "high tide\n", "high ebb\n"),
        f"{NOT_SAVED} The disk is full.",
    )
