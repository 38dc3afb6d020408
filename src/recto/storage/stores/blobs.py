"""Blobs: bytes by their content's hash, kept once and for as long as anybody uses them."""

import hashlib
import zlib
from collections.abc import Sequence

from anyio import to_thread
from sqlalchemy import and_, bindparam, delete, exists, literal, select

from recto.storage.driver_errors import RecordName
from recto.storage.failures import DatabaseDamaged, RecordNotFound
from recto.storage.packing import PackBase, PackedBytes, pack, unpack
from recto.storage.tables.blobs import blob_uses, blobs
from recto.storage.transactions import Transactions, WriteTransaction

LARGE = 64_000
"""From this size on, bytes are packed in a thread: the program goes on meanwhile."""
RECORD = "record:"
REPLACEMENT = "replacement:"
SAVE = "save:"
PACKED = (
    blobs.c.hash,
    blobs.c.size,
    blobs.c.data,
    blobs.c.is_deflated,
    blobs.c.base,
    blobs.c.prefix,
    blobs.c.suffix,
    blobs.c.links,
    blobs.c.chain_bytes,
)
# Built once: building a statement takes longer than running it.
HAS = select(exists(select(literal(1)).where(blobs.c.hash == bindparam("digest"))))
USE = (
    select(blob_uses.c.owner)
    .select_from(
        blobs.outerjoin(
            blob_uses,
            and_(blob_uses.c.hash == blobs.c.hash, blob_uses.c.owner == bindparam("user")),
        )
    )
    .where(blobs.c.hash == bindparam("digest"))
)


def record_of(run_id: str) -> str:
    """Whose the bytes are that only the record of a run needs."""
    return RECORD + run_id


def replacement_of(project_id: str, id: str) -> str:
    """Whose the bytes are that take a replacement in all files of a project back."""
    return f"{REPLACEMENT}{project_id}:{id}"


def save_of(project_id: str, id: str) -> str:
    """Whose the bytes are that a save of a person's is made of."""
    return f"{SAVE}{project_id}:{id}"


async def pack_beside(whole: bytes, base: PackBase | None = None) -> PackedBytes:
    """Bytes made ready to be stored, in a thread if there are many."""
    if len(whole) < LARGE:
        return pack(whole, base)
    return await to_thread.run_sync(pack, whole, base)


