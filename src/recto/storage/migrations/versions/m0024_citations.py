"""What services of record said of works, and citations that could not be verified."""

import sqlalchemy as sa
from alembic import op

revision = "m0024"
down_revision = "m0021"


def upgrade() -> None:
    """Add both tables."""
    op.create_table(
        "record_checks",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("work", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_record_checks_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", "work", name=op.f("pk_record_checks")),
    )
    op.create_table(
        "citation_marks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_citation_marks_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_citation_marks")),
    )
    op.create_index("ix_citation_marks_path", "citation_marks", ["project_id", "path", "id"])
