"""The power fails after any single write or flush of the store: what was acknowledged is there.

What this shows: SQLite, with the settings that Recto gives it, has flushed a transaction before
Recto says that it is kept; and whatever the disk holds beyond the last flush, the store opens, is
sound, and has each transaction wholly or not at all. What it can't show: that a disk which says
"flushed" has flushed, and anything about PostgreSQL, which does its own flushing.
"""

import random
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from anyio import to_thread

from recto.storage import NewEvent, Storage, sqlite
from tests.storage.conftest import StepClock, add_chat
from tests.storage.disk import (
    Keep,
    Op,
    Recorder,
    everything,
    nothing_more,
    platter,
    recorder,
    some_of,
)
from tests.stores import lay_store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

WRITES = 8
WAL = "recto.db-wal"
PAGES_TO_CHECKPOINT = 24
"""So few that the log is copied into the file, and begun anew, several times."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a store did to its files while it was written to and closed."""

    before: dict[str, bytes]
    ops: list[Op]


async def record(tmp_path: Path, disk: Recorder) -> Recording:
    """Some transactions, each acknowledged once it is kept; then the store is closed."""
    path = tmp_path / "recto.db"
    await to_thread.run_sync(lay_store, path)
    before = {path.name: path.read_bytes()}
    with disk.on():
        storage = await Storage.open(path, clock=StepClock())
        async with storage.write() as write:
            await add_chat(storage, write)
        disk.tell(0)
        for number in range(1, WRITES + 1):
            async with storage.write() as write:
                body = {"text": f"{number} " * 400}
                await storage.chats.append(write, "c1", id=f"e{number}", kind="user", body=body)
                await storage.events.append(write, "c1", [NewEvent("entry", {"id": f"e{number}"})])
            disk.tell(number)
        await storage.close()
    return Recording(before, disk.ops)


def faults_after(recording: Recording, cut: int, keep: Keep, folder: Path) -> list[str]:
    """What is wrong with the store after a power cut at a place."""
    done = recording.ops[:cut]
    for name, data in platter(recording.before, done, keep).items():
        (folder / name).write_bytes(data)
    acknowledged = max((op.at for op in done if op.kind == "told"), default=-1)
    with closing(sqlite3.connect(folder / "recto.db")) as store:
        sound = store.execute("PRAGMA integrity_check").fetchall()
        entries = [item for (item,) in store.execute("SELECT seq FROM entries ORDER BY seq")]
        events = [item for (item,) in store.execute("SELECT seq FROM chat_events ORDER BY seq")]
        chats = store.execute("SELECT count(*) FROM chats").fetchone()[0]
    for path in folder.iterdir():
        path.unlink()
    found = [] if sound == [("ok",)] else [f"not sound: {sound}"]
    if entries != list(range(1, len(entries) + 1)) or entries != events:
        found.append(f"torn: {entries} beside {events}")
    if len(entries) < acknowledged or (acknowledged >= 0 and not chats):
        found.append(f"lost: {acknowledged} were acknowledged, {len(entries)} are there")
    return found


def all_faults(recording: Recording, folder: Path, keeps: tuple[Keep, ...]) -> list[str]:
    """What is wrong after a power cut at any place."""
    folder.mkdir()
    return [
        f"after {cut} operations: {fault}"
        for cut in range(len(recording.ops) + 1)
        for keep in keeps
        for fault in faults_after(recording, cut, keep, folder)
    ]


@pytest.fixture
def disk() -> Recorder:
    found = recorder()
    if found is None:
        pytest.skip("this Python's SQLite hides its functions")
    return found


def give_pragmas(monkeypatch: pytest.MonkeyPatch, *pragmas: str) -> None:
    checkpoint = f"wal_autocheckpoint={PAGES_TO_CHECKPOINT}"
    monkeypatch.setattr(sqlite, "WRITER_PRAGMAS", (*sqlite.WRITER_PRAGMAS, checkpoint, *pragmas))


async def test_no_power_cut_takes_what_was_acknowledged(
    tmp_path: Path, disk: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_pragmas(monkeypatch)
    recording = await record(tmp_path, disk)
    restarts = [op for op in recording.ops if op.kind == "write" and (op.file, op.at) == (WAL, 0)]
    assert len(restarts) > 1, "the log was never begun anew"
    keeps = nothing_more, everything, some_of(random.Random(20261117))
    assert await to_thread.run_sync(all_faults, recording, tmp_path / "cut", keeps) == []


async def test_the_disk_sees_a_store_that_does_not_flush_every_commit(
    tmp_path: Path, disk: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Teeth: with the setting below ours, cuts do lose what was acknowledged."""
    give_pragmas(monkeypatch, "synchronous=NORMAL")
    recording = await record(tmp_path, disk)
    found = await to_thread.run_sync(all_faults, recording, tmp_path / "cut", (nothing_more,))
    assert any("lost" in item for item in found)
    assert not any("torn" in item or "not sound" in item for item in found)
