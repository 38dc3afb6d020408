"""A person who talks to a scripted Anthropic through a whole Recto."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer
from tests.talk import Talk, talk_to


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def talk(upstream: AnthropicServer, tmp_path: Path) -> AsyncGenerator[Talk]:
    (tmp_path / "folder").mkdir()
    async with talk_to(upstream, tmp_path) as talk:
        yield talk
