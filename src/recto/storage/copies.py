"""A copy of a SQLite store, made while another process may be writing to it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from anyio import to_thread

from recto.storage.driver_errors import our_failures


async def copy_sqlite(file: Path, target: Path) -> None:
    """Copy everything that is committed now, the write-ahead log included, into a new file.

    Raises:
        CannotOpen: the file can't be read, or is not a store.
    """
    with our_failures():
        await to_thread.run_sync(_copy, file, target)


def _copy(file: Path, target: Path) -> None:
    address = f"{file.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(address, uri=True)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        # Not a copy of the file: what is only in the write-ahead log would be missing.
        source.backup(copy)
