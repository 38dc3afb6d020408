"""Pages, runs, the disk, undo, reviews and restarts at random: all agree, nothing typed is lost.

No two letters are alike, so that a naive model knows each again: who wrote it first, and which edit
added or removed it. `RECTO_EDITS` says how many things happen.
"""

import itertools
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from recto.documents import (
    Anchor,
    DocumentState,
    EditOrigin,
    Hunk,
    LiveDocument,
    Splice,
    UnresolvedConflict,
    WrittenSpan,
)
from recto.documents.origins import BEFORE, author_of
from recto.documents.splices import spliced
from recto.workspace import PathChanged, content_hash
from tests.documents.folder import Folder, MemoryJournal, crash, document, folder
from tests.documents.page import Page
from tests.documents.tracked_cells import Cell, remove

pytestmark = pytest.mark.anyio

EDITS = int(os.environ.get("RECTO_EDITS", "500"))
REJECT = EditOrigin("person")
SPACE = " \n"


def letters() -> Iterator[str]:
    """Letters of three and four bytes, none twice."""
    near, far = iter(range(0x4E00, 0x9FFF)), iter(range(0x20000, 0x2A6DF))
    for number in itertools.count():
        yield chr(next(far) if number % 3 == 0 else next(near))


@dataclass
class Book:
    """What the naive model knows of each letter, whatever its place."""

    cells: dict[str, Cell] = field(default_factory=dict[str, Cell])
    odd: set[str] = field(default_factory=set[str])
    """Letters that one edit added and another removed before either was reviewed, and those that
    two pages put back, so that they stand there twice."""

    def follow(self, before: str, after: str, origin: EditOrigin) -> None:
        """An edit has turned one text into the other."""
        old, new = set(before) - set(SPACE), set(after) - set(SPACE)
        if origin.way == "undone":
            self.odd |= {key for key, count in Counter(after).items() if count > 1} - set(SPACE)
        for letter in old - new:
            cell = self.cells[letter]
            if origin.pending and cell.added_by:
                self.odd.add(letter)
            remove(cell, origin)
        for letter in new - old:
            cell = self.cells.get(letter)
            if cell is None:
                by = origin.name if origin.pending else ""
                self.cells[letter] = Cell(letter, author_of(origin), added_by=by)
            else:
                assert origin.way == "undone", letter
                cell.is_alive, cell.put_back, cell.removed_by = True, cell.removed_by, ""

    def accept(self, edits: frozenset[str]) -> None:
        """These edits are accepted, with all that is remembered of them."""
        for cell in self.cells.values():
            cell.added_by = "" if cell.added_by in edits else cell.added_by
            cell.removed_by = "" if cell.removed_by in edits else cell.removed_by
            cell.put_back = "" if cell.put_back in edits else cell.put_back

    def accept_hunk(self, shown: set[str]) -> None:
        """What waits for review of these letters is accepted."""
        for cell in (self.cells[item] for item in shown):
            if cell.is_alive:
                cell.added_by = ""
            cell.removed_by = ""

    def reject(self, edits: frozenset[str], shown: set[str] | None = None) -> None:
        """These edits are rejected, in these letters."""
        for letter, cell in self.cells.items():
            if shown is not None and letter not in shown:
                continue
            if cell.added_by in edits and (cell.is_alive or cell.removed_by):
                cell.is_alive, cell.removed_by, cell.put_back = False, "", ""
            elif cell.removed_by in edits:
                cell.is_alive, cell.put_back, cell.removed_by = True, cell.removed_by, ""

    def check(self, live: LiveDocument) -> None:
        """The document says the same of every letter."""
        text = live.text
        alive = {character for character in text if character not in SPACE}
        assert alive - self.odd == {
            key for key, cell in self.cells.items() if cell.is_alive and key not in self.odd
        }
        wrong = {
            letter: (author, self.cells[letter].author)
            for item in live.written()
            for letter in text[item.start : item.end]
            if letter not in SPACE and letter not in self.odd
            if (author := item.author) != self.cells[letter].author
        }
        assert wrong == {}
        reviewed = {item for item in live.reviewed_text() if item not in SPACE}
        expected = {key for key, cell in self.cells.items() if cell.is_reviewed}
        assert reviewed - self.odd == expected - self.odd


