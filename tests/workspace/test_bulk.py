"""Many files at once: the same answers as one by one, and nothing from outside."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.workspace import Workspace
from recto.workspace.bulk import FileContent, FileIdentity, identify, identity_of, read_all
from recto.workspace.failures import (
    NotAFile,
    OutsideWorkspace,
    PathNotFound,
    PathUnreadable,
    RootGone,
    TooLarge,
    WorkspaceFailure,
)
from recto.workspace.files import MAX_TEXT_BYTES, read_bytes
from recto.workspace.jail import Jail
from tests.workspace.hostile import CANARY, CORPUS, furnish

pytestmark = pytest.mark.anyio
IN_ORDER = ["sub/deep.txt", "inside.txt", "link_in", "dir_in/deep.txt", "hard.txt"]


def outcome(found: FileIdentity | FileContent | WorkspaceFailure) -> object:
    """What two ways of looking must have in common."""
    return (type(found), str(found)) if isinstance(found, WorkspaceFailure) else found


def one_by_one(jail: Jail, path: str) -> object:
    try:
        with jail.file(path) as fd:
            identity = identity_of(os.fstat(fd))
        return FileContent(identity, read_bytes(jail, path))
    except WorkspaceFailure as failure:
        return type(failure), str(failure)


def test_files_are_identified_and_read_in_the_order_they_are_named(jail: Jail, root: Path) -> None:
    furnish(root)

    read = read_all(jail, IN_ORDER)

    assert list(read) == IN_ORDER
    texts = [item.data for item in read.values() if isinstance(item, FileContent)]
    assert texts == [b"deep", b"inside", b"inside", b"deep", b"linked from inside"]
    assert identify(jail, IN_ORDER) == {
        path: value.identity for path, value in read.items() if isinstance(value, FileContent)
    }


def test_hostile_paths_are_answered_as_the_usual_way_answers_them(jail: Jail, root: Path) -> None:
    furnish(root)

    read = read_all(jail, CORPUS)
    known = identify(jail, CORPUS)

    assert {path: outcome(found) for path, found in read.items()} == {
        path: one_by_one(jail, path) for path in CORPUS
    }
    assert {path: outcome(found) for path, found in known.items()} == {
        path: found.identity if isinstance(found, FileContent) else outcome(found)
        for path, found in read.items()
    }
    assert not any(isinstance(item, FileContent) and item.data == CANARY for item in read.values())


@given(st.lists(st.one_of(st.sampled_from(CORPUS), st.sampled_from(IN_ORDER), st.text())))
def test_any_paths_together_are_answered_as_each_alone(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str]
) -> None:
    base = tmp_path_factory.getbasetemp() / "bulk"
    if not base.exists():
        base.mkdir()
        (base / "data").mkdir()
        furnish(base / "data")
    jail = Jail(base / "data")
    try:
        together = {path: outcome(value) for path, value in read_all(jail, paths).items()}
        assert together == {path: one_by_one(jail, path) for path in paths}
    finally:
        jail.close()


async def test_what_is_kept_from_the_ai_stays_so_for_many_files(root: Path) -> None:
    furnish(root)
    (root / ".env").write_bytes(b"KEY=1")
    (root / "sub" / "notes.md").symlink_to("../.env")
    async with await Workspace.open(root) as workspace:
        paths = [".env", "sub/notes.md", ".git/config", "inside.txt"]
        seen = await workspace.read_all(paths)
        seen_by_ai = await workspace.for_tools().read_all(paths)
        known_by_ai = await workspace.for_tools().identify(paths)

    assert [path for path, value in seen.items() if isinstance(value, FileContent)] == paths
    assert [path for path, value in seen_by_ai.items() if isinstance(value, FileContent)] == [
        "inside.txt"
    ]
    assert [path for path, value in known_by_ai.items() if isinstance(value, FileIdentity)] == [
        "inside.txt"
    ]


def test_each_failure_says_what_it_is(jail: Jail, root: Path) -> None:
    furnish(root)
    with open(root / "sparse", "wb") as sparse:
        sparse.truncate(MAX_TEXT_BYTES + 1)

    read = read_all(jail, ["gone", "sub", "fifo", "out_file", "sparse", "inside.txt/x", "sub/gone"])

    assert {path: type(found) for path, found in read.items()} == {
        "gone": PathNotFound,
        "sub": NotAFile,
        "fifo": NotAFile,
        "out_file": OutsideWorkspace,
        "sparse": TooLarge,
        "inside.txt/x": PathNotFound,
        "sub/gone": PathNotFound,
    }
    assert '"sparse" is over the limit of 10 MB' in str(read["sparse"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_locked_file_or_folder_is_unreadable(jail: Jail, root: Path) -> None:
    (root / "locked.txt").write_bytes(b"x")
    (root / "locked.txt").chmod(0)
    (root / "closed").mkdir()
    (root / "closed" / "a.txt").write_bytes(b"x")
    (root / "closed").chmod(0)

    read = read_all(jail, ["locked.txt", "closed/a.txt"])

    (root / "closed").chmod(0o700)
    assert {type(item) for item in read.values()} == {PathUnreadable}


def test_an_identity_is_another_after_every_kind_of_change(jail: Jail, root: Path) -> None:
    file = root / "a.txt"
    seen: list[FileIdentity | WorkspaceFailure] = []

    def look() -> None:
        seen.append(identify(jail, ["a.txt"])["a.txt"])

    file.write_bytes(b"one")
    look()
    os.utime(file, ns=(1, 1))
    look()
    file.write_bytes(b"three")
    look()
    (root / "b.txt").write_bytes(b"three")
    os.utime(root / "b.txt", ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    os.replace(root / "b.txt", file)  # the same size and time of change, another file
    look()
    assert len(set(seen)) == 4
    assert all(isinstance(item, FileIdentity) for item in seen)


def test_a_folder_that_was_replaced_is_gone(jail: Jail, root: Path) -> None:
    (root / "a.txt").write_bytes(b"x")
    root.rename(root.parent / "moved")
    root.mkdir()
    (root / "a.txt").write_bytes(b"another")

    with pytest.raises(RootGone):
        identify(jail, ["a.txt"])
    with pytest.raises(RootGone):
        read_all(jail, ["a.txt"])
