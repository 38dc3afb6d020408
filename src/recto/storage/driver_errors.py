"""Turns what the databases and the system raise into our failures. The only place that does.

What is not listed here is a bug and is raised as it came.
"""

import errno
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import exc

from recto.storage.failures import (
    CannotOpen,
    DatabaseDamaged,
    DatabaseFull,
    RecordExists,
    RecordNotFound,
    ServerGone,
    StorageFailure,
    Unavailable,
)

FOREIGN = (
    exc.StatementError,
    exc.TimeoutError,
    exc.InterfaceError,
    sqlite3.Error,
    OSError,
    TimeoutError,
)


class RecordName(NamedTuple):
    """A record as people know it, for the message when it clashes or is missing."""

    kind: str
    key: str


def damaged() -> StorageFailure:
    """Stored pages don't fit together."""
    return DatabaseDamaged(
        "The file with the stored records is damaged.",
        "Keep the file, put a backup in its place, and start again.",
    )


def not_a_database() -> StorageFailure:
    """Some other file stands where the records should be."""
    return CannotOpen(
        "The file is not a SQLite database.",
        "Choose another place for the records, or move the file away.",
    )


def not_writable() -> StorageFailure:
    """The file, its folder or its disk takes no writes."""
    return CannotOpen(
        "The place of the records can't be written.",
        "Check who owns the file and its folder, and that the disk is not mounted read-only.",
    )


def not_reached() -> StorageFailure:
    """Nothing answers at the address."""
    return CannotOpen(
        "The place of the records can't be reached.",
        "Check the address or folder, and that the database is running.",
    )


def busy() -> StorageFailure:
    """Somebody else holds a lock for longer than we wait."""
    return Unavailable("The database is locked by another program.", "Close it and try again.")


def lost() -> StorageFailure:
    """The server went away."""
    return ServerGone()


def slow() -> StorageFailure:
    """No answer in time."""
    return Unavailable("The database did not answer in time.", "Try again in a moment.")


def overloaded() -> StorageFailure:
    """The server has no connection or memory left for us."""
    return Unavailable("The database server is at its limits.", "Try again in a moment.")


def disk_error() -> StorageFailure:
    """The disk could not do it."""
    return Unavailable("The disk reported an error.", "Check the disk and its cables.")


def bad_address() -> StorageFailure:
    """Not an address at all."""
    return CannotOpen(
        "The database address can't be understood.",
        "Give the path of a SQLite file, or postgresql://user@host/database.",
    )


def refused() -> StorageFailure:
    """Wrong user or password."""
    return CannotOpen(
        "The database refused the user name or password.", "Correct the database address."
    )


def no_such_database() -> StorageFailure:
    """The server is there, the database is not."""
    return CannotOpen(
        "The server has no such database.", "Create it, or correct the database address."
    )


def no_right() -> StorageFailure:
    """The user may not touch these tables."""
    return CannotOpen(
        "The database user may not do this.", "Give it the right to create and change tables."
    )


Make = Callable[[], StorageFailure]

# Primary result codes of SQLite (the low byte of the extended ones).
SQLITE: dict[int, Make] = {
    sqlite3.SQLITE_BUSY: busy,
    sqlite3.SQLITE_LOCKED: busy,
    sqlite3.SQLITE_READONLY: not_writable,
    sqlite3.SQLITE_PERM: not_writable,
    sqlite3.SQLITE_CANTOPEN: not_reached,
    sqlite3.SQLITE_CORRUPT: damaged,
    sqlite3.SQLITE_NOTADB: not_a_database,
    sqlite3.SQLITE_FULL: DatabaseFull,
    sqlite3.SQLITE_IOERR: disk_error,
}

# SQLSTATE codes, then classes, of PostgreSQL.
POSTGRES: dict[str, Make] = {
    "28P01": refused,
    "28000": refused,
    "3D000": no_such_database,
    "42501": no_right,
    "25006": not_writable,
    "53100": DatabaseFull,
    "55P03": busy,
    "25P03": slow,
    "57014": slow,
    "XX001": damaged,
    "XX002": damaged,
    "08": lost,
    "57": lost,
    "53": overloaded,
}

SYSTEM: dict[int, Make] = {
    errno.ENOSPC: DatabaseFull,
    errno.EDQUOT: DatabaseFull,
    errno.EACCES: not_writable,
    errno.EPERM: not_writable,
    errno.EROFS: not_writable,
    errno.EIO: disk_error,
}

UNIQUE = {sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, "23505"}
PARENT = {sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, "23503"}


@contextmanager
def our_failures(
    *,
    named: RecordName | None = None,
    parent: RecordName | None = None,
    driver: tuple[type[Exception], ...] = (),
) -> Generator[None]:
    """Raise foreign errors from the block as ours.

    `named` is what is being written and `parent` what it belongs to. `driver` are the errors of a
    driver that is used directly; those without a code mean that the connection is gone.
    """
    try:
        yield
    except (*FOREIGN, *driver) as error:
        failure = translated(error, named=named, parent=parent)
        # asyncpg's own errors carry no SQLSTATE: the server never got to say anything.
        if failure is None and isinstance(error, driver) and _code(error) is None:
            failure = lost()
        if failure is None:
            raise
        raise failure from error


def translated(
    error: Exception, *, named: RecordName | None = None, parent: RecordName | None = None
) -> StorageFailure | None:
    """Our failure for a foreign error, or None when it is a bug."""
    if isinstance(error, exc.StatementError) and error.orig is not None:
        # Raised by our own column types while SQLAlchemy bound the values.
        if isinstance(error.orig, StorageFailure):
            return error.orig
        if isinstance(error, exc.DBAPIError) and error.connection_invalidated:
            return lost()
        return _by_code(error.orig, named, parent)
    if isinstance(error, exc.TimeoutError):
        return slow()
    return _by_code(error, named, parent)


def _by_code(
    error: BaseException, named: RecordName | None, parent: RecordName | None
) -> StorageFailure | None:
    code = _code(error)
    if code in UNIQUE and named is not None:
        return RecordExists(*named)
    if code in PARENT and parent is not None:
        return RecordNotFound(*parent)
    match code:
        case int() if isinstance(error, sqlite3.Error):
            # Extended codes keep the primary one in their low byte.
            make = SQLITE.get(code & 0xFF)
        case str():
            make = POSTGRES.get(code, POSTGRES.get(code[:2]))
        case _ if isinstance(error, OSError):
            make = SYSTEM.get(error.errno or 0, not_reached)
        case _:
            make = None
    return make() if make else None


def _code(error: BaseException) -> int | str | None:
    """SQLite's extended result code, or PostgreSQL's SQLSTATE."""
    if isinstance(error, sqlite3.Error):
        # Errors that Python's module makes up itself carry no code.
        return getattr(error, "sqlite_errorcode", None)
    state: object = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else None
