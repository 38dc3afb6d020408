"""One object per folder: everything that other rooms may do with it."""

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from types import TracebackType

import anyio

from recto.workspace import editorconfig, files, path_states, transfers
from recto.workspace.bulk import FileContent, FileIdentity, identify, read_all
from recto.workspace.committed_secrets import CommittedSecrets, values_of_files
from recto.workspace.diffs import RecentChanges, recent_changes
from recto.workspace.failures import PathNotFound, WorkspaceFailure
from recto.workspace.files import MAX_FILE_BYTES, TextFile
from recto.workspace.finder import NameIndex, NameMatch, index_names, match_names, read_names
from recto.workspace.git import GitState, read_state
from recto.workspace.git_commits import commit
from recto.workspace.hidden_paths import HiddenLookup, HiddenPaths, hidden_paths, is_ignored, is_own
from recto.workspace.ignore import IgnoreLookup, IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.listing import FolderEntry, list_folder
from recto.workspace.name_changes import StaleNames, names_after
from recto.workspace.parts import TextPart, read_part
from recto.workspace.path_states import PathState
from recto.workspace.replacing import ReplacementLines, ReplacementQuery
from recto.workspace.repository.repository import Repository
from recto.workspace.search import SearchLimits, SearchResult, find_replacements, search
from recto.workspace.search_scope import scope_of
from recto.workspace.trash import TrashFolder, TrashItem
from recto.workspace.watch import IGNORE_FILES, Changes, watch


@dataclass(slots=True)
class SharedFolder:
    """What all views of one folder have in common."""

    rules: IgnoreRules
    committed: CommittedSecrets
    writing: anyio.Lock = field(default_factory=anyio.Lock)
    naming: anyio.Lock = field(default_factory=anyio.Lock)
    names: StaleNames = field(default_factory=StaleNames)


