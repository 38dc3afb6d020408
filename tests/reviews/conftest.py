"""A person who reviews what a scripted Anthropic does through a whole Recto."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer
from tests.reviews.desk import Desk, at_desk


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def desk(upstream: AnthropicServer, tmp_path: Path) -> AsyncGenerator[Desk]:
    async with at_desk(upstream, tmp_path) as desk:
        yield desk
