"""Durable records in SQLite or PostgreSQL: projects, chats, run events, ledger, blobs, document updates.

`Storage.open` gives the stores; changes are made inside `async with storage.write() as write`.
"""  # noqa: E501 - the first line is shown as one row of a table

from recto.storage.endings import to_the_end
from recto.storage.failures import (
    AlreadyExists,
    AlreadySettled,
    BadCursor,
    CannotOpen,
    Damaged,
    NewerSchema,
    NoSpace,
    NotFound,
    NotStorable,
    StaleVersion,
    StorageFailure,
    StoreInUse,
    Unavailable,
)
from recto.storage.records import (
    Action,
    Change,
    Chat,
    DocumentUpdate,
    Entry,
    JsonObject,
    LedgerRow,
    Page,
    Project,
    Reservation,
    Run,
    RunEvent,
    Spend,
    Spent,
    Standing,
)
from recto.storage.store import Storage
from recto.storage.stores.blobs import Blobs
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.chats import ChatStore
from recto.storage.stores.documents import DocumentLog
from recto.storage.stores.ledger import Ledger
from recto.storage.stores.projects import ProjectStore
from recto.storage.stores.runs import RunStore
from recto.storage.transactions import Write

__all__ = [
    "Action",
    "AlreadyExists",
    "AlreadySettled",
    "BadCursor",
    "Blobs",
    "CannotOpen",
    "Change",
    "ChangeLog",
    "Chat",
    "ChatStore",
    "Damaged",
    "DocumentLog",
    "DocumentUpdate",
    "Entry",
    "JsonObject",
    "Ledger",
    "LedgerRow",
    "NewerSchema",
    "NoSpace",
    "NotFound",
    "NotStorable",
    "Page",
    "Project",
    "ProjectStore",
    "Reservation",
    "Run",
    "RunEvent",
    "RunStore",
    "Spend",
    "Spent",
    "StaleVersion",
    "Standing",
    "Storage",
    "StorageFailure",
    "StoreInUse",
    "Unavailable",
    "Write",
    "to_the_end",
]
