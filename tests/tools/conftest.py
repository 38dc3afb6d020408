"""A folder with tools over it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.bench import Bench, bench_in


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "x" / "data"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
async def bench(root: Path) -> AsyncIterator[Bench]:
    async with bench_in(root) as bench:
        yield bench
