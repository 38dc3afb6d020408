"""Copies and the trash: whole or not at all, links as links, nothing written over."""

import errno
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.workspace import (
    NameRefused,
    PathChanged,
    PathExists,
    PathNotFound,
    PathProtected,
    TooLarge,
    TrashFolder,
    TrashItem,
    Workspace,
    WorkspaceFailure,
    transfers,
)
from tests.examples import examples
from tests.workspace.hostile import CANARY, CORPUS, furnish

pytestmark = pytest.mark.anyio


@pytest.fixture
async def workspace(root: Path) -> AsyncIterator[Workspace]:
    async with await Workspace.open(root) as workspace:
        yield workspace


@pytest.fixture
def trash(tmp_path: Path) -> TrashFolder:
    return TrashFolder(tmp_path / "home-trash")


@pytest.fixture(params=["same disk", "another disk"])
def disks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A move between folders does what it does between two disks."""
    if request.param == "another disk":
        move = transfers.move_new

        def refuse(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
            if os.fstat(from_fd).st_ino != os.fstat(to_fd).st_ino:
                raise OSError(errno.EXDEV, "another disk")
            move(from_fd, name, to_fd, new_name)

        monkeypatch.setattr(transfers, "move_new", refuse)
    return request.param


def item(name: str = "one") -> TrashItem:
    return TrashItem(name, "project", "", deleted_ms=1)


def plant(folder: Path) -> None:
    """A folder with all that a folder can hold."""
    (folder / "deep").mkdir(parents=True)
    (folder / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "run.sh").chmod(0o750)
    (folder / "secret").write_bytes(b"x")
    (folder / "secret").chmod(0o600)
    (folder / "deep" / "a.md").write_bytes(b"deep")
    (folder / "link").symlink_to("deep/a.md")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "out").symlink_to("../../outside.txt")
    os.utime(folder / "secret", ns=(1_000_000_000, 2_000_000_000))
    (folder / "deep").chmod(0o711)


def picture(folder: Path) -> dict[str, object]:
    """All that is in a folder, permissions and times of files included."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        mode = stat.filemode(status.st_mode)
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_dir():
            found[name] = mode
        else:
            found[name] = mode, path.read_bytes(), status.st_mtime_ns
    return found


async def test_a_copy_is_whole_with_links_permissions_and_times(
    workspace: Workspace, root: Path
) -> None:
    plant(root / "a")

    await workspace.copy("a", "b")

    assert picture(root / "b") == picture(root / "a")
    assert sorted(os.listdir(root)) == ["a", "b"]


async def test_a_copy_writes_nothing_over_and_leaves_nothing_behind(
    workspace: Workspace, root: Path
) -> None:
    (root / "a").write_bytes(b"a")
    (root / "b").write_bytes(b"b")
    (root / "folder").mkdir()
    os.mkfifo(root / "folder" / "pipe")

    with pytest.raises(PathExists):
        await workspace.copy("a", "b")
    with pytest.raises(NameRefused, match="into itself"):
        await workspace.copy("folder", "folder/x")
    with pytest.raises(WorkspaceFailure):
        await workspace.copy("folder", "other")
    with pytest.raises(PathNotFound):
        await workspace.copy("nothing", "c")

    assert sorted(os.listdir(root)) == ["a", "b", "folder"]
    assert (root / "b").read_bytes() == b"b"


async def test_a_folder_is_not_moved_into_itself(workspace: Workspace, root: Path) -> None:
    (root / "a").mkdir()
    with pytest.raises(NameRefused, match="into itself"):
        await workspace.move("a", "a/b")
    assert os.listdir(root) == ["a"]


@pytest.mark.usefixtures("disks")
async def test_what_is_deleted_comes_back_as_it_was(
    workspace: Workspace, root: Path, trash: TrashFolder
) -> None:
    plant(root / "sub" / "a")
    before = picture(root)

    taken = await workspace.take_out("sub/a", trash, item())

    assert (taken.path, taken.kind, taken.size) == ("sub/a", "folder", 15)
    assert trash.items() == [taken]
    assert os.listdir(root / "sub") == []
    (root / "sub").rmdir()
    await workspace.put_back(trash, taken)
    assert picture(root) == before
    assert trash.items() == []


@pytest.mark.usefixtures("disks")
async def test_what_lies_in_its_place_is_not_written_over(
    workspace: Workspace, root: Path, trash: TrashFolder
) -> None:
    (root / "a.md").write_bytes(b"old")
    taken = await workspace.take_out("a.md", trash, item())
    (root / "a.md").write_bytes(b"new")

    with pytest.raises(PathExists):
        await workspace.put_back(trash, taken)

    assert (root / "a.md").read_bytes() == b"new"
    assert trash.items() == [taken]
    assert os.listdir(root) == ["a.md"]


async def test_a_link_is_deleted_and_not_what_it_names(
    workspace: Workspace, root: Path, trash: TrashFolder
) -> None:
    (root / "a.md").write_bytes(b"kept")
    (root / "link").symlink_to("a.md")

    taken = await workspace.take_out("link", trash, item())

    assert taken.kind == "link"
    assert (root / "a.md").read_bytes() == b"kept"


