"""The only way to a path in the user's folder: everything opens beneath one folder handle."""

import os
import stat
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager

from recto.workspace.beneath import (
    Opener,
    PathWalk,
    ResolvedName,
    kernel_can,
    open_by_kernel,
    open_by_walking,
)
from recto.workspace.failures import (
    NameRefused,
    NotAFile,
    NotAFolder,
    OwnRecords,
    PathHidden,
    PathNotFound,
    PathProtected,
    RootGone,
    reading_failure,
    writing_failure,
)
from recto.workspace.names import check_new, check_writable, is_protected, plain, split

READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY  # a pipe must not hold us up
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY
Hides = Callable[[tuple[str, ...]], bool]  # asked with a path's real names


class Jail:
    """Holds the folder open; opens what is beneath it and nothing else.

    With `hides` some of it can't be reached, by whatever name or link: it is asked where a path
    really is, at the moment it is opened.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        opener: Opener | None = None,
        hides: Hides | None = None,
        records: tuple[str, ...] = (),
    ) -> None:
        """Open the folder. Raises PathNotFound, NotAFolder, PathUnreadable.

        `records` is the way to Recto's own records, if they lie in here: nobody gets in there.
        """
        self.root = os.path.realpath(root)
        self._hides = hides
        self._records = tuple(plain(name) for name in records)
        self._opener = opener or (open_by_kernel if kernel_can() else open_by_walking)
        try:
            self._fd = os.open(self.root, FOLDER_FLAGS | os.O_CLOEXEC)
        except OSError as error:
            raise reading_failure(error, self.root) from error
        # Of the handle, not of the path: the folder may be swapped between the two.
        self._identity = identity(os.fstat(self._fd))
        self._let_go = weakref.finalize(self, os.close, self._fd)

    def close(self) -> None:
        """Let go of the folder, when nobody uses it any more. Closing twice is allowed.

        A jail that is simply forgotten lets go by itself after its last user.
        """
        self._fd = -1
        self._let_go()

    def without(self, hides: Hides) -> "Jail":
        """The same folder, with some of it out of reach. Raises RootGone."""
        view = Jail(self.root, opener=self._opener, hides=hides, records=self._records)
        # The view opens the path again: it must be the same folder still.
        if self._fd < 0 or view._identity != self._identity:
            raise RootGone(self.root)
        return view

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the folder is out of reach."""
        return self._hides is None

    def check_root(self) -> None:
        """Raise RootGone unless the folder is still where it was opened."""
        try:
            found = os.stat(self.root)
        except OSError as error:
            raise RootGone(self.root) from error
        if self._fd < 0 or identity(found) != self._identity:
            raise RootGone(self.root)

    def is_there(self) -> bool:
        """Whether the folder still is where it was opened."""
        try:
            self.check_root()
        except RootGone:
            return False
        return True

    @contextmanager
    def file(self, path: str) -> Generator[int]:
        """A handle to read an ordinary file. Pipes, devices and folders are NotAFile."""
        if not split(path):
            raise NotAFile(path)
        try:
            fd = self._open(path, READ_FLAGS)
        except NotAFolder as failure:
            raise PathNotFound(path) from failure  # below a file there is nothing
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise NotAFile(path)
            yield fd
        finally:
            os.close(fd)

    @contextmanager
    def folder(self, path: str) -> Generator[int]:
        """A handle of a folder; the root is the empty path."""
        split(path)
        fd = self._open(path, FOLDER_FLAGS)
        try:
            yield fd
        finally:
            os.close(fd)

    @contextmanager
    def place(
        self, path: str, *, new: bool = False, follow: bool = True, whole: bool = False
    ) -> Generator[ResolvedName]:
        """The open folder and the name to write to, links followed and protection checked there.

        `new` holds the name to the rules for new names; without `follow` a link itself is meant;
        `whole` is for what takes all that is below along.
        """
        parts = check_new(path) if new else check_writable(path)
        self.check_root()
        try:
            with PathWalk(self._fd) as walk:
                place = walk.place("/".join(parts), follow_last=follow)
        except NotADirectoryError as error:
            raise NotAFolder("/".join(parts[:-1])) from error
        except OSError as error:
            raise writing_failure(error, path) from error
        try:
            # By the real names: a link called "notes" may lead into .git.
            if any(is_protected(name) for name in place.parts):
                raise PathProtected(path)
            self._refuse_hidden(path, place.parts)
            self._refuse_records(path, place.parts, whole=whole)
            yield place
        finally:
            os.close(place.folder_fd)

    def relative_path(self, path: str) -> str:
        """A path that may be absolute or go up with "..", as one that is relative to the folder.

        What leaves the folder is refused; "..", as ever, goes up from where a link leads.
        """
        if path.startswith("/") and path != self.root and not path.startswith(f"{self.root}/"):
            raise NameRefused(path, "it is outside the folder")
        below = path.removeprefix(self.root) if path.startswith("/") else path
        parts: list[str] = []
        for name in below.split("/"):
            if name == ".." and not parts:
                raise NameRefused(path, "it goes up out of the folder")
            if name == "..":
                # As the system does it: ".." of a link is the folder above its target.
                parts = list(split(self.real_path("/".join(parts))))[:-1]
            elif name not in {"", "."}:
                parts.append(name)
        return "/".join(parts)

    def real_path(self, path: str) -> str:
        """Where a path really is, links followed; names that are not there yet stay as they are."""
        parts = split(path)
        self.check_root()
        for there in range(len(parts), 0, -1):
            try:
                with PathWalk(self._fd) as walk:
                    real = walk.real("/".join(parts[:there]))
            except FileNotFoundError:
                continue
            except NotADirectoryError as error:
                raise NotAFolder("/".join(parts[: there - 1])) from error
            except OSError as error:
                raise reading_failure(error, path) from error
            parts = (*real, *parts[there:])
            break
        self._refuse_hidden(path, parts)
        return "/".join(parts)

    def _open(self, path: str, flags: int) -> int:
        self.check_root()
        try:
            if self._hides is None and not self._records:
                return self._opener(self._fd, path, flags)
            with PathWalk(self._fd) as walk:
                # Not openat2, which does not tell where a path really ended.
                return walk.open(path, flags, check=lambda real: self._refuse_reading(path, real))
        except OSError as error:
            raise reading_failure(error, path) from error

    def _refuse_reading(self, path: str, real: tuple[str, ...]) -> None:
        self._refuse_hidden(path, real)
        self._refuse_records(path, real, whole=False)

    def _refuse_records(self, path: str, real: tuple[str, ...], *, whole: bool) -> None:
        """Raise OwnRecords in Recto's own records, and above them if a whole folder is meant."""
        names = tuple(plain(name) for name in real)
        shared = min(len(names), len(self._records)) if whole else len(self._records)
        if shared and names[:shared] == self._records[:shared]:
            raise OwnRecords(path)

    def _refuse_hidden(self, path: str, real: tuple[str, ...]) -> None:
        if self._hides is not None and self._hides(real):
            raise PathHidden(path)


def identity(status: os.stat_result) -> tuple[int, int]:
    """What stays the same as long as a file is the same file."""
    return status.st_dev, status.st_ino
