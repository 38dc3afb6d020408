"""An index of the chats that every project shows: listing need not look at all chats."""

import sqlalchemy as sa
from alembic import op

revision = "m0005"
down_revision = "m0004"


def upgrade() -> None:
    """Create it."""
    op.create_index(
        "ix_chats_global",
        "chats",
        ["last_active_ms", "id"],
        sqlite_where=sa.text("is_global"),
        postgresql_where=sa.text("is_global"),
    )
