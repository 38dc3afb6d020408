"""Durable records in SQLite or PostgreSQL: projects, chats, their events, ledger, blobs, document updates.

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
    ChatEvent,
    DocumentUpdate,
    Edit,
    EditKind,
    EditStatus,
    Entry,
    Hit,
    JsonObject,
    LedgerRow,
    Note,
    NoteAuthor,
    Page,
    Project,
    Proposal,
    ProposalStatus,
    Reservation,
    Run,
    RunEnd,
    RunState,
    Spend,
    Spent,
    Standing,
    Suggestion,
    SuggestionOutcome,
    Used,
)
from recto.storage.store import Storage
from recto.storage.stores.blobs import Blobs
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.chat_events import EventLog, NewEvent
from recto.storage.stores.chats import ChatStore
from recto.storage.stores.documents import DocumentLog
from recto.storage.stores.edits import EditStore
from recto.storage.stores.ledger import Ledger
from recto.storage.stores.notes import NoteStore
from recto.storage.stores.projects import ProjectStore
from recto.storage.stores.proposals import ProposalStore
from recto.storage.stores.runs import RunStore
from recto.storage.stores.search import ChatSearch
from recto.storage.stores.suggestions import SuggestionStore
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
    "ChatEvent",
    "ChatSearch",
    "ChatStore",
    "Damaged",
    "DocumentLog",
    "DocumentUpdate",
    "Edit",
    "EditKind",
    "EditStatus",
    "EditStore",
    "Entry",
    "EventLog",
    "Hit",
    "JsonObject",
    "Ledger",
    "LedgerRow",
    "NewEvent",
    "NewerSchema",
    "NoSpace",
    "NotFound",
    "NotStorable",
    "Note",
    "NoteAuthor",
    "NoteStore",
    "Page",
    "Project",
    "ProjectStore",
    "Proposal",
    "ProposalStatus",
    "ProposalStore",
    "Reservation",
    "Run",
    "RunEnd",
    "RunState",
    "RunStore",
    "Spend",
    "Spent",
    "StaleVersion",
    "Standing",
    "Storage",
    "StorageFailure",
    "StoreInUse",
    "Suggestion",
    "SuggestionOutcome",
    "SuggestionStore",
    "Unavailable",
    "Used",
    "Write",
    "to_the_end",
]
