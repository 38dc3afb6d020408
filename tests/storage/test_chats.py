import random
from dataclasses import replace

import anyio
import pytest

from recto.storage import (
    ChangeRecord,
    Chat,
    EntryRecord,
    Page,
    RecordExists,
    RecordNotFound,
    StaleVersion,
    Storage,
)
from tests.storage.conftest import StepClock, add_chat, add_project

pytestmark = pytest.mark.anyio


async def test_a_chat_is_read_as_it_was_added(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        added = await storage.chats.add(
            write, id="c1", project_id="p1", title="Hello", meta={"b": 1}, group_id="g1"
        )

    assert added == Chat("c1", "p1", "Hello", "g1", {"b": 1}, False, 1_000_000, 1_000_000, 1, None)
    assert await storage.chats.get("c1") == added
    assert (await storage.changes.after(1)) == (
        ChangeRecord(2, 1_000_000, "chat", "c1", "p1", "created", 1),
    )


async def test_a_chat_needs_its_project(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="There is no project p1"):
        async with storage.write() as write:
            await storage.chats.add(write, id="c1", project_id="p1", title="", meta={})


async def test_an_entry_marks_its_chat_as_active(storage: Storage, clock: StepClock) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
    clock.ms += 5
    async with storage.write() as write:
        entry = await storage.chats.append(write, "c1", id="e1", kind="user", body={"text": "Hi"})

    assert entry == EntryRecord("c1", 1, "e1", "user", {"text": "Hi"}, 1_000_005)
    assert await storage.chats.entries("c1") == (entry,)
    assert (await storage.chats.get("c1")).last_active_ms == 1_000_005
    assert (await storage.changes.after(2)) == (
        ChangeRecord(3, 1_000_005, "entry", "c1", "project-of-c1", "created", 1),
    )


async def test_two_hundred_appends_at_once_are_numbered_without_a_gap(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)

    async def append(number: int) -> None:
        async with storage.write() as write:
            await storage.chats.append(write, "c1", id=f"e{number}", kind="user", body={})

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(200):
                group.start_soon(append, number)

    entries = await storage.chats.entries("c1")
    assert [entry.seq for entry in entries] == list(range(1, 201))
    assert {entry.id for entry in entries} == {f"e{number}" for number in range(200)}


async def test_entries_are_read_in_parts(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        for number in range(1, 6):
            await storage.chats.append(write, "c1", id=f"e{number}", kind="user", body={})

    assert [entry.seq for entry in await storage.chats.entries("c1", 2, 3)] == [2, 3, 4]


async def test_each_chat_counts_for_itself(storage: Storage) -> None:
    async with storage.write() as write:
        for chat in ("c1", "c2"):
            await add_chat(storage, write, chat)
            entry = await storage.chats.append(write, chat, id=f"e-{chat}", kind="user", body={})
            assert entry.seq == 1


async def test_an_entry_is_added_once(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.chats.append(write, "c1", id="e1", kind="user", body={})

    with pytest.raises(RecordExists, match="The entry e1 exists already"):
        async with storage.write() as write:
            await storage.chats.append(write, "c1", id="e1", kind="user", body={})


async def test_a_deleted_chat_leaves_a_tombstone(storage: Storage, clock: StepClock) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.chats.append(write, "c1", id="e1", kind="user", body={})
    alive = await storage.chats.get("c1")
    clock.ms += 1
    async with storage.write() as write:
        gone = await storage.chats.tombstone(write, "c1")
    async with storage.write() as write:
        assert await storage.chats.tombstone(write, "c1") == gone

    assert gone == replace(alive, version=2, deleted_ms=1_000_001)
    assert await storage.chats.get("c1") == gone
    assert await storage.chats.page("project-of-c1") == Page((), None)
    assert (await storage.changes.after(3)) == (
        ChangeRecord(4, 1_000_001, "chat", "c1", "project-of-c1", "deleted", 2),
    )


async def test_a_deleted_chat_takes_no_entries_and_does_not_come_back(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.chats.tombstone(write, "c1")

    with pytest.raises(RecordNotFound):
        async with storage.write() as write:
            await storage.chats.append(write, "c1", id="e1", kind="user", body={})
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.chats.add(write, id="c1", project_id="project-of-c1", title="", meta={})


async def test_a_project_lists_its_chats_and_the_global_ones(
    storage: Storage, clock: StepClock
) -> None:
    async with storage.write() as write:
        await add_project(storage, write, "p1")
        await add_project(storage, write, "p2")
    for name, project, is_global in (("a", "p1", False), ("b", "p2", True), ("c", "p2", False)):
        clock.ms += 1
        async with storage.write() as write:
            await storage.chats.add(
                write, id=name, project_id=project, title="", meta={}, is_global=is_global
            )

    first = await storage.chats.page("p1", limit=1)
    rest = await storage.chats.page("p1", first.next_cursor)
    assert [chat.id for chat in first.items + rest.items] == ["b", "a"]
    assert rest.next_cursor is None


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 40])
async def test_pages_of_any_size_show_each_chat_once_and_in_order(
    storage: Storage, limit: int
) -> None:
    chance = random.Random(limit)
    async with storage.write() as write:
        await add_project(storage, write, "p1")
        await add_project(storage, write, "p2")
        chats = [
            await storage.chats.add(
                write,
                id=f"c{number}",
                project_id=chance.choice(["p1", "p2"]),
                title="",
                meta={},
                is_global=chance.random() < 0.3,
                created_ms=chance.randrange(10),
            )
            for number in range(30)
        ]
        for chat in chance.sample(chats, 5):
            await storage.chats.tombstone(write, chat.id)
            chats.remove(chat)

    shown: list[str] = []
    cursor = None
    while True:
        page = await storage.chats.page("p1", cursor, limit)
        assert len(page.items) <= limit
        shown += [chat.id for chat in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break

    wanted = [chat for chat in chats if chat.is_global or chat.project_id == "p1"]
    wanted.sort(key=lambda chat: (chat.last_active_ms, chat.id), reverse=True)
    assert shown == [chat.id for chat in wanted]


async def test_entries_are_read_backwards_from_any_place(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        for number in range(1, 6):
            await storage.chats.append(write, "c1", id=f"e{number}", kind="user", body={})

    assert [item.seq for item in await storage.chats.entries_before("c1", 5, limit=2)] == [4, 3]
    assert (await storage.chats.entry("c1", "e2")).seq == 2
    with pytest.raises(RecordNotFound, match="There is no entry e9"):
        await storage.chats.entry("c1", "e9")


async def test_a_chat_is_renamed_by_whoever_saw_it_last(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        chat = await storage.chats.update(write, "c1", title="Tides", meta={}, expected_version=1)
    assert (chat.title, chat.version) == ("Tides", 2)
    with pytest.raises(StaleVersion):
        async with storage.write() as write:
            await storage.chats.update(write, "c1", title="Late", meta={}, expected_version=1)
    assert (await storage.chats.get("c1")).title == "Tides"


async def test_what_is_not_named_in_an_update_stays(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        chat = await storage.chats.add(
            write, id="c1", project_id="p1", title="", meta={}, group_id="g1", is_global=True
        )
        plain = await storage.chats.update(write, "c1", title="Tides", meta={"b": 1})
        moved = await storage.chats.update(
            write, "c1", title="Tides", meta={"b": 1}, group_id=None, is_global=False
        )

    assert plain == replace(chat, title="Tides", meta={"b": 1}, version=2)
    assert moved == replace(plain, group_id=None, is_global=False, version=3)
    assert await storage.chats.get("c1") == moved


async def test_a_chat_that_moves_leaves_its_group_and_both_projects_are_told(
    storage: Storage,
) -> None:
    async with storage.write() as write:
        for name in ("p1", "p2"):
            await add_project(storage, write, name)
        await storage.chats.add(write, id="c1", project_id="p1", title="", meta={}, group_id="g1")
        moved = await storage.chats.update(write, "c1", title="", meta={}, project_id="p2")
        back = await storage.chats.update(
            write, "c1", title="", meta={}, project_id="p1", group_id="g2"
        )

    assert (moved.project_id, moved.group_id) == ("p2", None)
    assert (back.project_id, back.group_id) == ("p1", "g2")
    told = [(item.project_id, item.action, item.version) for item in await storage.changes.after(3)]
    assert told == [
        ("p1", "updated", 2),
        ("p2", "updated", 2),
        ("p2", "updated", 3),
        ("p1", "updated", 3),
    ]
    with pytest.raises(RecordNotFound, match="no project p9"):
        async with storage.write() as write:
            await storage.chats.update(write, "c1", title="", meta={}, project_id="p9")


async def test_a_chat_of_a_client_stands_with_the_version_it_brings(storage: Storage) -> None:
    row = Chat("c1", "p1", "Mine", "g1", {"b": 1}, False, 5, 6, 7, None)
    async with storage.write() as write:
        await add_project(storage, write)
        assert await storage.chats.put(write, row) == row
        await storage.chats.append(write, "c1", id="e1", kind="user", body={})
        newer = replace(row, title="Newer", is_global=True, last_active_ms=9, version=9)
        assert await storage.chats.put(write, newer) == newer
        await storage.chats.put(write, replace(newer, version=10, deleted_ms=11))

    assert await storage.chats.get("c1") == replace(newer, version=10, deleted_ms=11)
    assert [entry.id for entry in await storage.chats.entries("c1")] == ["e1"]
    chat_told = [item for item in await storage.changes.after(1) if item.kind == "chat"]
    assert [(item.action, item.version) for item in chat_told] == [
        ("created", 7),
        ("updated", 9),
        ("deleted", 10),
    ]
    with pytest.raises(RecordNotFound, match="no project p9"):
        async with storage.write() as write:
            await storage.chats.put(write, replace(row, id="c2", project_id="p9"))
