"""Replacing in all files: looked at hit by hit, made as one edit of a person's, taken back as one.

What is replaced is what was looked at: a look has a number of its own, and another one is refused.
Each text is changed where it lives, so open tabs follow and what others write meanwhile stays.
What takes it back is kept before the first of them is changed, and for some days.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby

import anyio
import msgspec

from recto.clock import Clock
from recto.documents import (
    Documents,
    EditOrigin,
    LiveDocument,
    MergeConflict,
    ReadOnly,
    Splice,
    merge_texts,
    spliced,
)
from recto.projects.failures import LookAgain, NothingToTakeBack
from recto.storage import RecordNotFound, Storage, finish_shielded, replacement_of
from recto.workspace import (
    FileIdentity,
    ReplacementLine,
    ReplacementLines,
    ReplacementQuery,
    Workspace,
    WorkspaceFailure,
)

BY_A_PERSON = EditOrigin("person", way="typed")
MOST_FILES = 1000
MOST_TEXT = 50_000_000
OTHERWISE = "Its text is not as it was when it was looked at."
TWO_VERSIONS = "It has two versions that nobody has chosen between."
SAME_LINES = "The same lines were changed since."
NOT_SAVED = "Replaced in the open text, and not saved yet:"


@dataclass(frozen=True, slots=True)
class ReplacementLook:
    """What would be replaced. `id` names this very list; `too_much` for one go."""

    id: str
    lines: tuple[ReplacementLine, ...]
    files: int
    hits: int
    too_much: bool


class KeptText(msgspec.Struct, frozen=True):
    """A text before and after."""

    path: str
    before: str
    after: str


class KeptReplacement(msgspec.Struct, frozen=True, tag="replacement", forbid_unknown_fields=True):
    """All that is needed to take a replacement back."""

    at_ms: int
    """When: the same replacement made again is kept for as long again."""
    texts: list[KeptText]


@dataclass(frozen=True, slots=True)
class FileLeft:
    """A file that was left as it is, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """What was done. `id`, the look's, takes it back; None when nothing was changed."""

    id: str | None
    files: int
    hits: int
    left: tuple[FileLeft, ...]


class Replacements:
    """Replaces in all files of a project."""

    def __init__(
        self,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
        storage: Storage,
        clock: Clock,
    ) -> None:
        self._open_workspace = open_workspace
        self._open_documents = open_documents
        self._storage = storage
        self._clock = clock

    async def look(self, project_id: str, query: ReplacementQuery) -> ReplacementLook:
        """What would be replaced, as the files are now. Raises SearchRefused, SearchUnavailable."""
        workspace = await self._open_workspace(project_id)
        await (await self._open_documents(project_id)).settle()
        found = await workspace.replacement_lines(query)
        look = await anyio.to_thread.run_sync(looked, found)
        if look.files > MOST_FILES or await text_in(workspace, look) > MOST_TEXT:
            return replace(look, too_much=True)
        return look

    async def replace(
        self, project_id: str, query: ReplacementQuery, look_id: str, left_out: Collection[int]
    ) -> Replaced:
        """Replace what was looked at, but for the hits with these numbers, counted from 0.

        Raises LookAgain when there is something else by now, or too much.
        """
        look = await self.look(project_id, query)
        if look.id != look_id or look.too_much:
            raise LookAgain(too_much=look.too_much)
        # Who leaves meanwhile must still be able to take all of it back.
        return await finish_shielded(self._replace(project_id, look, left_out))

    async def _replace(
        self, project_id: str, look: ReplacementLook, left_out: Collection[int]
    ) -> Replaced:
        documents = await self._open_documents(project_id)
        wanted = list(by_file(look.lines, frozenset(left_out)))
        planned = [text for item in wanted if (text := await plan(documents, *item)) is not None]
        # Before the first edit: what a crash leaves half done can be taken back, too.
        await self._keep(project_id, look.id, planned)
        kept: list[KeptText] = []
        left: list[FileLeft] = []
        done = 0
        for path, lines in wanted:
            text, problem = await in_file(documents, path, lines)
            if problem is not None:
                left.append(FileLeft(path, problem))
            if text is not None:
                kept.append(text)
                done += sum(len(line.spans) for line in lines)
        if kept != planned:
            await self._keep(project_id, look.id, kept)
        return Replaced(look.id if kept else None, len(kept), done, tuple(left))

    async def take_back(self, project_id: str, replacement_id: str) -> Replaced:
        """Put back what was there before a replacement; what was written since stays.

        Raises NothingToTakeBack.
        """
        try:
            digests = await self._storage.blobs.of_owner(replacement_of(project_id, replacement_id))
            if not digests:
                raise NothingToTakeBack
            data = await self._storage.blobs.get(digests[0])
        # Its days were over just now.
        except RecordNotFound as error:
            raise NothingToTakeBack from error
        found = msgspec.json.decode(data, type=KeptReplacement)
        documents = await self._open_documents(project_id)
        left: list[FileLeft] = []
        for text in found.texts:
            why = await put_back(documents, text)
            if why is not None:
                left.append(FileLeft(text.path, why))
        files = len(found.texts) - len(left)
        return Replaced(None, files, 0, tuple(left))

    async def _keep(self, project_id: str, look_id: str, texts: list[KeptText]) -> None:
        """Keep what takes a replacement back, in the place of what was planned before."""
        owner = replacement_of(project_id, look_id)
        data = msgspec.json.encode(KeptReplacement(self._clock.now_ms(), texts))
        async with self._storage.write() as write:
            while not await self._storage.blobs.forget(write, owner, 1):
                pass
            if texts:
                await self._storage.blobs.put(write, data, owner)


