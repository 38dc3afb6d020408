"""Counts of files, each content counted once.

A file that still looks as it did when it was read (its identity) has the count it had: that is
remembered as long as Recto runs. A content that was ever counted is in the store by its hash. What
is counted is what a chat would send of the file.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

import anyio.to_thread

from recto.clock import Clock
from recto.context import beginning
from recto.projects.failures import PathRefused
from recto.projects.parallel_counting import Cut, cut_here, cutting_beside
from recto.storage import Storage, StorageFailure
from recto.supervisor import Supervisor
from recto.tokenizer import Count
from recto.word import NumberedTexts, ReadWord, WordFailure, ask_worker, is_word
from recto.workspace import (
    FileContent,
    FileIdentity,
    NameRefused,
    NotAFile,
    OutsideWorkspace,
    PathNotFound,
    Workspace,
    WorkspaceFailure,
    as_text,
)

BATCH_FILES = 1000
BATCH_BYTES = 4_000_000
MOST_REMEMBERED = 200_000
MANNER = b"o200k 50kB"
"""Part of each hash: a count is found only by who counts in the same manner."""
SETTLED_NS = 2_000_000_000
"""A file that changed later than this ago may change again and look the same."""

log = logging.getLogger(__name__)

Outcome = Count | WorkspaceFailure


class FileSnapshot(NamedTuple):
    """A file when it was read, and what came of it."""

    identity: FileIdentity
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files that are in memory together, the hash of each content, and what is stored of them."""

    files: Mapping[str, FileContent | WorkspaceFailure]
    hashes: Mapping[str, str]
    stored: Mapping[str, Count]

    def only(self, paths: Collection[str]) -> "FileBatch":
        """Some of the files."""
        files = {path: file for path, file in self.files.items() if path in paths}
        hashes = {path: key for path, key in self.hashes.items() if path in paths}
        return replace(self, files=files, hashes=hashes)


@dataclass(frozen=True, slots=True)
class CountedFiles:
    """The tokens of those files that would be sent, and why the others would not."""

    counts: Mapping[str, Count]
    failures: Mapping[str, WorkspaceFailure]

    @property
    def missing(self) -> list[str]:
        """The files that are not there."""
        return [path for path, why in self.failures.items() if isinstance(why, PathNotFound)]

    @property
    def unreadable(self) -> dict[str, str]:
        """The files that are there and can't be sent, and why."""
        failures = self.failures.items()
        return {path: why.message for path, why in failures if not isinstance(why, PathNotFound)}


class FileCounts:
    """Counts files of every project."""

    def __init__(self, storage: Storage, clock: Clock, supervisor: Supervisor) -> None:
        self._storage = storage
        self._clock = clock
        self._supervisor = supervisor
        self._seen: dict[tuple[str, str], FileSnapshot] = {}
        self._unsaved: dict[str, Count] = {}
        self._saving = asyncio.Lock()
        self._counting = asyncio.Lock()

    async def of(self, workspace: Workspace, paths: Sequence[str]) -> CountedFiles:
        """Count files as they are now. Raises RootGone."""
        settled_ns = self._clock.now_ms() * 1_000_000 - SETTLED_NS
        looked = await workspace.identify(paths)
        outcomes = self._remembered(workspace.root, looked)
        new = [path for path, outcome in outcomes.items() if outcome is None]
        todo = list(batches(new, looked))
        try:
            async with (
                cutting_beside() if len(todo) > 1 else nullcontext(cut_here) as cut,
                aclosing(self._read_ahead(workspace, todo)) as contents,
            ):
                async for batch in contents:
                    # One batch at a time, whoever asks: who comes second finds it done.
                    async with self._counting:
                        known = {path: looked[path] for path in batch.files}
                        again = self._remembered(workspace.root, known)
                        left = {path for path, outcome in again.items() if outcome is None}
                        found = await self._count(batch.only(left), cut)
                        self._remember(workspace.root, batch, found, settled_ns)
                        outcomes |= again | found
        finally:
            if self._unsaved:
                self._supervisor.keep("token counts", self.save)
        return counted(outcomes)

    async def save(self) -> None:
        """Put what was counted into the store. What can't be stored is counted again some day."""
        async with self._saving:
            while counts := dict(self._unsaved):
                rows = {key: (count.ascii, count.other) for key, count in counts.items()}
                try:
                    async with self._storage.write() as write:
                        await self._storage.token_counts.put_many(write, rows)
                except StorageFailure as failure:
                    log.warning("token counts are not kept: %s", failure)
                for key in counts:
                    del self._unsaved[key]

    def _remembered(
        self, root: str, looked: Mapping[str, FileIdentity | WorkspaceFailure]
    ) -> dict[str, Outcome | None]:
        """What is known of each file without reading it; None for what is not."""
        found: dict[str, Outcome | None] = {}
        for path, identity in looked.items():
            if isinstance(identity, WorkspaceFailure):
                found[path] = identity
                continue
            seen = self._seen.get((root, path))
            found[path] = seen.outcome if seen and seen.identity == identity else None
        return found

    async def _count(self, batch: FileBatch, cut: Cut) -> dict[str, Outcome]:
        """Count what was never counted before, each content once."""
        keys = set(batch.hashes.values())
        counts = {key: self._unsaved[key] for key in keys if key in self._unsaved}
        counts |= {key: batch.stored[key] for key in keys if key in batch.stored}
        texts, failures = await anyio.to_thread.run_sync(texts_of, batch, counts)
        more, refused = await document_texts(batch, counts)
        texts, failures = texts | more, failures | refused
        new = dict(zip(texts, await cut(list(texts.values())), strict=True))
        self._unsaved |= new
        counts |= new
        found = {path: counts[key] for path, key in batch.hashes.items() if key in counts}
        return {path: found[path] if path in found else failures[path] for path in batch.files}

    async def _read_ahead(
        self, workspace: Workspace, todo: Sequence[Sequence[str]]
    ) -> AsyncGenerator[FileBatch]:
        """Batch after batch; the next is read while one is counted. Raises RootGone."""
        if not todo:
            return
        reading = asyncio.create_task(self._read(workspace, todo[0]))
        try:
            for following in (*todo[1:], None):
                batch = await reading
                if following is not None:
                    reading = asyncio.create_task(self._read(workspace, following))
                yield batch
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, workspace: Workspace, paths: Sequence[str]) -> FileBatch:
        """Read files, and look up what is known of their contents. Raises RootGone."""
        files = await workspace.read_all(paths)
        hashes = await anyio.to_thread.run_sync(hash_all, files)
        stored = await self._storage.token_counts.get_many(set(hashes.values()))
        return FileBatch(files, hashes, {key: Count(*row) for key, row in stored.items()})

    def _remember(
        self, root: str, batch: FileBatch, outcomes: Mapping[str, Outcome], settled_ns: int
    ) -> None:
        """Keep in mind what came of each file that can't look the same when it has changed."""
        if len(self._seen) + len(outcomes) > MOST_REMEMBERED:
            self._seen.clear()
        for path, outcome in outcomes.items():
            content = batch.files[path]
            if isinstance(content, FileContent) and content.identity.changed_ns < settled_ns:
                self._seen[root, path] = FileSnapshot(content.identity, outcome)