class Workspace:
    """The user's folder. Paths are relative to it, with "/"; the empty path is the folder itself.

    Every method raises a WorkspaceFailure for what is expected to go wrong. One write at a time.
    """

    def __init__(self, jail: Jail, shared: SharedFolder, *, for_ai: bool = False) -> None:
        self._jail = jail
        self._shared = shared
        self._for_ai = for_ai

    @classmethod
    async def open(
        cls, root: str | PathLike[str], *, records: str | PathLike[str] | None = None
    ) -> "Workspace":
        """Open a folder. Raises PathNotFound, NotAFolder, PathUnreadable. Runs nothing from it.

        `records` is where Recto's own lie: inside this folder, they are kept from the AI.
        """

        def look() -> tuple[Jail, IgnoreRules]:
            way = way_from(os.fspath(root), records)
            jail = Jail(root, records=way)
            return jail, IgnoreRules(jail, records=way)

        jail, rules = await anyio.to_thread.run_sync(look)
        return cls(jail, SharedFolder(rules, CommittedSecrets(jail.root)))

    def for_tools(self) -> "Workspace":
        """The same folder as the AI may see it: what is kept from it raises PathHidden.

        That is whatever .rectoignore or the list of secrets names, and git's and Recto's own.
        """
        if self._for_ai:
            return self
        view = self._jail.without(HiddenPaths(self._shared.rules))
        return Workspace(view, self._shared, for_ai=True)

    @property
    def root(self) -> str:
        """The folder's absolute path."""
        return self._jail.root

    def close(self) -> None:
        """Let go of the folder."""
        self._jail.close()

    async def __aenter__(self) -> "Workspace":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def is_available(self) -> bool:
        """Whether the folder still is where it was opened."""
        return await anyio.to_thread.run_sync(self._jail.is_there)

    async def list_folder(self, path: str = "") -> tuple[FolderEntry, ...]:
        """What is directly in a folder: folders first, then in natural order."""
        rules = self._shared.rules
        entries = await anyio.to_thread.run_sync(list_folder, self._jail, rules, path)
        if not self._for_ai:
            return entries
        visible = partial(without_hidden, HiddenLookup(rules), entries)
        return await anyio.to_thread.run_sync(visible)

    async def read_text(self, path: str) -> TextFile:
        """A file as text. Raises BinaryFile, TooLarge."""
        return await anyio.to_thread.run_sync(files.read_text, self._jail, path)

    async def indentation(self, path: str) -> str | None:
        """One step of it as the folder's `.editorconfig` wants it; None when nobody says."""
        found = await self.read_texts(editorconfig.places(path))
        texts = [
            (place, value.text) for place, value in found.items() if isinstance(value, TextFile)
        ]
        return await anyio.to_thread.run_sync(editorconfig.wanted_indentation, path, texts)

    async def read_part(self, path: str, *, part: int = 1, line: int | None = None) -> TextPart:
        """One part of a text of any size up to a gigabyte, or the part with a line.

        Raises BinaryFile, TooLarge.
        """
        read = partial(read_part, self._jail, path, part=part, line=line)
        return await anyio.to_thread.run_sync(read)

    async def read_texts(
        self, paths: Sequence[str], *, beside: str | None = None
    ) -> Mapping[str, TextFile | WorkspaceFailure]:
        """Some files as texts, in one go; what can't be read as one is a failure.

        Raises PathHidden when they are to go to the AI `beside` a file that is kept from it.
        """

        def read() -> Mapping[str, TextFile | WorkspaceFailure]:
            if beside is not None:
                with suppress(PathNotFound):  # what is not there any more may still be spoken of
                    self.for_tools()._jail.real_path(beside)
            return files.read_texts(self._jail, paths)

        return await anyio.to_thread.run_sync(read)

    async def read_bytes(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """A file's content. Raises TooLarge."""
        read = partial(files.read_bytes, self._jail, path, max_bytes=max_bytes)
        return await anyio.to_thread.run_sync(read)

    async def identify(self, paths: Sequence[str]) -> Mapping[str, FileIdentity | WorkspaceFailure]:
        """The identity of each of many files, or why it has none."""
        return await anyio.to_thread.run_sync(identify, self._jail, paths)

    async def read_all(self, paths: Sequence[str]) -> Mapping[str, FileContent | WorkspaceFailure]:
        """The contents of many files; one that is too large for a text is a failure."""
        return await anyio.to_thread.run_sync(read_all, self._jail, paths)

    async def write(self, path: str, data: bytes, *, expected_hash: str | None) -> str:
        """Replace the file that has this hash, or create it when that is None; the new hash.

        Raises PathChanged when it has another content, PathExists when a new name is taken.
        """
        write = partial(files.write, self._jail, path, data, expected_hash=expected_hash)
        async with self._changing(path):
            return await anyio.to_thread.run_sync(write)

    async def create_folder(self, path: str) -> None:
        """Make one folder; its parent must exist. Raises PathExists."""
        async with self._changing(path):
            await anyio.to_thread.run_sync(files.create_folder, self._jail, path)

    async def move(self, path: str, new_path: str) -> None:
        """Rename or move; never replaces. Raises PathExists."""
        async with self._changing(path, new_path):
            await anyio.to_thread.run_sync(files.move, self._jail, path, new_path)

    async def copy(self, path: str, new_path: str) -> None:
        """Copy a file, a link itself, or a folder with all that is in it; whole or not at all.

        Raises PathExists, PathNotFound, TooLarge.
        """
        async with self._changing(path, new_path):
            await anyio.to_thread.run_sync(transfers.copy, self._jail, path, new_path)

    async def take_out(self, path: str, trash: TrashFolder, item: TrashItem) -> TrashItem:
        """Put a file, a link or a folder into the trash; the item with what it came to.

        Raises PathNotFound, TooLarge, and PathChanged when it changes while it is carried to
        another disk.
        """
        async with self._changing(path):
            return await anyio.to_thread.run_sync(trash.take, self._jail, path, item)

    async def put_back(self, trash: TrashFolder, item: TrashItem) -> None:
        """Put an item of the trash back where it was. Raises PathExists, PathNotFound."""
        async with self._changing(item.path):
            await anyio.to_thread.run_sync(trash.put_back, self._jail, item)

    async def relative_path(self, path: str) -> str:
        """A path as models write it, absolute or with "..", as one relative to the folder.

        Raises NameRefused for one that leaves it.
        """
        return await anyio.to_thread.run_sync(self._jail.relative_path, path)

    async def real_path(self, path: str) -> str:
        """Where a path really is, links followed; names that are not there yet stay as they are."""
        return await anyio.to_thread.run_sync(self._jail.real_path, path)

    async def state(self, path: str) -> PathState | None:
        """A path as it is, a link itself; None when nothing is there."""
        return await anyio.to_thread.run_sync(path_states.read_state, self._jail, path)

    async def tree(self, path: str) -> Mapping[str, PathState]:
        """A path and all that is below it, folders first. Raises PathNotFound, TooLarge."""
        return await anyio.to_thread.run_sync(path_states.read_tree, self._jail, path)

    async def paths_below(self, path: str) -> tuple[str, ...]:
        """A path and all that is below it, links not entered. Raises PathNotFound, TooLarge."""
        return await anyio.to_thread.run_sync(path_states.paths_below, self._jail, path)

    async def change(self, path: str, before: PathState | None, after: PathState | None) -> None:
        """Turn a path from one state into another; None is a path with nothing there.

        Raises PathChanged when it is not in the first state. Only empty folders are taken away.
        """
        async with self._changing(path):
            await anyio.to_thread.run_sync(path_states.change, self._jail, path, before, after)

    async def search(
        self,
        query: str,
        *,
        regex: bool = False,
        case_sensitive: bool = False,
        path: str = "",
        glob: str = "",
        limits: SearchLimits | None = None,
    ) -> SearchResult:
        """Lines with a text, or a regular expression, in files that are not ignored.

        `path` is the folder or file to look in, `glob` a form of names such as `*.{md,txt}`.
        """
        rules = self._shared.rules
        return await search(
            self._jail,
            HiddenLookup(rules) if self._for_ai else IgnoreLookup(rules),
            query,
            regex=regex,
            case_sensitive=case_sensitive,
            scope=await anyio.to_thread.run_sync(scope_of, self._jail, path, glob),
            limits=limits,
        )

    async def replacement_lines(self, query: ReplacementQuery) -> ReplacementLines:
        """What a replacement would change in files that are not ignored, line by line."""
        lookup = IgnoreLookup(self._shared.rules)
        limits = SearchLimits(max_matches=10_000, max_bytes=100_000_000, deadline_s=20)
        return await find_replacements(self._jail, lookup, query, limits)

    async def file_names(self, *, refresh: bool = False) -> NameIndex:
        """The paths of all files that are not ignored; read again after changes or on demand."""
        shared = self._shared
        async with shared.naming:
            names = await self._names_now(refresh=refresh)
        if not self._for_ai:
            return names
        seen = [path for path in names.paths if not is_own(path.split("/"))]
        return index_names(seen, truncated=names.truncated)

    async def _names_now(self, *, refresh: bool) -> NameIndex:
        known, lookup = self._shared.names, IgnoreLookup(self._shared.rules)
        if known.names is not None and known.is_current and not refresh:
            return known.names
        found: NameIndex | None = None
        folders, known.folders = known.folders, set()
        try:
            if known.names is not None and folders is not None and known.can_follow and not refresh:
                follow = partial(names_after, self._jail, lookup, known.names, folders)
                found = await anyio.to_thread.run_sync(follow)
            if found is None:
                found = await read_names(self._jail, lookup)
        except BaseException:
            known.changed(None)
            raise
        # What changed while it was read is looked at the next time.
        known.names = found
        return found

    async def hidden_paths(self) -> tuple[str, ...]:
        """Files and folders that .rectoignore or the list of secrets keeps from the AI.

        A folder stands for all that is in it. Raises SearchUnavailable.
        """
        return await hidden_paths(self._jail, self._shared.rules)

    async def is_ignored(self, path: str) -> bool:
        """Whether a file is ignored, a secret, or git's or Recto's own."""
        return await anyio.to_thread.run_sync(is_ignored, self._shared.rules, path)

    async def match_names(
        self, query: str, *, limit: int = 50, under: str = ""
    ) -> tuple[NameMatch, ...]:
        """Files in a folder whose path has the letters of the query in order, best first."""
        names = (await self.file_names()).inside(under)
        return await anyio.to_thread.run_sync(match_names, query, names, limit)

    async def git_state(self) -> GitState:
        """The branch and the changed files, if the folder is in a repository."""
        await anyio.to_thread.run_sync(self._jail.check_root)
        return await read_state(self._jail.root)

    async def commit(self, paths: Sequence[str], message: str) -> str | None:
        """Commit these files with git as they stand, and nothing else; the commit's id.

        None when there is no repository, or nothing to commit. Raises NotCommitted.
        """
        await anyio.to_thread.run_sync(self._jail.check_root)
        async with self._shared.writing:
            return await commit(self._jail.root, paths, message)

    @property
    def repository(self) -> Repository:
        """What people do with git here."""
        return Repository(self._jail, self._shared.writing)

    async def recent_changes(self) -> RecentChanges:
        """The branch and what changed lately, a few lines of a few files; nothing kept from the AI.

        Unlike `git_state` it does not look for new files, which would walk the whole folder.
        """
        await anyio.to_thread.run_sync(self._jail.check_root)
        return await recent_changes(self._jail.root, HiddenLookup(self._shared.rules).hides)

    async def committed_secrets(self) -> tuple[str, ...]:
        """The values in committed files that are kept from the AI, the longest first."""
        hides = HiddenLookup(self._shared.rules).hides
        return await self._shared.committed.values(hides)

    async def secrets_in(self, hidden: Sequence[str]) -> tuple[str, ...]:
        """The values in files that are kept from the AI and lie in the folder now."""
        files = [path for path in hidden if not is_own(path.split("/"))]
        return await anyio.to_thread.run_sync(values_of_files, self._jail.root, files)

    async def watch(self) -> AsyncGenerator[Changes, None]:
        """Folders that change, in batches, until cancelled. Raises RootGone, WatchUnavailable.

        The first batch is empty and says that the watch stands. Close the iterator
        (`contextlib.aclosing`) to stop watching.
        """
        async with aclosing(watch(self._jail, self._shared.rules)) as batches:
            async for changes in batches:
                self._shared.names.changed(changed_folders(changes))
                yield changes

    @asynccontextmanager
    async def _changing(self, *paths: str) -> AsyncGenerator[None]:
        """One change at a time; afterwards the known names are out of date around these paths."""
        async with self._shared.writing:
            yield
            is_rule = any(path.rpartition("/")[2] in IGNORE_FILES for path in paths)
            folders = {parent for path in paths for parent in parents_of(path)}
            self._shared.names.changed(folders if paths and not is_rule else None)


def changed_folders(changes: Changes) -> frozenset[str] | None:
    """The folders to list again after some changes; None for all of them."""
    # The first batch is empty: it says that the watch stands, and what was before nobody saw.
    return None if changes.overflow or changes == Changes(frozenset()) else changes.folders


def parents_of(path: str) -> tuple[str, ...]:
    """The folder of a path and those above it: a change may have made them all."""
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[:length]) for length in range(len(parts) + 1))


def way_from(root: str, folder: str | PathLike[str] | None) -> tuple[str, ...]:
    """The names on the way from a folder to one inside it; none if it is elsewhere."""
    if folder is None:
        return ()
    way = os.path.relpath(os.path.realpath(folder), os.path.realpath(root)).split(os.sep)
    return () if way[0] in {os.curdir, os.pardir} else tuple(way)


def without_hidden(
    lookup: HiddenLookup, entries: tuple[FolderEntry, ...]
) -> tuple[FolderEntry, ...]:
    """What the AI may see of a folder: nothing that is kept from it, or that it can't name."""
    return tuple(entry for entry in entries if entry.path and not lookup.hides(entry.path))
