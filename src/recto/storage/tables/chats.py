"""The tables of chats: their entries, their events, and the index of their words."""

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Table,
    UniqueConstraint,
    event,
    false,
    text,
)

from recto.storage.tables.columns import Counter, PlainText, metadata

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
