"""Notes: what is said beside texts and answers. Every change of one is told to the pages."""

from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound, StaleVersion
from recto.storage.records import Action, Note
from recto.storage.stores.changes import ChangeLog
from recto.storage.tables import notes
from recto.storage.transactions import Transactions, WriteTransaction


class NoteStore:
    """Notes by id, file and conversation, the oldest first."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(self, write: WriteTransaction, note: Note) -> None:
        """Keep a new note.

        Raises:
            RecordExists: the id has a note.
            RecordNotFound: there is no such project.
        """
        values = {field: getattr(note, field) for field in Note.__slots__}
        named, parent = RecordName("thread", note.id), RecordName("project", note.project_id)
        await write.insert(notes, values, named=named, parent=parent)
        await self.tell(write, note, "created")

    async def get(self, note_id: str, *, within: WriteTransaction | None = None) -> Note:
        """The note with this id, or RecordNotFound."""
        found = await self._find(notes.c.id == note_id, within=within)
        if not found:
            raise RecordNotFound("thread", note_id)
        return found[0]

    async def by_chat(self, chat_id: str, *, within: WriteTransaction | None = None) -> Note:
        """The note whose conversation a chat is, or RecordNotFound."""
        found = await self._find(notes.c.chat_id == chat_id, within=within)
        if not found:
            raise RecordNotFound("thread of chat", chat_id)
        return found[0]

    async def of_project(
        self, project_id: str, path: str | None = None, *, within: WriteTransaction | None = None
    ) -> tuple[Note, ...]:
        """The notes of a project: all, those of one file, or (path "") those on answers."""
        wanted = [notes.c.project_id == project_id]
        if path is not None:
            wanted.append(notes.c.path == path)
        return await self._find(*wanted, within=within)

    async def change(
        self,
        write: WriteTransaction,
        note_id: str,
        *,
        expected_version: int | None = None,
        **values: Any,
    ) -> Note:
        """Give a note other values, now unless `updated_ms` says otherwise.

        Raises:
            RecordNotFound: there is no such note.
            StaleVersion: somebody changed it after the caller read it.
        """
        note = await self.get(note_id, within=write)
        if expected_version is not None and expected_version != note.version:
            raise StaleVersion("thread", note_id, expected=expected_version, actual=note.version)
        if all(getattr(note, name) == value for name, value in values.items()):
            return note  # what is put back as it was read is no change
        given = {"updated_ms": write.now_ms, **values, "version": note.version + 1}
        statement = update(notes).where(notes.c.id == note_id).values(given).returning(notes)
        note = Note(*(await write.execute(statement)).one())
        await self.tell(write, note, "updated")
        return note

    async def remove(self, write: WriteTransaction, note_id: str) -> None:
        """Forget a note, or RecordNotFound."""
        statement = delete(notes).where(notes.c.id == note_id).returning(notes)
        row = (await write.execute(statement)).one_or_none()
        if row is None:
            raise RecordNotFound("thread", note_id)
        await self.tell(write, Note(*row), "deleted")

    async def move(
        self, write: WriteTransaction, project_id: str, path: str, new_path: str
    ) -> None:
        """A file, or a folder with all that is in it, has another path now."""
        below = notes.c.path.startswith(f"{path}/", autoescape=True)
        here = (notes.c.project_id == project_id, or_(notes.c.path == path, below))
        for note in await self._find(*here, within=write):
            # SQLite finds the folder in whatever case it is written.
            if note.path.startswith(path):
                moved = new_path + note.path[len(path) :]
                await self.change(write, note.id, path=moved, updated_ms=note.updated_ms)

    async def tell(self, write: WriteTransaction, note: Note, action: Action) -> None:
        """Tell every page that a note, or its conversation, is not what it was."""
        await self._changes.append(
            write,
            kind="thread",
            resource_id=note.id,
            project_id=note.project_id,
            action=action,
            version=note.version,
        )

    async def _find(
        self, *wanted: ColumnElement[bool], within: WriteTransaction | None = None
    ) -> tuple[Note, ...]:
        query = select(notes).where(*wanted).order_by(notes.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Note(*row) for row in await view.execute(query))
