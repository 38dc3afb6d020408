"""What can go wrong with stored records, each with a message and what to do about it.

StorageFailure
├── CannotOpen ── NewerSchema
├── StoreInUse, DatabaseFull, DatabaseDamaged      the store as a whole
├── Unavailable ── ServerGone                      not now
├── RecordNotFound, RecordExists, StaleVersion     one record
├── AlreadySettled                                 one reservation
├── RunTaken                                       one run
└── BadCursor, NotStorable                         what the caller gave us
"""


class StorageFailure(Exception):
    """An expected failure: what is wrong, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


class CannotOpen(StorageFailure):
    """The store could not be opened, and nothing was changed."""


class NewerSchema(CannotOpen):
    """The records were written by a later Recto."""

    def __init__(self, found: str, known: str) -> None:
        super().__init__(
            f"These records were written by a newer Recto (schema {found}; "
            f"this one knows up to {known}).",
            "Update Recto, or open the copy that the newer one made before it changed the schema.",
        )
        self.found = found
        self.known = known


class StoreInUse(StorageFailure):
    """Another process has this SQLite store open."""

    def __init__(self, pid: int | None) -> None:
        owner = "Another process" if pid is None else f"Another Recto (process {pid})"
        super().__init__(
            f"{owner} is using these records.", "Use that one, or end it and start again."
        )
        self.pid = pid


class Unavailable(StorageFailure):
    """The database did not answer in time, or the connection was lost. The write did not happen."""


class ServerGone(Unavailable):
    """The database server is not there, or went away.

    The write did not happen, unless Recto had to end before it could ask what became of a commit.
    """

    def __init__(self) -> None:
        super().__init__(
            "The connection to the database was lost.", "Check that it is running and try again."
        )


class DatabaseFull(StorageFailure):
    """The disk is full. The write did not happen."""

    def __init__(self) -> None:
        super().__init__(
            "There is no space left to store this.", "Free some disk space and try again."
        )


class DatabaseDamaged(StorageFailure):
    """Stored bytes are not what was written."""


class RecordNotFound(StorageFailure):
    """No such record."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"There is no {kind} {key}.", "It may have been deleted. Reload the list.")
        self.kind = kind
        self.key = key


class RecordExists(StorageFailure):
    """A record with this id or unique value is there already."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"The {kind} {key} exists already.", "Use it, or choose another name.")
        self.kind = kind
        self.key = key


class StaleVersion(StorageFailure):
    """The record was changed since the caller read it."""

    def __init__(self, kind: str, key: str, *, expected: int, actual: int) -> None:
        super().__init__(
            f"The {kind} {key} was changed meanwhile (version {actual}, expected {expected}).",
            "Reload it and make the change again.",
        )
        self.kind = kind
        self.key = key
        self.expected = expected
        self.actual = actual


class RunTaken(StorageFailure):
    """A run is no longer this process's: another one took it for abandoned, and ended it."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"Another Recto brought the run {run_id} to an end.",
            "Continue it: what there was is kept.",
        )
        self.run_id = run_id


class AlreadySettled(StorageFailure):
    """The reservation is no longer held, so it can be neither settled nor released."""

    def __init__(self, reservation_id: str, state: str) -> None:
        super().__init__(
            f"The reservation {reservation_id} is already {state}.",
            "Each reservation is settled or released once.",
        )
        self.reservation_id = reservation_id
        self.state = state


class BadCursor(StorageFailure):
    """A page was asked for with a cursor that we never gave."""

    def __init__(self) -> None:
        super().__init__("This is not a cursor of this list.", "Start again from the first page.")


class NotStorable(StorageFailure):
    """A text contains characters that a database can't keep."""

    def __init__(self) -> None:
        super().__init__(
            "This text contains a NUL or an unpaired surrogate.", "Remove that character."
        )
