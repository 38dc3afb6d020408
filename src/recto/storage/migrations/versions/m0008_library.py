"""Contexts, skills, groups of chats, the tokens of texts; which process has a run."""

import sqlalchemy as sa
from alembic import op

revision = "m0008"
down_revision = "m0007"


def upgrade() -> None:
    """Make the tables and the index."""
    make_contexts()
    make_skills()
    make_chat_groups()
    op.create_table(
        "token_counts",
        *texts("hash"),
        *numbers("ascii", "other", "created_ms"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_token_counts")),
    )
    op.create_index("ix_chats_group_id", "chats", ["group_id"], unique=False)
    op.add_column("runs", sa.Column("worker", sa.BigInteger(), nullable=True))
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE SEQUENCE worker_numbers")


def make_contexts() -> None:
    """The table of contexts."""
    op.create_table(
        "contexts",
        *texts("id", "project_id", "name"),
        *lists("files"),
        *texts("color"),
        *numbers("created_ms"),
        *numbers("last_used_ms", nullable=True),
        *numbers("version"),
        *of_project("contexts"),
    )
    columns = ["project_id", "created_ms", "id"]
    op.create_index("ix_contexts_newest", "contexts", columns, unique=False)


def make_skills() -> None:
    """The table of skills."""
    op.create_table(
        "skills",
        *texts("id", "project_id", "name", "description", "prompt", "color"),
        *lists("files", "tools"),
        *texts("model", nullable=True),
        *numbers("created_ms"),
        *numbers("last_used_ms", nullable=True),
        *numbers("version"),
        *of_project("skills"),
    )
    columns = ["project_id", "created_ms", "id"]
    op.create_index("ix_skills_newest", "skills", columns, unique=False)


def make_chat_groups() -> None:
    """The table of groups."""
    op.create_table(
        "chat_groups",
        *texts("id", "project_id"),
        *texts("parent_id", nullable=True),
        *texts("name", "color"),
        *numbers("position"),
        *lists("default_context_ids", "default_skill_ids"),
        *numbers("created_ms", "updated_ms", "version"),
        *numbers("deleted_ms", nullable=True),
        *of_project("chat_groups"),
    )
    op.create_index("ix_chat_groups_project_id", "chat_groups", ["project_id"], unique=False)


def texts(*names: str, nullable: bool = False) -> list[sa.Column[str]]:
    """Columns of text."""
    return [sa.Column(name, sa.Text(), nullable=nullable) for name in names]


def numbers(*names: str, nullable: bool = False) -> list[sa.Column[int]]:
    """Columns of whole numbers."""
    return [sa.Column(name, sa.BigInteger(), nullable=nullable) for name in names]


def lists(*names: str) -> list[sa.Column[list[str]]]:
    """Columns of lists."""
    return [sa.Column(name, sa.JSON(), nullable=False) for name in names]


def of_project(table: str) -> list[sa.Constraint]:
    """Rows have an id, and go with their project."""
    name = op.f(f"fk_{table}_project_id")
    return [
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=name, ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
    ]
