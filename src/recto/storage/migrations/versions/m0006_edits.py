"""What runs did to files, for review, authorship and history."""

import sqlalchemy as sa
from alembic import op

revision = "m0006"
down_revision = "m0005"

TEXTS = (
    "kind",
    "status",
    "chat_id",
    "run_id",
    "call_id",
    "tool",
    "model",
    "model_name",
    "prompt_hash",
)
NUMBERS = ("at_ms", "characters", "added", "removed", "hunks")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "edits",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("from_path", sa.Text(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in TEXTS),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("before", "after")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in NUMBERS),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_edits_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_edits")),
    )
    op.create_index("ix_edits_path", "edits", ["project_id", "path", "id"], unique=False)
    op.create_index("ix_edits_status", "edits", ["status", "project_id"], unique=False)
    op.create_index("ix_edits_run_id", "edits", ["run_id"], unique=False)
