"""Which processes have runs, and since which start of the server each has held its lock."""

import sqlalchemy as sa
from alembic import op

revision = "m0011"
down_revision = "m0010"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "workers",
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("server_start", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_workers")),
    )
