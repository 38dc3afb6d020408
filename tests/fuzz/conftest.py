"""The two ways Recto runs: alone on SQLite, and as two workers on PostgreSQL."""

from collections.abc import AsyncGenerator, Generator

import pytest

from tests.fuzz.place import Place, open_place
from tests.storage.server import running_server, url


@pytest.fixture(scope="package")
def database() -> Generator[str]:
    with running_server() as folder:
        yield url(folder)


@pytest.fixture(scope="package")
async def places(
    database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[tuple[Place, ...]]:
    """Both: what is costly is to make up requests, so each is sent to both."""
    async with (
        open_place(tmp_path_factory.mktemp("alone"), "") as alone,
        open_place(tmp_path_factory.mktemp("two"), database, database) as two,
    ):
        yield alone, two
