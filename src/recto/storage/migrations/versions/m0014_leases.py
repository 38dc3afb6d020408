"""Leases of workers, a mark-up beside what is booked, and what workers share of deployments."""

import sqlalchemy as sa
from alembic import op

revision = "m0014"
down_revision = "m0013"


def upgrade() -> None:
    """Nothing is leased and nothing was marked up so far."""
    op.create_table(
        "leases",
        sa.Column("worker", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("amount_micros", sa.BigInteger(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("worker", "scope", name=op.f("pk_leases")),
    )
    op.create_index("ix_leases_scope", "leases", ["scope"], unique=False)
    op.create_index("ix_leases_until_ms", "leases", ["until_ms"], unique=False)
    for table, name in (
        ("scope_totals", "leased_micros"),
        ("scope_totals", "markup_micros"),
        ("ledger", "markup_micros"),
    ):
        column = sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)
        op.add_column(table, column)
    op.create_table(
        "deployment_states",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("in_a_row", sa.BigInteger(), nullable=False),
        sa.Column("rests_until_ms", sa.BigInteger(), nullable=False),
        sa.Column("full_until_ms", sa.BigInteger(), nullable=False),
        sa.Column("tried_until_ms", sa.BigInteger(), nullable=False),
        sa.Column("last", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deployment_states")),
    )
    op.create_index("ix_deployment_states_version", "deployment_states", ["version"], unique=False)
