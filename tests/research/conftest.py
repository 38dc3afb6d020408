"""One set of services for each test, and what asks them."""

from collections.abc import AsyncGenerator

import pytest

from recto.research import SearchConnection
from tests.fakes.record_services import RecordWorld, record_services


@pytest.fixture
async def world() -> AsyncGenerator[RecordWorld]:
    async with record_services() as found:
        yield found


@pytest.fixture
async def connection() -> AsyncGenerator[SearchConnection]:
    found = SearchConnection(refused_key="does not accept your key")
    yield found
    await found.close()
