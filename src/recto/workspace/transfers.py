"""Whole files and folders copied, or carried to another disk. It blocks: it runs in threads.

Links are copied as links, permissions and times are kept, and nothing is ever written over.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from recto.durable import TEMPORARY_PREFIX, move_new, write_all
from recto.workspace.failures import (
    NameRefused,
    NotAFile,
    PathChanged,
    PathExists,
    PathNotFound,
    TooLarge,
    writing_failure,
)
from recto.workspace.files import CHUNK, content_hash
from recto.workspace.jail import Jail

MAX_PATHS = 100_000
MAX_BYTES = 2_000_000_000
MAX_DEPTH = 200
ELSEWHERE = "Use another program for it."
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = os.O_DIRECTORY | READ
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
Marks = tuple[tuple[object, ...], ...]


@dataclass(slots=True)
class FileTree:
    """What lies at a path and below: how much, and what tells whether any of it has changed."""

    paths: int = 0
    bytes: int = 0
    marks: Marks = ()


def copy(jail: Jail, path: str, new_path: str) -> None:
    """Copy a file, a link itself, or a folder. Raises PathExists, PathNotFound, TooLarge."""
    if f"{new_path}/".startswith(f"{path}/") and new_path != path:
        raise NameRefused(new_path, "a folder can't be copied into itself")
    with (
        jail.place(path, follow=False, whole=True) as source,
        jail.place(new_path, new=True, follow=False) as target,
    ):
        try:
            with copied(source.folder_fd, source.name, target.folder_fd, path) as temporary:
                move_new(target.folder_fd, temporary, target.folder_fd, target.name)
            os.fsync(target.folder_fd)
        except FileExistsError as error:
            raise PathExists(new_path) from error
        except FileNotFoundError as error:
            raise PathNotFound(path) from error
        except OSError as error:
            raise writing_failure(error, new_path) from error


def carry(from_fd: int, name: str, to_fd: int, new_name: str, path: str) -> None:
    """Move to a folder that may be on another disk. Raises OSError, PathChanged, TooLarge."""
    try:
        move_new(from_fd, name, to_fd, new_name)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        carry_across(from_fd, name, to_fd, new_name, path)
    # Where it is before where it was: a power cut in between leaves it twice rather than nowhere.
    os.fsync(to_fd)
    os.fsync(from_fd)


def carry_across(from_fd: int, name: str, to_fd: int, new_name: str, path: str) -> None:
    """Copy to another disk, then take the first one away, if it still is what was copied."""
    aside = temporary_name(name)
    before = measure(from_fd, name, path)
    with copied(from_fd, name, to_fd, path) as temporary:
        # Aside first: nobody can change it by its name between the comparison and its end.
        os.rename(name, aside, src_dir_fd=from_fd, dst_dir_fd=from_fd)
        try:
            if measure(from_fd, aside, path).marks != before.marks:
                raise PathChanged(path)
            move_new(to_fd, temporary, to_fd, new_name)
            os.fsync(to_fd)
        except BaseException:
            move_new(from_fd, aside, from_fd, name)
            raise
    remove(from_fd, aside)


@contextmanager
def copied(from_fd: int, name: str, to_fd: int, path: str) -> Generator[str]:
    """A copy under a name of our own, to be given its real name in the block; else it goes."""
    measure(from_fd, name, path)
    temporary = temporary_name(name)
    remove(to_fd, temporary)  # a crash may have left one
    try:
        copy_all(from_fd, name, to_fd, temporary, path)
        yield temporary
    finally:
        remove(to_fd, temporary)


def temporary_name(name: str) -> str:
    """Where something is put together: always the same, as changes are made one at a time."""
    return TEMPORARY_PREFIX + content_hash(os.fsencode(name))[:16]


def measure(folder_fd: int, name: str, path: str) -> FileTree:
    """How much lies there, links not entered. Raises TooLarge, FileNotFoundError."""
    tree = FileTree()
    marks: list[tuple[object, ...]] = []
    visit(folder_fd, name, path, tree, marks, depth=0)
    tree.marks = tuple(marks)
    return tree


def visit(
    folder_fd: int,
    name: str,
    path: str,
    tree: FileTree,
    marks: list[tuple[object, ...]],
    *,
    depth: int,
) -> None:
    """Count one name and all below it."""
    status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    tree.paths += 1
    if stat.S_ISREG(status.st_mode):
        tree.bytes += status.st_size
    if tree.paths > MAX_PATHS or depth > MAX_DEPTH:
        raise TooLarge(path, f"{MAX_PATHS:,} files", ELSEWHERE)
    if tree.bytes > MAX_BYTES:
        raise TooLarge(path, f"{MAX_BYTES // 1_000_000_000} GB", ELSEWHERE)
    is_folder = stat.S_ISDIR(status.st_mode)
    content = () if is_folder else (status.st_size, status.st_mtime_ns)
    # The topmost is renamed meanwhile, which a folder's own time would not tell.
    marks.append((depth and name, status.st_ino, status.st_mode, *content))
    if is_folder:
        with opened(folder_fd, name) as fd:
            for item in sorted(os.listdir(fd)):
                visit(fd, item, path, tree, marks, depth=depth + 1)


def copy_all(from_fd: int, name: str, to_fd: int, new_name: str, path: str) -> None:
    """Copy a name and all below it, flushed to the disk."""
    status = os.stat(name, dir_fd=from_fd, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(name, dir_fd=from_fd), new_name, dir_fd=to_fd)
    elif stat.S_ISDIR(status.st_mode):
        os.mkdir(new_name, 0o700, dir_fd=to_fd)
        with opened(from_fd, name) as source, opened(to_fd, new_name) as target:
            for item in os.listdir(source):
                copy_all(source, item, target, item, path)
            keep_status(target, status)
    elif stat.S_ISREG(status.st_mode):
        copy_file(from_fd, name, to_fd, new_name)
    else:
        raise NotAFile(path)


def copy_file(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
    """Copy one ordinary file."""
    source = os.open(name, READ, dir_fd=from_fd)
    try:
        target = os.open(new_name, NEW, 0o600, dir_fd=to_fd)
        try:
            while chunk := os.read(source, CHUNK):
                write_all(target, chunk)
            keep_status(target, os.fstat(source))
        finally:
            os.close(target)
    finally:
        os.close(source)


def keep_status(fd: int, status: os.stat_result) -> None:
    """Give a copy its permissions and times, and bring it to the disk."""
    os.fchmod(fd, status.st_mode & 0o777)
    os.utime(fd, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.fsync(fd)


def remove(folder_fd: int, name: str) -> None:
    """Take away a name and all below it, links not entered; nothing there is fine."""
    try:
        status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(name, dir_fd=folder_fd)
        return
    if status.st_mode & 0o700 != 0o700:
        # A folder that was copied read-only could not be emptied otherwise.
        os.chmod(name, 0o700, dir_fd=folder_fd)
    with opened(folder_fd, name) as fd:
        for item in os.listdir(fd):
            remove(fd, item)
    os.rmdir(name, dir_fd=folder_fd)


@contextmanager
def opened(folder_fd: int, name: str) -> Generator[int]:
    """A handle of a folder."""
    fd = os.open(name, FOLDER, dir_fd=folder_fd)
    try:
        yield fd
    finally:
        os.close(fd)
