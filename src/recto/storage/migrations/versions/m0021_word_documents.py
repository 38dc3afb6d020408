"""How Word documents were last read: their paragraphs keep their numbers."""

import sqlalchemy as sa
from alembic import op

revision = "m0021"
down_revision = "m0014"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "word_documents",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_word_documents_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", "path", name=op.f("pk_word_documents")),
    )
