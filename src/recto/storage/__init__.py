"""Durable records in SQLite or PostgreSQL: projects, chats, their events, ledger, blobs, document updates.

`Storage.open` gives the stores; changes are made inside `async with storage.write() as write`.
"""  # noqa: E501 - the first line is shown as one row of a table

from recto.storage.account_records import (
    AccountRecord,
    AccountRole,
    ApiKeyRecord,
    CallLimits,
    KeptCall,
    ProviderSignIn,
    RateLimit,
    RateRefusal,
    RateSlice,
)
from recto.storage.failures import (
    AlreadySettled,
    BadCursor,
    CannotOpen,
    DatabaseDamaged,
    DatabaseFull,
    NewerSchema,
    NotStorable,
    RecordExists,
    RecordNotFound,
    RunTaken,
    ServerGone,
    StaleVersion,
    StorageFailure,
    StoreInUse,
    Unavailable,
)
from recto.storage.figure_records import (
    DayRun,
    DeploymentCount,
    DeploymentLatency,
    FailureCount,
    FigureRange,
    FirstTokens,
    ModelDay,
    RequestCount,
)
from recto.storage.grouped_writes import GroupedRequests, GroupedWrites
from recto.storage.packing import PackBase, PackedBytes
from recto.storage.records import (
    Action,
    ChangeRecord,
    Chat,
    ChatEvent,
    ChatGroup,
    ChatUsage,
    Context,
    DocumentUpdate,
    Edit,
    EditKind,
    EditStatus,
    EntryRecord,
    JsonObject,
    LedgerRow,
    ModelUsage,
    Note,
    NoteAuthor,
    Page,
    ProjectRecord,
    Proposal,
    ProposalStatus,
    RequestUsage,
    Reservation,
    Run,
    RunEnd,
    RunState,
    ScopeSpending,
    SearchHit,
    SkillRecord,
    Suggestion,
    SuggestionOutcome,
)
from recto.storage.save_records import OwnSave
from recto.storage.shielded import finish_shielded
from recto.storage.store import Storage
from recto.storage.stores.blobs import Blobs, pack_beside, record_of, replacement_of, save_of
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.chats.chat_events import EventLog, NewEvent
from recto.storage.stores.chats.chats import UNCHANGED, ChatStore, Unchanged
from recto.storage.stores.chats.groups import GroupStore
from recto.storage.stores.chats.runs import RunStore
from recto.storage.stores.chats.search import ChatSearch
from recto.storage.stores.citations import CitationMark, CitationStore, RecordCheck
from recto.storage.stores.contexts import ContextStore
from recto.storage.stores.documents.documents import DocumentLog
from recto.storage.stores.documents.edits import EditStore
from recto.storage.stores.documents.notes import NoteStore
from recto.storage.stores.documents.own_saves import OwnSaveStore
from recto.storage.stores.documents.proposals import ProposalStore
from recto.storage.stores.documents.suggestions import SuggestionStore
from recto.storage.stores.documents.word_documents import WordDocumentStore
from recto.storage.stores.gateway.accounts import AccountChanges, AccountStore
from recto.storage.stores.gateway.api_keys import ApiKeyStore
from recto.storage.stores.gateway.deployments import DeploymentRecord, DeploymentStore
from recto.storage.stores.gateway.kept_calls import KeptCallStore
from recto.storage.stores.gateway.kept_thoughts import KeptThoughtStore
from recto.storage.stores.gateway.open_streams import OpenStreams, StreamCap
from recto.storage.stores.gateway.request_rates import RequestRates
from recto.storage.stores.gateway.sign_ins import SignInStore, TokenOwner
from recto.storage.stores.keeping import KeepingStore
from recto.storage.stores.money.leases import BegunRequest, EndedRequest, LeaseStore, OwnLeases
from recto.storage.stores.money.ledger import Ledger
from recto.storage.stores.money.request_figures import RequestFigures
from recto.storage.stores.money.usage_sums import UsageSums
from recto.storage.stores.projects import ProjectStore
from recto.storage.stores.skills import SkillStore
from recto.storage.stores.token_counts import TokenCountStore
from recto.storage.transactions import WriteTransaction
from recto.storage.usage_records import (
    CachedTokens,
    NewReservation,
    StretchUsage,
    UsageCounts,
    UsageFigures,
)
from recto.storage.write_names import chat_name, document_name, money_name

__all__ = [
    "GroupedRequests",
    "GroupedWrites",
    "chat_name",
    "document_name",
    "money_name",
    "UNCHANGED",
    "AccountChanges",
    "AccountRecord",
    "AccountRole",
    "AccountStore",
    "Action",
    "ApiKeyRecord",
    "ApiKeyStore",
    "CallLimits",
    "OpenStreams",
    "OwnLeases",
    "ProviderSignIn",
    "RateLimit",
    "RateRefusal",
    "RateSlice",
    "RequestRates",
    "RequestFigures",
    "DayRun",
    "DeploymentCount",
    "DeploymentLatency",
    "FailureCount",
    "FigureRange",
    "FirstTokens",
    "ModelDay",
    "RequestCount",
    "SignInStore",
    "StreamCap",
    "TokenOwner",
    "WordDocumentStore",
    "RecordExists",
    "AlreadySettled",
    "BadCursor",
    "BegunRequest",
    "Blobs",
    "CannotOpen",
    "ChangeRecord",
    "ChangeLog",
    "Chat",
    "ChatEvent",
    "ChatGroup",
    "ChatSearch",
    "ChatStore",
    "CitationMark",
    "CitationStore",
    "Context",
    "ContextStore",
    "DatabaseDamaged",
    "DeploymentRecord",
    "DeploymentStore",
    "DocumentLog",
    "DocumentUpdate",
    "Edit",
    "EditKind",
    "EditStatus",
    "EditStore",
    "EndedRequest",
    "EntryRecord",
    "EventLog",
    "GroupStore",
    "SearchHit",
    "JsonObject",
    "Unchanged",
    "KeptCall",
    "KeptCallStore",
    "KeptThoughtStore",
    "LeaseStore",
    "Ledger",
    "LedgerRow",
    "ModelUsage",
    "NewEvent",
    "NewReservation",
    "NewerSchema",
    "DatabaseFull",
    "RecordCheck",
    "RecordNotFound",
    "NotStorable",
    "Note",
    "NoteAuthor",
    "NoteStore",
    "PackBase",
    "PackedBytes",
    "OwnSave",
    "OwnSaveStore",
    "Page",
    "ProjectRecord",
    "ProjectStore",
    "Proposal",
    "ProposalStatus",
    "ProposalStore",
    "Reservation",
    "Run",
    "RunEnd",
    "RunState",
    "RunStore",
    "RunTaken",
    "ServerGone",
    "SkillRecord",
    "SkillStore",
    "RequestUsage",
    "StaleVersion",
    "ScopeSpending",
    "Storage",
    "StorageFailure",
    "StoreInUse",
    "Suggestion",
    "SuggestionOutcome",
    "SuggestionStore",
    "TokenCountStore",
    "Unavailable",
    "CachedTokens",
    "ChatUsage",
    "StretchUsage",
    "UsageCounts",
    "UsageFigures",
    "UsageSums",
    "WriteTransaction",
    "finish_shielded",
    "pack_beside",
    "record_of",
    "replacement_of",
    "save_of",
    "KeepingStore",
]