def counted(outcomes: Mapping[str, Outcome | None]) -> CountedFiles:
    """What came of each file, told apart."""
    return CountedFiles(
        {path: outcome for path, outcome in outcomes.items() if isinstance(outcome, Count)},
        {
            path: outcome
            for path, outcome in outcomes.items()
            if isinstance(outcome, WorkspaceFailure)
        },
    )


def batches(
    paths: Sequence[str], looked: Mapping[str, FileIdentity | WorkspaceFailure]
) -> Iterator[list[str]]:
    """The paths in groups that are read into memory together."""
    batch: list[str] = []
    size = 0
    for path in paths:
        identity = looked[path]
        batch.append(path)
        size += identity.size if isinstance(identity, FileIdentity) else 0
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def hash_all(files: Mapping[str, FileContent | WorkspaceFailure]) -> dict[str, str]:
    """The hash of each content."""
    return {
        path: hash_of(file.data) for path, file in files.items() if isinstance(file, FileContent)
    }


def hash_of(data: bytes) -> str:
    """What the count of a content is kept under."""
    return blake2b(data, digest_size=20, person=MANNER).hexdigest()


def texts_of(
    batch: FileBatch, counts: Mapping[str, Count]
) -> tuple[dict[str, str], dict[str, WorkspaceFailure]]:
    """What a chat would send of each content without a count, by its hash; what can't be sent."""
    texts: dict[str, str] = {}
    failures: dict[str, WorkspaceFailure] = {}
    for path, found in batch.files.items():
        if isinstance(found, WorkspaceFailure):
            failures[path] = found
            continue
        key = batch.hashes[path]
        if key in counts or key in texts or is_word(path):
            continue
        try:
            texts[key] = beginning(as_text(path, found.data)[0])[0]
        except WorkspaceFailure as failure:
            # Remembered for long: without the frames, which hold the content.
            failures[path] = failure.with_traceback(None)
    return texts, failures


async def document_texts(
    batch: FileBatch, counts: Mapping[str, Count]
) -> tuple[dict[str, str], dict[str, WorkspaceFailure]]:
    """The same of Word documents: what a chat sends of them is Markdown."""
    texts: dict[str, str] = {}
    failures: dict[str, WorkspaceFailure] = {}
    for path, found in batch.files.items():
        if not is_word(path) or isinstance(found, WorkspaceFailure):
            continue
        key = batch.hashes[path]
        if key in counts or key in texts:
            continue
        try:
            read = (await ask_worker(ReadWord(NumberedTexts()), found.data)).text
        except WordFailure as failure:
            failures[path] = WorkspaceFailure(failure.message, "Open it in Word and save it again.")
        else:
            texts[key] = beginning(read.text if read is not None else "")[0]
    return texts, failures


def refuse_outside(found: Mapping[str, object], paths: Sequence[str]) -> None:
    """Raise PathRefused if a path is not one of the folder, whether something is there or not."""
    refuse(found, paths, OutsideWorkspace, NameRefused)


def refuse_all_but_files(found: Mapping[str, object], paths: Sequence[str]) -> None:
    """Raise PathRefused for a path outside, or at which there is a folder. None may be there."""
    refuse(found, paths, OutsideWorkspace, NameRefused, NotAFile)


def refuse(
    found: Mapping[str, object], paths: Sequence[str], *kinds: type[WorkspaceFailure]
) -> None:
    """Raise PathRefused if what was found at a path is one of these failures."""
    looked = (found.get(path) for path in paths)
    refused = [why for why in looked if isinstance(why, WorkspaceFailure) and type(why) in kinds]
    if refused:
        more = f" {len(refused) - 1:,} more are not accepted either." if len(refused) > 1 else ""
        raise PathRefused(refused[0].message + more, refused[0].remedy)
