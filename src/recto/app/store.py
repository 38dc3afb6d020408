"""Opens the records that the settings name, and closes them whatever happens."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from recto.clock import Clock
from recto.config import Home, Settings
from recto.storage import Storage


@asynccontextmanager
async def open_store(home: Home, settings: Settings, clock: Clock) -> AsyncGenerator[Storage]:
    """The records, for the length of the block."""
    storage = await Storage.open(settings.storage.url or home.database_file, clock=clock)
    try:
        yield storage
    finally:
        with anyio.CancelScope(shield=True):
            await storage.close()
