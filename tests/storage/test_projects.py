import base64
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.clock import SystemIds
from recto.storage import (
    BadCursor,
    ChangeRecord,
    NewEvent,
    NotStorable,
    Page,
    ProjectRecord,
    RecordExists,
    RecordNotFound,
    StaleVersion,
    Storage,
)
from recto.storage.stores.cursors import decode, encode
from tests.storage.conftest import StepClock, add_chat, add_project

pytestmark = pytest.mark.anyio


async def test_a_project_is_read_as_it_was_added(storage: Storage) -> None:
    settings = {"b": 1, "a": [None, "é\0\ud800"]}
    async with storage.write() as write:
        added = await storage.projects.add(
            write, id="p1", name="Thesis", path="/thesis", settings=settings
        )

    assert added == ProjectRecord("p1", "Thesis", "/thesis", 1_000_000, 1_000_000, settings, 1)
    assert await storage.projects.get("p1") == added
    assert await storage.projects.by_path("/thesis") == added
    assert await storage.projects.by_path("/other") is None


async def test_settings_keep_the_order_of_their_keys(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.projects.add(write, id="p1", name="", path="/", settings={"b": 1, "a": 2})

    assert list((await storage.projects.get("p1")).settings) == ["b", "a"]


async def test_a_folder_is_one_project_only(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.projects.add(write, id="p1", name="One", path="/thesis", settings={})

    with pytest.raises(RecordExists, match="The project /thesis exists already"):
        async with storage.write() as write:
            await storage.projects.add(write, id="p2", name="Two", path="/thesis", settings={})


async def test_an_update_raises_the_version_and_keeps_what_it_does_not_name(
    storage: Storage,
) -> None:
    async with storage.write() as write:
        added = await storage.projects.add(write, id="p1", name="a", path="/a", settings={"x": 1})
    async with storage.write() as write:
        renamed = await storage.projects.update(write, "p1", expected_version=1, name="b")
    async with storage.write() as write:
        await storage.projects.update(write, "p1", expected_version=2, settings={"x": 2})

    assert renamed == replace(added, name="b", version=2)
    assert await storage.projects.get("p1") == replace(renamed, settings={"x": 2}, version=3)


async def test_an_update_of_an_old_version_is_refused(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await storage.projects.update(write, "p1", expected_version=1, name="first")

    with pytest.raises(StaleVersion) as caught:
        async with storage.write() as write:
            await storage.projects.update(write, "p1", expected_version=1, name="second")

    assert (caught.value.expected, caught.value.actual) == (1, 2)
    assert (await storage.projects.get("p1")).name == "first"


async def test_what_is_not_there_is_not_found(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="There is no project p1"):
        await storage.projects.get("p1")
    async with storage.write() as write:
        with pytest.raises(RecordNotFound):
            await storage.projects.update(write, "p1", expected_version=1, name="x")
        with pytest.raises(RecordNotFound):
            await storage.projects.touch(write, "p1")
        with pytest.raises(RecordNotFound):
            await storage.projects.remove(write, "p1")


async def test_removing_a_project_removes_its_chats(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write, "c1")
        await storage.chats.append(write, "c1", id="e1", kind="user", body={})
        await storage.runs.add(write, id="r1", chat_id="c1", state="running", body={})
        await storage.events.append(write, "c1", [NewEvent("text", {}, "r1")])
    async with storage.write() as write:
        await storage.projects.remove(write, "project-of-c1")

    assert await storage.projects.page() == Page((), None)
    assert await storage.chats.entries("c1") == ()
    assert await storage.events.of_run("r1") == ()
    with pytest.raises(RecordNotFound):
        await storage.chats.get("c1")


async def test_every_change_of_a_project_is_told(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
    async with storage.write() as write:
        await storage.projects.update(write, "p1", expected_version=1, name="b")
    async with storage.write() as write:
        await storage.projects.touch(write, "p1")
    async with storage.write() as write:
        await storage.projects.remove(write, "p1")

    assert await storage.changes.after(0) == (
        ChangeRecord(1, 1_000_000, "project", "p1", "p1", "created", 1),
        ChangeRecord(2, 1_000_000, "project", "p1", "p1", "updated", 2),
        ChangeRecord(3, 1_000_000, "project", "p1", "p1", "updated", 2),
        ChangeRecord(4, 1_000_000, "project", "p1", "p1", "deleted", 2),
    )


async def test_the_project_used_last_comes_first(storage: Storage, clock: StepClock) -> None:
    for name in ("a", "b", "c"):
        clock.ms += 1
        async with storage.write() as write:
            await add_project(storage, write, name)
    clock.ms += 1
    async with storage.write() as write:
        touched = await storage.projects.touch(write, "a")

    assert touched.last_accessed_ms == clock.ms
    assert [p.id for p in (await storage.projects.page()).items] == ["a", "c", "b"]


@pytest.mark.parametrize("ties", [1, 3, 100])
async def test_paging_shows_each_row_once_while_others_are_added(
    storage: Storage, clock: StepClock, ids: SystemIds, ties: int
) -> None:
    async def add() -> str:
        name = ids.new()
        async with storage.write() as write:
            await add_project(storage, write, name)
        return name

    before: list[str] = []
    for number in range(25):
        clock.ms += number % ties == 0
        before.append(await add())

    seen: list[str] = []
    cursor = None
    while True:
        page = await storage.projects.page(cursor, 4)
        seen += [project.id for project in page.items]
        await add()
        if (cursor := page.next_cursor) is None:
            break

    assert seen == sorted(before, reverse=True)


async def test_a_full_last_page_has_no_cursor(storage: Storage) -> None:
    async with storage.write() as write:
        for name in ("a", "b"):
            await add_project(storage, write, name)

    assert (await storage.projects.page(limit=2)).next_cursor is None
    assert (await storage.projects.page(limit=1)).next_cursor is not None


@pytest.mark.parametrize("limit", [0, -1, 1001])
async def test_a_page_of_a_senseless_size_is_a_bug(storage: Storage, limit: int) -> None:
    with pytest.raises(ValueError, match="1 to 1000"):
        await storage.projects.page(limit=limit)


async def test_a_made_up_cursor_is_refused(storage: Storage) -> None:
    with pytest.raises(BadCursor):
        await storage.projects.page("not-a-cursor")


@pytest.mark.parametrize("name", ["nul \0", "surrogate \ud800"])
async def test_text_that_an_engine_would_refuse_is_refused_by_both(
    storage: Storage, name: str
) -> None:
    with pytest.raises(NotStorable):
        async with storage.write() as write:
            await storage.projects.add(write, id="p1", name=name, path="/", settings={})
    with pytest.raises(NotStorable):
        await storage.projects.by_path(name)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


def packed(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@given(st.text(max_size=600) | json_values.map(packed))
def test_no_cursor_does_harm(cursor: str) -> None:
    try:
        when_ms, row_id = decode(cursor)
    except BadCursor:
        return
    assert 0 <= when_ms < 1 << 63
    assert row_id.isascii()


@given(st.integers(0, (1 << 63) - 1), st.from_regex(r"[0-9a-z]{26}", fullmatch=True))
def test_a_cursor_comes_back_as_it_was(when_ms: int, row_id: str) -> None:
    assert decode(encode(when_ms, row_id)) == (when_ms, row_id)
