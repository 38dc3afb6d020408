"""Counts of files, each content counted once.

A file that still looks as it did when it was read (its identity) has the count it had: that is
remembered as long as Recto runs. A content that was ever counted is in the store by its hash. What
is counted is what a chat would send of the file.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import anyio.to_thread
from anyio.abc import TaskGroup

from recto.clock import Clock
from recto.context import BULK, Count, beginning, tokenize
from recto.projects.failures import PathRefused
from recto.storage import Storage, StorageFailure
from recto.workspace import (
    Content,
    Identity,
    NameRefused,
    NotFound,
    OutsideWorkspace,
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


class Seen(NamedTuple):
    """A file when it was read, and what came of it."""

    identity: Identity
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens of those files that would be sent, and why the others would not."""

    counts: Mapping[str, Count]
    failures: Mapping[str, WorkspaceFailure]

    @property
    def missing(self) -> list[str]:
        """The files that are not there."""
        return [path for path, why in self.failures.items() if isinstance(why, NotFound)]

    @property
    def unreadable(self) -> dict[str, str]:
        """The files that are there and can't be sent, and why."""
        failures = self.failures.items()
        return {path: why.message for path, why in failures if not isinstance(why, NotFound)}


class FileCounts:
    """Counts files of every project."""

    def __init__(self, storage: Storage, clock: Clock, tasks: TaskGroup) -> None:
        self._storage = storage
        self._clock = clock
        self._tasks = tasks
        self._seen: dict[tuple[str, str], Seen] = {}
        self._unsaved: dict[str, Count] = {}
        self._saving = asyncio.Lock()
        self._counting = asyncio.Lock()

    async def of(self, workspace: Workspace, paths: Sequence[str]) -> Counted:
        """Count files as they are now. Raises RootGone."""
        looked = await workspace.identify(paths)
        outcomes = self._remembered(workspace.root, looked)
        new = [path for path, outcome in outcomes.items() if outcome is None]
        try:
            for batch in batches(new, looked):
                # One batch at a time, whoever asks: who comes second finds it done.
                async with self._counting:
                    again = self._remembered(workspace.root, {path: looked[path] for path in batch})
                    left = [path for path, outcome in again.items() if outcome is None]
                    outcomes |= again | await self._count(workspace, left)
        finally:
            if self._unsaved:
                self._tasks.start_soon(self.save)
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
        self, root: str, looked: Mapping[str, Identity | WorkspaceFailure]
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

    async def _count(self, workspace: Workspace, paths: Sequence[str]) -> dict[str, Outcome]:
        """Read files, and count what was never counted before."""
        settled_ns = self._clock.now_ms() * 1_000_000 - SETTLED_NS
        read = await workspace.read_all(paths)
        hashes = await anyio.to_thread.run_sync(hash_all, read)
        known = await self._known(set(hashes.values()))
        loop = asyncio.get_running_loop()
        outcomes = await loop.run_in_executor(BULK, count_all, read, hashes, known)
        for path, outcome in outcomes.items():
            content = read[path]
            if isinstance(content, Content):
                if isinstance(outcome, Count) and hashes[path] not in known:
                    self._unsaved[hashes[path]] = outcome
                if content.identity.changed_ns < settled_ns:
                    self._remember((workspace.root, path), Seen(content.identity, outcome))
        return outcomes

    async def _known(self, hashes: set[str]) -> dict[str, Count]:
        """The counts of contents that were counted before."""
        stored = await self._storage.token_counts.get_many(hashes)
        unsaved = {key: count for key in hashes if (count := self._unsaved.get(key))}
        return unsaved | {key: Count(*row) for key, row in stored.items()}

    def _remember(self, file: tuple[str, str], seen: Seen) -> None:
        if len(self._seen) >= MOST_REMEMBERED:
            self._seen.clear()
        self._seen[file] = seen


def counted(outcomes: Mapping[str, Outcome | None]) -> Counted:
    """What came of each file, told apart."""
    return Counted(
        {path: one for path, one in outcomes.items() if isinstance(one, Count)},
        {path: one for path, one in outcomes.items() if isinstance(one, WorkspaceFailure)},
    )


def batches(
    paths: Sequence[str], looked: Mapping[str, Identity | WorkspaceFailure]
) -> Iterator[list[str]]:
    """The paths in groups that are read into memory together."""
    batch: list[str] = []
    size = 0
    for path in paths:
        identity = looked[path]
        batch.append(path)
        size += identity.size if isinstance(identity, Identity) else 0
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def hash_all(read: Mapping[str, Content | WorkspaceFailure]) -> dict[str, str]:
    """The hash of each content."""
    return {path: hash_of(one.data) for path, one in read.items() if isinstance(one, Content)}


def hash_of(data: bytes) -> str:
    """What the count of a content is kept under."""
    return blake2b(data, digest_size=20, person=MANNER).hexdigest()


def count_all(
    read: Mapping[str, Content | WorkspaceFailure],
    hashes: Mapping[str, str],
    known: Mapping[str, Count],
) -> dict[str, Outcome]:
    """Count each content that is not known yet, once."""
    counts = dict(known)
    outcomes: dict[str, Outcome] = {}
    for path, found in read.items():
        if isinstance(found, WorkspaceFailure):
            outcomes[path] = found
            continue
        key = hashes[path]
        try:
            if key not in counts:
                counts[key] = count_content(path, found.data)
            outcomes[path] = counts[key]
        except WorkspaceFailure as failure:
            # Remembered for long: without the frames, which hold the content.
            outcomes[path] = failure.with_traceback(None)
    return outcomes


def count_content(path: str, data: bytes) -> Count:
    """The tokens of what a chat would send of a file. Raises BinaryFile, TooLarge."""
    text, *_ = as_text(path, data)
    return tokenize(beginning(text)[0])


def refuse_outside(found: Mapping[str, object], paths: Sequence[str]) -> None:
    """Raise PathRefused if a path is not one of the folder, whether something is there or not."""
    refused = [
        why for path in paths if isinstance(why := found.get(path), OutsideWorkspace | NameRefused)
    ]
    if refused:
        more = f" {len(refused) - 1:,} more are not accepted either." if len(refused) > 1 else ""
        raise PathRefused(refused[0].message + more, refused[0].remedy)