async def test_what_changes_while_it_is_carried_to_another_disk_stays(
    workspace: Workspace, root: Path, trash: TrashFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.md").write_bytes(b"old")
    move, copy = transfers.move_new, transfers.copy_file

    def refuse(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        if os.fstat(from_fd).st_ino != os.fstat(to_fd).st_ino:
            raise OSError(errno.EXDEV, "another disk")
        move(from_fd, name, to_fd, new_name)

    def copy_and_write(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        copy(from_fd, name, to_fd, new_name)
        (root / "a.md").write_bytes(b"written meanwhile")

    monkeypatch.setattr(transfers, "move_new", refuse)
    monkeypatch.setattr(transfers, "copy_file", copy_and_write)

    with pytest.raises(PathChanged):
        await workspace.take_out("a.md", trash, item())

    assert (root / "a.md").read_bytes() == b"written meanwhile"
    assert (os.listdir(root), trash.items()) == (["a.md"], [])


async def test_more_than_the_trash_takes_stays(
    workspace: Workspace, root: Path, trash: TrashFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.md").write_bytes(b"12345")
    monkeypatch.setattr(transfers, "MAX_BYTES", 4)

    with pytest.raises(TooLarge):
        await workspace.take_out("a.md", trash, item())

    assert (os.listdir(root), trash.items()) == (["a.md"], [])


async def test_what_a_crash_left_half_in_the_trash_is_swept(
    workspace: Workspace, root: Path, trash: TrashFolder, tmp_path: Path
) -> None:
    (root / "a.md").write_bytes(b"a")
    kept = await workspace.take_out("a.md", trash, item("kept"))
    half = tmp_path / "home-trash" / "half"
    half.mkdir()

    assert trash.items() == [kept]
    trash.sweep()

    assert os.listdir(tmp_path / "home-trash") == ["kept"]


@pytest.mark.parametrize("path", ["share/recto", "share/recto/recto.db", "share", "Share/Recto"])
async def test_rectos_own_records_are_not_changed_moved_or_deleted_by_people(
    root: Path, trash: TrashFolder, path: str
) -> None:
    (root / "share" / "recto").mkdir(parents=True)
    (root / "share" / "recto" / "recto.db").write_bytes(b"records")
    (root / "note.md").write_bytes(b"note")
    async with await Workspace.open(root, records=root / "share" / "recto") as workspace:
        for work in (
            workspace.move(path, "other"),
            workspace.take_out(path, trash, item()),
            workspace.copy(path, "other"),
            workspace.move("note.md", "share/recto/note.md"),
            workspace.write("share/recto/new", b"", expected_hash=None),
            workspace.create_folder("share/recto/new"),
        ):
            with pytest.raises((PathProtected, PathNotFound)):
                await work
    assert sorted(os.listdir(root)) == ["note.md", "share"]
    assert os.listdir(root / "share" / "recto") == ["recto.db"]
    assert (root / "share" / "recto" / "recto.db").read_bytes() == b"records"


@pytest.mark.parametrize("path", [".git", ".git/config", ".recto", ".GIT", "sub/.git", ".git."])
async def test_gits_own_files_are_not_deleted_or_copied(
    workspace: Workspace, root: Path, trash: TrashFolder, path: str
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"[core]")
    for work in (workspace.take_out(path, trash, item()), workspace.copy(path, "x")):
        with pytest.raises(PathProtected):
            await work
    (root / "a").write_bytes(b"")
    with pytest.raises(PathProtected):
        await workspace.copy("a", path)


def contents(root: Path) -> list[bytes]:
    """What the ordinary files of a folder hold."""
    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path.read_bytes() for path in files]


def outside(root: Path) -> dict[str, object]:
    return {
        path.name: path.read_bytes()
        for path in (root.parent / "outside.txt", root.parent / "data-secret" / "secret.txt")
    }


async def test_no_hostile_path_is_copied_or_deleted_out_of_the_folder(
    workspace: Workspace, root: Path, trash: TrashFolder
) -> None:
    furnish(root)
    before = outside(root)
    for number, path in enumerate(CORPUS):
        for work in (
            workspace.copy(path, f"copy-{number}"),
            workspace.copy("inside.txt", path),
            workspace.take_out(path, trash, item(f"item-{number}")),
        ):
            try:
                await work
            except WorkspaceFailure:
                continue
    assert outside(root) == before
    assert CANARY in before.values()
    for taken in trash.items():
        assert ".." not in taken.path.split("/")
    assert CANARY not in contents(root)


LETTERS = st.text(st.characters(codec="utf-8"), max_size=12)
PIECES = st.sampled_from(
    [
        "..",
        ".",
        "",
        ".git",
        ".GIT",
        ".recto",
        ".recto-tmp-x",
        "a",
        "é",
        "\n",
        "\x7f",
        "\u2028",
        "a" * 300,
    ]
)


@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(PIECES | LETTERS, max_size=4).map("/".join))
async def test_any_name_is_made_exactly_so_or_refused_and_nothing_else_happens(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    around = tmp_path_factory.mktemp("around")
    root, bin_ = around / "root", TrashFolder(around / "trash")
    root.mkdir()
    (root / "a").write_bytes(b"a")
    async with await Workspace.open(root) as workspace:
        try:
            await workspace.copy("a", name)
        except WorkspaceFailure:
            assert os.listdir(root) == ["a"]
        else:
            made = [one for one in os.listdir(root) if one != "a"]
            assert made == [name]
            taken = await workspace.take_out(name, bin_, item())
            assert (taken.path, os.listdir(root)) == (name, ["a"])
            await workspace.put_back(bin_, taken)
            assert (root / name).read_bytes() == b"a"
        assert set(os.listdir(around)) <= {"root", "trash"}
