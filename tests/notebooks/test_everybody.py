"""Two pages, a program on the disk, an AI and a kernel work in one notebook at once, at random."""

import json
import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recto.documents import LiveDocument, Splice
from recto.notebooks import LiveNotebook
from recto.notebooks.live.cells_text import MARK, CellText, split_cells
from recto.workspace import PathChanged, content_hash
from tests.documents.page import Page
from tests.notebooks.places import kernel_home
from tests.notebooks.test_live import AI, Bench, bench, content, watching

pytestmark = pytest.mark.anyio
ROUNDS = int(os.environ.get("RECTO_NOTEBOOK_ROUNDS", "60"))
LAST = f"{MARK}code last\nprint('the end')\n"
WORD = re.compile("[\u4e00-\u9fff]")
"""One letter each: what comes back by undo may stand on both sides of what is typed meanwhile."""


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


class Crowd:
    """Everybody at once, and the words that must be there in the end."""

    def __init__(self, one: Bench, live: LiveDocument, notebook: LiveNotebook, seed: int) -> None:
        self._bench = one
        self._live = live
        self._notebook = notebook
        self._chance = Random(seed)
        self.pages = [Page(live), Page(live)]
        self.words: set[str] = set()
        self._number = 0

    async def step(self) -> None:
        """Somebody does something; the pages tell and hear of it now or later."""
        page = self._chance.choice(self.pages)
        await self._chance.choice(
            [self._type, self._type, self._type, self._add, self._move, self._delete]
            + [self._kind, self._undo, self._disk, self._ai, self._run]
        )(page)
        for one in self.pages:
            if self._chance.random() < 0.5:
                await one.send()
            if self._chance.random() < 0.5:
                one.hear()

    async def settle(self) -> None:
        """Everybody tells and hears all."""
        for page in self.pages:
            await page.send()
        for page in self.pages:
            page.hear()

    def _word(self) -> str:
        self._number += 1
        word = chr(0x4E00 + self._number)
        self.words.add(word)
        return f"# {word}"

    def _cell(self, page: Page) -> CellText:
        return self._chance.choice(split_cells(page.text))

    def _mark(self, page: Page) -> int:
        """Where some cell begins, or the text ends."""
        text = page.text
        places = [at for at, sign in enumerate(text) if sign == MARK]
        return self._chance.choice([*places, len(text)])

    async def _type(self, page: Page) -> None:
        cell = self._cell(page)
        lines = [
            cell.start,
            *(cell.start + at + 1 for at, c in enumerate(cell.source) if c == "\n"),
        ]
        at = self._chance.choice(lines)
        page.change(Splice(at, at, f"{self._word()}\n"))

    async def _add(self, page: Page) -> None:
        at = self._mark(page)
        page.change(Splice(at, at, f"{MARK}code n{self._number}\n{self._word()}\n"))

    async def _move(self, page: Page) -> None:
        cell = self._cell(page)
        if cell.id.startswith("found"):
            return
        old = f"{MARK}here {cell.id}\n"
        if old in page.text:
            at = page.text.index(old)
            page.change(Splice(at, at + len(old), ""))
        at = self._mark(page)
        page.change(Splice(at, at, old))

    async def _delete(self, page: Page) -> None:
        cells = split_cells(page.text)
        cell = self._chance.choice(cells)
        if len(cells) < 3 or self._chance.random() < 0.7:
            return
        head = page.text.rfind(MARK, 0, cell.start)
        end = page.text.find(MARK, cell.end)
        gone = page.text[head : end if end >= 0 else len(page.text)]
        self.words -= set(WORD.findall(gone))  # whoever deletes them has seen them
        page.change(Splice(head, head + len(gone), ""))

    async def _kind(self, page: Page) -> None:
        found = list(re.finditer(f"{MARK}(code|markdown|raw) ", page.text))
        if found:
            one = self._chance.choice(found)
            page.change(Splice(*one.span(1), self._chance.choice(["code", "markdown", "raw"])))

    async def _undo(self, page: Page) -> None:
        # What is taken back may bring back words that were deleted, and take typed ones.
        before = set(WORD.findall(page.text))
        page.take_back()
        after = set(WORD.findall(page.text))
        self.words = (self.words - (before - after)) | (after - before)

    async def _disk(self, _: Page) -> None:
        """Another program changes a line, or the order, of what it has read."""
        await self._live.save()
        found = json.loads(self._bench.file.read_bytes())
        cells: list[dict[str, Any]] = found["cells"]
        if self._chance.random() < 0.3:
            self._chance.shuffle(cells)
        self._chance.choice(cells)["source"].insert(0, f"{self._word()}\n")
        self._bench.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        await self._live.check_disk()

    async def _ai(self, _: Page) -> None:
        await self._live.save()
        now = self._bench.file.read_bytes()
        found = json.loads(now)
        line = f"{self._word()}\n"
        self._chance.choice(found["cells"])["source"].insert(0, line)
        known = content_hash(now)
        new = json.dumps(found, indent=1).encode() + b"\n"
        try:
            await self._bench.documents.rewrite("n.ipynb", new, expected_hash=known, origin=AI)
        except PathChanged:  # what a kernel answered was saved meanwhile
            self.words -= set(WORD.findall(line))

    async def _run(self, _: Page) -> None:
        self._notebook.run(None)


async def test_all_converge_and_nothing_typed_is_lost(tmp_path: Path) -> None:
    data = content(a="print(1)\n", b="print(2)\n", c="print(3)\n")
    async with (
        bench(tmp_path, data) as one,
        one.documents.using("n.ipynb") as live,
        watching(one) as (notebook, page),
    ):
        assert isinstance(live, LiveDocument)
        crowd = Crowd(one, live, notebook, seed=20)
        for number in range(ROUNDS):
            await crowd.step()
            if number % 40 == 39:
                await crowd.settle()
                assert [one.text for one in crowd.pages] == [live.text] * 2
                assert crowd.words - set(WORD.findall(live.text)) == set(), number
        await page.until_done()
        await crowd.settle()
        await crowd.pages[0].edit(Splice(len(live.text), len(live.text), LAST))
        await crowd.settle()
        notebook.run(["last"])
        await page.until(lambda: page.text("last") == "the end\n")
        await page.until_done()
        await live.save()
        found = json.loads(one.file.read_bytes())["cells"]
        assert [(cell["id"], cell["cell_type"], "".join(cell["source"])) for cell in found] == [
            (cell.id, cell.kind, cell.source) for cell in split_cells(live.text)
        ]
        sources = "".join("".join(cell["source"]) for cell in found)
        assert crowd.words - set(WORD.findall(sources)) == set()
        assert found[-1]["outputs"][0]["text"] == ["the end\n"]
