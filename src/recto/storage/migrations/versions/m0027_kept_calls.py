"""Prompts and answers of an account, kept while its operator has switched that on."""

import sqlalchemy as sa
from alembic import op

revision = "m0027"
down_revision = "m0026"


def upgrade() -> None:
    """Add the switch, which is off, and the table."""
    op.add_column("accounts", sa.Column("keep_days", sa.BigInteger(), nullable=True))
    op.create_table(
        "kept_calls",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=True),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.Column("asked_bytes", sa.BigInteger(), nullable=False),
        sa.Column("answered_bytes", sa.BigInteger(), nullable=False),
        sa.Column("is_cut", sa.Boolean(), nullable=False),
        sa.Column("asked", sa.LargeBinary(), nullable=False),
        sa.Column("answered", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_kept_calls_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_calls")),
    )
    op.create_index("ix_kept_calls_account_id", "kept_calls", ["account_id", "id"])
    op.create_index("ix_kept_calls_until_ms", "kept_calls", ["until_ms"])
