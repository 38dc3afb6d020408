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
    """The name of a database with all tables, to be copied."""
    name = "recto_tables"

    async def make() -> None:
        await run_sql(url(postgres_server), f"CREATE DATABASE {name}")
        await (await Storage.open(url(postgres_server, name), clock=StepClock())).close()

    anyio.run(make)
    return name


@pytest.fixture
async def postgres_url(
    postgres_server: Path, postgres_tables: str, request: pytest.FixtureRequest
) -> str:
    """The address of an empty database; with the tables already, where `storage` opens it."""
    name = f"recto_{next(numbers)}"
    model = postgres_tables if "storage" in request.fixturenames else "template1"
    await run_sql(url(postgres_server), f"CREATE DATABASE {name} TEMPLATE {model}")
    return url(postgres_server, name)


@pytest.fixture
def sqlite_path(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The path of a file alone in its folder; not there yet, unless `storage` opens it."""
    folder = tmp_path / "store"
    folder.mkdir()
    if "storage" in request.fixturenames:
        lay_store(folder / "recto.db")
    return str(folder / "recto.db")


@pytest.fixture(params=["sqlite_path", "postgres_url"], ids=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest) -> str:
    """Where an empty store may be opened, on each engine in turn."""
    address: str = request.getfixturevalue(request.param)
    return address


@pytest.fixture
async def storage(address: str, clock: StepClock) -> AsyncGenerator[Storage]:
    storage = await Storage.open(address, clock=clock)
    yield storage
    await storage.close()
