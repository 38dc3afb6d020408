"""Whether commands can be kept apart here: tried, not guessed."""

import os
from pathlib import Path

import pytest

from recto.processes import can_confine
from recto.tools.shell import SandboxLevel, Shell, find_sandbox
from recto.workspace import Workspace

pytestmark = pytest.mark.anyio


async def test_without_bubblewrap_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(tmp_path, "sh", "rm", "rmdir", "unshare", "mount")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert await find_sandbox() == SandboxLevel(
        "confined" if await can_confine() else "unsandboxed",
        "bubblewrap is not installed.",
        "Install bubblewrap, so that commands can be kept inside the folder.",
    )


async def test_a_system_that_refuses_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(tmp_path, "sh", "rm", "rmdir", "bash", "mount", "bwrap")
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho 'unshare: not permitted' >&2; exit 1\n", encoding="utf-8")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    level = await find_sandbox()

    assert level.kind == "confined" if await can_confine() else "unsandboxed"
    assert level.why == "The system refuses it: unshare: not permitted"
    assert level.remedy


async def test_the_whole_disk_is_no_folder_to_keep_apart() -> None:
    assert (await find_sandbox("/")).why == "The folder is the whole disk."


async def test_a_shell_tries_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await Workspace.open(root) as workspace:
        shell = Shell(workspace)
        first = await shell.level()
        monkeypatch.setenv("PATH", "")
        assert await shell.level() is first


def programs(folder: Path, *names: str) -> None:
    """A folder with nothing but these programs."""
    for name in names:
        for place in ("/usr/bin", "/bin", "/usr/local/bin"):
            if os.access(f"{place}/{name}", os.X_OK) and not (folder / name).exists():
                (folder / name).symlink_to(f"{place}/{name}")
