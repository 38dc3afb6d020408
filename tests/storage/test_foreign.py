import errno
import sqlite3

import pytest
from sqlalchemy import exc

from recto.storage import (
    CannotOpen,
    DatabaseDamaged,
    DatabaseFull,
    RecordExists,
    RecordNotFound,
    ServerGone,
    StorageFailure,
    Unavailable,
)
from recto.storage.driver_errors import RecordName, our_failures, translated


class ServerError(Exception):
    """As a PostgreSQL driver raises it."""

    def __init__(self, sqlstate: str | None) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError(code)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), Unavailable, "locked"),
        (sqlite_error(sqlite3.SQLITE_CORRUPT_INDEX), DatabaseDamaged, "damaged"),
        (sqlite_error(sqlite3.SQLITE_FULL), DatabaseFull, "no space"),
        (sqlite_error(sqlite3.SQLITE_IOERR_FSYNC), Unavailable, "disk reported an error"),
        (sqlite_error(sqlite3.SQLITE_READONLY_DBMOVED), CannotOpen, "can't be written"),
        (ServerError("53100"), DatabaseFull, "no space"),
        (ServerError("53300"), Unavailable, "at its limits"),
        (ServerError("55P03"), Unavailable, "locked"),
        (ServerError("57P01"), ServerGone, "lost"),
        (ServerError("57014"), Unavailable, "in time"),
        (ServerError("08006"), ServerGone, "lost"),
        (ServerError("42501"), CannotOpen, "may not"),
        (ServerError("XX001"), DatabaseDamaged, "damaged"),
        (OSError(errno.ENOSPC, "full"), DatabaseFull, "no space"),
        (OSError(errno.EROFS, "read-only"), CannotOpen, "can't be written"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "no"), CannotOpen, "can't be reached"),
        (TimeoutError(), CannotOpen, "can't be reached"),
    ],
)
def test_a_foreign_error_becomes_a_failure_that_says_what_to_do(
    error: Exception, kind: type[StorageFailure], says: str
) -> None:
    for seen in (error, exc.DBAPIError("SELECT", {}, error)):
        failure = translated(seen)
        assert failure is not None
        assert type(failure) is kind
        assert says in failure.message
        assert failure.remedy


@pytest.mark.parametrize("error", [sqlite_error(sqlite3.SQLITE_ERROR), ServerError("42601")])
def test_a_bug_stays_what_it_is(error: Exception) -> None:
    with pytest.raises(type(error)), our_failures(driver=(ServerError,)):
        raise error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (sqlite_error(sqlite3.SQLITE_CONSTRAINT_UNIQUE), RecordExists("chat", "c1")),
        (sqlite_error(sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY), RecordNotFound("project", "p1")),
        (ServerError("23505"), RecordExists("chat", "c1")),
        (ServerError("23503"), RecordNotFound("project", "p1")),
    ],
)
def test_a_clash_names_the_record(error: Exception, expected: StorageFailure) -> None:
    failure = translated(error, named=RecordName("chat", "c1"), parent=RecordName("project", "p1"))

    assert str(failure) == str(expected)
    assert type(failure) is type(expected)


def test_a_connection_that_vanished_is_lost() -> None:
    gone = exc.DBAPIError("SELECT", {}, ServerError(None), connection_invalidated=True)
    assert str(translated(gone)).startswith("The connection to the database was lost.")

    with pytest.raises(Unavailable, match="lost"), our_failures(driver=(ServerError,)):
        raise ServerError(None)


def test_a_pool_without_a_free_connection_is_slow() -> None:
    assert str(translated(exc.TimeoutError())).startswith("The database did not answer in time.")
