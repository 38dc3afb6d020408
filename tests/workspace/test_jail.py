"""Nothing outside the folder is read or written, whatever the path."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.workspace import beneath
from recto.workspace.beneath import Opener, open_by_kernel, open_by_walking
from recto.workspace.failures import (
    NameRefused,
    NotAFile,
    NotAFolder,
    OutsideWorkspace,
    PathNotFound,
    PathProtected,
    RootGone,
    WorkspaceFailure,
)
from recto.workspace.files import content_hash, create_folder, move, read_bytes, write
from recto.workspace.ignore import IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.listing import list_folder
from tests.examples import examples
from tests.workspace.hostile import CANARY, CORPUS, furnish, snapshot


def attempt(work: Callable[[], object]) -> object:
    try:
        return work()
    except WorkspaceFailure as failure:
        return failure


def assault(jail: Jail, path: str) -> None:
    """Try everything that takes a path; no answer may hold what is outside."""
    read = attempt(lambda: read_bytes(jail, path, max_bytes=100_000))
    assert not isinstance(read, bytes) or (CANARY not in read and b"root:" not in read)
    listed = str(attempt(lambda: list_folder(jail, IgnoreRules(jail), path)))
    assert "outside.txt" not in listed.replace(f"{path!r}", "").replace(path, "")
    attempt(lambda: write(jail, path, b"new", expected_hash=None))
    attempt(lambda: write(jail, path, b"over", expected_hash=content_hash(CANARY)))
    attempt(lambda: create_folder(jail, path))
    attempt(lambda: move(jail, "movable.txt", path))
    attempt(lambda: move(jail, path, "moved-here"))


def test_over_a_thousand_hostile_paths_leave_everything_outside_as_it_was(
    jail: Jail, root: Path
) -> None:
    # I6: every path is resolved here, and none leads out.
    around = furnish(root)
    (root / "movable.txt").write_bytes(b"movable")
    before = snapshot(around, root)

    for path in CORPUS:
        assault(jail, path)

    assert len(CORPUS) > 1000
    assert snapshot(around, root) == before


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile") / "x" / "data"
    root.mkdir(parents=True)
    furnish(root)
    return root


NAMES = st.one_of(
    st.sampled_from(
        [
            "..",
            ".",
            "",
            "out_dir",
            "abs_dir",
            "dir_in",
            "sub",
            "loop_a",
            "git_link",
            ".git",
            "proc_root",
        ]
    ),
    st.text(max_size=12),
    st.text(alphabet="./\\%2eE0cafＦ．\u2025\u200c\0~:$ ", max_size=8),
)


@pytest.mark.slow
@pytest.mark.parametrize("way", [open_by_kernel, open_by_walking])
@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(names=st.lists(NAMES, min_size=1, max_size=5), absolute=st.booleans())
def test_generated_paths_leave_everything_outside_as_it_was(
    furnished: Path, way: Opener, names: list[str], absolute: bool
) -> None:
    if way is open_by_kernel and not beneath.kernel_can():
        pytest.skip("this kernel has no openat2")
    path = "/" * absolute + "/".join(names)
    jail = Jail(furnished, opener=way)
    before = snapshot(furnished.parent, furnished)
    try:
        assault(jail, path)
    finally:
        jail.close()
    assert snapshot(furnished.parent, furnished) == before


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("inside.txt", b"inside"),
        ("sub/deep.txt", b"deep"),
        ("link_in", b"inside"),
        ("dir_in/deep.txt", b"deep"),
        ("back_in", b"inside"),
    ],
)
def test_links_that_stay_inside_are_followed(
    jail: Jail, root: Path, path: str, content: bytes
) -> None:
    furnish(root)

    assert read_bytes(jail, path) == content


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("out_file", OutsideWorkspace),
        ("out_dir/outside.txt", OutsideWorkspace),
        ("abs_out", OutsideWorkspace),
        ("abs_inside", OutsideWorkspace),
        ("up_through", OutsideWorkspace),
        ("chain", OutsideWorkspace),
        ("proc_root/etc/passwd", OutsideWorkspace),
        ("dangling", PathNotFound),
        ("loop", NameRefused),
        ("loop_a", NameRefused),
        ("fifo", NotAFile),
        ("sub", NotAFile),
        ("", NotAFile),
        ("nothing", PathNotFound),
        ("inside.txt/x", PathNotFound),
        ("../data-secret/secret.txt", NameRefused),
        ("sub/../inside.txt", NameRefused),
        ("/etc/passwd", NameRefused),
        ("sub//deep.txt", NameRefused),
        ("./inside.txt", NameRefused),
        ("a\0b", NameRefused),
        ("\udcff", NameRefused),
        ("a" * 256, NameRefused),
        ("a/" * 2048 + "a", NameRefused),
    ],
)
def test_what_can_not_be_read_is_refused_by_its_own_failure(
    jail: Jail, root: Path, path: str, failure: type[WorkspaceFailure]
) -> None:
    furnish(root)

    with pytest.raises(WorkspaceFailure) as caught:
        read_bytes(jail, path)

    assert type(caught.value) is failure


@pytest.mark.parametrize(
    "path",
    [".git/config", ".GIT/x", ".git", "sub/.git/x", ".recto/tools.json", ".Recto/x", "git_link/x"]
    + [".git./x", ".git /x", ".g\u200cit/x", ".ｇit/x", "git~1/x", ".git::$INDEX_ALLOCATION/x"],
)
def test_git_and_recto_keep_their_own_files(jail: Jail, root: Path, path: str) -> None:
    furnish(root)

    for work in (
        lambda: write(jail, path, b"new", expected_hash=None),
        lambda: write(jail, path, b"new", expected_hash=content_hash(b"[core]")),
        lambda: create_folder(jail, path),
        lambda: move(jail, "inside.txt", path),
        lambda: move(jail, path, "elsewhere"),
    ):
        with pytest.raises(PathProtected):
            work()


def test_names_that_only_look_similar_are_not_protected(jail: Jail) -> None:
    for name in (".gitignore", "git", ".github", "recto", ".rectoignore"):
        write(jail, name, b"", expected_hash=None)

    assert len(list_folder(jail, IgnoreRules(jail), "")) == 5


@pytest.mark.parametrize("name", ["new\nline", "tab\t", "\x7f", "bell\a", ".recto-tmp-1"])
def test_new_names_have_no_controls(jail: Jail, name: str) -> None:
    with pytest.raises(NameRefused):
        write(jail, name, b"", expected_hash=None)


def test_odd_names_that_exist_are_opened_exactly(jail: Jail, root: Path) -> None:
    names = ["new\nline", "back\\slash", "e\u0301", "\u00e9", "dot.", "space ", "a" * 255]
    for name in names:
        (root / name).write_text(name, encoding="utf-8")

    assert [read_bytes(jail, name).decode() for name in names] == names


def test_writing_through_a_hard_link_leaves_the_other_name_alone(jail: Jail, root: Path) -> None:
    around = furnish(root)

    write(jail, "hard.txt", b"mine", expected_hash=content_hash(b"linked from inside"))

    assert (root / "hard.txt").read_bytes() == b"mine"
    assert (around / "hard.txt").read_bytes() == b"linked from inside"


def test_a_folder_that_was_replaced_is_not_mistaken_for_the_old_one(jail: Jail, root: Path) -> None:
    (root / "file").write_bytes(b"first")
    root.rename(root.parent / "elsewhere")
    root.mkdir()
    (root / "file").write_bytes(b"second")

    with pytest.raises(RootGone, match="moved, replaced or removed"):
        read_bytes(jail, "file")
    assert not jail.is_there()


def test_a_folder_that_was_removed_is_said_to_be_gone(jail: Jail, root: Path) -> None:
    shutil.rmtree(root)

    for work in (
        lambda: read_bytes(jail, "file"),
        lambda: write(jail, "file", b"", expected_hash=None),
        lambda: list_folder(jail, IgnoreRules(jail), ""),
    ):
        with pytest.raises(RootGone):
            work()


def test_a_closed_folder_opens_nothing(jail: Jail) -> None:
    jail.close()
    jail.close()

    with pytest.raises(RootGone):
        read_bytes(jail, "file")


def test_a_forgotten_folder_is_let_go(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))

    for _ in range(10):
        Jail(root)

    assert len(os.listdir("/dev/fd")) == before


def test_a_folder_that_is_none_can_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(PathNotFound):
        Jail(tmp_path / "missing")
    with pytest.raises(NotAFolder):
        Jail(tmp_path / "file")


def test_a_kernel_without_openat2_means_walking(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(root_fd: int, path: str, flags: int) -> int:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(beneath, "open_by_kernel", missing)
    (root / "file").write_bytes(b"content")
    jail = Jail(root)

    assert not beneath.kernel_can()
    assert read_bytes(jail, "file") == b"content"
    jail.close()


def test_a_root_that_is_reached_by_a_link_is_the_folder_behind_it(
    root: Path, opener: Opener
) -> None:
    (root / "file").write_bytes(b"content")
    (root.parent / "way in").symlink_to(root)
    jail = Jail(root.parent / "way in", opener=opener)

    assert (jail.root, read_bytes(jail, "file")) == (str(root), b"content")
    jail.close()


def test_no_handle_is_left_open(jail: Jail, root: Path) -> None:
    furnish(root)
    before = len(os.listdir("/dev/fd"))

    for path in CORPUS[:200]:
        attempt(lambda path=path: read_bytes(jail, path, max_bytes=100_000))
        attempt(lambda path=path: write(jail, path, b"new", expected_hash=None))

    assert len(os.listdir("/dev/fd")) == before
