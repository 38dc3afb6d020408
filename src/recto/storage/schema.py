"""Brings the tables to the revision this program knows, in one transaction, at start.

The revision is read with plain SQL, and a new store is made at once as it should be: Alembic is
only loaded when there is something to migrate.
"""

import re
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection

from recto.storage.driver_errors import our_failures
from recto.storage.engine import Engine
from recto.storage.failures import CannotOpen, NewerSchema
from recto.storage.tables import metadata

HEAD = "m0027"
MIGRATIONS = Path(__file__).parent / "migrations"
REVISION_TABLE = "alembic_version"


async def bring_up_to_date(
    engine: Engine, *, head: str = HEAD, migrations: Path = MIGRATIONS
) -> None:
    """Leave the tables at `head`: all steps are taken, or none.

    Raises:
        NewerSchema: a later program wrote these records.
        CannotOpen: they are not ours.
    """
    with our_failures():
        async with engine.writer.connect() as connection:
            found = await _revision(engine, connection)
        if _is_current(found, head):
            return
        if found is not None:
            # Before the migration's transaction: SQLite copies only what is committed.
            await engine.back_up(head)
        async with engine.migration() as connection:
            await engine.take_turn(connection)
            # Another process may have been first while we waited for our turn.
            now = await _revision(engine, connection)
            if now is None and head == HEAD:
                await connection.run_sync(_create)
            elif not _is_current(now, head):
                await connection.run_sync(_migrate, head, migrations)


def _is_current(found: str | None, head: str) -> bool:
    if found is None:
        return False
    # Somebody else's Alembic table.
    if not re.fullmatch(r"m\d{4}", found):
        raise _foreign()
    # Fixed width, so that the order of texts is the order of numbers.
    if found > head:
        raise NewerSchema(found, head)
    return found == head


async def _revision(engine: Engine, connection: AsyncConnection) -> str | None:
    """The revision of the tables; None when there are none yet."""
    tables = await engine.user_tables(connection)
    if not tables:
        return None
    if REVISION_TABLE not in tables:
        raise _foreign()
    found = await connection.scalars(text(f"SELECT version_num FROM {REVISION_TABLE}"))
    return found.one_or_none() or "none"


def _foreign() -> CannotOpen:
    return CannotOpen(
        "This database belongs to another program.", "Choose another place for the records."
    )


def _create(connection: Connection) -> None:
    """All tables as they are today: what the steps would lead to, without loading Alembic."""
    metadata.create_all(connection)
    connection.execute(
        text(
            f"CREATE TABLE {REVISION_TABLE} (version_num VARCHAR(32) NOT NULL,"
            f" CONSTRAINT {REVISION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text(f"INSERT INTO {REVISION_TABLE} VALUES ('{HEAD}')"))


def _migrate(connection: Connection, head: str, migrations: Path) -> None:
    # Loaded here, because it would cost every start as much as everything else together.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    command.upgrade(config, head)
