"""The tables as they are now. How older stores get there is in `migrations`.

Times are milliseconds, money micro-dollars. JSON is the engines' text JSON, not JSONB: it keeps the
order of keys, so that what was recorded is what is sent again.
"""

from recto.storage.tables.accounts import (
    accounts,
    api_keys,
    invitations,
    kept_calls,
    open_streams,
    provider_sign_ins,
    request_rates,
    session_tokens,
    sign_ins,
)
from recto.storage.tables.blobs import blob_uses, blobs, erasures, keeping_marks
from recto.storage.tables.chats import SEARCH_INDEXES, chat_events, chat_search, chats, entries
from recto.storage.tables.columns import metadata
from recto.storage.tables.documents import document_updates, edits, notes, proposals, suggestions
from recto.storage.tables.leases import leases
from recto.storage.tables.library import (
    chat_groups,
    citation_marks,
    contexts,
    own_saves,
    record_checks,
    skills,
    token_counts,
    word_documents,
)
from recto.storage.tables.money import ledger, reservation_scopes, reservations, scope_totals
from recto.storage.tables.projects import changes, projects
from recto.storage.tables.runs import commit_marks, runs, worker_numbers, workers
from recto.storage.tables.thoughts import kept_thoughts

__all__ = [
    "SEARCH_INDEXES",
    "accounts",
    "api_keys",
    "blob_uses",
    "blobs",
    "changes",
    "chat_events",
    "chat_groups",
    "chat_search",
    "chats",
    "citation_marks",
    "commit_marks",
    "contexts",
    "document_updates",
    "edits",
    "entries",
    "erasures",
    "invitations",
    "keeping_marks",
    "kept_calls",
    "kept_thoughts",
    "leases",
    "ledger",
    "metadata",
    "notes",
    "open_streams",
    "own_saves",
    "projects",
    "proposals",
    "provider_sign_ins",
    "record_checks",
    "request_rates",
    "reservation_scopes",
    "reservations",
    "runs",
    "scope_totals",
    "session_tokens",
    "sign_ins",
    "skills",
    "suggestions",
    "token_counts",
    "word_documents",
    "worker_numbers",
    "workers",
]
