"""Thousands of files at once: which are still what they were, and the contents of the others.

Ordinary files are looked at from one handle of the folder they are in, by their own names. Whatever
else a path may be (a link, a folder, nothing) goes the usual way, one at a time. It blocks:
`Workspace` runs it in threads.
"""

import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from recto.workspace.failures import (
    NotAFolder,
    PathNotFound,
    RootGone,
    TooLarge,
    WorkspaceFailure,
    reading_failure,
)
from recto.workspace.files import MAX_TEXT_BYTES, read_capped
from recto.workspace.jail import READ_FLAGS, Jail
from recto.workspace.names import split

Found = TypeVar("Found")
STRAIGHT = READ_FLAGS | os.O_NOFOLLOW | os.O_CLOEXEC


class FileIdentity(NamedTuple):
    """What can't stay the same when a file's content changes, except within the clock's tick."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class FileContent(NamedTuple):
    """The bytes of a file, and the identity it had before they were read."""

    identity: FileIdentity
    data: bytes


def identify(jail: Jail, paths: Sequence[str]) -> dict[str, FileIdentity | WorkspaceFailure]:
    """The identity of each ordinary file, or why it has none. Raises RootGone."""

    def glance(path: str, name: str, folder_fd: int) -> FileIdentity | None:
        status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
        return identity_of(status) if stat.S_ISREG(status.st_mode) else None

    return look_at(jail, paths, glance, lambda path, fd: identity_of(os.fstat(fd)))


def read_all(jail: Jail, paths: Sequence[str]) -> dict[str, FileContent | WorkspaceFailure]:
    """The content of each file that is not too large for a text, or why not. Raises RootGone."""

    def glance(path: str, name: str, folder_fd: int) -> FileContent | None:
        fd = os.open(name, STRAIGHT, dir_fd=folder_fd)
        try:
            status = os.fstat(fd)
            return content_of(path, fd, status) if stat.S_ISREG(status.st_mode) else None
        finally:
            os.close(fd)

    return look_at(jail, paths, glance, lambda path, fd: content_of(path, fd, os.fstat(fd)))


def look_at(
    jail: Jail,
    paths: Sequence[str],
    glance: Callable[[str, str, int], Found | None],
    read: Callable[[str, int], Found],
) -> dict[str, Found | WorkspaceFailure]:
    """What `glance` sees at a name in its folder; where it can't tell, what `read` says.

    Answers in the order of the paths.
    """
    found: dict[str, Found | WorkspaceFailure | None] = dict.fromkeys(paths)
    # With something hidden, each path must be followed to where it really is.
    if jail.is_whole:
        for folder, names in by_folder(paths).items():
            found.update(in_folder(jail, folder, names, glance))
    jail.check_root()
    return {
        path: value if value is not None else at(jail, path, read) for path, value in found.items()
    }


def in_folder(
    jail: Jail,
    folder: str,
    names: Sequence[tuple[str, str]],
    glance: Callable[[str, str, int], Found | None],
) -> Iterator[tuple[str, Found | WorkspaceFailure | None]]:
    """What there is at each name in a folder; None where a closer look is needed."""
    try:
        with jail.folder(folder) as fd:
            for path, name in names:
                try:
                    yield path, glance(path, name, fd)
                except FileNotFoundError:
                    yield path, PathNotFound(path)
                except OSError:
                    yield path, None
                except TooLarge as failure:
                    yield path, failure
    except (PathNotFound, NotAFolder):
        yield from ((path, PathNotFound(path)) for path, _ in names)
    except WorkspaceFailure:
        return


def by_folder(paths: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """The paths that are accepted by their letters, with their names, by the folder they are in."""
    folders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in paths:
        with suppress(WorkspaceFailure):
            if split(path):
                folder, _, name = path.rpartition("/")
                folders[folder].append((path, name))
    return folders


def at(jail: Jail, path: str, read: Callable[[str, int], Found]) -> Found | WorkspaceFailure:
    """What `read` says of one path, opened the usual way."""
    try:
        with jail.file(path) as fd:
            return read(path, fd)
    except RootGone:
        raise
    except WorkspaceFailure as failure:
        return failure
    except OSError as error:
        return reading_failure(error, path)


def content_of(path: str, fd: int, status: os.stat_result) -> FileContent:
    """The content of an open file. Raises OSError, TooLarge."""
    # One byte more than its size: if that comes, the file has grown since.
    data = os.read(fd, status.st_size + 1) if status.st_size <= MAX_TEXT_BYTES else None
    if data is not None and len(data) != status.st_size:  # it grows, or claims to be empty
        os.lseek(fd, 0, os.SEEK_SET)
        data = read_capped(fd, MAX_TEXT_BYTES)
    if data is None:
        raise TooLarge(path, f"{MAX_TEXT_BYTES // 1_000_000} MB")
    return FileContent(identity_of(status), data)


def identity_of(status: os.stat_result) -> FileIdentity:
    """The identity of what was looked at."""
    return FileIdentity(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )
