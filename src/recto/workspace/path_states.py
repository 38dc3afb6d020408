"""Paths as they are, links not followed, and changing one from a known state to another.

It blocks: `Workspace` runs it in threads.
"""

import os
import stat
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from recto.durable import TEMPORARY_PREFIX, create_file, replace_file
from recto.workspace.beneath import ResolvedName
from recto.workspace.failures import (
    NotAFile,
    NotAFolder,
    PathChanged,
    PathNotFound,
    TooLarge,
    reading_failure,
    writing_failure,
)
from recto.workspace.files import MAX_FILE_BYTES, content_hash, read_capped
from recto.workspace.jail import Jail

MAX_TREE_PATHS = 10_000
MAX_TREE_BYTES = 200_000_000
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class PathState:
    """A path at one moment. A link's `data` is its target, a folder has none."""

    kind: Literal["file", "link", "folder"]
    data: bytes = b""
    mode: int = 0o644


def is_same(one: PathState | None, other: PathState | None) -> bool:
    """Whether two states are the same to people: of a file's mode only whether it can be run."""
    if one is None or other is None:
        return one is other
    runs = [state.kind == "file" and bool(state.mode & 0o100) for state in (one, other)]
    return (one.kind, one.data, runs[0]) == (other.kind, other.data, runs[1])


def read_state(jail: Jail, path: str) -> PathState | None:
    """A path as it is; None when nothing is there. Raises NotAFile for a pipe or a device."""
    try:
        with jail.place(path, follow=False) as place:
            return look(place, path, MAX_FILE_BYTES)
    except (PathNotFound, NotAFolder):
        return None  # below a file there is nothing either


def look(place: ResolvedName, path: str, max_bytes: int) -> PathState | None:
    """What is at a place, the link itself if it is one."""
    try:
        status = os.stat(place.name, dir_fd=place.folder_fd, follow_symlinks=False)
        mode = status.st_mode & 0o777
        if stat.S_ISLNK(status.st_mode):
            target = os.readlink(place.name, dir_fd=place.folder_fd)
            return PathState("link", os.fsencode(target), 0o777)
        if stat.S_ISDIR(status.st_mode):
            return PathState("folder", mode=mode)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile(path)
        return PathState("file", content(place, path, max_bytes), mode)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise reading_failure(error, path) from error


def content(place: ResolvedName, path: str, max_bytes: int) -> bytes:
    """The bytes of an ordinary file at a place."""
    fd = os.open(place.name, READ, dir_fd=place.folder_fd)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise PathChanged(path)
        data = read_capped(fd, max_bytes)
    finally:
        os.close(fd)
    if data is None:
        raise TooLarge(path, f"{max_bytes // 1_000_000} MB")
    return data


def change(jail: Jail, path: str, before: PathState | None, after: PathState | None) -> None:
    """Turn a path from one state into another. Raises PathChanged when it is not in the first.

    Only empty folders are taken away. Permissions are set exactly, except set-user-id and the like.
    """
    with jail.place(path, new=before is None, follow=False) as place:

        def check() -> None:
            # Of the mode only "can be run" counts: another umask is nobody's change.
            if not is_same(look(place, path, MAX_FILE_BYTES), before):
                raise PathChanged(path)

        check()
        try:
            if after is not None and after.kind == "file" and before and before.kind == "file":
                mode = after.mode & 0o777
                replace_file(place.folder_fd, place.name, after.data, mode=mode, before=check)
            elif after is not None and after.kind == "link" and before and before.kind != "folder":
                replace_by_link(place, after)
            elif (
                after is not None and after.kind == "folder" and before and before.kind == "folder"
            ):
                set_folder_mode(place, after.mode)
            else:
                take_away(place, before)
                put_new(place, after)
            os.fsync(place.folder_fd)
        except OSError as error:
            raise writing_failure(error, path) from error


def take_away(place: ResolvedName, before: PathState | None) -> None:
    """Remove what was just seen at a place; a folder only when it is empty."""
    if before is None:
        return
    if before.kind == "folder":
        os.rmdir(place.name, dir_fd=place.folder_fd)
    else:
        os.unlink(place.name, dir_fd=place.folder_fd)


def put_new(place: ResolvedName, after: PathState | None) -> None:
    """Make something where nothing is; a name that is taken meanwhile is an error."""
    if after is None:
        return
    match after.kind:
        case "file":
            create_file(place.folder_fd, place.name, after.data, mode=after.mode & 0o777)
        case "link":
            os.symlink(os.fsdecode(after.data), place.name, dir_fd=place.folder_fd)
        case "folder":
            # Closed until its mode is set: the umask may be wider than the folder was.
            os.mkdir(place.name, 0o700, dir_fd=place.folder_fd)
            set_folder_mode(place, after.mode)


def replace_by_link(place: ResolvedName, after: PathState) -> None:
    """Put a link over a file or link in one step.

    The temporary name is always the same: changes are made one at a time, and what a crash left
    behind is in nobody's way.
    """
    temporary = TEMPORARY_PREFIX + content_hash(os.fsencode(place.name))[:16]
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=place.folder_fd)
    os.symlink(os.fsdecode(after.data), temporary, dir_fd=place.folder_fd)
    try:
        os.rename(temporary, place.name, src_dir_fd=place.folder_fd, dst_dir_fd=place.folder_fd)
    except BaseException:
        os.unlink(temporary, dir_fd=place.folder_fd)
        raise


def set_folder_mode(place: ResolvedName, mode: int) -> None:
    """Set a folder's permissions, never a link's target's."""
    fd = os.open(place.name, os.O_RDONLY | os.O_DIRECTORY | READ, dir_fd=place.folder_fd)
    try:
        os.fchmod(fd, mode & 0o777)
    finally:
        os.close(fd)


def read_tree(
    jail: Jail, path: str, *, max_paths: int = MAX_TREE_PATHS, max_bytes: int = MAX_TREE_BYTES
) -> dict[str, PathState]:
    """A path and all that is below it, folders first. Raises TooLarge, PathNotFound."""
    found: dict[str, PathState] = {}
    left = max_bytes
    for item, place in walk(jail, path, max_paths):
        state = look(place, item, min(left, MAX_FILE_BYTES))
        if state is not None:
            found[item] = state
            left -= len(state.data)
    if path not in found:
        raise PathNotFound(path)
    return found


def paths_below(jail: Jail, path: str, *, max_paths: int = MAX_TREE_PATHS) -> tuple[str, ...]:
    """A path and all that is below it; links are not entered. Raises TooLarge, PathNotFound."""
    return tuple(item for item, _ in walk(jail, path, max_paths))


def walk(jail: Jail, path: str, max_paths: int) -> Generator[tuple[str, ResolvedName]]:
    """Every path from here down, each with its place while it is looked at."""
    todo = [path]
    seen = 0
    while todo:
        current = todo.pop()
        seen += 1
        if seen > max_paths:
            raise TooLarge(path, f"{max_paths:,} files")
        with jail.place(current, follow=False) as place:
            yield current, place
            todo += [f"{current}/{name}" for name in reversed(names_in(place, current))]


def names_in(place: ResolvedName, path: str) -> list[str]:
    """The names in a folder; none for what is not a folder."""
    try:
        fd = os.open(place.name, os.O_DIRECTORY | READ, dir_fd=place.folder_fd)
    except NotADirectoryError:
        return []
    except OSError as error:
        raise reading_failure(error, path) from error
    try:
        return sorted(os.listdir(fd))
    finally:
        os.close(fd)
