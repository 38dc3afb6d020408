"""A path goes from a known state to another, or stays as it is."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.durable import TEMPORARY_PREFIX
from recto.workspace.failures import (
    NameRefused,
    NotAFile,
    OutsideWorkspace,
    PathChanged,
    PathExists,
    PathNotFound,
    PathProtected,
    TooLarge,
    WorkspaceFailure,
)
from recto.workspace.jail import Jail
from recto.workspace.path_states import (
    PathState,
    change,
    content_hash,
    is_same,
    paths_below,
    read_state,
    read_tree,
)
from tests.examples import examples
from tests.workspace.hostile import CANARY, CORPUS, furnish, snapshot

FOLDER = PathState("folder", mode=0o755)
STATES = (
    None,
    FOLDER,
    PathState("folder", mode=0o700),
    PathState("file", b"text"),
    PathState("file", b"text", 0o755),
    PathState("file", b"", 0o600),
    PathState("link", b"elsewhere", 0o777),
    PathState("link", b"../outside", 0o777),
)


def test_a_path_is_told_as_it_is_and_links_are_not_followed(jail: Jail, root: Path) -> None:
    (root / "run.sh").write_bytes(b"#!/bin/sh")
    (root / "run.sh").chmod(0o750)
    (root / "link").symlink_to("../outside")
    (root / "sub").mkdir(mode=0o700)

    assert read_state(jail, "run.sh") == PathState("file", b"#!/bin/sh", 0o750)
    assert read_state(jail, "link") == PathState("link", b"../outside", 0o777)
    assert read_state(jail, "sub") == PathState("folder", mode=0o700)
    assert read_state(jail, "nothing") is None
    assert read_state(jail, "no/where") is None
    assert read_state(jail, "run.sh/below") is None


def test_a_pipe_has_no_state(jail: Jail, root: Path) -> None:
    os.mkfifo(root / "pipe")

    with pytest.raises(NotAFile, match="pipe"):
        read_state(jail, "pipe")


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("after", STATES)
def test_every_state_turns_into_every_other(
    jail: Jail, before: PathState | None, after: PathState | None
) -> None:
    change(jail, "it", None, before)

    change(jail, "it", before, after)

    assert read_state(jail, "it") == after


@pytest.mark.parametrize("real", STATES)
@pytest.mark.parametrize("expected", STATES)
def test_a_path_that_is_not_as_expected_stays(
    jail: Jail, root: Path, real: PathState | None, expected: PathState | None
) -> None:
    change(jail, "it", None, real)
    if is_same(real, expected):
        return

    with pytest.raises(PathChanged):
        change(jail, "it", expected, PathState("file", b"new"))

    assert read_state(jail, "it") == real
    assert [path.name for path in root.iterdir()] == ([] if real is None else ["it"])


def test_of_a_mode_only_whether_a_file_can_be_run_makes_a_difference() -> None:
    assert is_same(PathState("file", b"a", 0o644), PathState("file", b"a", 0o600))
    assert is_same(PathState("folder", mode=0o755), PathState("folder", mode=0o700))
    assert not is_same(PathState("file", b"a", 0o644), PathState("file", b"a", 0o755))
    assert not is_same(PathState("file", b"a"), None)


def test_a_folder_with_something_in_it_is_not_taken_away(jail: Jail, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "file").write_bytes(b"kept")

    with pytest.raises(PathExists):
        change(jail, "sub", FOLDER, None)

    assert (root / "sub" / "file").read_bytes() == b"kept"


def test_set_user_id_is_never_given(jail: Jail, root: Path) -> None:
    change(jail, "it", None, PathState("file", b"x", 0o4755))
    assert (root / "it").stat().st_mode & 0o7777 == 0o755


def test_what_a_crash_left_behind_is_in_nobodys_way(jail: Jail, root: Path) -> None:
    (root / "it").write_bytes(b"file")
    (root / (TEMPORARY_PREFIX + content_hash(b"it")[:16])).symlink_to("left")

    change(jail, "it", PathState("file", b"file"), PathState("link", b"there", 0o777))

    assert [(path.name, os.readlink(path)) for path in root.iterdir()] == [("it", "there")]


def test_a_tree_is_told_whole_folders_first(jail: Jail, root: Path) -> None:
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "sub" / "deep" / "a.md").write_bytes(b"a")
    (root / "sub" / "b.md").write_bytes(b"b")
    (root / "sub" / "out").symlink_to("../..")

    assert read_tree(jail, "sub") == {
        "sub": FOLDER,
        "sub/b.md": PathState("file", b"b"),
        "sub/deep": FOLDER,
        "sub/deep/a.md": PathState("file", b"a"),
        "sub/out": PathState("link", b"../..", 0o777),
    }
    assert paths_below(jail, "sub/deep") == ("sub/deep", "sub/deep/a.md")
    assert paths_below(jail, "sub/out") == ("sub/out",)


def test_a_tree_that_is_too_large_or_not_there_is_a_failure(jail: Jail, root: Path) -> None:
    (root / "sub").mkdir()
    for number in range(5):
        (root / "sub" / str(number)).write_bytes(b"12345")

    with pytest.raises(TooLarge, match="5 files"):
        paths_below(jail, "sub", max_paths=5)
    with pytest.raises(TooLarge):
        read_tree(jail, "sub", max_bytes=20)
    with pytest.raises(PathNotFound):
        read_tree(jail, "nothing")


def attempt(jail: Jail, path: str) -> None:
    """Try to read and to change a path in every way."""
    for before, after in ((None, PathState("file", b"new")), (PathState("file", CANARY), None)):
        with suppress(WorkspaceFailure):
            change(jail, path, before, after)
    with suppress(WorkspaceFailure):
        assert all(CANARY not in state.data for state in read_tree(jail, path).values())


def test_hostile_paths_leave_everything_outside_as_it_was(jail: Jail, root: Path) -> None:
    around = furnish(root)
    before = snapshot(around, root)

    for path in CORPUS:
        attempt(jail, path)

    assert snapshot(around, root) == before


@settings(
    max_examples=examples(50),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text(alphabet="./\\~ab\0é\ud800", max_size=12), st.sampled_from(STATES))
def test_any_path_is_changed_inside_or_refused(
    jail: Jail, root: Path, path: str, state: PathState | None
) -> None:
    outside = sorted(path.name for path in root.parent.iterdir())
    try:
        change(jail, path, None, state)
    except WorkspaceFailure:
        pass
    else:
        change(jail, path, state, None)

    assert sorted(path.name for path in root.parent.iterdir()) == outside


def test_what_belongs_to_git_or_has_no_decent_name_is_refused(jail: Jail, root: Path) -> None:
    (root / ".git").mkdir()
    (root / "sub").mkdir()
    (root / "out").symlink_to("..")

    for path in (".git/hooks", ".GIT/x", "sub/.git", ".recto"):
        with pytest.raises(PathProtected):
            change(jail, path, None, FOLDER)
    with pytest.raises(NameRefused):
        change(jail, "a\nb", None, FOLDER)
    with pytest.raises(OutsideWorkspace):
        change(jail, "out/x", None, FOLDER)


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("", ""),
        ("plain.md", "plain.md"),
        ("link.md", "plain.md"),
        ("dir/new/file.md", "sub/new/file.md"),
        ("here", "sub"),
        ("dangling", "nowhere"),
        ("dangling/x", "nowhere/x"),
    ],
)
def test_a_path_is_told_where_it_really_is(jail: Jail, root: Path, path: str, real: str) -> None:
    (root / "plain.md").write_bytes(b"")
    (root / "sub").mkdir()
    (root / "link.md").symlink_to("plain.md")
    (root / "dir").symlink_to("sub")
    (root / "here").symlink_to("sub/.")
    (root / "dangling").symlink_to("nowhere")

    assert jail.real_path(path) == real


def test_a_path_that_leads_out_is_really_nowhere(jail: Jail, root: Path) -> None:
    (root / "out").symlink_to("..")

    with pytest.raises(OutsideWorkspace):
        jail.real_path("out/x")
