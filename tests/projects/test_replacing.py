"""What was edited can be taken back: also when the disk is full, or the program ends between."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from recto.chats import Keeping
from recto.clock import SystemClock
from recto.projects.failures import NothingToTakeBack
from recto.projects.replacements import NOT_SAVED, KeptText, Replacements, in_file
from recto.storage import Storage
from recto.workspace import ReplacementLine, ReplacementLines, ReplacementQuery
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


class Crash(BaseException):
    """The program ends."""


class Texts:
    """Documents of some texts; the program ends when the one named `crash_at` is to be changed."""

    def __init__(self, texts: dict[str, str], crash_at: str = "") -> None:
        self.texts = texts
        self.state = State()
        self._crash_at = crash_at
        self._path = ""

    @property
    def text(self) -> str:
        return self.texts[self._path]

    @asynccontextmanager
    async def using(self, path: str) -> AsyncGenerator["Texts"]:
        self._path = path
        yield self

    async def edit(self, splices: list[Any], origin: object, *, undoable: bool) -> None:
        if self._path == self._crash_at:
            raise Crash
        for one in sorted(splices, key=lambda splice: splice.start, reverse=True):
            text = self.text
            self.texts[self._path] = text[: one.start] + one.new + text[one.end :]

    async def save(self) -> State:
        return self.state

    async def settle(self) -> None:
        pass


class Folder:
    """A folder in which one word is found in every text."""

    def __init__(self, documents: Texts) -> None:
        self._documents = documents

    async def replacement_lines(self, query: ReplacementQuery) -> ReplacementLines:
        span = (ReplacementSpan(0, len(query.query), query.replacement),)
        lines = [
            ReplacementLine(path, 1, text.partition("\n")[0], span)
            for path, text in self._documents.texts.items()
            if text.startswith(query.query)
        ]
        return ReplacementLines(tuple(lines), truncated=False)

    async def identify(self, paths: list[str]) -> dict[str, object]:
        return {}


class LaterClock(SystemClock):
    """A clock that can be put forward by days."""

    days = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.days * 24 * 60 * 60 * 1000


def replacements_in(documents: Texts, storage: Storage, clock: SystemClock) -> Replacements:
    async def open_folder(_: str) -> Any:
        return Folder(documents)

    async def open_documents(_: str) -> Any:
        return documents

    return Replacements(open_folder, open_documents, storage, clock)


async def test_a_replacement_that_a_crash_cut_off_is_taken_back_and_forgotten_after_its_days(
    tmp_path: Path,
) -> None:
    clock = LaterClock()
    before = {"a.md": "tide\n", "b.md": "tide and more\n", "c.md": "tide\n"}
    query = ReplacementQuery("tide", "ebb")
    documents = Texts(dict(before), crash_at="b.md")
    storage = await Storage.open(tmp_path / "recto.db", clock=clock)
    replacing = replacements_in(documents, storage, clock)
    look = await replacing.look("p", query)
    with pytest.raises(Crash):
        await replacing.replace("p", query, look.id, ())
    assert documents.texts["a.md"] == "ebb\n"
    await storage.close()

    documents = Texts(documents.texts)
    storage = await Storage.open(tmp_path / "recto.db", clock=clock)
    replacing = replacements_in(documents, storage, clock)
    back = await replacing.take_back("p", look.id)
    assert (documents.texts, back.left) == (before, ())
    with pytest.raises(NothingToTakeBack):
        await replacing.take_back("another", look.id)

    # Kept for some days, not until the project goes.
    await Keeping(storage, clock, 365, 90).sweep()
    await replacing.take_back("p", look.id)
    clock.days = 8
    await Keeping(storage, clock, 365, 90).sweep()
    with pytest.raises(NothingToTakeBack):
        await replacing.take_back("p", look.id)
    await storage.close()
