"""What a gateway keeps for a while, on both engines."""

import pytest

from recto.storage import Storage

pytestmark = pytest.mark.anyio


async def test_sealed_bytes_are_found_by_account_and_call_until_their_end(
    storage: Storage,
) -> None:
    async with storage.write() as write:
        end = write.now_ms + 1_000_000
        await storage.kept_thoughts.put(
            write, "a1", {"c1": b"\x00\xff", "c2": b"two"}, until_ms=end
        )
        await storage.kept_thoughts.put(write, "a2", {"c1": b"other"}, until_ms=end)
    async with storage.write() as write:
        await storage.kept_thoughts.put(write, "a1", {"c2": b"new"}, until_ms=end)
    ids = ["c1", "c2", "c3"]
    found = await storage.kept_thoughts.get_many("a1", ids, now_ms=end - 1)
    assert found == {"c1": b"\x00\xff", "c2": b"new"}
    assert await storage.kept_thoughts.get_many("a2", ids, now_ms=end - 1) == {"c1": b"other"}
    assert await storage.kept_thoughts.get_many("a1", ids, now_ms=end) == {}


async def test_what_is_over_goes_with_the_next_one(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.kept_thoughts.put(write, "a1", {"c1": b"old"}, until_ms=write.now_ms)
    async with storage.write() as write:
        await storage.kept_thoughts.put(write, "a2", {"c2": b"new"}, until_ms=write.now_ms + 9)
    assert await storage.kept_thoughts.get_many("a1", ["c1"], now_ms=0) == {}
