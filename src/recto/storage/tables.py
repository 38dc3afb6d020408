"""The tables as they are now. How older stores get there is in `migrations`.

Times are milliseconds, money micro-dollars. JSON is the engines' text JSON, not JSONB: it keeps the
order of keys, so that what was recorded is what is sent again.
"""

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    Sequence,
    Table,
    UniqueConstraint,
    event,
    false,
    text,
)

from recto.storage.account_tables import (
    accounts,
    api_keys,
    invitations,
    open_streams,
    provider_sign_ins,
    request_rates,
    session_tokens,
    sign_ins,
)
from recto.storage.blob_tables import blob_uses, blobs, erasures, keeping_marks
from recto.storage.columns import Counter, PlainText, metadata
from recto.storage.lease_tables import leases
from recto.storage.library_tables import (
    chat_groups,
    citation_marks,
    contexts,
    record_checks,
    skills,
    token_counts,
    word_documents,
)
from recto.storage.money_tables import ledger, reservation_scopes, reservations, scope_totals
from recto.storage.thought_tables import kept_thoughts

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
    "kept_thoughts",
    "leases",
    "ledger",
    "metadata",
    "notes",
    "open_streams",
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

projects = Table(
    "projects",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("name", PlainText, nullable=False),
    Column("path", PlainText, nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("last_accessed_ms", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("ix_projects_recent", "last_accessed_ms", "id"),
)

chats = Table(
    "chats",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("title", PlainText, nullable=False),
    Column("group_id", PlainText),
    Column("meta", JSON, nullable=False),
    Column("is_global", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("last_active_ms", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("deleted_ms", BigInteger),
    Column("is_thread", Boolean, nullable=False, server_default=false()),
    Index("ix_chats_recent", "project_id", "last_active_ms", "id"),
    Index("ix_chats_group_id", "group_id"),
    Index(
        "ix_chats_global",
        "last_active_ms",
        "id",
        sqlite_where=text("is_global"),
        postgresql_where=text("is_global"),
    ),
)

entries = Table(
    "entries",
    metadata,
    Column("chat_id", PlainText, ForeignKey("chats.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("id", PlainText, nullable=False, unique=True),
    Column("kind", PlainText, nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("chat_id", PlainText, ForeignKey("chats.id", ondelete="CASCADE"), nullable=False),
    Column("state", PlainText, nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("worker", BigInteger),
    Index("ix_runs_chat_id", "chat_id", "id"),
    Index("ix_runs_state", "state"),
    Index("ix_runs_ended_ms", "ended_ms", "id"),
)

# The processes that have runs; where there is only one, it counts for itself.
worker_numbers = Sequence("worker_numbers", metadata=metadata)

# Since which start of the server each of them has held its lock. A restart frees every lock, and
# says nothing about who lives: a process that is not back yet is known by this.
workers = Table(
    "workers",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("server_start", PlainText, nullable=False),
)

# The last transaction of each process, written with it. A server can go away in the middle of a
# commit; then this says whether it happened. (A crash gives the server's own ids out anew.)
commit_marks = Table(
    "commit_marks",
    metadata,
    Column("process", PlainText, primary_key=True),
    Column("mark", BigInteger, nullable=False),
)

# One log for each chat: what its watchers follow, and the record of its runs.
chat_events = Table(
    "chat_events",
    metadata,
    Column("chat_id", PlainText, ForeignKey("chats.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", PlainText),
    Column("kind", PlainText, nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("ix_chat_events_run_id", "run_id", "seq"),
)


document_updates = Table(
    "document_updates",
    metadata,
    Column("document_id", PlainText, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("origin", JSON, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

# What runs did to files: one row for each call and path, there before the effect is.
edits = Table(
    "edits",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("path", PlainText, nullable=False),
    Column("from_path", PlainText),
    Column("kind", PlainText, nullable=False),
    Column("status", PlainText, nullable=False),
    Column("before", JSON, nullable=False),
    Column("after", JSON, nullable=False),
    Column("chat_id", PlainText, nullable=False),
    Column("run_id", PlainText, nullable=False),
    Column("call_id", PlainText, nullable=False),
    Column("tool", PlainText, nullable=False),
    Column("model", PlainText, nullable=False),
    Column("model_name", PlainText, nullable=False),
    Column("prompt_hash", PlainText, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("characters", BigInteger, nullable=False),
    Column("added", BigInteger, nullable=False),
    Column("removed", BigInteger, nullable=False),
    Column("hunks", BigInteger, nullable=False),
    Index("ix_edits_path", "project_id", "path", "id"),
    Index("ix_edits_status", "status", "project_id"),
    Index("ix_edits_run_id", "run_id"),
)

# What was said beside a text or an answer; the place in a live document is its anchor.
notes = Table(
    "notes",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("path", PlainText, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("before", PlainText, nullable=False),
    Column("after", PlainText, nullable=False),
    Column("anchor", JSON(none_as_null=True)),
    Column("answer", JSON(none_as_null=True)),
    Column("body", PlainText, nullable=False),
    Column("author", PlainText, nullable=False),
    Column("run_id", PlainText),
    Column("chat_id", PlainText),
    Column("sent", JSON(none_as_null=True)),
    Column("resolved_ms", BigInteger),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("ix_notes_path", "project_id", "path"),
    Index("ix_notes_chat_id", "chat_id"),
)

# What models offered to change. A call is taken up once, however often its run begins again.
proposals = Table(
    "proposals",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("chat_id", PlainText, nullable=False),
    Column("run_id", PlainText, nullable=False),
    Column("call_id", PlainText, nullable=False),
    Column("note_id", PlainText),
    Column("question", PlainText, nullable=False),
    Column("options", JSON, nullable=False),
    Column("status", PlainText, nullable=False),
    Column("chosen", BigInteger),
    Column("edit_id", PlainText),
    Column("model", PlainText, nullable=False),
    Column("model_name", PlainText, nullable=False),
    Column("request_id", PlainText, nullable=False),
    Column("prompt_hash", PlainText, nullable=False),
    Column("confidence", Double),
    Column("source", PlainText, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("decided_ms", BigInteger),
    UniqueConstraint("run_id", "call_id"),
    Index("ix_proposals_chat_id", "chat_id"),
)

# Ghost texts and what became of them, without their words: how sure they were, and who wrote them.
suggestions = Table(
    "suggestions",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("path", PlainText, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("model", PlainText, nullable=False),
    Column("model_name", PlainText, nullable=False),
    Column("request_id", PlainText, nullable=False),
    Column("prompt_hash", PlainText, nullable=False),
    Column("template", PlainText, nullable=False),
    Column("temperature", Double),
    Column("items", JSON, nullable=False),
    Column("outcome", PlainText, nullable=False),
    Column("chosen", BigInteger),
    Column("characters", BigInteger, nullable=False),
    Column("decided_ms", BigInteger),
    Index("ix_suggestions_at_ms", "at_ms"),
)

# The texts of the chats, to be searched; `words` is what the engine's own index reads. A row with
# the number 0 is a chat's title.
chat_search = Table(
    "chat_search",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    Column("chat_id", PlainText, ForeignKey("chats.id", ondelete="CASCADE"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("piece", BigInteger, nullable=False),
    Column("entry_id", PlainText),
    Column("text", PlainText, nullable=False),
    Column("words", PlainText, nullable=False),
    UniqueConstraint("chat_id", "seq", "piece", name="uq_chat_search_chat_id"),
    sqlite_autoincrement=True,
)
SEARCH_INDEXES = {
    "sqlite": (
        "CREATE VIRTUAL TABLE chat_words USING fts5("
        "words, content='chat_search', content_rowid='id', tokenize='ascii')",
        "CREATE TRIGGER chat_search_added AFTER INSERT ON chat_search BEGIN "
        "INSERT INTO chat_words (rowid, words) VALUES (new.id, new.words); END",
        "CREATE TRIGGER chat_search_removed AFTER DELETE ON chat_search BEGIN INSERT INTO "
        "chat_words (chat_words, rowid, words) VALUES ('delete', old.id, old.words); END",
    ),
    "postgresql": (
        "CREATE INDEX ix_chat_search_words ON chat_search USING gin (CAST(words AS tsvector))",
    ),
}
for dialect, statements in SEARCH_INDEXES.items():
    for statement in statements:
        event.listen(chat_search, "after_create", DDL(statement).execute_if(dialect=dialect))

changes = Table(
    "changes",
    metadata,
    Column("seq", Counter, primary_key=True, autoincrement=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("resource_id", PlainText, nullable=False),
    Column("project_id", PlainText),
    Column("action", PlainText, nullable=False),
    Column("version", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
