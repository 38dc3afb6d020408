"""The tables of projects, and of what changed in them."""

from sqlalchemy import JSON, BigInteger, Column, Index, Table

from recto.storage.tables.columns import Counter, PlainText, metadata

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
