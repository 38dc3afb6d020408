"""One object per folder: everything that other rooms may do with it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from os import PathLike
from types import TracebackType

import anyio

from recto.workspace import files
from recto.workspace.files import MAX_FILE_BYTES, TextFile
from recto.workspace.finder import NameMatch, Names, match_names, read_names
from recto.workspace.git import GitState, read_state
from recto.workspace.ignore import IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.listing import Entry, list_folder
from recto.workspace.search import Found, SearchLimits, search
from recto.workspace.watch import Changes, watch


class Workspace:
    """The user's folder. Paths are relative to it, with "/"; the empty path is the folder itself.

    Every method raises a WorkspaceFailure for what is expected to go wrong. One write at a time.
    """

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._rules = IgnoreRules(jail)
        self._writing = anyio.Lock()
        self._naming = anyio.Lock()
        self._names: Names | None = None

    @classmethod
    async def open(cls, root: str | PathLike[str]) -> "Workspace":
        """Open a folder. Raises NotFound, NotAFolder, Unreadable. Runs nothing from it."""
        return cls(await anyio.to_thread.run_sync(Jail, root))

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

    async def list_folder(self, path: str = "") -> tuple[Entry, ...]:
        """What is directly in a folder: folders first, then in natural order."""
        return await anyio.to_thread.run_sync(list_folder, self._jail, self._rules, path)

    async def read_text(self, path: str) -> TextFile:
        """A file as text. Raises BinaryFile, TooLarge."""
        return await anyio.to_thread.run_sync(files.read_text, self._jail, path)

    async def read_bytes(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """A file's content. Raises TooLarge."""
        read = partial(files.read_bytes, self._jail, path, max_bytes=max_bytes)
        return await anyio.to_thread.run_sync(read)

    async def write(self, path: str, data: bytes, *, expected_hash: str | None) -> str:
        """Replace the file that has this hash, or create it when that is None; the new hash.

        Raises Changed when it has another content, AlreadyExists when a new name is taken.
        """
        write = partial(files.write, self._jail, path, data, expected_hash=expected_hash)
        async with self._changing():
            return await anyio.to_thread.run_sync(write)

    async def create_folder(self, path: str) -> None:
        """Make one folder; its parent must exist. Raises AlreadyExists."""
        async with self._changing():
            await anyio.to_thread.run_sync(files.create_folder, self._jail, path)

    async def move(self, path: str, new_path: str) -> None:
        """Rename or move; never replaces. Raises AlreadyExists."""
        async with self._changing():
            await anyio.to_thread.run_sync(files.move, self._jail, path, new_path)

    async def search(
        self,
        query: str,
        *,
        regex: bool = False,
        case_sensitive: bool = False,
        limits: SearchLimits | None = None,
    ) -> Found:
        """Lines with a text, or a regular expression, in files that are not ignored."""
        return await search(
            self._jail,
            self._rules,
            query,
            regex=regex,
            case_sensitive=case_sensitive,
            limits=limits,
        )

    async def file_names(self, *, refresh: bool = False) -> Names:
        """The paths of all files that are not ignored; read again after changes or on demand."""
        async with self._naming:
            if refresh or self._names is None:
                self._names = await read_names(self._jail, self._rules)
            return self._names

    async def match_names(self, query: str, *, limit: int = 50) -> tuple[NameMatch, ...]:
        """Files whose path has the letters of the query in order, best first."""
        names = await self.file_names()
        return await anyio.to_thread.run_sync(match_names, query, names, limit)

    async def git_state(self) -> GitState:
        """The branch and the changed files, if the folder is in a repository."""
        await anyio.to_thread.run_sync(self._jail.check_root)
        return await read_state(self._jail.root)

    async def watch(self) -> AsyncGenerator[Changes, None]:
        """Folders that change, in batches, until cancelled. Raises RootGone, WatchUnavailable.

        The first batch is empty and says that the watch stands. Close the iterator
        (`contextlib.aclosing`) to stop watching.
        """
        async with aclosing(watch(self._jail, self._rules)) as batches:
            async for changes in batches:
                self._names = None
                yield changes

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator[None]:
        """One change at a time; afterwards the known names are out of date."""
        async with self._writing:
            yield
            self._names = None
