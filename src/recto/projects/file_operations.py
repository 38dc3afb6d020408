"""What people do with files in the page: make, move, duplicate, delete, bring back.

The live texts, the notes, the edits that wait and the contexts go along, and every page is told.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from recto.documents import Documents, EditOrigin, ReadOnly
from recto.margin import Notes
from recto.notebooks import LiveNotebooks, first_text
from recto.projects.contexts import Contexts
from recto.projects.feed import Feed, FilesChanged
from recto.projects.links.note_links import LinkPlan, NoteLinks, Spellings
from recto.projects.trash import Trash
from recto.reviews import Edits
from recto.storage import Storage, finish_shielded
from recto.workspace import PathExists, TrashItem, Workspace, WorkspaceFailure

BY_A_PERSON = EditOrigin("person", way="typed")
NewKind = Literal["file", "folder"]


@dataclass(frozen=True, slots=True)
class FileDependents:
    """What belongs to files, and must know when they move."""

    storage: Storage
    notes: Notes
    edits: Edits
    contexts: Contexts
    notebooks: LiveNotebooks


class FileOperations:
    """Changes that a person makes to the files of a project. Nothing is ever written over."""

    def __init__(
        self,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
        followers: FileDependents,
        trash: Trash,
        feed: Feed,
        links: NoteLinks,
    ) -> None:
        self._links = links
        self._open_workspace = open_workspace
        self._open_documents = open_documents
        self._followers = followers
        self._trash = trash
        self._feed = feed

    async def create(
        self, project_id: str, path: str, kind: NewKind, text: str, *, parents: bool = False
    ) -> None:
        """Make a file with a text, or a folder; with its parents if wanted. Raises PathExists."""
        workspace = await self._open_workspace(project_id)
        if parents:
            await make_folders(workspace, path.rpartition("/")[0])
        if kind == "folder":
            await workspace.create_folder(path)
        else:
            if await workspace.state(path) is not None:
                raise PathExists(path)
            documents = await self._open_documents(project_id)
            content = first_text(path, text).encode()
            await documents.create(path, content, origin=BY_A_PERSON)
        self._tell(project_id, path)

    async def keep(self, project_id: str, folder: str, name: str, data: bytes) -> str:
        """Keep bytes as a new file of a folder, made if need be; where they are.

        They lie there once: under that name already, or with a number behind it.
        """
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        await make_folders(workspace, folder)
        stem, dot, ending = name.rpartition(".")
        for number in count(1):
            free = name if number == 1 else f"{stem} {number}{dot}{ending}"
            path = f"{folder}/{free}" if folder else free
            try:
                await documents.create(path, data, origin=BY_A_PERSON)
            except PathExists:
                if await has_bytes(workspace, path, data):
                    return path
                continue
            self._tell(project_id, path, folder)
            return path
        raise AssertionError("numbers do not end")

    async def move(
        self,
        project_id: str,
        path: str,
        new_path: str,
        *,
        links: bool = False,
        spellings: Spellings | None = None,
    ) -> LinkPlan:
        """Give a file or folder another name or place; which links have followed, if they are to.

        `spellings` are how links were written before a move that is taken back now. Raises
        PathExists, PathNotFound.
        """
        if not links:
            await finish_shielded(self._move(project_id, path, new_path))
            return LinkPlan((), ())
        return await finish_shielded(self._move_with_links(project_id, path, new_path, spellings))

    async def duplicate(self, project_id: str, path: str, new_path: str | None) -> str:
        """Copy a file or folder, beside itself unless a path is named; the copy's path."""
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        await documents.settle()  # what is typed and not saved yet is copied, too
        made = await copy_beside(workspace, path) if new_path is None else new_path
        if new_path is not None:
            await workspace.copy(path, new_path)
        await know(documents, made)
        self._tell(project_id, made)
        return made

    async def delete(self, project_id: str, path: str) -> TrashItem:
        """Put a file, a link or a folder into the trash. Raises PathNotFound."""
        return await finish_shielded(self._delete(project_id, path))

    async def deleted(self, project_id: str) -> tuple[TrashItem, ...]:
        """What lies in the trash of a project, the newest first."""
        await self._open_workspace(project_id)
        return await self._trash.items(project_id)

    async def restore(self, project_id: str, item_id: str) -> TrashItem:
        """Bring back what was deleted, with what waited in it. Raises PathExists, PathNotFound."""
        return await finish_shielded(self._restore(project_id, item_id))

    async def erase(self, project_id: str, item_id: str) -> None:
        """Take one thing out of the trash for good. Raises PathNotFound."""
        await self._open_workspace(project_id)
        await self._trash.remove(project_id, item_id)

    async def empty_trash(self, project_id: str) -> None:
        """Take all that was deleted in a project away for good."""
        await self._open_workspace(project_id)
        await self._trash.empty(project_id)

    async def _move(self, project_id: str, path: str, new_path: str) -> None:
        """Move on disk and in the store, or in neither."""
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        old, new = await placed(workspace, path), await placed(workspace, new_path)
        async with documents.moving(old, new):
            await workspace.move(path, new_path)
            try:
                await self._follow(project_id, old, new)
            except Exception:
                await workspace.move(new_path, path)
                raise
        await self._followers.notebooks.follow_move(project_id, old, new)
        self._tell(project_id, old, new, moved=((old, new),))

    async def _move_with_links(
        self, project_id: str, path: str, new_path: str, spellings: Spellings | None
    ) -> LinkPlan:
        """Move, then have the links follow: one that can't is told, and the move stands."""
        plan, move = await self._links.plan(project_id, path, new_path, spellings)
        await self._move(project_id, path, new_path)
        return await self._links.follow(project_id, plan, move, spellings)

    async def _delete(self, project_id: str, path: str) -> TrashItem:
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        real = await placed(workspace, path)
        waiting = await self._followers.edits.waiting_below(project_id, real)
        ids = tuple(row.id for row in waiting)
        async with documents.removing(real):
            item = await self._trash.add(project_id, workspace, path, ids)
        if waiting:
            await self._followers.edits.close(waiting, "undone")
        self._tell(project_id, real, removed=(real,))
        return item

    async def _restore(self, project_id: str, item_id: str) -> TrashItem:
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        item = await self._trash.put_back(project_id, workspace, item_id)
        await documents.on_changes(frozenset(), overflow=True)
        if item.edits:
            await self._followers.edits.wait_again(item.edits)
        self._tell(project_id, item.path)
        return item

    async def _follow(self, project_id: str, path: str, new_path: str) -> None:
        known = self._followers
        async with known.storage.write() as write:
            await known.notes.follow_move(project_id, path, new_path, within=write)
            await known.contexts.follow_move(write, project_id, path, new_path)

    def _tell(
        self,
        project_id: str,
        *paths: str,
        moved: tuple[tuple[str, str], ...] = (),
        removed: tuple[str, ...] = (),
    ) -> None:
        folders = frozenset(path.rpartition("/")[0] for path in paths)
        changed = FilesChanged(project_id, folders, overflow=False, git=True)
        self._feed.tell(replace(changed, moved=moved, removed=removed))


