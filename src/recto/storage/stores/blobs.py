"""Blobs: bytes by their content's hash. The same bytes are kept once."""

import hashlib

from sqlalchemy import exists, literal, select

from recto.storage.driver_errors import RecordName
from recto.storage.failures import DatabaseDamaged, RecordNotFound
from recto.storage.tables import blobs
from recto.storage.transactions import Transactions, WriteTransaction


class Blobs:
    """Bytes that never change."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def put(self, write: WriteTransaction, data: bytes) -> str:
        """Keep the bytes; answers their SHA-256 in hex."""
        digest = hashlib.sha256(data).hexdigest()
        if not await self.has(digest, within=write):
            values = {
                "hash": digest,
                "size": len(data),
                "data": data,
                "created_ms": write.now_ms,
            }
            await write.insert(blobs, values, named=RecordName("blob", digest))
        return digest

    async def get(self, digest: str, *, within: WriteTransaction | None = None) -> bytes:
        """The bytes with this hash, or RecordNotFound.

        Raises:
            DatabaseDamaged: the stored bytes have another hash.
        """
        query = select(blobs.c.data).where(blobs.c.hash == digest)
        async with self._transactions.read(within) as view:
            data = (await view.execute(query)).scalar_one_or_none()
        if data is None:
            raise RecordNotFound("blob", digest)
        # Undo and replay rest on these bytes: a disk that lies must be noticed.
        if hashlib.sha256(data).hexdigest() != digest:
            raise DatabaseDamaged(
                f"The stored bytes of {digest} are not what was written.",
                "Restore them from a backup.",
            )
        return data

    async def starting_with(self, start: str, *, within: WriteTransaction | None = None) -> bytes:
        """The bytes whose hash starts like this; RecordNotFound also when there are several."""
        # Hashes are hex: "g" comes after every one that starts so. A range uses the index.
        in_range = (blobs.c.hash >= start, blobs.c.hash < start + "g")
        query = select(blobs.c.hash).where(*in_range).limit(2)
        async with self._transactions.read(within) as view:
            found = (await view.execute(query)).scalars().all()
        if len(found) != 1:
            raise RecordNotFound("blob", start)
        return await self.get(found[0], within=within)

    async def has(self, digest: str, *, within: WriteTransaction | None = None) -> bool:
        """Whether the bytes with this hash are kept."""
        query = select(exists(select(literal(1)).where(blobs.c.hash == digest)))
        async with self._transactions.read(within) as view:
            return bool((await view.execute(query)).scalar_one())