class Blobs:
    """Bytes that never change, each with those who use it: a chat, a project, a run's record."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def put(self, write: WriteTransaction, data: bytes, owner: str) -> str:
        """Keep the bytes for as long as `owner` is there; answers their SHA-256 in hex."""
        digest = hashlib.sha256(data).hexdigest()
        if not await self._note_use(write, digest, owner):
            await self._insert(write, await pack_beside(data), owner)
        return digest

    async def put_packed(
        self, write: WriteTransaction, packed: PackedBytes, whole: bytes, owner: str
    ) -> str:
        """Keep bytes that were packed before: nobody else can write while that is done."""
        if not await self._note_use(write, packed.digest, owner):
            if packed.base is not None and not await self.has(packed.base, within=write):
                # It went meanwhile, or was never stored because its transaction failed.
                packed = await pack_beside(whole)
            await self._insert(write, packed, owner)
        return packed.digest

    async def get(self, digest: str, *, within: WriteTransaction | None = None) -> bytes:
        """The bytes with this hash, or RecordNotFound.

        Raises:
            DatabaseDamaged: the stored bytes have another hash.
        """
        return (await self.base(digest, within=within)).data

    async def base(self, digest: str, *, within: WriteTransaction | None = None) -> PackBase:
        """The bytes with this hash, for others to be stored as a change of. Raises as `get`."""
        chain = await self._chain(digest, within)
        # Undo and replay rest on these bytes: a disk that lies must be noticed.
        try:
            whole = await to_thread.run_sync(unpack, chain) if chain[-1].base else unpack(chain)
        except zlib.error as error:
            raise damaged(digest) from error
        if hashlib.sha256(whole).hexdigest() != digest:
            raise damaged(digest)
        return chain[-1].as_base(whole)

    async def starting_with(self, start: str, *, within: WriteTransaction | None = None) -> bytes:
        """The bytes whose hash starts like this; RecordNotFound also when there are several."""
        found = await self._with_start(start, within)
        if len(found) != 1:
            raise RecordNotFound("blob", start)
        return await self.get(found[0], within=within)

    async def use(self, write: WriteTransaction, start: str, owner: str) -> None:
        """Keep the bytes whose hash starts like this for another owner, too, if they are there."""
        for digest in await self._with_start(start, write):
            await self._note_use(write, digest, owner)

    async def _with_start(self, start: str, within: WriteTransaction | None) -> Sequence[str]:
        # Hashes are hex: "g" comes after every one that starts so. A range uses the index.
        in_range = (blobs.c.hash >= start, blobs.c.hash < start + "g")
        query = select(blobs.c.hash).where(*in_range).limit(2)
        async with self._transactions.read(within) as view:
            return (await view.execute(query)).scalars().all()

    async def of_owner(self, owner: str) -> Sequence[str]:
        """The hashes of what an owner uses."""
        query = select(blob_uses.c.hash).where(blob_uses.c.owner == owner)
        async with self._transactions.read() as view:
            return (await view.execute(query)).scalars().all()

    async def has(self, digest: str, *, within: WriteTransaction | None = None) -> bool:
        """Whether the bytes with this hash are kept."""
        async with self._transactions.read(within) as view:
            return bool((await view.execute(HAS, {"digest": digest})).scalar_one())

    async def forget(self, write: WriteTransaction, owner: str, limit: int) -> bool:
        """Let go of some of what an owner uses; whether that was all. What nobody uses goes."""
        query = select(blob_uses.c.hash).where(blob_uses.c.owner == owner).limit(limit)
        let_go = list((await write.execute(query)).scalars())
        if let_go:
            mine = (blob_uses.c.owner == owner, blob_uses.c.hash.in_(let_go))
            await write.execute(delete(blob_uses).where(*mine))
        later = blobs.alias("later")
        while let_go:
            unused = (
                blobs.c.hash.in_(let_go),
                ~exists().where(blob_uses.c.hash == blobs.c.hash),
                ~exists().where(later.c.base == blobs.c.hash),
            )
            gone = await write.execute(delete(blobs).where(*unused).returning(blobs.c.base))
            # A base stays for what is stored as a change of it; now it may go, too.
            let_go = [base for base in gone.scalars() if base is not None]
        return await self._is_forgotten(write, owner)

    async def _is_forgotten(self, write: WriteTransaction, owner: str) -> bool:
        query = select(exists().where(blob_uses.c.owner == owner))
        return not (await write.execute(query)).scalar_one()

    async def _note_use(self, write: WriteTransaction, digest: str, owner: str) -> bool:
        """Whether the bytes are there; then they are used by `owner`, too."""
        found = (await write.execute(USE, {"digest": digest, "user": owner})).one_or_none()
        if found is not None and found[0] is None:
            await self._add_use(write, digest, owner)
        return found is not None

    async def _insert(self, write: WriteTransaction, packed: PackedBytes, owner: str) -> None:
        values = {
            "hash": packed.digest,
            "size": packed.size,
            "data": packed.data,
            "created_ms": write.now_ms,
            "is_deflated": packed.is_deflated,
            "base": packed.base,
            "prefix": packed.prefix,
            "suffix": packed.suffix,
            "links": packed.links,
            "chain_bytes": packed.chain_bytes,
        }
        await write.insert(blobs, values, named=RecordName("blob", packed.digest))
        await self._add_use(write, packed.digest, owner)

    async def _add_use(self, write: WriteTransaction, digest: str, owner: str) -> None:
        await write.insert_all(blob_uses, [{"owner": owner, "hash": digest}])

    async def _chain(self, digest: str, within: WriteTransaction | None) -> Sequence[PackedBytes]:
        """What bytes are stored as, their bases first. Raises RecordNotFound."""
        async with self._transactions.read(within) as view:
            found = await view.execute(select(*PACKED).where(blobs.c.hash == digest))
            last = found.one_or_none()
            if last is None:
                raise RecordNotFound("blob", digest)
            if last.base is None:
                return (PackedBytes(*last),)
            names = select(blobs.c.hash, blobs.c.base).where(blobs.c.hash == last.base)
            chain = names.cte("chain", recursive=True)
            further = select(blobs.c.hash, blobs.c.base).where(blobs.c.hash == chain.c.base)
            chain = chain.union_all(further)
            bases = select(*PACKED).where(blobs.c.hash.in_(select(chain.c.hash)))
            known = {row.hash: PackedBytes(*row) for row in await view.execute(bases)}
        newest_first = [PackedBytes(*last)]
        # By their names: the links of what another chat had stored before are counted otherwise.
        while (base := newest_first[-1].base) is not None:
            if base not in known:
                raise damaged(digest)
            newest_first.append(known[base])
        return newest_first[::-1]


def damaged(digest: str) -> DatabaseDamaged:
    """The failure for stored bytes that can't be what was written."""
    return DatabaseDamaged(
        f"The stored bytes of {digest} are not what was written.", "Restore them from a backup."
    )
