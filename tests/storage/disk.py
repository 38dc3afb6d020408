"""A disk that remembers: what SQLite writes, flushes and removes, in order; and power cuts on it.

SQLite reaches the disk through a table of functions, its VFS. Here it gets a copy of its own table
in which those that change files also write down what they did. So the record is exact: it has every
write with its bytes and every flush, and nothing that SQLite only thinks of doing.

A power cut keeps what was flushed. Of what was written to a file since its last flush it keeps any
part, sector by sector; of removals that nobody flushed it keeps any.
"""

import ctypes
import importlib
import random
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

SECTOR = 512
OK = 0

XOpen = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
XDelete = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
XWrite = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
XTruncate = CFUNCTYPE(c_int, c_void_p, c_int64)
XSync = CFUNCTYPE(c_int, c_void_p, c_int)


class Vfs(Structure):
    """SQLite's `sqlite3_vfs`."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", XOpen),
        ("delete", XDelete),
        *((f"other{number}", c_void_p) for number in range(14)),
    )


class Methods(Structure):
    """SQLite's `sqlite3_io_methods`."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", XWrite),
        ("truncate", XTruncate),
        ("sync", XSync),
        *((f"other{number}", c_void_p) for number in range(13)),
    )


class OpenFile(Structure):
    """SQLite's `sqlite3_file`."""

    _fields_ = (("methods", POINTER(Methods)),)


@dataclass(frozen=True, slots=True)
class Op:
    """One thing that was done to a file, or (`told`) something that was acknowledged."""

    kind: Literal["write", "truncate", "sync", "delete", "told"]
    file: str
    at: int = 0
    data: bytes = b""


class Recorder:
    """Everything that SQLite does to files, from every thread."""

    def __init__(self, library: Any) -> None:
        find = library.sqlite3_vfs_find
        find.restype = POINTER(Vfs)
        self._register = cast(Callable[[Any, int], int], library.sqlite3_vfs_register)
        self._usual = find(None)
        self._own = Vfs.from_buffer_copy(self._usual.contents)
        self._own.name = b"remembering"
        self._own.open, self._own.delete = XOpen(self._open), XDelete(self._delete)
        self._kept: list[Methods] = []
        """The tables of open files: SQLite keeps only their addresses."""
        self.ops: list[Op] = []

    def tell(self, number: int) -> None:
        """Something was acknowledged."""
        self.ops.append(Op("told", "", number))

    @contextmanager
    def on(self) -> Generator[None]:
        """Whatever opens a store meanwhile is recorded."""
        assert self._register(ctypes.byref(self._own), 1) == OK
        try:
            yield
        finally:
            assert self._register(self._usual, 1) == OK

    def _open(self, _: int, path: int | None, file: int, flags: int, out: int) -> int:
        done = self._usual.contents.open(self._usual, path, file, flags, out)
        if done == OK and path is not None:
            name = Path(ctypes.string_at(path).decode()).name
            opened = ctypes.cast(file, POINTER(OpenFile)).contents
            opened.methods = ctypes.pointer(self._recording(opened.methods.contents, name))
        return int(done)

    def _delete(self, _: int, path: bytes, flush: int) -> int:
        done = self._usual.contents.delete(self._usual, path, flush)
        name = Path(path.decode()).name
        self.ops.append(Op("delete", name))
        if flush:
            self.ops.append(Op("sync", name))
        return int(done)

    def _recording(self, usual: Methods, name: str) -> Methods:
        own = Methods.from_buffer_copy(usual)

        def write(file: int, data: int, size: int, at: int) -> int:
            self.ops.append(Op("write", name, at, ctypes.string_at(data, size)))
            return int(usual.write(file, data, size, at))

        def truncate(file: int, size: int) -> int:
            self.ops.append(Op("truncate", name, size))
            return int(usual.truncate(file, size))

        def sync(file: int, flags: int) -> int:
            done = int(usual.sync(file, flags))
            self.ops.append(Op("sync", name))
            return done

        own.write, own.truncate, own.sync = XWrite(write), XTruncate(truncate), XSync(sync)
        self._kept += [own, usual]
        return own


def recorder() -> Recorder | None:
    """A recorder of the SQLite that this Python uses; None where that hides its functions."""
    library = ctypes.CDLL(str(importlib.import_module("_sqlite3").__file__))
    return Recorder(library) if hasattr(library, "sqlite3_vfs_find") else None


Keep = Callable[[], bool]
"""Whether a sector that was not flushed has reached the disk all the same."""


def nothing_more() -> bool:
    """Only what was flushed is there."""
    return False


def everything() -> bool:
    """All that was written is there."""
    return True


def some_of(chance: random.Random) -> Keep:
    """Some sectors reach the disk, in no order."""
    return lambda: chance.random() < 0.5


def platter(before: dict[str, bytes], ops: Sequence[Op], keep: Keep) -> dict[str, bytes]:
    """The files after a power cut that comes after these operations."""
    flushed = {op.file: place for place, op in enumerate(ops) if op.kind == "sync"}
    files = {name: bytearray(data) for name, data in before.items()}
    for place, op in enumerate(ops):
        if op.kind in ("told", "sync"):
            continue
        is_safe = place < flushed.get(op.file, -1)
        if op.kind == "delete":
            if is_safe or keep():
                files.pop(op.file, None)
            continue
        data = files.setdefault(op.file, bytearray())
        if op.kind == "truncate":
            if is_safe or keep():
                del data[op.at :]
            continue
        for start in range(0, len(op.data), SECTOR):
            if is_safe or keep():
                put(data, op.at + start, op.data[start : start + SECTOR])
    return {name: bytes(data) for name, data in files.items()}


def put(data: bytearray, at: int, piece: bytes) -> None:
    """Write into a file; what lies between its end and the place is zeros."""
    if len(data) < at:
        data.extend(bytes(at - len(data)))
    data[at : at + len(piece)] = piece
