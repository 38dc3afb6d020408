"""The tables of live documents, and of what was changed, noted and offered in them."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    UniqueConstraint,
)

from recto.storage.tables.columns import PlainText, metadata

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
