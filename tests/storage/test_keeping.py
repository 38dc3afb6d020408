"""What is deleted is erased, what nobody uses goes, and what is shared stays."""

import hashlib
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from sqlalchemy import select

from recto.storage import (
    NewEvent,
    RecordNotFound,
    Storage,
    pack_beside,
    record_of,
    replacement_of,
    save_of,
)
from recto.storage.schema import bring_up_to_date
from recto.storage.tables import blob_uses, blobs
from tests.storage.conftest import StepClock, add_chat, run_sql
from tests.storage.server import running_server, url
from tests.storage.test_schema import engine_at
from tests.stores import statements_noted

pytestmark = pytest.mark.anyio

DAY_MS = 86_400_000
SECRET = "canary-of-the-deleted-chat"


async def erase_all(storage: Storage) -> None:
    while owner := await storage.keeping.next_to_erase(1 << 60):
        is_done = False
        while not is_done:
            async with storage.write() as write:
                is_done = await storage.keeping.erase_some(write, owner)


async def talk_in(storage: Storage, chat_id: str, words: str) -> None:
    """A chat with one turn that left a trace everywhere."""
    async with storage.write() as write:
        await add_chat(storage, write, chat_id)
        chat = await storage.chats.get(chat_id, within=write)
        await storage.chats.update(write, chat_id, title=words, meta={"note": words})
        await storage.chats.append(
            write, chat_id, id=f"e-{chat_id}", kind="user", body={"text": words}
        )
        await storage.search.add(write, chat_id=chat_id, seq=1, entry_id=None, text=words)
        await storage.runs.add(
            write, id=f"r-{chat_id}", chat_id=chat_id, state="running", body={"text": words}
        )
        run_id = f"r-{chat_id}"
        request = await storage.blobs.put(write, words.encode(), record_of(run_id))
        await storage.blobs.put(write, b"a picture in both", chat_id)
        await storage.blobs.put(write, b"a file's version " + words.encode(), chat.project_id)
        exchange = {"tries": [{"request": request}], "request_id": chat_id}
        added = [
            NewEvent("setting", {"blob": request}, run_id),
            NewEvent("text", {"text": words}, run_id),
            NewEvent("exchange", exchange, run_id),
            NewEvent("turn", {"state": "finished"}, run_id),
        ]
        await storage.events.append(write, chat_id, added)
        await storage.runs.end(write, run_id, "finished")


async def test_a_deleted_chat_is_erased_and_what_others_use_stays(storage: Storage) -> None:
    await talk_in(storage, "gone", SECRET)
    await talk_in(storage, "here", "other words")
    async with storage.write() as write:
        await storage.chats.tombstone(write, "gone")
    await erase_all(storage)

    assert await storage.chats.entries("gone") == ()
    assert await storage.events.after("gone") == ()
    (tombstone,) = await storage.chats.some(["gone"])
    assert (tombstone.title, tombstone.meta) == ("", {})
    assert tombstone.deleted_ms is not None
    assert (await storage.runs.get("r-gone")).body == {}
    kept = [b"a picture in both", b"a file's version " + SECRET.encode(), b"other words"]
    assert await all_blobs(storage) == sorted([*kept, b"a file's version other words"])
    assert len(await storage.events.after("here")) == 4
    assert await storage.keeping.next_to_erase(1 << 60) is None


