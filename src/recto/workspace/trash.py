"""The trash: what people deleted, each in a folder of its own, until it is put back or goes.

It blocks: `Workspace` and the service above run it in threads.
"""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from recto.durable import replace_file
from recto.workspace import transfers
from recto.workspace.failures import PathExists, PathNotFound, writing_failure
from recto.workspace.jail import Jail
from recto.workspace.listing import Kind

NOTE = "item.json"
CONTENT = "content"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class TrashItem:
    """Something that was deleted: from where, when, how much, and which edits waited in it."""

    id: str
    project_id: str
    path: str
    deleted_ms: int
    kind: Kind = "file"
    size: int = 0
    edits: tuple[str, ...] = ()


class TrashFolder:
    """The folder with the deleted things. Only Recto writes there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def items(self) -> list[TrashItem]:
        """All that can be put back, the oldest first."""
        found: list[TrashItem] = []
        for item_id in os.listdir(self._folder) if self._folder.exists() else []:
            item = self._read(item_id)
            if item is not None:
                found.append(item)
        return sorted(found, key=lambda item: (item.deleted_ms, item.id))

    def take(self, jail: Jail, path: str, item: TrashItem) -> TrashItem:
        """Move what is at a path in here. Raises PathNotFound, TooLarge, PathChanged."""
        with jail.place(path, follow=False, whole=True) as source:
            try:
                tree = transfers.measure(source.folder_fd, source.name, path)
                status = os.stat(source.name, dir_fd=source.folder_fd, follow_symlinks=False)
                noted = replace(item, path=source.path, kind=kind_in(status), size=tree.bytes)
                with self._new(noted) as fd:
                    transfers.carry(source.folder_fd, source.name, fd, CONTENT, path)
            except FileNotFoundError as error:
                raise PathNotFound(path) from error
            except OSError as error:
                raise writing_failure(error, path) from error
        return noted

    def put_back(self, jail: Jail, item: TrashItem) -> None:
        """Move an item back to its path; folders on the way are made again."""
        make_folders(jail, item.path)
        with jail.place(item.path, new=True, follow=False) as target:
            try:
                with self._opened(item.id) as fd:
                    transfers.carry(fd, CONTENT, target.folder_fd, target.name, item.path)
            except FileExistsError as error:
                raise PathExists(item.path) from error
            except OSError as error:
                raise writing_failure(error, item.path) from error
        self.remove(item.id)

    def sweep(self) -> None:
        """Take away what a crash left half: nothing of it was deleted."""
        for item_id in os.listdir(self._folder) if self._folder.exists() else []:
            # lexists: a link that leads nowhere is content, too.
            if not os.path.lexists(self._folder / item_id / CONTENT):
                self.remove(item_id)

    def remove(self, item_id: str) -> None:
        """Take an item away for good. One that is gone already is fine."""
        fd = os.open(self._folder, FOLDER)
        try:
            transfers.remove(fd, item_id)
        finally:
            os.close(fd)

    @contextmanager
    def _new(self, item: TrashItem) -> Generator[int]:
        """The open folder of a new item; it goes again when the block fails."""
        if not self._folder.exists():
            self._folder.mkdir(mode=0o700, exist_ok=True)
            flush_folder(self._folder.parent)
        (self._folder / item.id).mkdir(mode=0o700)
        try:
            # Before anything is in it: after a power cut the folder would be gone, and it with it.
            flush_folder(self._folder)
            with self._opened(item.id) as fd:
                # The note first: content without one could never be put back.
                replace_file(fd, NOTE, msgspec.json.encode(item), mode=0o600)
                yield fd
        except BaseException:
            self.remove(item.id)
            raise

    @contextmanager
    def _opened(self, item_id: str) -> Generator[int]:
        fd = os.open(self._folder / item_id, FOLDER)
        try:
            yield fd
        finally:
            os.close(fd)

    def _read(self, item_id: str) -> TrashItem | None:
        """An item; None for what can't be put back by itself."""
        folder = self._folder / item_id
        if not os.path.lexists(folder / CONTENT):
            return None
        try:
            return msgspec.json.decode((folder / NOTE).read_bytes(), type=TrashItem)
        except (FileNotFoundError, msgspec.DecodeError):
            return None


def kind_in(status: os.stat_result) -> Kind:
    """What a status is the status of."""
    if stat.S_ISLNK(status.st_mode):
        return "link"
    if stat.S_ISDIR(status.st_mode):
        return "folder"
    return "file" if stat.S_ISREG(status.st_mode) else "other"


def flush_folder(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    fd = os.open(folder, FOLDER)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folders(jail: Jail, path: str) -> None:
    """Make the folders on the way to a path that are not there."""
    parts = path.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        with jail.place("/".join(parts[:depth]), new=True) as place:
            try:
                os.mkdir(place.name, dir_fd=place.folder_fd)
                os.fsync(place.folder_fd)
            except FileExistsError:
                continue
            except OSError as error:
                raise writing_failure(error, path) from error
