"""Empty stores without the work of making their tables: made once per process, then copied."""

import os
import tempfile
from pathlib import Path

import anyio
from anyio import to_thread

from recto.clock import Clock, SystemClock
from recto.storage import Storage

_empty: list[bytes] = []


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
