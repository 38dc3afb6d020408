"""Statements that are built once take and answer the same as through SQLAlchemy."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Executable, bindparam, insert, select, update

from recto.storage import NotStorable, RecordExists, Storage
from recto.storage.prepared import MOST_IN_LIST, prepared, run_prepared
from recto.storage.tables import chats, runs
from tests.fakes import FakeClock
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

CHAT: dict[str, Any] = {
    "id": "c1",
    "project_id": "p1",
    "title": "Ä 'quoted' \U0001f30a",
    "group_id": None,
    "meta": {"list": [1, 2.5, None, True], "words": "\ud83c"},
    "is_global": True,
    "created_ms": 2**40,
    "last_active_ms": 7,
    "version": 1,
    "deleted_ms": None,
    "is_thread": False,
}
BY_ID = select(chats).where(chats.c.id == bindparam("chat_id")).limit(bindparam("most"))
ALIVE = select(chats.c.id).where(chats.c.id == bindparam("chat_id"), chats.c.version == 1)
RENAME = (
    update(chats).where(chats.c.id == bindparam("chat_id")).returning(chats.c.meta, chats.c.title)
)
OF_IDS = select(chats.c.id).where(chats.c.id.in_(bindparam("ids", expanding=True)))
IN_BOTH = select(chats.c.meta).where(
    chats.c.title.in_(bindparam("titles", expanding=True)),
    chats.c.version == bindparam("one"),
    chats.c.id.in_(bindparam("ids", expanding=True)),
)


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncGenerator[Storage]:
    storage = await open_empty(tmp_path / "recto.db", clock=FakeClock())
    async with storage.write() as write:
        await storage.projects.add(write, id="p1", name="p1", path="/p1", settings={})
    yield storage
    await storage.close()


async def test_values_and_rows_are_the_same_as_through_sqlalchemy(storage: Storage) -> None:
    async with storage.write() as write:
        through = await run_prepared(write.connection, insert(chats), CHAT)
        assert through is not None
        given: tuple[tuple[Executable, dict[str, Any]], ...] = (
            (OF_IDS, {"ids": []}),
            (OF_IDS, {"ids": ["c1"]}),
            (OF_IDS, {"ids": ["nobody", "c1", "c2"]}),
            (IN_BOTH, {"ids": ["nobody", "c1"], "titles": [CHAT["title"]], "one": 1}),
            (BY_ID, {"chat_id": "c1", "most": 3}),
            (BY_ID, {"chat_id": "nobody", "most": 3}),
            (ALIVE, {"chat_id": "c1"}),
            (RENAME, {"chat_id": "c1", "title": "another", "meta": {"a": None}}),
        )
        for statement, values in given:
            ours = await run_prepared(write.connection, statement, values)
            theirs = await write.connection.execute(statement, values)
            assert ours is not None
            assert ours.keys() == theirs.keys()
            assert [tuple(row) for row in ours] == [tuple(row) for row in theirs]
        kept = await storage.chats.get("c1", within=write)
    assert (kept.title, kept.meta) == ("another", {"a": None})


async def test_many_rows_go_with_one_statement(storage: Storage) -> None:
    rows = [{**CHAT, "id": f"c{number}", "meta": {"n": number}} for number in range(5)]
    async with storage.write() as write:
        assert await run_prepared(write.connection, insert(chats), rows) is not None
        found = [await storage.chats.get(f"c{number}", within=write) for number in range(5)]
    assert [chat.meta for chat in found] == [{"n": number} for number in range(5)]


async def test_what_can_not_be_kept_is_refused_as_ever(storage: Storage) -> None:
    with pytest.raises(NotStorable):
        async with storage.write() as write:
            await write.insert_all(chats, [{**CHAT, "title": "a\0b"}])
    async with storage.write() as write:
        await storage.chats.add(write, id="c1", project_id="p1", title="", meta={})
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.chats.add(write, id="c1", project_id="p1", title="", meta={})
    assert (await storage.projects.page()).items[0].id == "p1", "the store can still be used"


async def test_a_statement_is_translated_once_for_each_kind_of_values(storage: Storage) -> None:
    async with storage.write() as write:
        dialect = write.connection.dialect
    ids = [f"c{number}" for number in range(MOST_IN_LIST + 1)]
    values = {"chat_id": "c1", "most": 3}
    assert prepared(BY_ID, values, dialect) is prepared(BY_ID, {**values, "most": 4}, dialect)
    two, one = (
        prepared(OF_IDS, {"ids": ids[:2]}, dialect),
        prepared(OF_IDS, {"ids": ["b"]}, dialect),
    )
    assert two is prepared(OF_IDS, {"ids": ["x", "y"]}, dialect)
    assert two is not one
    bare = insert(runs)
    assert prepared(bare, {"id": "", "chat_id": ""}, dialect) is not prepared(
        bare, {"id": ""}, dialect
    )


async def test_a_long_list_is_left_to_sqlalchemy(storage: Storage) -> None:
    ids = [f"c{number}" for number in range(MOST_IN_LIST + 1)]
    async with storage.write() as write:
        assert await run_prepared(write.connection, OF_IDS, {"ids": ids}) is None
        await storage.chats.add(write, id="c7", project_id="p1", title="", meta={})
        assert (await write.execute(OF_IDS, {"ids": ids})).scalars().all() == ["c7"]
