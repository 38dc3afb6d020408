"""A hundred notes through edits at random: they stand where a naive model of each letter says.

Tabs, runs and other programs edit, the file is closed, moved and opened again, and Recto restarts.
No two letters are alike. `RECTO_ANCHOR_EDITS` says how many edits there are.
"""

import itertools
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from recto.documents import EditOrigin, LiveDocument, Splice
from recto.documents.splices import spliced
from recto.margin import TextPlace
from recto.workspace import content_hash
from tests.documents.page import Page
from tests.margin.bench import ANN, Margin, margin_at

pytestmark = pytest.mark.anyio

EDITS = int(os.environ.get("RECTO_ANCHOR_EDITS", "150"))
NOTES = 100
LETTERS = 3000
RUN = EditOrigin("run", "e1")


def letters() -> Iterator[str]:
    """Letters of one to four bytes, none twice; enough for ten thousand edits."""
    yield from "abcdefghijklmnopqrstuvwxyz"
    kinds = (range(0x4E00, 0x9FFF), range(0x20000, 0x2A6DF), range(0xAC00, 0xD7A3))
    for some in itertools.zip_longest(*kinds):
        yield from (chr(item) for item in some if item is not None)


@dataclass(eq=False, slots=True)
class Cell:
    """One character that is or was in the text."""

    letter: str
    is_alive: bool = True


@dataclass(slots=True)
class Passage:
    """What the model knows of a note."""

    text: str
    before: str
    after: str
    first: Cell
    last: Cell


Shown = tuple[int, int, int] | None
"""From, up to, and the line; None when it is detached."""


class Model:
    """Every character there ever was, in order."""

    def __init__(self, text: str) -> None:
        self.cells = [Cell(letter) for letter in text]
        self.passages: dict[str, Passage] = {}

    @property
    def text(self) -> str:
        return "".join(cell.letter for cell in self.cells if cell.is_alive)

    def alive(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.is_alive]

    def splice(self, splice: Splice) -> None:
        """New characters stand right before the one that follows, behind all that is gone."""
        alive = self.alive()
        for cell in alive[splice.start : splice.end]:
            cell.is_alive = False
        at = self.cells.index(alive[splice.end]) if splice.end < len(alive) else len(self.cells)
        self.cells[at:at] = [Cell(letter) for letter in splice.new]

    def add(self, note_id: str, start: int, end: int) -> None:
        text, alive = self.text, self.alive()
        around = (text[max(0, start - 5000) : start], text[end : end + 1000])
        passage = Passage(text[start:end], *around, alive[start], alive[end - 1])
        self.passages[note_id] = passage

    def look(self) -> dict[str, Shown]:
        """Where each passage is; those that are gone are looked for by their words."""
        text, places, count = self.text, dict[int, int](), 0
        for cell in self.cells:
            places[id(cell)] = count
            count += cell.is_alive
        return {note: self.find(passage, text, places) for note, passage in self.passages.items()}

    def find(self, one: Passage, text: str, places: dict[int, int]) -> Shown:
        start = places[id(one.first)]
        end = places[id(one.last)] + one.last.is_alive
        if start >= end:
            start = text.find(one.text)
            end = start + len(one.text)
            if start < 0 or len(one.text) + same_around(text, start, end, one) < 24:
                return None
            alive = self.alive()
            one.first, one.last = alive[start], alive[end - 1]
        return start, end, text.count("\n", 0, start) + 1


def same_around(text: str, start: int, end: int, one: Passage) -> int:
    """How many letters on both sides of a place are those that the passage had."""
    count = 0
    while count < min(start, len(one.before)) and text[start - 1 - count] == one.before[-1 - count]:
        count += 1
    after = 0
    while after < min(len(text) - end, len(one.after)) and text[end + after] == one.after[after]:
        after += 1
    return count + after