async def test_no_file_of_the_store_holds_words_of_an_erased_chat(
    sqlite_path: str, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    try:
        await talk_in(storage, "gone", SECRET)
        async with storage.write() as write:
            await storage.chats.tombstone(write, "gone")
            # The version of a file belongs to the project: only without it are its words gone.
            await storage.projects.remove(write, "project-of-gone")
        assert SECRET.encode() in everything_in(sqlite_path)
        await erase_all(storage)
        is_merged = False
        while not is_merged:
            async with storage.write() as write:
                is_merged = await storage.keeping.merge_words(write)
        with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM chats").fetchone()
            assert not await storage.forget_deleted_bytes()
        assert await storage.forget_deleted_bytes()

        assert SECRET.encode() not in everything_in(sqlite_path)
        # The index has its words in pieces that share their beginnings.
        assert b"canary" not in everything_in(sqlite_path)
    finally:
        await storage.close()


async def test_a_chat_in_which_a_turn_still_runs_is_erased_after_it(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.runs.add(write, id="r1", chat_id="c1", state="running", body={})
        await storage.chats.tombstone(write, "c1")
    assert await storage.keeping.next_to_erase(1 << 60) is None

    async with storage.write() as write:
        await storage.runs.end(write, "r1", "cancelled")
    assert await storage.keeping.next_to_erase(1 << 60) == "c1"


async def test_a_project_of_many_turns_is_removed_in_few_statements(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        project_id = (await storage.chats.get("c1", within=write)).project_id
        for number in range(100):
            await storage.runs.add(write, id=f"r{number}", chat_id="c1", state="queued", body={})
    with statements_noted() as said:
        async with storage.write() as write:
            await storage.projects.remove(write, project_id)

    assert 0 < len(said) < 20
    due: set[str] = set()
    while owner := await storage.keeping.next_to_erase(1 << 60):
        due.add(owner)
        async with storage.write() as write:
            assert await storage.keeping.erase_some(write, owner)
    assert due == {project_id, "c1", *(record_of(f"r{number}") for number in range(100))}


async def test_what_others_are_stored_beside_goes_with_the_last_of_them(storage: Storage) -> None:
    first = b"a long request " * 100
    second = first + b"and what is new"
    base = await pack_beside(first)
    beside = await pack_beside(second, base.as_base(first))
    async with storage.write() as write:
        await storage.blobs.put_packed(write, base, first, "one")
        await storage.blobs.put_packed(write, beside, second, "two")
        assert await storage.blobs.forget(write, "one", 10)
    assert await storage.blobs.get(beside.digest) == second

    async with storage.write() as write:
        assert await storage.blobs.forget(write, "two", 10)
    assert await all_blobs(storage) == []


async def test_without_its_base_what_is_new_is_stored_whole(storage: Storage) -> None:
    first = b"a long request " * 100
    base, second = await pack_beside(first), first + b"and what is new"
    beside = await pack_beside(second, base.as_base(first))
    async with storage.write() as write:
        await storage.blobs.put_packed(write, beside, second, "two")

    assert await storage.blobs.get(beside.digest) == second
    with pytest.raises(RecordNotFound):
        await storage.blobs.get(base.digest)


async def test_old_turns_keep_what_was_said_and_lose_pieces_and_requests(
    storage: Storage, clock: StepClock
) -> None:
    await talk_in(storage, "old", "old words")
    clock.ms += 10 * DAY_MS
    await talk_in(storage, "new", "new words")
    before = clock.ms - DAY_MS
    async with storage.write() as write:
        assert await storage.keeping.drop_pieces(write, before)
    assert [event.kind for event in await storage.events.after("old")] == [
        "setting",
        "exchange",
        "turn",
    ]
    async with storage.write() as write:
        assert await storage.keeping.drop_records(write, before)

    assert [event.kind for event in await storage.events.after("old")] == ["turn"]
    assert len(await storage.chats.entries("old")) == 1
    assert len(await storage.events.after("new")) == 4
    assert b"old words" not in await all_blobs(storage)
    assert b"new words" in await all_blobs(storage)


async def test_old_changes_go_and_the_last_stays(storage: Storage, clock: StepClock) -> None:
    for number in range(5):
        async with storage.write() as write:
            await add_chat(storage, write, f"c{number}")
    latest = await storage.changes.latest()
    clock.ms += 10 * DAY_MS
    async with storage.write() as write:
        assert await storage.keeping.drop_changes(write, clock.ms - DAY_MS)

    assert [change.seq for change in await storage.changes.after(0)] == [latest]


async def test_what_begins_with_a_name_is_found_in_a_database_with_the_order_of_a_language(
    tmp_path: Path, clock: StepClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual image of PostgreSQL sorts as Americans do: a semicolon before a colon."""
    if shutil.which("localedef") is None:
        pytest.skip("no program here makes locales")
    with tempfile.TemporaryDirectory(prefix="recto-locale-") as folder:
        await anyio.Path(folder).chmod(0o755)  # the server may run as somebody else
        made = ["localedef", "-i", "en_US", "-f", "UTF-8", f"{folder}/en_US.UTF-8"]
        if (await anyio.run_process(made, check=False)).returncode:
            pytest.skip("this system has no words of the language")
        monkeypatch.setenv("LOCPATH", folder)
        with running_server() as server:
            await run_sql(
                url(server), "CREATE DATABASE ours TEMPLATE template0 LOCALE 'en_US.UTF-8'"
            )
            storage = await Storage.open(url(server, "ours"), clock=clock)
            async with storage.write() as write:
                await add_chat(storage, write)
                await add_chat(storage, write, "c2")
                project_id = (await storage.chats.get("c1", within=write)).project_id
                await storage.blobs.put(write, b"saved", save_of(project_id, "s1"))
                await storage.blobs.put(write, b"replaced", replacement_of(project_id, "r1"))
                await storage.blobs.put(write, b"of another", save_of("other", "s2"))
            async with storage.write() as write:
                await storage.projects.remove(write, project_id)
            await erase_all(storage)
            assert await all_blobs(storage) == [b"of another"]
            async with storage.write() as write:
                await storage.blobs.put(write, b"replaced", replacement_of("other", "r2"))
                assert await storage.keeping.drop_replacements(write, clock.ms + 1)
            assert await all_blobs(storage) == [b"of another"]
            await storage.close()


async def all_blobs(storage: Storage) -> list[bytes]:
    """Everything that is kept by its hash."""
    async with storage.write() as write:
        digests = list((await write.execute(select(blobs.c.hash))).scalars())
    return sorted([await storage.blobs.get(digest) for digest in digests])


def everything_in(path: str) -> bytes:
    """The bytes of all files of a store."""
    return b"".join(file.read_bytes() for file in sorted(Path(path).parent.iterdir()))


async def test_what_older_records_use_is_found(address: str, clock: StepClock) -> None:
    engine = await engine_at(address)
    await bring_up_to_date(engine, head="m0024")
    await engine.close()
    datas = {"entry": "61", "request": "62", "nobody": "63"}
    digests = {
        name: hashlib.sha256(bytes.fromhex(data)).hexdigest() for name, data in datas.items()
    }
    literal = "'\\x{}'" if "://" in address else "x'{}'"
    await run_sql(
        address,
        "INSERT INTO projects VALUES ('p1', 'p1', '/p1', 1, 1, '{}', 1)",
        "INSERT INTO chats (id, project_id, title, meta, is_global, created_ms, last_active_ms,"
        " version, is_thread, deleted_ms) VALUES ('c1', 'p1', '', '{}', false, 1, 1, 1, false, 5)",
        *(
            "INSERT INTO blobs (hash, size, data, created_ms)"
            f" VALUES ('{digests[name]}', 1, {literal.format(data)}, 1)"
            for name, data in datas.items()
        ),
        "INSERT INTO entries VALUES ('c1', 1, 'e1', 'user',"
        f' \'{{"blobs": ["{digests["entry"]}"]}}\', 1)'.replace(":", "\\:"),
        "INSERT INTO chat_events VALUES ('c1', 1, 'r1', 'exchange',"
        f' \'{{"tries": [{{"request": "{digests["request"]}"}}]}}\', 1)'.replace(":", "\\:"),
    )

    storage = await Storage.open(address, clock=clock)
    try:
        async with storage.write() as write:
            found = await write.execute(select(blob_uses.c.owner, blob_uses.c.hash))
            uses = {tuple(row) for row in found}
        # It was deleted before deleted chats were erased.
        assert await storage.keeping.next_to_erase(5) == "c1"
    finally:
        await storage.close()
    assert uses == {("c1", digests["entry"]), (record_of("r1"), digests["request"])}


async def test_bytes_that_two_chats_had_are_read_in_the_order_they_were_stored(
    storage: Storage,
) -> None:
    whole = b"what a turn found: " * 100
    texts = [whole + b"first", *(whole + b"more " * many for many in range(1, 12))]
    one, two = texts[:4], texts[3:]
    for owner, some in (("one", one), ("two", two)):
        base = None
        for text in some:
            # The second chat begins with bytes that are stored already, at the end of a chain.
            packed = await pack_beside(text, base)
            base = packed.as_base(text)
            async with storage.write() as write:
                await storage.blobs.put_packed(write, packed, text, owner)

    for text in texts:
        assert await storage.blobs.get(hashlib.sha256(text).hexdigest()) == text
