"""A shell at each level."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from recto.tools.shell import SandboxLevel, Shell, find_sandbox
from recto.workspace import Workspace
from tests.tools.shell.place import Place

UNSANDBOXED = SandboxLevel("unsandboxed", "It is left out here.", "None.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Recto's own home."""
    folder = tmp_path / "recto-home"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def nothing_is_left_behind(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Generator[None]:
    """Every private folder is gone after each test."""
    folder = tmp_path_factory.mktemp("private")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


@asynccontextmanager
async def opened(
    root: Path, secret: Path, kind: Literal["sandboxed", "unsandboxed"]
) -> AsyncGenerator[Place]:
    level = UNSANDBOXED
    if kind == "sandboxed":
        level = await find_sandbox(str(root))
        if level.kind == "unsandboxed":
            pytest.skip(f"no sandbox here: {level.why} {level.remedy}")
    async with await Workspace.open(root) as workspace:
        yield Place(root, Shell(workspace, secret=[str(secret)], level=level))


@pytest.fixture(params=["sandboxed", "unsandboxed"])
async def place(request: pytest.FixtureRequest, root: Path, secret: Path) -> AsyncGenerator[Place]:
    """Both levels, one after the other."""
    async with opened(root, secret, request.param) as one:
        yield one


@pytest.fixture
async def apart(root: Path, secret: Path) -> AsyncGenerator[Place]:
    async with opened(root, secret, "sandboxed") as one:
        yield one


@pytest.fixture
async def in_place(root: Path, secret: Path) -> AsyncGenerator[Place]:
    async with opened(root, secret, "unsandboxed") as one:
        yield one
