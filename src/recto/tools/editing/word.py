"""A passage of a Word document replaced by tracked changes."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

import anyio

from recto.tools.editing.passages import FoundPassages, find_passages, replace_passages
from recto.tools.known_documents import KnownDocument, changed_document
from recto.tools.reading.word import NotWordFile, read_word, who_has_open
from recto.tools.tool import ToolContext
from recto.word import (
    EditWord,
    Holding,
    LetterChange,
    LetterWriter,
    LineChange,
    OperationResult,
    WordFailure,
    ask_worker,
)
from recto.workspace import content_hash

MAX_WORD_BYTES = 32_000_000
MAX_SHOWN = 20

PILCROW = "\N{PILCROW SIGN}"
LINE_END = re.compile("\n")


class WordEdit:
    """An edit of one document: read, found, changed, written over what was read."""

    def __init__(self, path: str, context: ToolContext) -> None:
        self.path = path
        self._context = context

    async def read(self) -> tuple[bytes, KnownDocument]:
        """The document as it is now."""
        workspace = self._context.workspace
        data = await workspace.read_bytes(self.path, max_bytes=MAX_WORD_BYTES)
        real = await workspace.real_path(self.path)
        return data, await read_word(data, real, self._context.known_documents)

    async def change(
        self, data: bytes, document: KnownDocument, changes: Sequence[LineChange]
    ) -> KnownDocument:
        """Make tracked changes. Raises PathChanged when the file is not what was read."""
        asked = EditWord(
            document.numbered, tuple(changes), author(self._context), date(self._context)
        )
        try:
            # Whoever changes it next, or shows it, goes on from what is read here.
            real = await self._context.workspace.real_path(self.path)
            made = await ask_worker(asked, data, holding=Holding(real))
        except WordFailure as failure:
            raise NotWordFile(self.path, failure) from failure
        return await self.write(data, document, made)

    async def write(
        self, data: bytes, document: KnownDocument, made: OperationResult
    ) -> KnownDocument:
        """Write the changed document over the one that was read, and remember its numbers."""
        written = await self._context.files.write(
            self.path, made.data, expected_hash=content_hash(data)
        )
        if made.text is None:
            raise TypeError("A document that was changed has a text.")
        change = LetterChange(LetterWriter("ai", self._context.call_id))
        now = await anyio.to_thread.run_sync(
            changed_document, document, written, made.text.text, made.text.numbered, change
        )
        real = await self._context.workspace.real_path(self.path)
        await self._context.known_documents.put(real, now)
        return now

    async def warning(self) -> str:
        """What is said when another program has the document open."""
        who = await who_has_open(self._context.workspace, self.path)
        if who is None:
            return ""
        return (
            f" {who} has the document open: close it there without saving and open it again, or "
            "what is saved there replaces this change."
        )


def author(context: ToolContext) -> str:
    """In whose name changes are tracked."""
    return f"Recto ({context.model_name})" if context.model_name else "Recto"


def date(context: ToolContext) -> str:
    """Now, as Word writes it."""
    now = datetime.fromtimestamp(context.clock.now_ms() // 1000, UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def find_in_document(text: str, wanted: str, *, all_of_them: bool) -> FoundPassages:
    """A passage of a document's text; if it is not there, one that was written without numbers."""
    found = find_passages(text, wanted, all_of_them=all_of_them)
    if found.spans or PILCROW in wanted:
        return found
    bare, starts = without_numbers(text)
    loose = find_passages(bare, wanted, all_of_them=all_of_them)
    spans = tuple((shifted(starts, start), shifted(starts, end)) for start, end in loose.spans)
    return FoundPassages(spans, loose.overlooked)


def without_numbers(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The lines without their numbers; for each, where it begins so and where in the text."""
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    bare_at = at = 0
    for line in text.split("\n"):
        cut = len(line) - len(line.split(" ", 1)[-1]) if line.startswith(PILCROW) else 0
        lines.append(line[cut:])
        starts.append((bare_at, at + cut))
        bare_at += len(line) - cut + 1
        at += len(line) + 1
    return "\n".join(lines), starts


def shifted(starts: Sequence[tuple[int, int]], place: int) -> int:
    """A place of the text without numbers in the text with them."""
    bare, real = max(item for item in starts if item[0] <= place)
    return real + place - bare


def line_changes(text: str, spans: Sequence[tuple[int, int]], new: str) -> list[LineChange]:
    """The lines that passages lie in, and what they become."""
    # Searched for, not looked at letter by letter: a document is long, and an edit is short.
    begins = [0, *(found.end() for found in LINE_END.finditer(text)), len(text) + 1]
    groups: list[tuple[int, int, list[tuple[int, int]]]] = []
    lines = list(pairwise(begins))
    at = 0
    for start, end in spans:
        while lines[at][1] <= start:
            at += 1
        last = at
        while lines[last][1] <= end - (end > start):
            last += 1
        if groups and at <= groups[-1][1]:
            groups[-1] = (groups[-1][0], max(last, groups[-1][1]), [*groups[-1][2], (start, end)])
        else:
            groups.append((at, last, [(start, end)]))
    found: list[LineChange] = []
    for first, last, inside in groups:
        begin, stop = lines[first][0], lines[last][1] - 1
        moved = [(start - begin, min(end, stop) - begin) for start, end in inside]
        whole = replace_passages(text[begin:stop], moved, new)
        found.append(LineChange(first, last, tuple(whole.split("\n"))))
    return found


async def find_changes(
    document: KnownDocument, wanted: str, new: str, *, all_of_them: bool
) -> tuple[FoundPassages, list[LineChange]]:
    """Where a passage is, and the lines that change; none when it is not clear what is meant."""

    def find() -> tuple[FoundPassages, list[LineChange]]:
        found = find_in_document(document.text, wanted, all_of_them=all_of_them)
        if not found.spans or (len(found.spans) > 1 and not all_of_them):
            return found, []
        return found, line_changes(document.text, found.spans, new)

    return await anyio.to_thread.run_sync(find)


def changed_lines(before: str, after: str) -> str:
    """The lines that read otherwise now."""
    was = set(before.split("\n"))
    new = [line for line in after.split("\n") if line not in was]
    shown = "\n".join(new[:MAX_SHOWN])
    more = f"\n[{len(new) - MAX_SHOWN:,} more]" if len(new) > MAX_SHOWN else ""
    return f"{shown}{more}" if shown else "[nothing new]"
