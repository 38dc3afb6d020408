from dataclasses import replace

import pytest

from recto.storage import (
    ChangeRecord,
    Note,
    NotStorable,
    RecordExists,
    RecordNotFound,
    StaleVersion,
    Storage,
)
from recto.storage.schema import bring_up_to_date
from tests.storage.conftest import StepClock, add_project, run_sql
from tests.storage.test_schema import engine_at

pytestmark = pytest.mark.anyio

NOTE = Note(
    id="n1",
    project_id="p1",
    path="a.md",
    text="the tide",
    before="Here is ",
    after=" again.",
    anchor={"epoch": "e", "start": {"side": "right"}, "end": {"side": "left"}},
    answer=None,
    body="Which?",
    author="person",
    run_id=None,
    chat_id="c1",
    sent=None,
    resolved_ms=None,
    created_ms=5,
    updated_ms=5,
    version=1,
)
ON_ANSWER = replace(
    NOTE,
    id="n2",
    path="",
    anchor=None,
    answer={"chatId": "c2", "entryId": "e1", "occurrence": 0},
    author="run",
    run_id="r1",
    chat_id=None,
)


async def add(storage: Storage, *notes: Note) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        for note in notes:
            await storage.notes.add(write, note)


async def told(storage: Storage, after: int) -> list[tuple[str, str, str, int]]:
    changes = await storage.changes.after(after)
    return [(change.kind, change.resource_id, change.action, change.version) for change in changes]


async def test_notes_are_found_by_id_file_and_conversation(storage: Storage) -> None:
    await add(storage, ON_ANSWER, NOTE)
    notes = storage.notes

    assert await notes.get("n1") == NOTE
    assert await notes.get("n2") == ON_ANSWER
    assert await notes.by_chat("c1") == NOTE
    assert await notes.of_project("p1") == (NOTE, ON_ANSWER)
    assert await notes.of_project("p1", "a.md") == (NOTE,)
    assert await notes.of_project("p1", "") == (ON_ANSWER,)
    assert await notes.of_project("p2") == ()
    with pytest.raises(RecordNotFound, match="no thread n9"):
        await notes.get("n9")
    with pytest.raises(RecordNotFound, match="no thread of chat c9"):
        await notes.by_chat("c9")


async def test_a_note_needs_its_project_and_an_id_of_its_own(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="no project p1"):
        async with storage.write() as write:
            await storage.notes.add(write, NOTE)
    await add(storage, NOTE)
    with pytest.raises(RecordExists, match="thread n1"):
        async with storage.write() as write:
            await storage.notes.add(write, NOTE)


async def test_a_note_is_changed_by_whoever_saw_it_last(storage: Storage, clock: StepClock) -> None:
    await add(storage, NOTE)
    clock.ms = 2_000_000
    sent = {"chatId": "c3", "turnId": "t1", "number": 2}
    async with storage.write() as write:
        changed = await storage.notes.change(
            write, "n1", expected_version=1, body="Where?", anchor=None, sent=sent
        )

    assert changed == replace(
        NOTE, body="Where?", anchor=None, sent=sent, updated_ms=2_000_000, version=2
    )
    assert await storage.notes.get("n1") == changed
    with pytest.raises(StaleVersion, match="version 2, expected 1"):
        async with storage.write() as write:
            await storage.notes.change(write, "n1", expected_version=1, body="Late")
    with pytest.raises(RecordNotFound):
        async with storage.write() as write:
            await storage.notes.change(write, "n9", body="Nothing")


async def test_every_change_of_a_note_is_told(storage: Storage) -> None:
    await add(storage, NOTE)
    async with storage.write() as write:
        await storage.notes.change(write, "n1", resolved_ms=9, updated_ms=7)
        await storage.notes.move(write, "p1", "a.md", "b.md")
        await storage.notes.tell(write, await storage.notes.get("n1", within=write), "updated")
        await storage.notes.remove(write, "n1")

    assert await told(storage, 1) == [
        ("thread", "n1", "created", 1),
        ("thread", "n1", "updated", 2),
        ("thread", "n1", "updated", 3),
        ("thread", "n1", "updated", 3),
        ("thread", "n1", "deleted", 3),
    ]
    assert (await storage.changes.after(1))[0] == ChangeRecord(
        2, 1_000_000, "thread", "n1", "p1", "created", 1
    )
    with pytest.raises(RecordNotFound):
        async with storage.write() as write:
            await storage.notes.remove(write, "n1")


async def test_a_folder_that_moves_takes_its_notes_along_and_nobody_elses(
    storage: Storage,
) -> None:
    paths = ["a", "a/x.md", "a/deep/y.md", "ab/x.md", "A/x.md", "b_/x.md", "b%/x.md"]
    await add(storage, *(replace(NOTE, id=f"n{n}", path=path) for n, path in enumerate(paths)))
    async with storage.write() as write:
        await storage.notes.move(write, "p1", "a", "new/a")
        await storage.notes.move(write, "p1", "b_", "c")
        await storage.notes.move(write, "p2", "ab", "d")

    found = await storage.notes.of_project("p1")
    assert [item.path for item in found] == [
        "new/a",
        "new/a/x.md",
        "new/a/deep/y.md",
        "ab/x.md",
        "A/x.md",
        "c/x.md",
        "b%/x.md",
    ]
    assert {item.updated_ms for item in found} == {5}


async def test_notes_go_with_their_project(storage: Storage) -> None:
    await add(storage, NOTE)
    async with storage.write() as write:
        await storage.projects.remove(write, "p1")

    assert await storage.notes.of_project("p1") == ()


@pytest.mark.parametrize("body", ["\0", "a\ud800b"])
async def test_words_that_no_database_keeps_are_refused(storage: Storage, body: str) -> None:
    with pytest.raises(NotStorable):
        await add(storage, replace(NOTE, body=body))


async def test_a_chat_of_a_note_is_found_but_not_listed(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await storage.chats.add(write, id="c1", project_id="p1", title="Plain", meta={})
        thread = await storage.chats.add(
            write, id="c2", project_id="p1", title="Beside", meta={}, is_thread=True, is_global=True
        )
        for chat in ("c1", "c2"):
            await storage.search.add(write, chat_id=chat, seq=1, entry_id=None, text="hello")

    assert thread.is_thread
    assert await storage.chats.get("c2") == thread
    assert [chat.id for chat in (await storage.chats.page("p1")).items] == ["c1"]
    hits = await storage.search.find("p1", "hello")
    assert [(hit.chat_id, hit.is_thread) for hit in hits] == [("c2", True), ("c1", False)]


async def test_a_chat_of_an_older_store_belongs_to_no_note(address: str, clock: StepClock) -> None:
    engine = await engine_at(address)
    await bring_up_to_date(engine, head="m0006")
    await engine.close()
    await run_sql(
        address,
        "INSERT INTO projects VALUES ('p1', 'p1', '/p1', 1, 1, '{}', 1)",
        "INSERT INTO chats (id, project_id, title, meta, is_global, created_ms, last_active_ms,"
        " version) VALUES ('c1', 'p1', 'Old', '{}', false, 1, 1, 1)",
    )
    storage = await Storage.open(address, clock=clock)
    chats = (await storage.chats.page("p1")).items
    await storage.close()

    assert [(chat.id, chat.is_thread) for chat in chats] == [("c1", False)]
