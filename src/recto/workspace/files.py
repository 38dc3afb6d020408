"""Reading and changing single files and folders. It blocks: `Workspace` runs it in threads."""

import errno
import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from recto.durable import create_file, move_new, replace_file
from recto.workspace.beneath import ResolvedName
from recto.workspace.failures import (
    BinaryFile,
    NameRefused,
    NotAFile,
    PathChanged,
    PathExists,
    PathNotFound,
    PathUnwritable,
    RootGone,
    TooLarge,
    WorkspaceFailure,
    reading_failure,
    writing_failure,
)
from recto.workspace.jail import Jail
from recto.workspace.names import check_new
from recto.workspace.text import Encoding, LineEnding, count_lines, decode

MAX_TEXT_BYTES = 10_000_000
MAX_TEXT_LINES = 200_000
MAX_FILE_BYTES = 100_000_000
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text with what is needed to write it back byte for byte."""

    path: str
    text: str
    size: int
    hash: str
    encoding: Encoding
    bom: bool
    line_ending: LineEnding


def read_bytes(jail: Jail, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The whole content of an ordinary file. Raises TooLarge over `max_bytes`."""
    with jail.file(path) as fd:
        try:
            data = read_capped(fd, max_bytes)
        except OSError as error:
            raise reading_failure(error, path) from error
    if data is None:
        raise TooLarge(path, f"{max_bytes // 1_000_000} MB")
    return data


def read_capped(fd: int, max_bytes: int) -> bytes | None:
    """Everything up to the end; None when there is more than the cap, whatever the size claims."""
    # Early, where the size is known; files in /proc claim to be empty.
    if os.fstat(fd).st_size > max_bytes:
        return None
    data = bytearray()
    while chunk := os.read(fd, CHUNK):
        data += chunk
        if len(data) > max_bytes:
            return None
    return bytes(data)


def read_text(jail: Jail, path: str) -> TextFile:
    """A file as text. Raises BinaryFile, TooLarge."""
    data = read_bytes(jail, path, max_bytes=MAX_TEXT_BYTES)
    text, encoding, bom = as_text(path, data)
    _, line_ending = count_lines(text)
    return TextFile(path, text, len(data), content_hash(data), encoding, bom, line_ending)


def read_texts(jail: Jail, paths: Sequence[str]) -> dict[str, TextFile | WorkspaceFailure]:
    """Some files as texts, or why they are none. Raises RootGone."""
    found: dict[str, TextFile | WorkspaceFailure] = {}
    for path in paths:
        try:
            found[path] = read_text(jail, path)
        except RootGone:
            raise
        except WorkspaceFailure as failure:
            found[path] = failure
    return found


def as_text(path: str, data: bytes) -> tuple[str, Encoding, bool]:
    """A file's content as text, and how it is stored. Raises BinaryFile, TooLarge."""
    decoded = decode(data)
    if decoded is None:
        raise BinaryFile(path)
    if len(data) >= MAX_TEXT_LINES and count_lines(decoded[0])[0] > MAX_TEXT_LINES:
        raise TooLarge(path, f"{MAX_TEXT_LINES:,} lines")
    return decoded


def content_hash(data: bytes) -> str:
    """What a write names as its base: SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def write(jail: Jail, path: str, data: bytes, *, expected_hash: str | None) -> str:
    """Replace a file whose content has `expected_hash`, or create it when that is None.

    Answers the new hash. Raises PathChanged when the file is not what was expected, PathExists when
    a new file's name is taken. A link stays a link: the file it names is replaced. Permissions are
    kept, except that set-user-id and set-group-id are dropped.
    """
    if len(data) > MAX_FILE_BYTES:
        raise TooLarge(path, f"{MAX_FILE_BYTES // 1_000_000} MB")
    with jail.place(path, new=expected_hash is None) as place:
        try:
            if expected_hash is None:
                create_file(place.folder_fd, place.name, data)
            else:
                overwrite(place, path, data, expected_hash)
        except OSError as error:
            raise writing_failure(error, path) from error
    return content_hash(data)


def overwrite(place: ResolvedName, path: str, data: bytes, expected_hash: str) -> None:
    """Replace what is at the place, if it still is what was expected."""
    mode = check_base(place, path, expected_hash)

    def check_again() -> None:
        check_base(place, path, expected_hash)

    # Checked again right before the rename: writing a large file takes a while.
    replace_file(place.folder_fd, place.name, data, mode=mode, before=check_again)


def check_base(place: ResolvedName, path: str, expected_hash: str) -> int:
    """The permissions of the file at the place.

    Raises PathChanged unless it has the expected hash.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        fd = os.open(place.name, flags, dir_fd=place.folder_fd)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP}:  # removed, or a link by now
            raise PathChanged(path) from error
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile(path)
        data = read_capped(fd, MAX_FILE_BYTES)
    finally:
        os.close(fd)
    if data is None or content_hash(data) != expected_hash:
        raise PathChanged(path)
    # A rename would replace a read-only file without asking.
    if not os.access(place.name, os.W_OK, dir_fd=place.folder_fd, effective_ids=True):
        raise PathUnwritable(path, "it is read-only")
    return stat.S_IMODE(status.st_mode) & 0o777


def create_folder(jail: Jail, path: str) -> None:
    """Make one folder; its parent must exist. Raises PathExists, PathNotFound."""
    with jail.place(path, new=True, follow=False) as place:
        try:
            os.mkdir(place.name, dir_fd=place.folder_fd)
            os.fsync(place.folder_fd)
        except OSError as error:
            raise writing_failure(error, path) from error


def move(jail: Jail, path: str, new_path: str) -> None:
    """Rename or move a file, folder or link itself. Raises PathExists, PathNotFound."""
    check_new(new_path)
    with (
        jail.place(path, follow=False, whole=True) as source,
        jail.place(new_path, new=True, follow=False) as target,
    ):
        try:
            # Told apart here: the move's own "not found" could mean either folder.
            os.stat(source.name, dir_fd=source.folder_fd, follow_symlinks=False)
        except FileNotFoundError as error:
            raise PathNotFound(path) from error
        try:
            move_new(source.folder_fd, source.name, target.folder_fd, target.name)
            os.fsync(source.folder_fd)
            os.fsync(target.folder_fd)
        except FileExistsError as error:
            raise PathExists(new_path) from error
        except OSError as error:
            if error.errno == errno.EXDEV:
                raise PathUnwritable(new_path, "it is on another disk") from error
            if error.errno == errno.EINVAL:
                raise NameRefused(new_path, "a folder can't be moved into itself") from error
            raise writing_failure(error, new_path) from error
