"""The tables of money: what is set aside, what was booked, and the sums that have limits."""

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, Table, text

from recto.storage.tables.columns import PlainText, metadata

reservations = Table(
    "reservations",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("amount_micros", BigInteger, nullable=False),
    Column("state", PlainText, nullable=False),
    Column("request", JSON, nullable=False),
    Index("ix_reservations_state", "state"),
)

# The limits that a reservation counts against, such as a month and a project in that month.
reservation_scopes = Table(
    "reservation_scopes",
    metadata,
    Column("scope", PlainText, primary_key=True),
    Column("reservation_id", PlainText, ForeignKey("reservations.id"), primary_key=True),
    Index("ix_reservation_scopes_reservation_id", "reservation_id"),
)

# What is booked and set aside in each scope, written in the transactions that change it: a limit is
# checked without summing a month.
scope_totals = Table(
    "scope_totals",
    metadata,
    Column("scope", PlainText, primary_key=True),
    Column("booked_micros", BigInteger, nullable=False),
    Column("held_micros", BigInteger, nullable=False),
    Column("unpriced_rows", BigInteger, nullable=False),
    Column("leased_micros", BigInteger, nullable=False, server_default=text("0")),
    Column("markup_micros", BigInteger, nullable=False, server_default=text("0")),
)

# Names chats and projects without a foreign key: what was paid outlives what it was paid for.
ledger = Table(
    "ledger",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("reservation_id", PlainText, ForeignKey("reservations.id"), unique=True),
    Column("feature", PlainText, nullable=False),
    Column("chat_id", PlainText),
    Column("project_id", PlainText),
    Column("provider", PlainText, nullable=False),
    Column("model", PlainText, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("reasoning_tokens", BigInteger, nullable=False),
    Column("cost_micros", BigInteger),
    Column("outcome", PlainText, nullable=False),
    Column("body", JSON, nullable=False),
    Column("turn_id", PlainText),
    Column("markup_micros", BigInteger, nullable=False, server_default=text("0")),
    Index("ix_ledger_created_ms", "created_ms", "id"),
    Index("ix_ledger_chat_id", "chat_id"),
)
