"""The libraries of folders: their files found, and read again when they have changed."""

import posixpath
from collections.abc import Sequence
from functools import partial

import anyio

from recto.references.front_matter import bibliographies
from recto.references.library import Library
from recto.references.library_file import LibraryFile, is_library_name, read_library_file
from recto.workspace import (
    FileIdentity,
    NotAFolder,
    PathNotFound,
    Workspace,
    WorkspaceFailure,
)

FOLDER = "references"
MOST_FOLDERS = 50
MOST_KEPT = 64
ZOTERO = ("*zotero*",)
"""The names of files that Zotero writes, unless the settings say otherwise."""


class Libraries:
    """Opens libraries. What a file held is kept for as long as its identity is the same."""

    def __init__(self, *, read_only: Sequence[str] = ZOTERO) -> None:
        self._read_only = tuple(read_only)
        self._files: dict[tuple[str, str], tuple[FileIdentity, LibraryFile]] = {}
        self._opened: dict[tuple[str, tuple[str, ...]], Library] = {}
        self._opening = anyio.Lock()

    async def open(
        self, workspace: Workspace, *, document: str | None = None, text: str | None = None
    ) -> Library:
        """The folder's library, and what a document names besides. Raises WorkspaceFailure.

        `text` is what the document is about to say, where its file does not say so yet.
        """
        paths = list(await library_paths(workspace))
        if document is not None:
            named = await named_by(workspace, document, text)
            paths += [path for path in named if path not in paths]
        async with self._opening:
            files = [
                file
                for path, identity in (await workspace.identify(paths)).items()
                if isinstance(identity, FileIdentity)
                and (file := await self._file(workspace, path, identity)) is not None
            ]
            return self._library(workspace.root, files)

    async def _file(
        self, workspace: Workspace, path: str, identity: FileIdentity
    ) -> LibraryFile | None:
        """A file as it is now; None when it went away meanwhile."""
        known = self._files.get((workspace.root, path))
        if known is not None and known[0] == identity:
            return known[1]
        try:
            data = await workspace.read_bytes(path)
        except PathNotFound:
            return None
        read = partial(read_library_file, path, data, identity, self._read_only)
        file = await anyio.to_thread.run_sync(read)
        if len(self._files) >= MOST_KEPT:
            self._files.clear()
        # Written again while it was read: the next one to ask reads it again.
        self._files[workspace.root, path] = (identity, file)
        return file

    def _library(self, root: str, files: Sequence[LibraryFile]) -> Library:
        """The library of these very files: its index is kept with it."""
        place = (root, tuple(file.path for file in files))
        known = self._opened.get(place)
        if known is None or any(
            one is not two for one, two in zip(known.files, files, strict=True)
        ):
            if len(self._opened) >= MOST_KEPT:
                self._opened.clear()
            known = self._opened[place] = Library(files)
        return known


async def library_paths(workspace: Workspace) -> tuple[str, ...]:
    """The files of the folder's own library, in the order of their names."""
    found: list[str] = []
    folders = [FOLDER]
    for number, folder in enumerate(folders):
        try:
            entries = await workspace.list_folder(folder)
        except (PathNotFound, NotAFolder):
            continue
        for entry in entries:
            if entry.path is None or entry.name.startswith("."):
                continue
            if entry.kind == "folder" and number < MOST_FOLDERS:
                folders.append(entry.path)
            elif entry.kind in ("file", "link") and is_library_name(entry.name):
                found.append(entry.path)
    return tuple(found)


async def named_by(workspace: Workspace, document: str, text: str | None = None) -> tuple[str, ...]:
    """The bibliographies of a document; a path from the folder's root is understood, too."""
    if text is None:
        try:
            text = (await workspace.read_text(document)).text
        except WorkspaceFailure:
            return ()
    folder = posixpath.dirname(document)
    named = [path for path in bibliographies(document, text) if is_library_name(path)]
    rooted = [posixpath.relpath(path, folder) if folder else path for path in named]
    known = await workspace.identify([*named, *(p for p in rooted if not p.startswith(".."))])
    return tuple(path for path, found in known.items() if isinstance(found, FileIdentity))
