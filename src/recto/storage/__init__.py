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
    ChatGroup,
    Context,
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
    Skill,
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
from recto.storage.stores.chats import KEPT, ChatStore, Kept
from recto.storage.stores.contexts import ContextStore
from recto.storage.stores.documents import DocumentLog
from recto.storage.stores.edits import EditStore
from recto.storage.stores.groups import GroupStore
from recto.storage.stores.ledger import Ledger
from recto.storage.stores.notes import NoteStore
from recto.storage.stores.projects import ProjectStore
from recto.storage.stores.proposals import ProposalStore
from recto.storage.stores.runs import RunStore
from recto.storage.stores.search import ChatSearch
from recto.storage.stores.skills import SkillStore
from recto.storage.stores.suggestions import SuggestionStore
from recto.storage.stores.token_counts import TokenCountStore
from recto.storage.transactions import Write

__all__ = [
    "KEPT",
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
    "ChatGroup",
    "ChatSearch",
    "ChatStore",
    "Context",
    "ContextStore",
    "Damaged",
    "DocumentLog",
    "DocumentUpdate",
    "Edit",
    "EditKind",
    "EditStatus",
    "EditStore",
    "Entry",
    "EventLog",
    "GroupStore",
    "Hit",
    "JsonObject",
    "Kept",
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
    "Skill",
    "SkillStore",
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
    "TokenCountStore",
    "Unavailable",
    "Used",
    "Write",
    "to_the_end",
]