class World:
    """One file, everybody who edits it, and the model."""

    def __init__(self, margin: Margin, text: str, fresh: Iterator[str], seed: int) -> None:
        self.margin = margin
        self.model = Model(text)
        self.path = "a.md"
        self.chance = random.Random(seed)
        self._fresh = fresh
        self._names = itertools.count(1)

    async def make_notes(self) -> None:
        text = self.model.text
        while len(self.model.passages) < NOTES:
            start = self.chance.randrange(len(text) - 60)
            end = start + self.chance.choice((1, 2, 5, 12, 24, 40))
            if "\n" not in (text[start], text[end - 1]):
                note = await self.margin.notes.add("p1", TextPlace(self.path, start, end))
                self.model.add(note.id, start, end)

    def change(self, *, with_lines: bool) -> Splice:
        """A change at a random place. Where texts are compared, line ends stay: all are alike."""
        text = self.model.text
        start = self.chance.randrange(len(text) + 1)
        longest = 40 if len(text) > LETTERS else 3
        end = min(len(text), start + self.chance.randrange(longest))
        if not with_lines:
            stop = text.find("\n", start)
            end = end if stop < 0 else min(end, stop)
        new = "".join(next(self._fresh) for _ in range(self.chance.randrange(10)))
        if with_lines and self.chance.random() < 0.2:
            new += "\n"
        return Splice(start, end, new)

    async def type_here(self, live: LiveDocument) -> None:
        splice = self.change(with_lines=True)
        await live.edit([splice], ANN)
        self.model.splice(splice)

    async def type_in_a_tab(self, live: LiveDocument) -> None:
        splice = self.change(with_lines=True)
        await Page(live).edit(splice)
        self.model.splice(splice)

    async def run_a_tool(self, live: LiveDocument) -> None:
        await live.save()
        splice = self.change(with_lines=False)
        data = spliced(self.model.text, [splice]).encode()
        seen = content_hash(self.model.text.encode())
        await self.margin.documents.rewrite(self.path, data, expected_hash=seen, origin=RUN)
        self.model.splice(splice)

    async def write_to_disk(self, live: LiveDocument) -> None:
        await live.save()
        splice = self.change(with_lines=False)
        self.margin.put(self.path, spliced(self.model.text, [splice]))
        await live.check_disk()
        self.model.splice(splice)

    async def bring_back(self, live: LiveDocument) -> None:
        """The words of a passage that is gone are pasted somewhere."""
        text = self.model.text
        gone = [
            passage
            for passage in self.model.passages.values()
            if len(passage.text) >= 24
            and not set(passage.text) & set(text)
            and "\n" not in passage.text
        ]
        if gone:
            at = self.chance.randrange(len(text) + 1)
            splice = Splice(at, at, self.chance.choice(gone).text)
            await live.edit([splice], ANN)
            self.model.splice(splice)

    async def check(self) -> None:
        found: dict[str, Shown] = {}
        for placed in await self.margin.notes.list("p1"):
            assert placed.note.path == self.path
            place = (placed.start, placed.end, placed.line)
            known = (
                None if placed.is_detached else tuple(item for item in place if item is not None)
            )
            assert known is None or len(known) == 3
            found[placed.note.id] = known
        assert found == self.model.look()

    async def change_while_closed(self) -> None:
        """Another program writes, and perhaps moves the file."""
        splice = self.change(with_lines=False)
        self.margin.put(self.path, spliced(self.model.text, [splice]))
        self.model.splice(splice)
        await self.check()
        if self.chance.random() < 0.2:
            old = anyio.Path(self.margin.folder / self.path)
            self.path = f"{next(self._names)}.md"
            await old.rename(self.margin.folder / self.path)
            await self.check()


STEPS: dict[Callable[[World, LiveDocument], Awaitable[None]], int] = {
    World.type_here: 50,
    World.type_in_a_tab: 15,
    World.run_a_tool: 6,
    World.write_to_disk: 6,
    World.bring_back: 3,
}


async def test_notes_stand_where_a_naive_model_says(tmp_path: Path) -> None:
    fresh = letters()
    text = "".join(next(fresh) for _ in range(LETTERS))
    text = "\n".join(text[at : at + 60] for at in range(0, len(text), 60))
    async with AsyncExitStack() as life:
        margin = await life.enter_async_context(margin_at(tmp_path))
        margin.put("a.md", text)
        world = World(margin, text, fresh, seed=EDITS)
        async with margin.open("a.md"):
            await world.make_notes()
        left = EDITS
        while left > 0:
            steps = min(left, world.chance.randrange(10, 100))
            left -= steps
            async with world.margin.open(world.path) as live:
                for number in range(steps):
                    (step,) = world.chance.choices(list(STEPS), list(STEPS.values()))
                    await step(world, live)
                    if number % 10 == 0:
                        await world.check()
            await world.change_while_closed()
            if world.chance.random() < 0.2:
                await life.aclose()
                world.margin = await life.enter_async_context(margin_at(tmp_path))
                await world.check()
        detached = [item for item in world.model.look().values() if item is None]
        assert len(detached) < NOTES
