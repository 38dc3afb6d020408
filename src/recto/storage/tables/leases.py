"""The tables that a gateway's workers share besides people and the ledger: leases, deployments."""

from sqlalchemy import JSON, BigInteger, Column, Index, Table

from recto.storage.tables.columns import PlainText, metadata

# What a worker may set aside in a scope without asking. `until_ms` is its term.
leases = Table(
    "leases",
    metadata,
    Column("worker", BigInteger, primary_key=True, autoincrement=False),
    Column("scope", PlainText, primary_key=True),
    Column("amount_micros", BigInteger, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
    Index("ix_leases_scope", "scope"),
    Index("ix_leases_until_ms", "until_ms"),
)

# What calls have told of each deployment of a model, by whichever worker.
deployment_states = Table(
    "deployment_states",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("failures", BigInteger, nullable=False),
    Column("in_a_row", BigInteger, nullable=False),
    Column("rests_until_ms", BigInteger, nullable=False),
    Column("full_until_ms", BigInteger, nullable=False),
    Column("tried_until_ms", BigInteger, nullable=False),
    Column("last", JSON(none_as_null=True)),
    Column("version", BigInteger, nullable=False),
    Index("ix_deployment_states_version", "version"),
)
