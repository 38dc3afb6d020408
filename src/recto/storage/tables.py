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

from recto.storage.columns import Counter, Plain, metadata
from recto.storage.library import chat_groups, contexts, skills, token_counts

__all__ = [
    "SEARCH_INDEXES",
    "blobs",
    "changes",
    "chat_events",
    "chat_groups",
    "chat_search",
    "chats",
    "contexts",
    "document_updates",
    "edits",
    "entries",
    "ledger",
    "metadata",
    "notes",
    "projects",
    "proposals",
    "reservation_scopes",
    "reservations",
    "runs",
    "skills",
    "suggestions",
    "token_counts",
    "worker_numbers",
]

projects = Table(
    "projects",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("name", Plain, nullable=False),
    Column("path", Plain, nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("last_accessed_ms", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("ix_projects_recent", "last_accessed_ms", "id"),
)

chats = Table(
    "chats",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("project_id", Plain, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("title", Plain, nullable=False),
    Column("group_id", Plain),
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
    Column("chat_id", Plain, ForeignKey("chats.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Plain, nullable=False, unique=True),
    Column("kind", Plain, nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("chat_id", Plain, ForeignKey("chats.id", ondelete="CASCADE"), nullable=False),
    Column("state", Plain, nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("worker", BigInteger),
    Index("ix_runs_chat_id", "chat_id", "id"),
    Index("ix_runs_state", "state"),
)

# The processes that have runs; where there is only one, it counts for itself.
worker_numbers = Sequence("worker_numbers", metadata=metadata)

# One log for each chat: what its watchers follow, and the record of its runs.
chat_events = Table(
    "chat_events",
    metadata,
    Column("chat_id", Plain, ForeignKey("chats.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", Plain),
    Column("kind", Plain, nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("ix_chat_events_run_id", "run_id", "seq"),
)

reservations = Table(
    "reservations",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("amount_micros", BigInteger, nullable=False),
    Column("state", Plain, nullable=False),
    Column("request", JSON, nullable=False),
    Index("ix_reservations_state", "state"),
)

# The limits that a reservation counts against, such as a month and a project in that month.
reservation_scopes = Table(
    "reservation_scopes",
    metadata,
    Column("scope", Plain, primary_key=True),
    Column("reservation_id", Plain, ForeignKey("reservations.id"), primary_key=True),
)

# Names chats and projects without a foreign key: what was paid outlives what it was paid for.
ledger = Table(
    "ledger",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("reservation_id", Plain, ForeignKey("reservations.id"), unique=True),
    Column("feature", Plain, nullable=False),
    Column("chat_id", Plain),
    Column("project_id", Plain),
    Column("provider", Plain, nullable=False),
    Column("model", Plain, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("reasoning_tokens", BigInteger, nullable=False),
    Column("cost_micros", BigInteger),
    Column("outcome", Plain, nullable=False),
    Column("body", JSON, nullable=False),
    Index("ix_ledger_created_ms", "created_ms", "id"),
    Index("ix_ledger_chat_id", "chat_id"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("hash", Plain, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

document_updates = Table(
    "document_updates",
    metadata,
    Column("document_id", Plain, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("origin", JSON, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

# What runs did to files: one row for each call and path, there before the effect is.
edits = Table(
    "edits",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("project_id", Plain, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("path", Plain, nullable=False),
    Column("from_path", Plain),
    Column("kind", Plain, nullable=False),
    Column("status", Plain, nullable=False),
    Column("before", JSON, nullable=False),
    Column("after", JSON, nullable=False),
    Column("chat_id", Plain, nullable=False),
    Column("run_id", Plain, nullable=False),
    Column("call_id", Plain, nullable=False),
    Column("tool", Plain, nullable=False),
    Column("model", Plain, nullable=False),
    Column("model_name", Plain, nullable=False),
    Column("prompt_hash", Plain, nullable=False),
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
    Column("id", Plain, primary_key=True),
    Column("project_id", Plain, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("path", Plain, nullable=False),
    Column("text", Plain, nullable=False),
    Column("before", Plain, nullable=False),
    Column("after", Plain, nullable=False),
    Column("anchor", JSON(none_as_null=True)),
    Column("answer", JSON(none_as_null=True)),
    Column("body", Plain, nullable=False),
    Column("author", Plain, nullable=False),
    Column("run_id", Plain),
    Column("chat_id", Plain),
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
    Column("id", Plain, primary_key=True),
    Column("project_id", Plain, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("chat_id", Plain, nullable=False),
    Column("run_id", Plain, nullable=False),
    Column("call_id", Plain, nullable=False),
    Column("note_id", Plain),
    Column("question", Plain, nullable=False),
    Column("options", JSON, nullable=False),
    Column("status", Plain, nullable=False),
    Column("chosen", BigInteger),
    Column("edit_id", Plain),
    Column("model", Plain, nullable=False),
    Column("model_name", Plain, nullable=False),
    Column("request_id", Plain, nullable=False),
    Column("prompt_hash", Plain, nullable=False),
    Column("confidence", Double),
    Column("source", Plain, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("decided_ms", BigInteger),
    UniqueConstraint("run_id", "call_id"),
    Index("ix_proposals_chat_id", "chat_id"),
)

# Ghost texts and what became of them, without their words: how sure they were, and who wrote them.
suggestions = Table(
    "suggestions",
    metadata,
    Column("id", Plain, primary_key=True),
    Column("project_id", Plain, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("path", Plain, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("model", Plain, nullable=False),
    Column("model_name", Plain, nullable=False),
    Column("request_id", Plain, nullable=False),
    Column("prompt_hash", Plain, nullable=False),
    Column("template", Plain, nullable=False),
    Column("temperature", Double),
    Column("items", JSON, nullable=False),
    Column("outcome", Plain, nullable=False),
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
    Column("chat_id", Plain, ForeignKey("chats.id", ondelete="CASCADE"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("piece", BigInteger, nullable=False),
    Column("entry_id", Plain),
    Column("text", Plain, nullable=False),
    Column("words", Plain, nullable=False),
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
    Column("kind", Plain, nullable=False),
    Column("resource_id", Plain, nullable=False),
    Column("project_id", Plain),
    Column("action", Plain, nullable=False),
    Column("version", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
