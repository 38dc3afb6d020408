from pathlib import Path

import pytest

from recto.storage import CannotOpen, NewEvent, Storage
from recto.storage.copies import copy_sqlite
from tests.storage.conftest import StepClock, add_chat

pytestmark = pytest.mark.anyio


async def test_an_exchange_is_found_by_its_request_id(storage: Storage) -> None:
    bodies = [{"request_id": name, "step": 1} for name in ("one", "two", None)]
    async with storage.write() as write:
        await add_chat(storage, write)
        events = [NewEvent("exchange", body, "r1") for body in bodies]
        await storage.events.append(write, "c1", [NewEvent("text", {"request_id": "two"}), *events])

    found = await storage.events.find_exchange("two")

    assert found is not None
    assert (found.seq, found.run_id, found.body) == (3, "r1", {"request_id": "two", "step": 1})
    assert await storage.events.find_exchange("three") is None


async def test_a_copy_has_what_is_committed_while_the_store_is_open(
    sqlite_path: str, clock: StepClock, tmp_path: Path
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    async with storage.write() as write:
        await add_chat(storage, write)

    await copy_sqlite(Path(sqlite_path), tmp_path / "copy.db")

    copy = await Storage.open(tmp_path / "copy.db", clock=clock)
    assert (await copy.chats.get("c1")).id == "c1"
    await copy.close()
    await storage.close()


async def test_what_is_no_store_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"something else" * 100)

    with pytest.raises(CannotOpen, match="not a SQLite database"):
        await copy_sqlite(tmp_path / "other", tmp_path / "copy.db")
