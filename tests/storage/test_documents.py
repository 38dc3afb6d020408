import pytest

from recto.storage import DocumentUpdate, RecordNotFound, Storage

pytestmark = pytest.mark.anyio

SAVED = {"kind": "saved"}


async def append(storage: Storage, seq: int, *updates: bytes) -> None:
    async with storage.write() as write:
        added = [(data, {"who": "ann"}) for data in updates]
        await storage.documents.append(write, "d1", seq, added)


def update(seq: int, data: bytes, who: str = "ann") -> DocumentUpdate:
    return DocumentUpdate("d1", seq, {"who": who}, data, 1_000_000)


async def test_updates_are_read_in_order_from_any_number(storage: Storage) -> None:
    await append(storage, 1, b"a", b"\0b", b"c")

    assert await storage.documents.read("d1") == (
        update(1, b"a"),
        update(2, b"\0b"),
        update(3, b"c"),
    )
    assert await storage.documents.read("d1", 3) == (update(3, b"c"),)
    assert await storage.documents.read("d2") == ()


async def test_compaction_puts_one_snapshot_in_the_place_of_many(storage: Storage) -> None:
    await append(storage, 1, b"a", b"b", b"c")
    async with storage.write() as write:
        made = await storage.documents.compact(
            write, "d1", through_seq=2, snapshot=b"ab", origin={"who": "recto"}
        )
    await append(storage, 4, b"d")

    assert made == update(2, b"ab", "recto")
    assert await storage.documents.read("d1") == (made, update(3, b"c"), update(4, b"d"))


async def test_numbers_go_on_after_everything_was_compacted(storage: Storage) -> None:
    await append(storage, 1, b"a", b"b")
    async with storage.write() as write:
        await storage.documents.compact(write, "d1", through_seq=2, snapshot=b"ab", origin={})
    await append(storage, 3, b"c")

    assert [row.seq for row in await storage.documents.read("d1")] == [2, 3]


async def test_compaction_through_an_update_that_is_not_there_changes_nothing(
    storage: Storage,
) -> None:
    await append(storage, 1, b"a")
    with pytest.raises(RecordNotFound, match="d1/2"):
        async with storage.write() as write:
            await storage.documents.compact(write, "d1", through_seq=2, snapshot=b"", origin={})

    assert await storage.documents.read("d1") == (update(1, b"a"),)


async def test_the_last_number_and_what_may_not_be_saved_are_known(storage: Storage) -> None:
    async with storage.write() as write:
        log = storage.documents
        await log.append(write, "p1/saved.md", 1, [(b"a", {"kind": "edit"}), (b"", SAVED)])
        await log.append(write, "p1/typed.md", 1, [(b"a", SAVED), (b"b", {"kind": "edit"})])
        await log.append(write, "p10/other.md", 1, [(b"a", {"kind": "edit"})])

    assert await log.latest("p1/typed.md") == 2
    assert await log.latest("p1/none.md") == 0
    assert await log.unsaved("p1") == ("p1/typed.md",)
