"""A desk with a thread's tools, and strict providers."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.chats.threads.desk import Desk, at_desk, four_servers
from tests.fakes.providers.serving import HttpServer


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncGenerator[dict[str, HttpServer]]:
    async with four_servers(tmp_path / "home") as servers:
        yield servers


@pytest.fixture
async def desk(tmp_path: Path, servers: dict[str, HttpServer]) -> AsyncGenerator[Desk]:
    async with at_desk(tmp_path, servers) as desk:
        yield desk