class World:
    """Everybody who works on one file."""

    def __init__(self, chance: random.Random, text: str, fresh: Iterator[str]) -> None:
        self.book = Book(
            {character: Cell(character, BEFORE) for character in text if character not in SPACE}
        )
        self.pages: list[Page] = []
        self.typed: set[str] = set()
        self.deleted: set[str] = set()
        self._chance = chance
        self._fresh = fresh
        self._names = itertools.count(1)
        self._anchors: dict[str, Anchor] = {}
        self._left: tuple[str, tuple[WrittenSpan, ...], tuple[Hunk, ...]] | None = None

    async def live_through(self, home: Folder, live: LiveDocument, steps: int) -> None:
        """So many things happen, until the program ends."""
        self.home, self.live = home, live
        assert self._left in (None, (live.text, live.written(), live.hunks()))
        for page in self.pages:
            page.live = live
        while len(self.pages) < 2:
            self.pages.append(Page(live))
        for number in range(steps):
            (step,) = self._chance.choices(list(STEPS), list(STEPS.values()))
            await step(self)
            if number % 10 == 0:
                self.check()
        self.check()
        self._left = (live.text, live.written(), live.hunks())

    async def end(self) -> None:
        """Everybody has heard of everything."""
        for page in (*self.pages, *self.pages):
            await self.meet(page)
        assert await self.live.save() == DocumentState()
        text = self.live.text
        assert {text, self.home.disk("a.md").decode(), *(item.text for item in self.pages)} == {
            text
        }
        assert self.typed - self.deleted <= set(text)
        self.check()

    def some(self, count: int) -> str:
        """New letters, now and then with a space or a line's end among them."""
        words = [
            next(self._fresh) + self._chance.choice(("", "", "", " ", "\n")) for _ in range(count)
        ]
        return "".join(words)

    def splice(self, text: str) -> Splice:
        """A change at a random place. Line ends stay, so that changes of others can be merged."""
        start = self._chance.randrange(len(text) + 1)
        end = start
        if self._chance.random() < 0.5:
            stop = text.find("\n", start)
            stop = len(text) if stop < 0 else stop
            end = min(start + self._chance.randrange(6 if len(text) < 500 else 12), stop)
        return Splice(start, end, self.some(self._chance.randrange(4)))

    async def change_a_page(self) -> None:
        page = self._chance.choice(self.pages)
        splice = self.splice(page.text)
        self.typed |= set(splice.new) - set(SPACE)
        self.deleted |= set(page.text[splice.start : splice.end])
        page.change(splice)

    async def undo_in_a_page(self) -> None:
        page = self._chance.choice(self.pages)
        before = page.text
        page.take_back(again=self._chance.random() < 0.3)
        self.deleted |= set(before) - set(page.text)

    async def meet_a_page(self) -> None:
        await self.meet(self._chance.choice(self.pages))

    async def meet(self, page: Page) -> None:
        while page.unsent:
            update, origin = page.unsent.pop(0)
            before = self.live.text
            await self.live.apply_update(update, origin)
            self.book.follow(before, self.live.text, origin)
        page.hear()

    async def reload_a_page(self) -> None:
        """A tab that was closed and opened: what it could undo is forgotten."""
        number = self._chance.randrange(len(self.pages))
        await self.meet(self.pages[number])
        self.pages[number] = Page(self.live)

    async def save(self) -> None:
        await self.live.save()

    async def run(self) -> None:
        """A program that has read the file changes one place."""
        seen = self.home.disk("a.md")
        splice = self.splice(seen.decode())
        pending = self._chance.random() < 0.8
        origin = EditOrigin("run", f"e{next(self._names)}", pending=pending)
        before = self.live.text
        with suppress(PathChanged, UnresolvedConflict):
            await self.home.documents.rewrite(
                "a.md",
                spliced(seen.decode(), [splice]).encode(),
                expected_hash=content_hash(seen),
                origin=origin,
            )
            self.deleted |= set(before) - set(self.live.text)
        self.book.follow(before, self.live.text, origin)

    async def write_to_disk(self) -> None:
        """Another program, which looks before it writes."""
        seen = self.home.disk("a.md")
        new = spliced(seen.decode(), [self.splice(seen.decode())]).encode()
        with suppress(PathChanged):
            await self.home.workspace.write("a.md", new, expected_hash=content_hash(seen))
        before = self.live.text
        if (await self.live.check_disk()).conflict is not None:
            await self.live.resolve("mine", REJECT)
        self.deleted |= set(before) - set(self.live.text)
        self.book.follow(before, self.live.text, EditOrigin("disk"))

    async def accept(self) -> None:
        edits, hunks = self.chosen()
        if hunks:
            await self.live.accept(hunks=[hunks[0].id])
            self.book.accept_hunk(set(hunks[0].old + hunks[0].new) - set(SPACE))
        else:
            await self.live.accept(edits=edits)
            self.book.accept(edits)

    async def reject(self) -> None:
        edits, hunks = self.chosen()
        before = self.live.text
        if hunks:
            await self.live.reject(hunks=[hunks[0].id], origin=REJECT)
            shown = set(hunks[0].old + hunks[0].new) - set(SPACE)
            self.book.reject(frozenset(hunks[0].edits), shown)
        else:
            await self.live.reject(edits=edits, origin=REJECT)
            self.book.reject(edits)
        self.deleted |= set(before) - set(self.live.text)

    def chosen(self) -> tuple[frozenset[str], list[Hunk]]:
        """Some edits, or one hunk."""
        pending = sorted(self.live.pending())
        edits = frozenset(item for item in pending if self._chance.random() < 0.3)
        hunks = self.live.hunks()
        return edits, [self._chance.choice(hunks)] if hunks and self._chance.random() < 0.5 else []

    def check(self) -> None:
        """The model agrees; letters that were never removed stand where they were anchored."""
        self.book.check(self.live)
        text = self.live.text
        gone = self.deleted | self.book.odd
        known = {key: at for key, at in self._anchors.items() if key not in gone}
        assert self.live.find(*known.values()) == tuple(text.index(item) for item in known)
        picked = self._chance.sample(range(len(text)), min(4, len(text)))
        wanted = [at for at in picked if text[at] not in SPACE]
        places: list[tuple[int, Literal["right"]]] = [(at, "right") for at in wanted]
        made = zip(wanted, self.live.anchor(*places), strict=True)
        self._anchors = {**known, **{text[at]: item for at, item in made}}
        self._anchors = dict(list(self._anchors.items())[-12:])


STEPS: dict[Callable[[World], Awaitable[None]], int] = {
    World.change_a_page: 40,
    World.meet_a_page: 25,
    World.undo_in_a_page: 10,
    World.run: 12,
    World.write_to_disk: 4,
    World.save: 4,
    World.accept: 3,
    World.reject: 3,
    World.reload_a_page: 2,
}


@pytest.mark.parametrize("seed", range(2))
async def test_all_agree_whoever_does_what(tmp_path: Path, seed: int) -> None:
    chance, fresh = random.Random(seed), letters()
    text = "".join(next(fresh) + chance.choice(("", "", " ", "\n")) for _ in range(200))
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    world = World(chance, text, fresh)
    journal = MemoryJournal()
    left = EDITS // 2
    while left:
        steps = min(left, chance.randrange(20, 150))
        left -= steps
        async with folder(tmp_path, journal) as home:
            async with document(home, "a.md") as live:
                await world.live_through(home, live, steps)
                if not left:
                    await world.end()
                journal = crash(home)
            if chance.random() < 0.3:  # it ended in good order
                journal = home.journal
