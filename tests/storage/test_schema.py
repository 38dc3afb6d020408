import shutil
import sqlite3
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from recto.storage import (
    CannotOpen,
    DatabaseDamaged,
    Storage,
    account_records,
    records,
    tables,
)
from recto.storage.engine import Engine
from recto.storage.postgres import PostgresEngine
from recto.storage.schema import HEAD, MIGRATIONS, bring_up_to_date
from recto.storage.sqlite import SqliteEngine
from tests.storage.conftest import StepClock, add_chat, run_sql

pytestmark = pytest.mark.anyio

STEP = f"""
import sqlalchemy as sa
from alembic import op

revision = "m9000"
down_revision = "{HEAD}"


def upgrade():
    op.create_table("pins", sa.Column("id", sa.Text, primary_key=True))
"""
REBUILD = """
    with op.batch_alter_table("projects", recreate="auto") as projects:
        projects.add_column(sa.Column("colour", sa.Text, server_default="red"))
        projects.alter_column("name", existing_type=sa.Text, nullable=True)
"""
BREAK = """
    op.execute("DELETE FROM entries")
    op.execute("INSERT INTO nowhere VALUES (1)")
"""
ORPHAN = """
    op.execute("DELETE FROM projects")
"""


async def engine_at(address: str) -> Engine:
    if "://" in address:
        return PostgresEngine(address)
    return await SqliteEngine.open(Path(address))


@pytest.fixture
async def old_records(address: str, clock: StepClock) -> str:
    """A store of today with one entry in it."""
    storage = await Storage.open(address, clock=clock)
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.chats.append(write, "c1", id="e1", kind="user", body={})
    await storage.close()
    return address


def with_step(tmp_path: Path, body: str) -> Path:
    """The migrations of a Recto to come."""
    migrations = tmp_path / "migrations 100%"
    shutil.copytree(MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    (migrations / "versions" / "m9000_next.py").write_text(STEP + body, encoding="utf-8")
    return migrations


async def migrate(address: str, migrations: Path) -> None:
    engine = await engine_at(address)
    try:
        await bring_up_to_date(engine, head="m9000", migrations=migrations)
    finally:
        await engine.close()


async def look(address: str) -> tuple[str, set[str], int]:
    """The revision, the tables, and the number of entries."""
    engine = await engine_at(address)
    async with engine.writer.connect() as connection:
        revision = await connection.scalar(text("SELECT version_num FROM alembic_version"))
        count = await connection.scalar(text("SELECT count(*) FROM entries"))
        found = without_search_index(await engine.user_tables(connection))
    await engine.close()
    return str(revision), found, int(count or 0)


def without_search_index(names: Iterable[str]) -> set[str]:
    """The tables that we declare: those of SQLite's full text index come with it."""
    return {name for name in names if not name.startswith("chat_words")}


def is_declared(name: str | None, kind: str, parents: Any) -> bool:
    """Whether it is ours to compare: an engine's own index is not known to the declarations."""
    return not str(name).startswith(("chat_words", "ix_chat_search_words"))


def differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "compare_server_default": False, "include_name": is_declared}
    context = MigrationContext.configure(connection, opts=options)
    return list(compare_metadata(context, tables.metadata))


TODAY = {*tables.metadata.tables, "alembic_version"}


@pytest.mark.parametrize("way", ["made new", "step by step"])
async def test_both_ways_lead_to_the_tables_that_are_declared(address: str, way: str) -> None:
    engine = await engine_at(address)
    if way == "step by step":
        await bring_up_to_date(engine, head="m0001")
    await bring_up_to_date(engine)
    async with engine.writer.connect() as connection:
        found = await connection.run_sync(differences)
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    await engine.close()

    assert found == []
    assert without_search_index(names) == TODAY


def test_the_head_that_is_known_without_alembic_is_the_real_one() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))

    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


