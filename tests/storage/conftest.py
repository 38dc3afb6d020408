"""Both engines for the contract tests: each test gets an empty store of its own."""

from collections.abc import AsyncGenerator, Generator
from itertools import count
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from recto.clock import SystemIds
from recto.storage import Storage, WriteTransaction
from tests.storage.server import running_server, url
from tests.stores import lay_store

numbers = count(1)

# A hundred times faster than a database that is made anew. Whoever a test left behind is sent away.
EMPTY_ALL_TABLES = """
DO $$
DECLARE name text;
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', name); END LOOP;
END $$
"""


class StepClock:
    """A clock that stands still until it is told."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


async def run_sql(address: str, *statements: str) -> None:
    """Do something behind the store's back."""
    is_file = "://" not in address
    at = f"sqlite+aiosqlite:///{address}" if is_file else address.replace("://", "+asyncpg://")
    engine = create_async_engine(at, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def add_project(storage: Storage, write: WriteTransaction, name: str = "p1") -> None:
    """A project, for tests about what it contains."""
    await storage.projects.add(write, id=name, name=name, path=f"/{name}", settings={})


async def add_chat(storage: Storage, write: WriteTransaction, name: str = "c1") -> None:
    """A chat in a project of its own, for tests about what it contains."""
    await add_project(storage, write, f"project-of-{name}")
    await storage.chats.add(write, id=name, project_id=f"project-of-{name}", title="", meta={})


@pytest.fixture
def clock() -> StepClock:
    return StepClock()


@pytest.fixture
def ids(clock: StepClock) -> SystemIds:
    return SystemIds(clock)


@pytest.fixture(scope="session")
def postgres_server() -> Generator[Path]:
    with running_server() as folder:
        yield folder


@pytest.fixture(scope="session")
def postgres_tables(postgres_server: Path) -> str:
    """The address of a database with all tables, which tests take one after the other."""
    address = url(postgres_server, "recto_tables")

    async def make() -> None:
        await run_sql(url(postgres_server), "CREATE DATABASE recto_tables")
        await (await Storage.open(address, clock=StepClock())).close()

    anyio.run(make)
    return address


@pytest.fixture
async def postgres_url(postgres_tables: str) -> str:
    """The address of a database with all tables and nothing in them."""
    await run_sql(postgres_tables, EMPTY_ALL_TABLES)
    return postgres_tables


@pytest.fixture
async def new_postgres_url(postgres_server: Path) -> str:
    """The address of a database of one's own, without tables."""
    name = f"recto_{next(numbers)}"
    await run_sql(url(postgres_server), f"CREATE DATABASE {name}")
    return url(postgres_server, name)


@pytest.fixture
def sqlite_path(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The path of a file alone in its folder; not there yet, unless `storage` opens it."""
    folder = tmp_path / "store"
    folder.mkdir()
    if "storage" in request.fixturenames:
        lay_store(folder / "recto.db")
    return str(folder / "recto.db")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest) -> str:
    """Where an empty store may be opened, on each engine in turn; with tables for `storage`."""
    if request.param == "sqlite":
        fixture = "sqlite_path"
    else:
        fixture = "postgres_url" if "storage" in request.fixturenames else "new_postgres_url"
    address: str = request.getfixturevalue(fixture)
    return address


@pytest.fixture
async def storage(address: str, clock: StepClock) -> AsyncGenerator[Storage]:
    storage = await Storage.open(address, clock=clock)
    yield storage
    await storage.close()
