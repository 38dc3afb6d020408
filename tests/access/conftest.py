"""A real store for tests about money."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recto.storage import Storage
from tests.access.world import ToldClock
from tests.stores import open_empty


@pytest.fixture
def clock() -> ToldClock:
    return ToldClock()


@pytest.fixture
async def storage(tmp_path: Path, clock: ToldClock) -> AsyncGenerator[Storage]:
    storage = await open_empty(tmp_path / "recto.db", clock=clock)
    yield storage
    await storage.close()
