"""Single files: read whole, replaced whole, never by accident."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from recto.durable import replace_file
from recto.workspace import files
from recto.workspace.failures import (
    BinaryFile,
    DiskFull,
    NameRefused,
    NotAFile,
    NotAFolder,
    OutsideWorkspace,
    PathChanged,
    PathExists,
    PathNotFound,
    PathUnreadable,
    PathUnwritable,
    TooLarge,
    WorkspaceFailure,
)
from recto.workspace.files import (
    TextFile,
    content_hash,
    create_folder,
    move,
    read_bytes,
    read_text,
    write,
)
from recto.workspace.jail import Jail


def test_a_text_is_read_with_all_that_is_needed_to_write_it_back(jail: Jail, root: Path) -> None:
    (root / "notes.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo")

    assert read_text(jail, "notes.md") == TextFile(
        path="notes.md",
        text="one\r\ntwo",
        size=11,
        hash="bbc0dc4d569597fee1fc356d7dcd68952d66fd50aa96f0d4f04f80cd29b0de9c",
        encoding="utf-8",
        bom=True,
        line_ending="crlf",
    )


def test_a_binary_file_is_not_read_as_text(jail: Jail, root: Path) -> None:
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")

    with pytest.raises(BinaryFile, match="image.png"):
        read_text(jail, "image.png")


def test_large_files_are_refused_without_reading_them(jail: Jail, root: Path) -> None:
    with open(root / "sparse", "wb") as sparse:
        sparse.truncate(2_000_000_000)
    (root / "lines").write_bytes(b"\n" * 200_000)
    (root / "just").write_bytes(b"\n" * 199_999)

    with pytest.raises(TooLarge, match="10 MB"):
        read_text(jail, "sparse")
    with pytest.raises(TooLarge, match="200,000 lines"):
        read_text(jail, "lines")
    assert read_text(jail, "just").size == 199_999


def test_a_file_that_claims_to_be_empty_is_still_capped() -> None:
    jail = Jail("/proc/self")
    try:
        assert read_bytes(jail, "stat", max_bytes=10_000).startswith(str(os.getpid()).encode())
        with pytest.raises(TooLarge):
            read_bytes(jail, "stat", max_bytes=10)
    finally:
        jail.close()


def test_a_new_file_is_created_once(jail: Jail, root: Path) -> None:
    assert write(jail, "new.md", b"text", expected_hash=None) == content_hash(b"text")

    with pytest.raises(PathExists, match="new.md"):
        write(jail, "new.md", b"other", expected_hash=None)
    assert (root / "new.md").read_bytes() == b"text"


def test_a_file_is_replaced_only_if_it_is_what_the_writer_saw(jail: Jail, root: Path) -> None:
    (root / "notes.md").write_bytes(b"theirs")

    with pytest.raises(PathChanged, match="notes.md"):
        write(jail, "notes.md", b"mine", expected_hash=content_hash(b"what I saw"))
    with pytest.raises(PathChanged, match="gone.md"):
        write(jail, "gone.md", b"mine", expected_hash=content_hash(b"what I saw"))

    assert {path.name: path.read_bytes() for path in root.iterdir()} == {"notes.md": b"theirs"}


def overwrite_it(file: Path) -> None:
    file.write_bytes(b"theirs")


def remove_it(file: Path) -> None:
    file.unlink()


def make_it_a_link(file: Path) -> None:
    file.rename(file.with_name("renamed.md"))
    file.symlink_to("renamed.md")


def make_it_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("meddle", "failure", "left"),
    [
        (overwrite_it, PathChanged, {"notes.md": b"theirs"}),
        (remove_it, PathChanged, {}),
        (make_it_a_link, PathChanged, {"notes.md": b"old", "renamed.md": b"old"}),
        (make_it_a_folder, NotAFile, {"notes.md": None}),
    ],
)
def test_a_change_between_check_and_rename_is_noticed(
    jail: Jail,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    meddle: Callable[[Path], None],
    failure: type[WorkspaceFailure],
    left: dict[str, bytes | None],
) -> None:
    (root / "notes.md").write_bytes(b"old")

    def replace(
        folder_fd: int, name: str, data: bytes, *, mode: int, before: Callable[[], None]
    ) -> None:
        meddle(root / "notes.md")
        replace_file(folder_fd, name, data, mode=mode, before=before)

    monkeypatch.setattr(files, "replace_file", replace)

    with pytest.raises(failure):
        write(jail, "notes.md", b"mine", expected_hash=content_hash(b"old"))
    assert {
        path.name: path.read_bytes() if path.is_file() else None for path in root.iterdir()
    } == left


def test_a_file_keeps_its_permissions_but_not_a_set_user_id(jail: Jail, root: Path) -> None:
    (root / "script").write_bytes(b"old")
    (root / "script").chmod(0o4751)

    write(jail, "script", b"new", expected_hash=content_hash(b"old"))

    assert (root / "script").stat().st_mode & 0o7777 == 0o751


def test_writing_through_a_link_keeps_the_link(jail: Jail, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "real.md").write_bytes(b"old")
    (root / "link.md").symlink_to("sub/real.md")
    (root / "later.md").symlink_to("sub/later.md")

    write(jail, "link.md", b"new", expected_hash=content_hash(b"old"))
    write(jail, "later.md", b"created", expected_hash=None)

    assert os.readlink(root / "link.md") == "sub/real.md"
    assert (root / "sub" / "real.md").read_bytes() == b"new"
    assert (root / "sub" / "later.md").read_bytes() == b"created"


def test_a_link_that_leaves_is_not_written_through(jail: Jail, root: Path) -> None:
    (root / "link.md").symlink_to("../stolen.md")

    with pytest.raises(OutsideWorkspace):
        write(jail, "link.md", b"new", expected_hash=None)
    assert not (root.parent / "stolen.md").exists()


def test_only_ordinary_files_are_replaced(jail: Jail, root: Path) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")

    for name in ("folder", "pipe"):
        with pytest.raises(NotAFile):
            write(jail, name, b"new", expected_hash=content_hash(b""))


def test_a_file_needs_a_folder_to_be_in(jail: Jail, root: Path) -> None:
    (root / "file").write_bytes(b"")

    with pytest.raises(PathNotFound):
        write(jail, "missing/new.md", b"", expected_hash=None)
    with pytest.raises(NotAFolder, match='"file" is not a folder'):
        write(jail, "file/new.md", b"", expected_hash=None)


def test_folders_are_made_one_at_a_time(jail: Jail, root: Path) -> None:
    create_folder(jail, "a")
    create_folder(jail, "a/b")

    with pytest.raises(PathExists):
        create_folder(jail, "a")
    with pytest.raises(PathNotFound):
        create_folder(jail, "c/d")
    assert (root / "a" / "b").is_dir()


def test_moving_never_replaces(jail: Jail, root: Path) -> None:
    (root / "one").write_bytes(b"one")
    (root / "two").write_bytes(b"two")
    (root / "folder").mkdir()

    with pytest.raises(PathExists, match="two"):
        move(jail, "one", "two")
    with pytest.raises(PathNotFound, match="zero"):
        move(jail, "zero", "three")
    with pytest.raises(NameRefused):
        move(jail, "folder", "folder/inside")
    move(jail, "one", "folder/one")
    move(jail, "folder", "renamed")

    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == [
        "renamed",
        "renamed/one",
        "two",
    ]


def test_moving_a_link_moves_the_link(jail: Jail, root: Path) -> None:
    (root / "link").symlink_to("/etc/passwd")

    move(jail, "link", "moved")

    assert os.readlink(root / "moved") == "/etc/passwd"


def test_a_full_disk_keeps_the_old_file(jail: Jail, root: Path) -> None:
    (root / "file").write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(DiskFull, match="the old content is kept"):
            write(jail, "file", b"new" * 1000, expected_hash=content_hash(b"old"))
        with pytest.raises(DiskFull):
            write(jail, "other", b"new" * 1000, expected_hash=None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert {path.name: path.read_bytes() for path in root.iterdir()} == {"file": b"old"}


def test_what_the_system_refuses_is_named(jail: Jail, root: Path) -> None:
    (root / "closed").write_bytes(b"old")
    (root / "closed").chmod(0)
    (root / "fixed").write_bytes(b"old")
    (root / "fixed").chmod(0o444)
    if os.access(root / "closed", os.R_OK):
        pytest.skip("this user may read and write everything")

    with pytest.raises(PathUnreadable, match="Permission denied"):
        read_bytes(jail, "closed")
    with pytest.raises(PathUnwritable, match="read-only"):
        write(jail, "fixed", b"new", expected_hash=content_hash(b"old"))
    root.chmod(0o555)
    with pytest.raises(PathUnwritable, match="Permission denied"):
        write(jail, "new", b"new", expected_hash=None)
    root.chmod(0o755)
