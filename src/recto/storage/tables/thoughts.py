"""The table of what a gateway keeps for clients whose protocol has no field for it."""

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table

from recto.storage.tables.columns import PlainText, metadata

# Sealed with a provider's key, which the database does not have.
kept_thoughts = Table(
    "kept_thoughts",
    metadata,
    Column("account_id", PlainText, primary_key=True),
    Column("call_id", PlainText, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
    Index("ix_kept_thoughts_until_ms", "until_ms"),
)
