"""What people saved themselves, beside the edits of AI."""

import sqlalchemy as sa
from alembic import op

revision = "m0026"
down_revision = "m0025"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "own_saves",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("begun_ms", sa.BigInteger(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_own_saves_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_own_saves")),
    )
    op.create_index("ix_own_saves_path", "own_saves", ["project_id", "path", "id"])
    op.create_index("ix_own_saves_at_ms", "own_saves", ["at_ms"])
