"""A folder to work in, and both ways to open what is in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.workspace.beneath import Opener, kernel_can, open_by_kernel, open_by_walking
from recto.workspace.jail import Jail


@pytest.fixture(params=["kernel", "walking"])
def opener(request: pytest.FixtureRequest) -> Opener:
    if request.param == "walking":
        return open_by_walking
    if not kernel_can():
        pytest.skip("this kernel has no openat2")
    return open_by_kernel


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "x" / "data"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def jail(root: Path, opener: Opener) -> Iterator[Jail]:
    held = Jail(root, opener=opener)
    yield held
    held.close()
