from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer
from tests.served import Served, empty, point_anthropic_at, served
from tests.server.shelf import Shelf


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    async with served(tmp_path / "home", tmp_path / "folder") as running:
        yield running


@pytest.fixture(scope="module")
async def shared_recto(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    """One Recto for those tests of a file that leave nothing in it but files."""
    root = tmp_path_factory.mktemp("shared")
    async with served(root / "home", root / "folder") as running:
        yield running


@pytest.fixture
def emptied_recto(shared_recto: Served) -> Served:
    """It, with nothing in its folder: for what is only read, and for what is refused."""
    empty(shared_recto.folder)
    return shared_recto


@pytest.fixture(scope="module")
async def shelf(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Shelf]:
    """One Recto for all tests of a file; each test makes projects of its own."""
    root = tmp_path_factory.mktemp("shelf")
    async with AnthropicServer() as model:
        point_anthropic_at(root / "home", model.url)
        save_keys(Home(root / "home"), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(root / "home", root / "folder") as recto, recto.script() as client:
            yield Shelf(recto, model, client, root)
