from pathlib import Path

import pytest

from tests.cli.recto import Command


@pytest.fixture
def recto(tmp_path: Path) -> Command:
    """The `recto` command with a home of its own."""
    return Command(home=tmp_path / "home")
