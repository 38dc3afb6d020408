"""The updates of live documents, in order, and their compaction into one."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import delete, exists, func, literal, or_, select

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound
from recto.storage.records import DocumentUpdate, JsonObject
from recto.storage.tables import document_updates as updates
from recto.storage.transactions import Transactions, WriteTransaction


class DocumentLog:
    """Updates by document, numbered from 1."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def append(
        self,
        write: WriteTransaction,
        document_id: str,
        seq: int,
        added: Sequence[tuple[bytes, JsonObject]],
    ) -> None:
        """Add updates with their origins, numbered from `seq` on; the caller has counted."""
        rows = [
            row_of(DocumentUpdate(document_id, number, dict(origin), data, write.now_ms))
            for number, (data, origin) in enumerate(added, seq)
        ]
        await write.insert_all(updates, rows)
        write.news.documents[document_id] = rows[-1]["seq"]

    async def latest(self, document_id: str, *, within: WriteTransaction | None = None) -> int:
        """The number of a document's last update; 0 when there is none."""
        query = select(func.max(updates.c.seq)).where(updates.c.document_id == document_id)
        async with self._transactions.read(within) as view:
            return (await view.execute(query)).scalar_one() or 0

    async def unsaved(self, folder: str) -> tuple[str, ...]:
        """The documents below whose last update does not say that the document is saved."""
        below = updates.c.document_id.startswith(f"{folder}/", autoescape=True)
        last = select(updates.c.document_id, func.max(updates.c.seq).label("seq"))
        last = last.where(below).group_by(updates.c.document_id).subquery()
        query = (
            select(updates.c.document_id)
            .join(
                last, (last.c.document_id == updates.c.document_id) & (last.c.seq == updates.c.seq)
            )
            .where(updates.c.origin["kind"].as_string() != "saved")
            .order_by(updates.c.document_id)
        )
        async with self._transactions.read() as view:
            return tuple((await view.execute(query)).scalars())

    async def read(
        self, document_id: str, from_seq: int = 1, *, within: WriteTransaction | None = None
    ) -> tuple[DocumentUpdate, ...]:
        """The updates from `from_seq` on, in order."""
        query = (
            select(updates)
            .where(updates.c.document_id == document_id, updates.c.seq >= from_seq)
            .order_by(updates.c.seq)
        )
        async with self._transactions.read(within) as view:
            return tuple(DocumentUpdate(*row) for row in await view.execute(query))

    async def compact(
        self,
        write: WriteTransaction,
        document_id: str,
        *,
        through_seq: int,
        snapshot: bytes,
        origin: JsonObject,
    ) -> DocumentUpdate:
        """Put one snapshot, numbered `through_seq`, in the place of the updates up to there.

        Raises:
            RecordNotFound: there is no update `through_seq`.
        """
        of_document = updates.c.document_id == document_id
        last = select(literal(1)).where(of_document, updates.c.seq == through_seq)
        if not (await write.execute(select(exists(last)))).scalar_one():
            raise RecordNotFound("document update", f"{document_id}/{through_seq}")
        await write.execute(delete(updates).where(of_document, updates.c.seq <= through_seq))
        return await self._insert(write, document_id, through_seq, snapshot, origin)

    async def move(self, write: WriteTransaction, path: str, new_path: str) -> None:
        """A document, and all below it, has another id now; what had that before is forgotten.

        The old id keeps a copy: whoever still has it open goes on there.
        """
        below = updates.c.document_id.startswith(f"{path}/", autoescape=True)
        query = select(updates).where(or_(updates.c.document_id == path, below))
        rows = [DocumentUpdate(*row) for row in await write.execute(query)]
        # SQLite finds the folder in whatever case it is written.
        moved = [
            replace(row, document_id=new_path + row.document_id[len(path) :])
            for row in rows
            if row.document_id.startswith(path)
        ]
        for document_id in sorted({row.document_id for row in moved}):
            await write.execute(delete(updates).where(updates.c.document_id == document_id))
        if moved:
            await write.insert_all(updates, [row_of(row) for row in moved])

    async def _insert(
        self, write: WriteTransaction, document_id: str, seq: int, data: bytes, origin: JsonObject
    ) -> DocumentUpdate:
        update = DocumentUpdate(document_id, seq, dict(origin), data, write.now_ms)
        named = RecordName("document update", f"{document_id}/{seq}")
        await write.insert(updates, row_of(update), named=named)
        return update


def row_of(update: DocumentUpdate) -> JsonObject:
    """An update as a row of the table."""
    return {field: getattr(update, field) for field in DocumentUpdate.__slots__}
