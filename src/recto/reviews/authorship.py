"""Who wrote what of a text: the person, an AI, another program, or whoever was before.

Written by AI are the characters that a run's edit put into the text and that are still there,
whether they were reviewed yet or not. Edited since are the characters that AI wrote here and that a
person, or another program, has changed or removed; what an AI replaced itself, and what was
rejected or undone, counts on neither side.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recto.documents import Author, ReadOnly
from recto.reviews.edits import Edits
from recto.reviews.failures import VersionNotText
from recto.storage import Edit, Suggestion
from recto.tools import KnownDocuments, ToolFailure, read_word
from recto.word import is_word, joined

WriterKind = Literal["before", "typed", "pasted", "outside", "ghost", "ai"]
MAX_DOCUMENT_BYTES = 32_000_000
COUNTED = frozenset({"pending", "accepted"})
WAYS: Mapping[str, WriterKind] = {"pasted": "pasted", "ghost": "ghost"}


@dataclass(frozen=True, slots=True)
class PassageWriter:
    """Somebody who wrote a part of a text; the edit or the suggestion, if it came from an AI."""

    kind: WriterKind
    edit: Edit | None = None
    suggestion: Suggestion | None = None


@dataclass(frozen=True, slots=True)
class AuthoredPassage:
    """Characters of the text, and the number of their writer."""

    start: int
    end: int
    writer: int


@dataclass(frozen=True, slots=True)
class Authorship:
    """Who wrote a text."""

    path: str
    text: str
    passages: tuple[AuthoredPassage, ...]
    writers: tuple[PassageWriter, ...]
    by_ai: int
    ai_edited_since: int
    not_reviewed: int
    """How many of the AI's characters belong to edits that wait for a review."""

    def characters(self) -> Mapping[int, int]:
        """How many characters each writer wrote, by number."""
        found: Counter[int] = Counter()
        for passage in self.passages:
            found[passage.writer] += passage.end - passage.start
        return found


class Authorships:
    """Finds out who wrote a text."""

    def __init__(self, edits: Edits, known: Callable[[str], KnownDocuments]) -> None:
        """`known` tells how the Word documents of a project were last read."""
        self._edits = edits
        self._known = known

    async def of(self, project_id: str, path: str) -> Authorship:
        """Who wrote a file's text. Raises VersionNotText, and a WorkspaceFailure."""
        if is_word(path):
            return await self._of_word(project_id, path)
        documents = await self._edits.open_documents(project_id)
        async with documents.using(path) as live:
            if isinstance(live, ReadOnly):
                raise VersionNotText
            text, written, real = live.text, live.written(), live.path
        store = self._edits.storage.edits
        own = await store.of_path(project_id, real)
        names = {item.author.name for item in written if item.author.who == "run"}
        known = {row.id: row for row in (*own, *await store.some(names))}
        taken = {item.author.name for item in written if item.author.way == "ghost"}
        offered = await self._edits.storage.suggestions.some(taken)
        suggested = {row.id: row for row in offered if row.project_id == project_id}
        numbers: dict[tuple[str, str], int] = {}
        writers: list[PassageWriter] = []
        passages: list[AuthoredPassage] = []
        for item in written:
            writer = writer_of(item.author, known, suggested)
            name = item.author.name if writer.kind in ("ai", "ghost") else ""
            number = numbers.setdefault((writer.kind, name), len(writers))
            if number == len(writers):
                writers.append(writer)
            if passages and passages[-1].writer == number:
                passages[-1] = AuthoredPassage(passages[-1].start, item.end, number)
            else:
                passages.append(AuthoredPassage(item.start, item.end, number))
        return summed(path, text, passages, writers, own)

    async def _of_word(self, project_id: str, path: str) -> Authorship:
        """The same of a Word document, of which only the text that AI reads is followed."""
        workspace = await self._edits.open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        real = await workspace.real_path(path)
        try:
            document = await read_word(data, real, self._known(project_id))
        except ToolFailure as failure:
            raise VersionNotText from failure
        text, writers = joined(document.numbered.texts), document.writers
        own = await self._edits.storage.edits.of_path(project_id, real)
        by_call = {row.call_id: row for row in own}
        taken = {item.name for item in writers.known if item.kind == "ghost"}
        offered = await self._edits.storage.suggestions.some(taken)
        suggested = {row.id: row for row in offered if row.project_id == project_id}
        known = [
            PassageWriter(item.kind, by_call.get(item.name), suggested.get(item.name))
            for item in writers.known
        ]
        passages: list[AuthoredPassage] = []
        for size, number in writers.spans or ((len(text), 0),):
            at = passages[-1].end if passages else 0
            passages.append(AuthoredPassage(at, at + size, number))
        found = summed(path, text, passages, known, ())
        return replace(found, ai_edited_since=writers.edited_since)


def writer_of(
    author: Author, known: Mapping[str, Edit], suggested: Mapping[str, Suggestion]
) -> PassageWriter:
    """Who an author is to people."""
    if author.who == "run":
        return PassageWriter("ai", known.get(author.name))
    if author.way == "ghost":
        return PassageWriter("ghost", suggestion=suggested.get(author.name))
    if author.who == "person":
        return PassageWriter(WAYS.get(author.way, "typed"))
    return PassageWriter("before" if author.who == "before" else "outside")


def summed(
    path: str,
    text: str,
    passages: Sequence[AuthoredPassage],
    writers: Sequence[PassageWriter],
    own: Sequence[Edit],
) -> Authorship:
    """The whole, with its numbers."""
    by_edit: Counter[str] = Counter()
    by_ai = waiting = 0
    for passage in passages:
        writer, length = writers[passage.writer], passage.end - passage.start
        if writer.kind == "ai":
            by_ai += length
            if writer.edit is not None:
                by_edit[writer.edit.id] += length
                waiting += length if writer.edit.status == "pending" else 0
    since = sum(max(0, row.characters - by_edit[row.id]) for row in own if row.status in COUNTED)
    return Authorship(path, text, tuple(passages), tuple(writers), by_ai, since, waiting)
