import hashlib

import pytest

from recto.storage import DatabaseDamaged, RecordNotFound, Storage
from tests.storage.conftest import run_sql

pytestmark = pytest.mark.anyio


async def test_bytes_are_kept_by_their_hash(storage: Storage) -> None:
    data = bytes(range(256)) * 1000
    async with storage.write() as write:
        digest = await storage.blobs.put(write, data, "c1")

    assert digest == hashlib.sha256(data).hexdigest()
    assert await storage.blobs.get(digest) == data
    assert await storage.blobs.has(digest)


async def test_the_same_bytes_are_kept_once(storage: Storage) -> None:
    async with storage.write() as write:
        first = await storage.blobs.put(write, b"same", "c1")
        assert await storage.blobs.put(write, b"same", "c1") == first
    async with storage.write() as write:
        assert await storage.blobs.put(write, b"same", "c1") == first


async def test_no_bytes_are_bytes_too(storage: Storage) -> None:
    async with storage.write() as write:
        digest = await storage.blobs.put(write, b"", "c1")

    assert await storage.blobs.get(digest) == b""


async def test_an_unknown_hash_is_not_found(storage: Storage) -> None:
    assert not await storage.blobs.has("0" * 64)
    with pytest.raises(RecordNotFound):
        await storage.blobs.get("0" * 64)


async def test_bytes_that_changed_on_the_disk_are_not_handed_out(
    storage: Storage, address: str
) -> None:
    async with storage.write() as write:
        digest = await storage.blobs.put(write, b"good", "c1")
    literal = "'\\x626164'" if "://" in address else "x'626164'"
    await run_sql(address, f"UPDATE blobs SET data = {literal}")

    with pytest.raises(DatabaseDamaged, match=digest):
        await storage.blobs.get(digest)
