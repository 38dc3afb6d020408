"""One level of a folder, in the order people expect."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.workspace.failures import NotAFolder, OutsideWorkspace, PathNotFound
from recto.workspace.ignore import IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.listing import FolderEntry, list_folder, natural


def listed(jail: Jail, path: str = "") -> tuple[FolderEntry, ...]:
    return list_folder(jail, IgnoreRules(jail), path)


def test_folders_come_first_and_numbers_count(jail: Jail, root: Path) -> None:
    for name in ("file10", "File2", "file1", "b", "A", ".hidden"):
        (root / name).write_bytes(b"")
    for name in ("z", "chapter 10", "chapter 9"):
        (root / name).mkdir()

    assert [entry.name for entry in listed(jail)] == [
        "chapter 9",
        "chapter 10",
        "z",
        ".hidden",
        "A",
        "b",
        "file1",
        "File2",
        "file10",
    ]


def test_each_entry_says_what_it_is(jail: Jail, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "folder").mkdir()
    (root / "sub" / "file.md").write_bytes(b"12345")
    (root / "sub" / "link").symlink_to("/etc")
    os.mkfifo(root / "sub" / "pipe")
    for name in ("folder", "file.md", "link", "pipe"):
        os.utime(root / "sub" / name, ns=(0, 1_500_000_000), follow_symlinks=False)

    assert listed(jail, "sub") == (
        FolderEntry("folder", "sub/folder", "folder", None, 1500, False),
        FolderEntry("file.md", "sub/file.md", "file", 5, 1500, False),
        FolderEntry("link", "sub/link", "link", None, 1500, False),
        FolderEntry("pipe", "sub/pipe", "other", None, 1500, False),
    )


def test_git_and_unfinished_writes_are_hidden_and_ignored_files_marked(
    jail: Jail, root: Path
) -> None:
    (root / ".git").mkdir()
    (root / ".recto-tmp-0123").write_bytes(b"")
    (root / ".gitignore").write_text("build/\n*.log\n", encoding="utf-8")
    (root / "build").mkdir()
    (root / "build" / "out").write_bytes(b"")
    (root / "a.log").write_bytes(b"")
    (root / ".env").write_bytes(b"")

    marks = {entry.name: entry.ignored for entry in listed(jail)}

    assert marks == {"build": True, ".env": True, ".gitignore": False, "a.log": True}
    assert [entry.ignored for entry in listed(jail, "build")] == [True]


def test_a_name_that_is_not_utf_8_is_shown_but_can_not_be_opened(jail: Jail, root: Path) -> None:
    with open(os.fsencode(root) + b"/caf\xe9", "wb"):
        pass

    (entry,) = listed(jail)

    assert (entry.name, entry.path) == ("caf\ufffd", None)


def test_what_is_no_folder_is_not_listed(jail: Jail, root: Path) -> None:
    (root / "file").write_bytes(b"")
    (root / "out").symlink_to("..")

    with pytest.raises(NotAFolder):
        listed(jail, "file")
    with pytest.raises(PathNotFound):
        listed(jail, "missing")
    with pytest.raises(OutsideWorkspace):
        listed(jail, "out")


def test_entries_that_can_not_be_looked_at_are_still_listed(jail: Jail, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "file").write_bytes(b"")
    (root / "sub").chmod(0o444)
    if os.access(root / "sub" / "file", os.F_OK):
        pytest.skip("this user may look at everything")

    assert listed(jail, "sub") == (FolderEntry("file", "sub/file", "file", None, None, False),)
    (root / "sub").chmod(0o755)


def test_a_very_deep_folder_is_listed(jail: Jail, root: Path) -> None:
    deep = "/".join("d" for _ in range(500))
    folder = os.open(root, os.O_RDONLY)
    for _ in range(500):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.mkdir("bottom", dir_fd=folder)
    os.close(folder)

    assert [entry.name for entry in listed(jail, deep)] == ["bottom"]


@pytest.mark.slow
def test_a_hundred_thousand_entries_are_listed_in_order(root: Path) -> None:
    jail = Jail(root)
    folder = os.open(root, os.O_RDONLY)
    for number in range(100_000):
        os.close(os.open(f"file{number}.txt", os.O_CREAT, dir_fd=folder))
    os.close(folder)

    entries = listed(jail)

    jail.close()
    assert [entry.name for entry in entries] == [f"file{number}.txt" for number in range(100_000)]


@given(st.lists(st.text(max_size=20)))
def test_any_names_can_be_put_in_order(names: list[str]) -> None:
    assert len(sorted(names, key=natural)) == len(names)
