"""The tables of runs, and of the processes that do them."""

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, Sequence, Table

from recto.storage.tables.columns import PlainText, metadata

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
