"""Opening a path beneath a folder handle, so that check and use are one operation.

Two ways with the same promise: the kernel's openat2, and a walk name by name where that is missing.
Both follow links that stay inside, and answer EXDEV to whatever leaves, absolute links included.
"""

import ctypes
import errno
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

OPENAT2 = 437  # the same number on every architecture that has the call
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_BENEATH = 0x08
MAX_LINKS = 40  # as the kernel
MAX_RETRIES = 128
STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
NOT_A_STEP = {errno.ENOTDIR, errno.ELOOP, errno.EMLINK}  # Linux, macOS, FreeBSD say it differently

libc = ctypes.CDLL(None, use_errno=True)


class Opener(Protocol):
    """A way to open a path beneath a folder handle."""

    def __call__(self, root_fd: int, path: str, flags: int) -> int:
        """An open handle. Raises OSError, with EXDEV for a path that leaves."""
        ...


class OpenHow(ctypes.Structure):
    """The kernel's struct open_how."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def open_by_kernel(root_fd: int, path: str, flags: int) -> int:
    """Open with openat2. EAGAIN means that a rename raced with `..` in a link: try again."""
    how = OpenHow(flags | os.O_CLOEXEC, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)
    # The empty path is the root itself; openat2 would refuse it.
    encoded = os.fsencode(path) or b"."
    error = errno.EAGAIN
    for _ in range(MAX_RETRIES):
        fd: int = libc.syscall(
            ctypes.c_long(OPENAT2),
            ctypes.c_int(root_fd),
            ctypes.c_char_p(encoded),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if fd >= 0:
            return fd
        error = ctypes.get_errno()
        if error not in {errno.EAGAIN, errno.EINTR}:
            break
    raise OSError(error, os.strerror(error), path)


def kernel_can() -> bool:
    """Whether this kernel (and its filter of system calls) has openat2."""
    if os.uname().sysname != "Linux":
        return False
    here = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(open_by_kernel(here, ".", os.O_RDONLY | os.O_DIRECTORY))
    except OSError as error:
        # EPERM: container runtimes filter system calls that they don't know.
        if error.errno in {errno.ENOSYS, errno.EPERM, errno.EINVAL}:
            return False
        raise
    finally:
        os.close(here)
    return True


def open_by_walking(root_fd: int, path: str, flags: int) -> int:
    """Open name by name, each from the handle of the one before, never through a link."""
    with PathWalk(root_fd) as walk:
        return walk.open(path, flags)


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A name in an open folder: where it really is after every link was followed."""

    folder_fd: int
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last name."""
        return self.parts[-1]

    @property
    def path(self) -> str:
        """The real path beneath the root."""
        return "/".join(self.parts)


class PathWalk:
    """One descent: the handles of the folders passed, and their real names."""

    def __init__(self, root_fd: int) -> None:
        self._fds = [os.dup(root_fd)]
        self._names: list[str] = []
        self._links = 0

    def __enter__(self) -> "PathWalk":
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self._fds:
            os.close(fd)

    def open(
        self, path: str, flags: int, *, check: Callable[[tuple[str, ...]], None] | None = None
    ) -> int:
        """Open what the path names, links followed; `check` may refuse where that really is."""
        name = self._descend(path, follow_last=True)
        if check is not None:
            check(tuple(self._names) if name == "." else (*self._names, name))
        # O_NOFOLLOW: a link that was put there since the check is refused, not followed.
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._fds[-1])

    def real(self, path: str) -> tuple[str, ...]:
        """The names of what the path names, links followed; the last may not be there."""
        name = self._descend(path, follow_last=True)
        return tuple(self._names) if name == "." else (*self._names, name)

    def place(self, path: str, *, follow_last: bool) -> ResolvedName:
        """Where the last name really is; the caller owns the folder's handle."""
        name = self._descend(path, follow_last=follow_last)
        if name == ".":
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        return ResolvedName(os.open(".", flags, dir_fd=self._fds[-1]), (*self._names, name))

    def _descend(self, path: str, *, follow_last: bool) -> str:
        """Enter every folder of the path; answer the last name, not a link, or "." for a folder."""
        todo = deque(path.split("/"))
        while todo:
            name = todo.popleft()
            if name in {"", "."}:
                continue
            if name == "..":
                self._leave(path)
            elif not todo:
                target = self._link(name, path) if follow_last else None
                if target is None:
                    return name
                todo.extend(target.split("/"))
            elif not self._enter(name):
                target = self._link(name, path)
                if target is None:
                    raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
                todo.extendleft(reversed(target.split("/")))
        return "."

    def _enter(self, name: str) -> bool:
        try:
            fd = os.open(name, STEP, dir_fd=self._fds[-1])
        except OSError as error:
            if error.errno in NOT_A_STEP:
                return False
            raise
        self._fds.append(fd)
        self._names.append(name)
        return True

    def _leave(self, path: str) -> None:
        if not self._names:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
        os.close(self._fds.pop())
        self._names.pop()

    def _link(self, name: str, path: str) -> str | None:
        """Where a link points, or None for what is no link. Raises OSError when it is absolute."""
        try:
            target = os.readlink(name, dir_fd=self._fds[-1])
        except OSError as error:
            if error.errno in {errno.EINVAL, errno.ENOENT}:
                return None
            raise
        self._links += 1
        if self._links > MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        if target.startswith("/"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
        return target
