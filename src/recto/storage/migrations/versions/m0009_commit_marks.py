"""What each process has committed last: tells whether a commit happened whose end was not heard."""

import sqlalchemy as sa
from alembic import op

revision = "m0009"
down_revision = "m0008"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "commit_marks",
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("mark", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("process", name=op.f("pk_commit_marks")),
    )
