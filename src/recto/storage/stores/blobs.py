"""Blobs: bytes by their content's hash. The same bytes are kept once."""

import hashlib

from sqlalchemy import exists, literal, select

from recto.storage.failures import Damaged, NotFound
from recto.storage.foreign import Named
from recto.storage.tables import blobs
from recto.storage.transactions import Transactions, Write


class Blobs:
    """Bytes that never change."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def put(self, write: Write, data: bytes) -> str:
        """Keep the bytes; answers their SHA-256 in hex."""
        digest = hashlib.sha256(data).hexdigest()
        if not await self.has(digest, within=write):
            values = {
                "hash": digest,
                "size": len(data),
                "data": data,
                "created_ms": write.now_ms,
            }
            await write.insert(blobs, values, named=Named("blob", digest))
        return digest

    async def get(self, digest: str, *, within: Write | None = None) -> bytes:
        """The bytes with this hash, or NotFound.

        Raises:
            Damaged: the stored bytes have another hash.
        """
        query = select(blobs.c.data).where(blobs.c.hash == digest)
        async with self._transactions.read(within) as view:
            data = (await view.execute(query)).scalar_one_or_none()
        if data is None:
            raise NotFound("blob", digest)
        if hashlib.sha256(data).hexdigest() != digest:
            raise Damaged(
                f"The stored bytes of {digest} are not what was written.",
                "Restore them from a backup.",
            )
        return data

    async def starting_with(self, start: str, *, within: Write | None = None) -> bytes:
        """The bytes whose hash starts like this; NotFound also when there are several."""
        # Hashes are hex: "g" comes after every one that starts so. A range uses the index.
        in_range = (blobs.c.hash >= start, blobs.c.hash < start + "g")
        query = select(blobs.c.hash).where(*in_range).limit(2)
        async with self._transactions.read(within) as view:
            found = (await view.execute(query)).scalars().all()
        if len(found) != 1:
            raise NotFound("blob", start)
        return await self.get(found[0], within=within)

    async def has(self, digest: str, *, within: Write | None = None) -> bool:
        """Whether the bytes with this hash are kept."""
        query = select(exists(select(literal(1)).where(blobs.c.hash == digest)))
        async with self._transactions.read(within) as view:
            return bool((await view.execute(query)).scalar_one())
