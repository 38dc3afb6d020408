"""A draft whose every word is one of a kind, and documents changed as co-authors change them."""

import copy
import io
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import docx
from docx.document import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.run import Run

from recto.clock import SystemClock
from recto.publishing import (
    Draft,
    DraftPart,
    Published,
    PublishOptions,
    ReturnedDraft,
    SentDraft,
    publish,
    read_document,
    read_returned,
)
from recto.references import Libraries
from recto.workspace import Workspace
from tests.publishing.drafts import PIXEL, library_of

WORD = re.compile(r"\bw\d+x\b")
HEAD = """---
title: Tides and surges
author: A. Writer
csl: apa
---

"""
TAIL = """
<!-- A note to myself that nobody is sent. -->

[^n]: A note about {0} at the foot.
"""
BLOCKS = (
    "# Part {0} of {1} {{#sec:{2}}}\n",
    "The {0} *goes {1} far* and **{2} here** [@work1, p. 3] so {3} is `{4}` then.\n",
    "It's \"{0}\" --- or {1}... as @work2 [p. 9] says $x_{{2}}^3$ of {2}\n"
    "and {3} in see @fig:gauge, {4}.\n",
    "- item {0} and {1}\n- **{2}** of {3} [@work3; @work4]\n- last {4}\n",
    "1. step {0}\n2. step {1} with {2}\n",
    "> A quote {0} of\n> two {1} lines {2}.\n",
    "| Site {0} | Height |\n|---|---|\n| {1} | {2} m |\n| {3} | $h_0$ |\n\n"
    ": Caption {4}. {{#tbl:{5}}}\n",
    "A [link {0}](https://example.com/{1}) and H~2~O of {2}, \\*{3}\\* & {4} <b>raw</b>.\n",
    "$$h(t) = \\sum_k A_k$$ {{#eq:{0}}}\n\nThe {1} of @eq:{0} is {2}.\n",
    "```python\ndef {0}(x):\n    return {1}\n```\n",
)  # fmt: skip


def draft_of(blocks: int) -> str:
    """A draft of so many blocks, of all kinds; each word `wN` stands in it once as a word."""
    number = 0
    made = [HEAD, "![A gauge](gauge.png){#fig:gauge width=10%}\n\nSee[^n] this.\n"]
    for at in range(blocks):
        block = BLOCKS[at % len(BLOCKS)]
        words = [f"w{number + item}x" for item in range(6)]
        number += 6
        made.append("\n" + block.format(*words))
    return "".join((*made, TAIL.format(f"w{number}x")))


def prepare(folder: Path, text: str) -> None:
    """A folder with the draft, its library and its picture."""
    (folder / "references").mkdir()
    (folder / "references" / "library.bib").write_text(library_of(6))
    (folder / "gauge.png").write_bytes(PIXEL)
    (folder / "draft.md").write_text(text)


async def send(folder: Path, options: PublishOptions | None = None) -> tuple[bytes, SentDraft]:
    """Publish the draft."""
    text = (folder / "draft.md").read_text()
    draft = Draft("draft.md", (DraftPart("draft.md", text),))
    async with await Workspace.open(str(folder)) as workspace:
        library = await Libraries().open(workspace, document="draft.md")
        steps = publish(
            workspace, draft, library, options or PublishOptions("docx"), clock=SystemClock()
        )
        found = [step async for step in steps if isinstance(step, Published)]
    assert found[0].sent is not None
    return found[0].data, found[0].sent


async def bring(folder: Path, sent: SentDraft, data: bytes) -> ReturnedDraft:
    """Read a document that came back."""
    async with await Workspace.open(str(folder)) as workspace:
        library = await Libraries().open(workspace, document="draft.md")
        return await read_returned(workspace, library, sent, await read_document(data))


def brought(sent: SentDraft, returned: ReturnedDraft) -> str:
    """The draft with what came back."""
    pieces: list[str] = []
    (text,) = sent.texts
    at = 0
    for edit in returned.plan.edits:
        pieces += (text[at : edit.start], edit.new)
        at = edit.end
    return "".join((*pieces, text[at:]))


def runs_of(made: Document) -> list[Run]:
    """Every run of the body and its tables, also those in links."""
    body: Any = made.element
    return [Run(item, cast("Any", made)) for item in body.body.iter(qn("w:r"))]


@dataclass
class CoAuthor:
    """Changes a document, and the same in the Markdown by its letters."""

    data: bytes
    text: str
    chance: random.Random
    comments: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    made: int = 0
    """How many changes."""

    def __post_init__(self) -> None:
        self._document = docx.Document(io.BytesIO(self.data))
        self._by_word: dict[str, Run] = {}
        for run in runs_of(self._document):
            self._by_word |= dict.fromkeys(WORD.findall(run.text), run)
        self.words = sorted(self._by_word)

    def saved(self) -> bytes:
        """The document as it is sent back."""
        out = io.BytesIO()
        self._document.save(out)
        return out.getvalue()

    def rename_style(self, name: str, new: str) -> None:
        """Another name for a style."""
        self._document.styles[name].name = new

    def isolate(self, word: str) -> Run:
        """A run of its own for a word."""
        run = next(item for item in runs_of(self._document) if word in item.text)
        before, _, after = run.text.partition(word)
        if not before and not after:
            return run
        pieces = [before, word, after]
        last = run
        found = run
        for at, piece in enumerate(pieces):
            if at == 0:
                run.text = piece
                continue
            element = copy.deepcopy(run._r)  # pyright: ignore[reportPrivateUsage]  # python-docx copies no runs
            last._r.addnext(element)  # pyright: ignore[reportPrivateUsage]
            last = Run(element, run._parent)  # pyright: ignore[reportPrivateUsage]
            last.text = piece
            if at == 1:
                found = last
        return found

    def replace(self, word: str, new: str, *, tracked: bool = False) -> None:
        """Another word in the place of one."""
        run = self.isolate(word)
        if tracked:
            track(run, new)
        else:
            run.text = new
        self._in_text(word, new)

    def insert_after(self, word: str, new: str) -> None:
        """Words behind one."""
        run = self.isolate(word)
        run.text = f"{word} {new}"
        self._in_text(word, f"{word} {new}")

    def comment(self, word: str, said: str) -> None:
        """Something said about a word."""
        run = self.isolate(word)
        self._document.add_comment(run, text=said, author="Ines", initials="I")
        self.comments.append((word, f"Ines: {said}"))

    def _in_text(self, word: str, new: str) -> None:
        assert self.text.count(word) == 1, word
        self.text = self.text.replace(word, new)
        self.made += 1


def track(run: Run, new: str) -> None:
    """A word deleted and another inserted, as Word tracks it."""
    element: Any = run._r  # pyright: ignore[reportPrivateUsage]  # python-docx tracks nothing
    inserted = copy.deepcopy(element)
    for name, item in (("w:ins", inserted), ("w:del", element)):
        change: Any = OxmlElement(name)
        change.set(qn("w:id"), "9000")
        change.set(qn("w:author"), "Ines")
        change.set(qn("w:date"), "2026-11-18T10:00:00Z")
        if name == "w:del":
            item.addprevious(change)
        else:
            element.addnext(change)
        change.append(item)
    for text in list(element.iter(qn("w:t"))):
        text.tag = qn("w:delText")
    Run(inserted, run._parent).text = new  # pyright: ignore[reportPrivateUsage]
