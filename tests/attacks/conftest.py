from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.served import Served, served


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    async with served(tmp_path / "home", tmp_path / "folder") as running:
        yield running