async def placed(workspace: Workspace, path: str) -> str:
    """A path whose folder's links are followed, and whose own is not: what a move is about."""
    folder, _, name = path.rpartition("/")
    return f"{await workspace.real_path(folder)}/{name}" if folder else path


async def make_folders(workspace: Workspace, folder: str) -> None:
    """Make a folder and those around it, as far as they are not there."""
    parts = folder.split("/") if folder else []
    for depth in range(1, len(parts) + 1):
        with suppress(PathExists):
            await workspace.create_folder("/".join(parts[:depth]))


async def has_bytes(workspace: Workspace, path: str, data: bytes) -> bool:
    """Whether a file has this very content."""
    try:
        return await workspace.read_bytes(path, max_bytes=len(data)) == data
    except WorkspaceFailure:
        return False  # larger, or no file


async def copy_beside(workspace: Workspace, path: str) -> str:
    """Copy to the first free name of “a copy.md”, “a copy 2.md” and so on; its path."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:  # no ending, or a name such as .env
        stem, dot, ending = name, "", ""
    for number in count(1):
        ordinal = "" if number == 1 else f" {number}"
        new_path = f"{folder}{slash}{stem} copy{ordinal}{dot}{ending}"
        try:
            await workspace.copy(path, new_path)
        except PathExists:
            continue
        return new_path
    raise AssertionError("numbers do not end")


async def know(documents: Documents, path: str) -> None:
    """Begin the journal of a copy, so that nobody takes it for a file that went away."""
    try:
        async with documents.using(path) as live:
            if not isinstance(live, ReadOnly):
                await live.store()
    except WorkspaceFailure:
        return  # a folder, or a link that leads nowhere: there is no text to know
