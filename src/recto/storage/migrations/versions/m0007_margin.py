"""What is said beside texts, what models propose and suggest; chats that belong to a passage."""

import sqlalchemy as sa
from alembic import op

revision = "m0007"
down_revision = "m0006"


def upgrade() -> None:
    """Make the tables and the column."""
    op.add_column(
        "chats", sa.Column("is_thread", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    make_notes()
    make_proposals()
    make_suggestions()


def make_notes() -> None:
    """The table of notes."""
    op.create_table(
        "notes",
        *texts("id", "project_id", "path", "text", "before", "after"),
        *(sa.Column(name, sa.JSON(), nullable=True) for name in ("anchor", "answer")),
        *texts("body", "author"),
        *texts("run_id", "chat_id", nullable=True),
        sa.Column("sent", sa.JSON(), nullable=True),
        *numbers("resolved_ms", nullable=True),
        *numbers("created_ms", "updated_ms", "version"),
        of_project("notes"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notes")),
    )
    op.create_index("ix_notes_path", "notes", ["project_id", "path"], unique=False)
    op.create_index("ix_notes_chat_id", "notes", ["chat_id"], unique=False)


def make_proposals() -> None:
    """The table of proposals."""
    op.create_table(
        "proposals",
        *texts("id", "project_id", "chat_id", "run_id", "call_id"),
        *texts("note_id", nullable=True),
        *texts("question"),
        sa.Column("options", sa.JSON(), nullable=False),
        *texts("status"),
        *numbers("chosen", nullable=True),
        *texts("edit_id", nullable=True),
        *texts("model", "model_name", "request_id", "prompt_hash"),
        sa.Column("confidence", sa.Double[float](), nullable=True),
        *texts("source"),
        *numbers("at_ms"),
        *numbers("decided_ms", nullable=True),
        of_project("proposals"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposals")),
        sa.UniqueConstraint("run_id", "call_id", name=op.f("uq_proposals_run_id_call_id")),
    )
    op.create_index("ix_proposals_chat_id", "proposals", ["chat_id"], unique=False)


def make_suggestions() -> None:
    """The table of suggestions."""
    op.create_table(
        "suggestions",
        *texts("id", "project_id", "path"),
        *numbers("at_ms"),
        *texts("model", "model_name", "request_id", "prompt_hash", "template"),
        sa.Column("temperature", sa.Double[float](), nullable=True),
        sa.Column("items", sa.JSON(), nullable=False),
        *texts("outcome"),
        *numbers("chosen", nullable=True),
        *numbers("characters"),
        *numbers("decided_ms", nullable=True),
        of_project("suggestions"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suggestions")),
    )
    op.create_index("ix_suggestions_at_ms", "suggestions", ["at_ms"], unique=False)


def texts(*names: str, nullable: bool = False) -> list[sa.Column[str]]:
    """Columns of text."""
    return [sa.Column(name, sa.Text(), nullable=nullable) for name in names]


def numbers(*names: str, nullable: bool = False) -> list[sa.Column[int]]:
    """Columns of whole numbers."""
    return [sa.Column(name, sa.BigInteger(), nullable=nullable) for name in names]


def of_project(table: str) -> sa.ForeignKeyConstraint:
    """The rows go with their project."""
    name = op.f(f"fk_{table}_project_id")
    return sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=name, ondelete="CASCADE")
