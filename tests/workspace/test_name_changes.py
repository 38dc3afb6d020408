"""Names that follow changes are those that reading everything finds."""

import random
import shutil
from pathlib import Path

import anyio
import pytest

from recto.workspace import Workspace
from recto.workspace.finder import read_names
from recto.workspace.ignore import IgnoreLookup, IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.name_changes import MOST_FOLDERS, StaleNames, names_after

pytestmark = pytest.mark.anyio

NAMES = ("a", "b-c", "b", "b.md", "x.log", ".env", "été", ".git", "build")
ROUNDS = 25


def change_something(root: Path, chance: random.Random) -> set[str]:
    """Make, move or remove something; the folders in which that happened."""
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    place = chance.choice(folders)
    target = place / chance.choice(NAMES)
    changed = {place}
    if target.is_dir():
        if chance.random() < 0.5:
            moved = chance.choice([root, place]) / f"moved{chance.randrange(1000)}"
            target.rename(moved)
            changed.add(moved.parent)
        else:
            shutil.rmtree(target)
    elif target.exists():
        target.unlink()
    elif chance.random() < 0.6:
        (target / "deep").mkdir(parents=True)
        (target / "deep" / "file.md").write_bytes(b"")
        (target / "x.log").write_bytes(b"")
    else:
        target.write_bytes(b"")
    return {"" if path == root else str(path.relative_to(root)) for path in changed}


@pytest.mark.parametrize("seed", range(4))
async def test_following_changes_finds_what_reading_everything_finds(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    (tmp_path / ".gitignore").write_text("*.log\n/build/\n", encoding="utf-8")
    jail = Jail(tmp_path)
    rules = IgnoreRules(jail)
    names = await read_names(jail, IgnoreLookup(rules))
    for _ in range(ROUNDS):
        folders = set[str]()
        for _ in range(chance.randrange(1, 4)):
            folders |= change_something(tmp_path, chance)
        followed = names_after(jail, IgnoreLookup(rules), names, folders)
        everything = await read_names(jail, IgnoreLookup(rules))
        assert followed == everything
        names = everything
    jail.close()


async def test_one_change_lists_only_its_folder_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_bytes(b"")
    workspace = await Workspace.open(tmp_path)
    with anyio.fail_after(60):
        assert (await workspace.file_names()).paths == ("deep/a.md",)
        # From here on nothing may read everything again.
        monkeypatch.setattr("recto.workspace.workspace.read_names", None)
        await workspace.write("deep/b.md", b"", expected_hash=None)
        await workspace.create_folder("new")
        await workspace.write("new/c.md", b"", expected_hash=None)
        assert (await workspace.file_names()).paths == ("deep/a.md", "deep/b.md", "new/c.md")
        await workspace.move("deep", "far")
        found = (await workspace.file_names()).paths
    assert found == ("far/a.md", "far/b.md", "new/c.md")


def test_too_many_folders_are_all_of_them() -> None:
    stale = StaleNames(folders=set())
    stale.changed(f"{number}" for number in range(MOST_FOLDERS + 1))
    assert stale.folders is None
    stale.changed(["more"])
    assert stale.folders is None
