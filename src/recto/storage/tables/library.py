"""The tables of what people keep at hand: contexts, skills, the groups of their chats; and tokens.

What a row names in its lists may be gone: that is for whoever reads it to find out.
"""

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, LargeBinary, Table

from recto.storage.tables.columns import PlainText, metadata


def of_project() -> Column[str]:
    """A column that has the rows go with their project."""
    return Column(
        "project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False
    )


# Named groups of files.
contexts = Table(
    "contexts",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_project(),
    Column("name", PlainText, nullable=False),
    Column("files", JSON, nullable=False),
    Column("color", PlainText, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("last_used_ms", BigInteger),
    Column("version", BigInteger, nullable=False),
    Index("ix_contexts_newest", "project_id", "created_ms", "id"),
)

# The skills that people wrote themselves; others come with Recto or stand in the folder.
skills = Table(
    "skills",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_project(),
    Column("name", PlainText, nullable=False),
    Column("description", PlainText, nullable=False),
    Column("prompt", PlainText, nullable=False),
    Column("color", PlainText, nullable=False),
    Column("files", JSON, nullable=False),
    Column("tools", JSON, nullable=False),
    Column("model", PlainText),
    Column("created_ms", BigInteger, nullable=False),
    Column("last_used_ms", BigInteger),
    Column("version", BigInteger, nullable=False),
    Index("ix_skills_newest", "project_id", "created_ms", "id"),
)

# Folders of chats. A deleted one leaves a tombstone, so that a late client can't bring it back.
chat_groups = Table(
    "chat_groups",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_project(),
    Column("parent_id", PlainText),
    Column("name", PlainText, nullable=False),
    Column("color", PlainText, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("default_context_ids", JSON, nullable=False),
    Column("default_skill_ids", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("deleted_ms", BigInteger),
    Index("ix_chat_groups_project_id", "project_id"),
)

# How many tokens a text has before any correction for a model, by the hash of the text: those that
# are plain ASCII, and the others.
token_counts = Table(
    "token_counts",
    metadata,
    Column("hash", PlainText, primary_key=True),
    Column("ascii", BigInteger, nullable=False),
    Column("other", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

# What services of record said of a work, by the hash of what a reference says of it.
record_checks = Table(
    "record_checks",
    metadata,
    Column(
        "project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("work", PlainText, primary_key=True),
    Column("body", JSON, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

# What people saved themselves, a row for each stretch of writing; the texts are blobs.
own_saves = Table(
    "own_saves",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_project(),
    Column("path", PlainText, nullable=False),
    Column("begun_ms", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("before", PlainText, nullable=False),
    Column("after", PlainText, nullable=False),
    Index("ix_own_saves_path", "project_id", "path", "id"),
    Index("ix_own_saves_at_ms", "at_ms"),
)

# Citations of AI edits that could not be verified, where a mark stands in the text instead.
citation_marks = Table(
    "citation_marks",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_project(),
    Column("path", PlainText, nullable=False),
    Column("body", JSON, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("ix_citation_marks_path", "project_id", "path", "id"),
)

# How a Word document was last read: its text and its paragraphs' numbers, packed by who reads it.
word_documents = Table(
    "word_documents",
    metadata,
    Column(
        "project_id", PlainText, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("path", PlainText, primary_key=True),
    Column("packed", LargeBinary, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
)
