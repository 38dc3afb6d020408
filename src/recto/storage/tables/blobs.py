"""The tables of bytes by their hash: what they are stored as, who uses them, and what shall go."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    false,
    text,
)

from recto.storage.tables.columns import PlainText, metadata

ZERO = text("0")

# With a base, `data` stands between the first `prefix` and the last `suffix` bytes of that one.
blobs = Table(
    "blobs",
    metadata,
    Column("hash", PlainText, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("is_deflated", Boolean, nullable=False, server_default=false()),
    Column("base", PlainText),
    Column("prefix", BigInteger, nullable=False, server_default=ZERO),
    Column("suffix", BigInteger, nullable=False, server_default=ZERO),
    Column("links", BigInteger, nullable=False, server_default=ZERO),
    Column("chain_bytes", BigInteger, nullable=False, server_default=ZERO),
    Index("ix_blobs_base", "base"),
)

# Who uses which bytes: a chat, a project, or the record of a run. Bytes that nobody uses go.
blob_uses = Table(
    "blob_uses",
    metadata,
    Column("owner", PlainText, primary_key=True),
    Column("hash", PlainText, ForeignKey("blobs.hash"), primary_key=True),
    Index("ix_blob_uses_hash", "hash"),
)

# What was deleted and is still to be erased: chats, projects, and records of runs.
erasures = Table(
    "erasures",
    metadata,
    Column("owner", PlainText, primary_key=True),
    Column("since_ms", BigInteger, nullable=False),
)

# How far each rule of keeping has come, by the time of what it went through.
keeping_marks = Table(
    "keeping_marks",
    metadata,
    Column("rule", PlainText, primary_key=True),
    Column("until_ms", BigInteger, nullable=False),
    Column("until_id", PlainText, nullable=False),
)
