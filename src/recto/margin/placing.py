"""Finds notes where they are now: opens their files, follows those that others moved."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import groupby

from recto.documents import Documents, LiveDocument, ReadOnly
from recto.margin.locating import Located, locate
from recto.margin.places import Placed
from recto.storage import Note, NotFound, Storage
from recto.workspace import NotFound as FileGone
from recto.workspace import WorkspaceFailure

OpenDocuments = Callable[[str], Awaitable[Documents]]


class Placing:
    """The way from notes to their places."""

    def __init__(self, storage: Storage, open_documents: OpenDocuments) -> None:
        self._storage = storage
        self._open_documents = open_documents

    async def follow_move(self, project_id: str, path: str, new_path: str) -> None:
        """A path is called otherwise now, and so are its notes, its edits and its journal."""
        documents = await self._open_documents(project_id)
        old, new = f"{project_id}/{path}", f"{project_id}/{new_path}"
        async with self._storage.write() as write:
            await self._storage.notes.move(write, project_id, path, new_path)
            await self._storage.edits.move(write, project_id, path, new_path)
            if documents.find(new_path) is None:
                await self._storage.documents.move(write, old, new)

    async def place(self, project_id: str, notes: Sequence[Note]) -> tuple[Placed, ...]:
        """Notes where they are now, in the order that they came in."""
        found = {note.id: Placed(note) for note in notes if not note.path}
        in_files = sorted((note for note in notes if note.path), key=lambda note: note.path)
        documents = await self._open_documents(project_id) if in_files else None
        for path, group in groupby(in_files, key=lambda note: note.path):
            assert documents is not None
            for placed in await self._in_file(project_id, documents, path, list(group)):
                found[placed.note.id] = placed
        return tuple(found[note.id] for note in notes)

    async def _in_file(
        self, project_id: str, documents: Documents, path: str, notes: Sequence[Note]
    ) -> Sequence[Placed]:
        try:
            found = await self._in_document(documents, path, notes)
            if found is None:
                found = await self._elsewhere(project_id, documents, path, notes)
        except WorkspaceFailure:
            found = None  # whoever opens the file is told why; its notes wait meanwhile
        return found or [Placed(note, is_detached=True) for note in notes]

    async def _elsewhere(
        self, project_id: str, documents: Documents, path: str, notes: Sequence[Note]
    ) -> Sequence[Placed] | None:
        """The notes of a file that is gone, if another program only moved it."""
        new_path = await documents.moved_to(path)
        if new_path is None:
            return None
        await self.follow_move(project_id, path, new_path)
        moved = [await self._storage.notes.get(note.id) for note in notes]
        return await self._in_document(documents, new_path, moved)

    async def _in_document(
        self, documents: Documents, path: str, notes: Sequence[Note]
    ) -> Sequence[Placed] | None:
        """The notes of a file; None when it is gone."""
        try:
            async with documents.using(path) as live:
                if isinstance(live, ReadOnly):
                    return [Placed(note, is_detached=True) for note in notes]
                if live.state.is_gone:
                    return None
                return await self._located(live, notes)
        except FileGone:
            return None

    async def _located(self, live: LiveDocument, notes: Sequence[Note]) -> Sequence[Placed]:
        located = locate(live, notes)
        if not located.anew:
            return located.placed
        await live.store()
        return await self._keep(located)

    async def _keep(self, located: Located) -> Sequence[Placed]:
        """Store what is anchored anew; it is no change that anybody made."""
        kept: dict[str, Note] = {}
        async with self._storage.write() as write:
            for note in located.anew:
                try:
                    now = await self._storage.notes.get(note.id, within=write)
                except NotFound:
                    continue  # somebody deleted it meanwhile
                kept[note.id] = await self._storage.notes.change(
                    write, note.id, anchor=note.anchor, updated_ms=now.updated_ms
                )
        return [
            replace(placed, note=kept.get(placed.note.id, placed.note)) for placed in located.placed
        ]