@pytest.mark.parametrize(
    ("record", "table"),
    [
        (records.ProjectRecord, tables.projects),
        (records.Chat, tables.chats),
        (records.EntryRecord, tables.entries),
        (records.Run, tables.runs),
        (records.ChatEvent, tables.chat_events),
        (records.Reservation, tables.reservations),
        (records.DocumentUpdate, tables.document_updates),
        (records.Edit, tables.edits),
        (records.Note, tables.notes),
        (records.Proposal, tables.proposals),
        (records.Suggestion, tables.suggestions),
        (records.Context, tables.contexts),
        (records.SkillRecord, tables.skills),
        (records.ChatGroup, tables.chat_groups),
        (records.ChangeRecord, tables.changes),
        (account_records.AccountRecord, tables.accounts),
        (account_records.ApiKeyRecord, tables.api_keys),
        (account_records.SignInRecord, tables.sign_ins),
        (account_records.SessionToken, tables.session_tokens),
        (account_records.ProviderSignIn, tables.provider_sign_ins),
    ],
)
def test_a_record_has_the_columns_of_its_table_in_order(record: Any, table: Any) -> None:
    assert list(record.__slots__) == list(table.c.keys())


async def test_older_records_are_brought_up_to_date(old_records: str, tmp_path: Path) -> None:
    await migrate(old_records, with_step(tmp_path, REBUILD))

    assert await look(old_records) == ("m9000", TODAY | {"pins"}, 1)


async def test_a_step_that_fails_leaves_schema_and_records_as_they_were(
    old_records: str, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="nowhere"):
        await migrate(old_records, with_step(tmp_path, BREAK))

    assert await look(old_records) == (HEAD, TODAY, 1)


async def test_after_a_failed_step_the_next_try_can_succeed(
    old_records: str, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="nowhere"):
        await migrate(old_records, with_step(tmp_path / "bad", BREAK))
    await migrate(old_records, with_step(tmp_path / "good", ""))

    assert await look(old_records) == ("m9000", TODAY | {"pins"}, 1)


async def test_before_a_file_is_migrated_a_sound_copy_is_made(
    sqlite_path: str, tmp_path: Path, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    async with storage.write() as write:
        await add_chat(storage, write)
    await storage.close()
    await migrate(sqlite_path, with_step(tmp_path, ""))

    copy = anyio.Path(sqlite_path + ".before-m9000")
    assert stat.S_IMODE((await copy.stat()).st_mode) == 0o600
    connection = sqlite3.connect(copy)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
    assert connection.execute("SELECT id FROM chats").fetchall() == [("c1",)]
    connection.close()
    assert not await anyio.Path(f"{copy}.partial").exists()


async def test_a_new_file_needs_no_copy(sqlite_path: str, clock: StepClock) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()

    found = {path.name async for path in anyio.Path(sqlite_path).parent.iterdir()}
    assert found == {"recto.db", "recto.db.lock"}


async def test_a_step_that_would_orphan_records_is_undone(
    sqlite_path: str, tmp_path: Path, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    async with storage.write() as write:
        await add_chat(storage, write)
    await storage.close()

    with pytest.raises(DatabaseDamaged, match="nothing was updated"):
        await migrate(sqlite_path, with_step(tmp_path, ORPHAN))

    storage = await Storage.open(sqlite_path, clock=clock)
    assert (await storage.chats.get("c1")).id == "c1"
    await storage.close()


async def test_many_processes_may_start_on_a_new_database_at_once(
    new_postgres_url: str, clock: StepClock
) -> None:
    stores: list[Storage] = []

    async def start() -> None:
        stores.append(await Storage.open(new_postgres_url, clock=clock))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(start)

    for storage in stores:
        assert await storage.changes.latest() == 0
        await storage.close()


async def test_a_revision_that_is_not_ours_is_refused(address: str, clock: StepClock) -> None:
    storage = await Storage.open(address, clock=clock)
    await storage.close()
    for change in (
        "UPDATE alembic_version SET version_num = '8f3c'",
        "DELETE FROM alembic_version",
    ):
        await run_sql(address, change)
        with pytest.raises(CannotOpen, match="another program"):
            await Storage.open(address, clock=clock)
