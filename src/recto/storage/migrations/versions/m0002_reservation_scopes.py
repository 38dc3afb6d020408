"""A reservation counts against several limits at once: its scopes get a table of their own."""

import sqlalchemy as sa
from alembic import op

revision = "m0002"
down_revision = "m0001"


def upgrade() -> None:
    """Move the one scope of each reservation into the new table."""
    op.create_table(
        "reservation_scopes",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("reservation_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["reservation_id"],
            ["reservations.id"],
            name=op.f("fk_reservation_scopes_reservation_id"),
        ),
        sa.PrimaryKeyConstraint("scope", "reservation_id", name=op.f("pk_reservation_scopes")),
    )
    op.execute(
        "INSERT INTO reservation_scopes (scope, reservation_id) "
        "SELECT limit_scope, id FROM reservations"
    )
    op.drop_index("ix_reservations_state", "reservations")
    op.drop_column("reservations", "limit_scope")
    op.create_index("ix_reservations_state", "reservations", ["state"], unique=False)