def looked(found: ReplacementLines) -> ReplacementLook:
    """Count what was found, and give it a number that changes with any of it."""
    lines = found.lines
    told = json.dumps([asdict(line) for line in lines])
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
    files = len({line.path for line in lines})
    hits = sum(len(line.spans) for line in lines)
    return ReplacementLook(digest, lines, files, hits, found.truncated)


async def text_in(workspace: Workspace, look: ReplacementLook) -> int:
    """How many bytes the files have in which something would be replaced."""
    known = await workspace.identify(sorted({line.path for line in look.lines}))
    return sum(found.size for found in known.values() if isinstance(found, FileIdentity))


def by_file(
    lines: Sequence[ReplacementLine], left_out: frozenset[int]
) -> Iterator[tuple[str, list[ReplacementLine]]]:
    """The lines of each file with the hits that are wanted."""
    number = 0
    for path, group in groupby(lines, key=lambda line: line.path):
        wanted: list[ReplacementLine] = []
        for line in group:
            spans = [span for at, span in enumerate(line.spans, number) if at not in left_out]
            number += len(line.spans)
            if spans:
                wanted.append(ReplacementLine(path, line.line, line.text, tuple(spans)))
        if wanted:
            yield path, wanted


async def plan(
    documents: Documents, path: str, lines: Sequence[ReplacementLine]
) -> KeptText | None:
    """A text before and after what would be replaced in it; None when that is not possible."""
    try:
        async with documents.using(path) as live:
            if isinstance(live, ReadOnly) or why_not(live) is not None:
                return None
            splices = splices_of(live.text, lines)
            after = None if splices is None else spliced(live.text, splices)
            return None if after is None else KeptText(path, live.text, after)
    except WorkspaceFailure:
        return None  # said when it is tried


async def in_file(
    documents: Documents, path: str, lines: Sequence[ReplacementLine]
) -> tuple[KeptText | None, str | None]:
    """Replace in one text and save it: the text before and after, and why not all of it was done.

    A text that was edited has the edit, whenever it can be saved: it can be taken back as well.
    """
    try:
        async with documents.using(path) as live:
            why = why_not(live)
            if why is not None or isinstance(live, ReadOnly):
                return None, why or OTHERWISE
            before = live.text
            # No await between reading the text and changing it: no keystroke comes between.
            splices = splices_of(before, lines)
            if splices is None:
                return None, OTHERWISE
            after = spliced(before, splices)
            await live.edit(splices, BY_A_PERSON, undoable=True)
            state = await live.save()
    except WorkspaceFailure as failure:
        return None, str(failure)
    problem = None if state.problem is None else f"{NOT_SAVED} {state.problem}"
    return KeptText(path, before, after), problem


def why_not(live: LiveDocument | ReadOnly) -> str | None:
    """Why a text can't be changed now."""
    if isinstance(live, ReadOnly):
        return live.reason
    return TWO_VERSIONS if live.state.conflict is not None else None


def splices_of(text: str, lines: Sequence[ReplacementLine]) -> list[Splice] | None:
    """The changes to a text; None when one of the lines is another one there."""
    there = text.split("\n")
    starts = [0]
    for line in there:
        starts.append(starts[-1] + len(line) + 1)
    found: list[Splice] = []
    for line in lines:
        at = line.line - 1
        if at >= len(there) or there[at] != line.text:
            return None
        start = starts[at]
        found += [
            Splice(start + span.start, start + span.end, span.new)
            for span in line.spans
            if line.text[span.start : span.end] != span.new
        ]
    return found


async def put_back(documents: Documents, text: KeptText) -> str | None:
    """Put back what a replacement took from a text, and save it; else why not."""
    try:
        async with documents.using(text.path) as live:
            why = why_not(live)
            if why is not None or isinstance(live, ReadOnly):
                return why or OTHERWISE
            wanted = merge_texts(text.after, live.text, text.before)
            if isinstance(wanted, MergeConflict):
                return SAME_LINES
            await live.edit(wanted, BY_A_PERSON, undoable=True)
            return (await live.save()).problem
    except WorkspaceFailure as failure:
        return str(failure)
