"""How Word documents were last read, by their paths. Nobody is told."""

from sqlalchemy import delete, or_, select

from recto.storage.driver_errors import RecordName
from recto.storage.tables.library import word_documents
from recto.storage.transactions import Transactions, WriteTransaction


class WordDocumentStore:
    """One packed row for each document. What is in it is for whoever reads documents."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def get(
        self, project_id: str, path: str, within: WriteTransaction | None = None
    ) -> bytes | None:
        """What is known of a document."""
        wanted = (word_documents.c.project_id == project_id, word_documents.c.path == path)
        async with self._transactions.read(within) as view:
            found = await view.execute(select(word_documents.c.packed).where(*wanted))
            row = found.one_or_none()
        return None if row is None else bytes(row.packed)

    async def put(self, write: WriteTransaction, project_id: str, path: str, packed: bytes) -> None:
        """Keep what is known of a document.

        Raises:
            RecordNotFound: there is no such project.
        """
        await self._remove(write, project_id, path)
        values = {
            "project_id": project_id,
            "path": path,
            "packed": packed,
            "updated_ms": write.now_ms,
        }
        named, parent = RecordName("document", path), RecordName("project", project_id)
        await write.insert(word_documents, values, named=named, parent=parent)

    async def move(
        self, write: WriteTransaction, project_id: str, path: str, new_path: str
    ) -> None:
        """A file, or a folder with all that is in it, has another path now."""
        below = word_documents.c.path.startswith(f"{path}/", autoescape=True)
        here = (
            word_documents.c.project_id == project_id,
            or_(word_documents.c.path == path, below),
        )
        rows = (await write.execute(select(word_documents).where(*here))).all()
        for row in rows:
            # SQLite finds the folder in whatever case it is written.
            if row.path.startswith(path):
                await self._remove(write, project_id, row.path)
                moved = new_path + row.path[len(path) :]
                await self.put(write, project_id, moved, bytes(row.packed))

    async def _remove(self, write: WriteTransaction, project_id: str, path: str) -> None:
        here = (word_documents.c.project_id == project_id, word_documents.c.path == path)
        await write.execute(delete(word_documents).where(*here))
