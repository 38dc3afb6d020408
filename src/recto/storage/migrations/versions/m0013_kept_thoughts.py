"""What a gateway keeps for its clients for an hour, sealed."""

import sqlalchemy as sa
from alembic import op

revision = "m0013"
down_revision = "m0012"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "kept_thoughts",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "call_id", name=op.f("pk_kept_thoughts")),
    )
    op.create_index("ix_kept_thoughts_until_ms", "kept_thoughts", ["until_ms"], unique=False)
