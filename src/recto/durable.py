"""Files that survive a crash: written beside the target, flushed, renamed, folder flushed.

The only place that replaces a file. Callers say where by an open folder handle, never by a path.
"""

import ctypes
import errno
import os
import secrets
import stat
from collections.abc import Callable

TEMPORARY_PREFIX = ".recto-tmp-"
RENAME_NOREPLACE = 1
NO_SUCH_CALL = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM}

libc = ctypes.CDLL(None, use_errno=True)


def replace_file(
    folder_fd: int,
    name: str,
    data: bytes,
    *,
    mode: int | None = None,
    before: Callable[[], None] | None = None,
) -> None:
    """Put `data` at `name` in the folder: readers see the old bytes or the new, never a mix.

    `mode` is exact (the umask does not apply): a caller that keeps a file's mode must get it.
    Without `mode` the file gets what new files get.
    `before` runs when the bytes are on the disk, right before the rename; what it raises stops it.
    """
    temporary = write_temporary(folder_fd, data, mode)
    try:
        if before is not None:
            before()
        os.rename(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    except BaseException:
        os.unlink(temporary, dir_fd=folder_fd)
        raise
    os.fsync(folder_fd)


def create_file(folder_fd: int, name: str, data: bytes, *, mode: int | None = None) -> None:
    """Put `data` at `name`, whole or not at all. Raises FileExistsError when the name is taken."""
    temporary = write_temporary(folder_fd, data, mode)
    try:
        move_new(folder_fd, temporary, folder_fd, name)
    except BaseException:
        os.unlink(temporary, dir_fd=folder_fd)
        raise
    os.fsync(folder_fd)


def put_in_place(folder_fd: int, written: str, name: str) -> None:
    """Give a file that was written beside its place its name, once its bytes are on the disk."""
    fd = os.open(written, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder_fd)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(written, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    # The new name itself is in the folder: unflushed, a crash brings the old one back.
    os.fsync(folder_fd)


def write_temporary(folder_fd: int, data: bytes, mode: int | None) -> str:
    """Write and flush a file of our own in the folder; answer its name."""
    temporary = TEMPORARY_PREFIX + secrets.token_hex(8)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    # Closed until its mode is set: for a moment it would be wider than the file was.
    fd = os.open(temporary, flags, 0o666 if mode is None else 0o600, dir_fd=folder_fd)
    try:
        write_all(fd, data)
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    except BaseException:
        os.unlink(temporary, dir_fd=folder_fd)
        raise
    finally:
        os.close(fd)
    return temporary


def move_new(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
    """Rename without ever replacing: FileExistsError when the new name is taken."""
    if not move_new_by_kernel(from_fd, name, to_fd, new_name):
        move_new_by_claim(from_fd, name, to_fd, new_name)


def move_new_by_kernel(from_fd: int, name: str, to_fd: int, new_name: str) -> bool:
    """Rename with RENAME_NOREPLACE; False when the system or the file system has no such call."""
    rename = getattr(libc, "renameat2", None)
    if rename is None:
        return False
    if rename(from_fd, os.fsencode(name), to_fd, os.fsencode(new_name), RENAME_NOREPLACE) == 0:
        return True
    error = ctypes.get_errno()
    # EPERM and EINVAL are how some file systems and containers say that they can't.
    if error in NO_SUCH_CALL:
        return False
    raise OSError(error, os.strerror(error), name, None, new_name)


def move_new_by_claim(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
    """Rename by taking the new name first: a second link for files, an empty folder for folders."""
    status = os.stat(name, dir_fd=from_fd, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        # rename(2) replaces an empty folder, so ours holds the name until then.
        os.mkdir(new_name, 0o700, dir_fd=to_fd)
        try:
            os.rename(name, new_name, src_dir_fd=from_fd, dst_dir_fd=to_fd)
        except BaseException:
            os.rmdir(new_name, dir_fd=to_fd)
            raise
        return
    os.link(name, new_name, src_dir_fd=from_fd, dst_dir_fd=to_fd, follow_symlinks=False)
    os.unlink(name, dir_fd=from_fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte: the system may take fewer than it was given."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
