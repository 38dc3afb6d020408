"""Finds notes where they are now: opens their files, follows those that others moved."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import groupby

from recto.documents import Documents, LiveDocument, ReadOnly
from recto.margin.note_locations import LocatedNotes, locate
from recto.margin.places import PlacedNote
from recto.storage import Note, RecordNotFound, Storage, WriteTransaction
from recto.workspace import PathNotFound as FileGone
from recto.workspace import WorkspaceFailure

OpenDocuments = Callable[[str], Awaitable[Documents]]


class NoteFinder:
    """The way from notes to their places."""

    def __init__(self, storage: Storage, open_documents: OpenDocuments) -> None:
        self._storage = storage
        self._open_documents = open_documents

    async def follow_move(
        self, project_id: str, path: str, new_path: str, *, within: WriteTransaction | None = None
    ) -> None:
        """A path is called otherwise now, and so are its notes, its edits and its journal."""
        if within is None:
            async with self._storage.write() as write:
                await self.follow_move(project_id, path, new_path, within=write)
            return
        documents = await self._open_documents(project_id)
        old, new = f"{project_id}/{path}", f"{project_id}/{new_path}"
        is_open = await documents.is_open(new_path)
        await self._storage.notes.move(within, project_id, path, new_path)
        await self._storage.edits.move(within, project_id, path, new_path)
        await self._storage.own_saves.move(within, project_id, path, new_path)
        await self._storage.word_documents.move(within, project_id, path, new_path)
        await self._storage.citations.move(within, project_id, path, new_path)
        if not is_open:
            await self._storage.documents.move(within, old, new)

    async def place(self, project_id: str, notes: Sequence[Note]) -> tuple[PlacedNote, ...]:
        """Notes where they are now, in the order that they came in."""
        found = {note.id: PlacedNote(note) for note in notes if not note.path}
        in_files = sorted((note for note in notes if note.path), key=lambda note: note.path)
        documents = await self._open_documents(project_id) if in_files else None
        for path, group in groupby(in_files, key=lambda note: note.path):
            assert documents is not None
            for placed in await self._in_file(project_id, documents, path, list(group)):
                found[placed.note.id] = placed
        return tuple(found[note.id] for note in notes)

    async def _in_file(
        self, project_id: str, documents: Documents, path: str, notes: Sequence[Note]
    ) -> Sequence[PlacedNote]:
        try:
            found = await self._in_document(documents, path, notes)
            if found is None:
                found = await self._elsewhere(project_id, documents, path, notes)
        except WorkspaceFailure:
            found = None  # whoever opens the file is told why; its notes wait meanwhile
        return found or [PlacedNote(note, is_detached=True) for note in notes]

    async def _elsewhere(
        self, project_id: str, documents: Documents, path: str, notes: Sequence[Note]
    ) -> Sequence[PlacedNote] | None:
        """The notes of a file that is gone, if another program only moved it."""
        new_path = await documents.moved_to(path)
        if new_path is None:
            return None
        await self.follow_move(project_id, path, new_path)
        moved = [await self._storage.notes.get(note.id) for note in notes]
        return await self._in_document(documents, new_path, moved)

    async def _in_document(
        self, documents: Documents, path: str, notes: Sequence[Note]
    ) -> Sequence[PlacedNote] | None:
        """The notes of a file; None when it is gone."""
        try:
            async with documents.using(path) as live:
                if isinstance(live, ReadOnly):
                    return [PlacedNote(note, is_detached=True) for note in notes]
                if live.state.is_gone:
                    return None
                return await self._located(live, notes)
        except FileGone:
            return None

    async def _located(self, live: LiveDocument, notes: Sequence[Note]) -> Sequence[PlacedNote]:
        located = locate(live, notes)
        if not located.anew:
            return located.placed
        await live.store()
        return await self._keep(located)

    async def _keep(self, located: LocatedNotes) -> Sequence[PlacedNote]:
        """Store what is anchored anew; it is no change that anybody made."""
        kept: dict[str, Note] = {}
        async with self._storage.write() as write:
            for note in located.anew:
                try:
                    now = await self._storage.notes.get(note.id, within=write)
                except RecordNotFound:
                    continue  # somebody deleted it meanwhile
                kept[note.id] = await self._storage.notes.change(
                    write, note.id, anchor=note.anchor, updated_ms=now.updated_ms
                )
        return [
            replace(placed, note=kept.get(placed.note.id, placed.note)) for placed in located.placed
        ]
