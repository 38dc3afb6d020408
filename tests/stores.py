"""Empty stores without the work of making their tables: made once per process, then copied.

What SQLAlchemy made of a statement is shared by all stores of the process, too. Each engine would
otherwise compile again what each test asks: an eighth of the time of a test that talks to a Recto.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from sqlalchemy import Connection, event
from sqlalchemy.engine import Engine

from recto.clock import Clock, SystemClock
from recto.storage import Storage
from recto.storage.sqlite_connection import TripConnection

_empty: list[bytes] = []


class CompiledStatements:
    """What SQLAlchemy looks a statement up in, for every engine of the same driver."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[Any, ...], Any] = {}

    def get(self, key: tuple[Any, ...]) -> Any:
        """What a statement was compiled to, by whichever engine."""
        return self._compiled.get(of_any_engine(key))

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        self._compiled[of_any_engine(key)] = compiled


def of_any_engine(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A statement's key with the kind of the driver in the place of one engine's own."""
    dialect: object = key[0]
    return (type(dialect), *key[1:])


_statements: Any = CompiledStatements()


def share_statements(connection: Connection) -> None:
    """Have a connection look up what other engines have compiled."""
    connection.execution_options(compiled_cache=_statements)


event.listen(Engine, "engine_connect", share_statements)


@contextmanager
def statements_noted() -> Generator[list[object]]:
    """A list that gets something for every statement that goes to a database in the block."""
    said: list[object] = []
    trip = TripConnection.trip

    async def noted(driver: TripConnection, work: Any) -> Any:
        said.append(work)
        return await trip(driver, work)

    def note(connection: Connection, *details: object) -> None:
        # On SQLite each is a trip, also those that SQLAlchemy does not see.
        if connection.dialect.name != "sqlite":
            said.append(details)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TripConnection, "trip", noted)
            yield said
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def open_empty(path: Path, *, clock: Clock) -> Storage:
    """A new store of one's own."""
    await to_thread.run_sync(lay_store, path)
    return await Storage.open(path, clock=clock)


def lay_store(path: Path) -> None:
    """Put an empty store, with all its tables, where there is none yet; in no event loop."""
    if not _empty:
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "recto.db"
            anyio.run(_make, made)
            _empty.append(made.read_bytes())
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(_empty[0])


async def _make(path: Path) -> None:
    await (await Storage.open(path, clock=SystemClock())).close()
