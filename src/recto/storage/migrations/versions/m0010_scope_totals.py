"""Totals of scopes beside the rows they come from; ledger rows name the run they were part of."""

import sqlalchemy as sa
from alembic import op

revision = "m0010"
down_revision = "m0009"

TURN = "turn:"
TOTALS = """
INSERT INTO scope_totals (scope, booked_micros, held_micros, unpriced_rows)
SELECT s.scope,
    CAST(COALESCE(SUM(l.cost_micros), 0) AS BIGINT),
    CAST(SUM(CASE WHEN r.state = 'held' THEN r.amount_micros ELSE 0 END) AS BIGINT),
    CAST(SUM(CASE WHEN r.state = 'settled' AND l.cost_micros IS NULL THEN 1 ELSE 0 END) AS BIGINT)
FROM reservation_scopes s
JOIN reservations r ON r.id = s.reservation_id
LEFT JOIN ledger l ON l.reservation_id = r.id
GROUP BY s.scope
"""
TURNS = f"""
UPDATE ledger SET turn_id = (
    SELECT substr(s.scope, {len(TURN) + 1}) FROM reservation_scopes s
    WHERE s.reservation_id = ledger.reservation_id AND s.scope LIKE '{TURN}%'
)
"""
reservations = sa.table(
    "reservations",
    sa.column("id", sa.Text()),
    sa.column("state", sa.Text()),
    sa.column("request", sa.JSON()),
)
scopes = sa.table(
    "reservation_scopes", sa.column("scope", sa.Text()), sa.column("reservation_id", sa.Text())
)


def upgrade() -> None:
    """Sum what there is, once; from now on each transaction adds its own."""
    op.create_index(
        "ix_reservation_scopes_reservation_id",
        "reservation_scopes",
        ["reservation_id"],
        unique=False,
    )
    op.create_table(
        "scope_totals",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("booked_micros", sa.BigInteger(), nullable=False),
        sa.Column("held_micros", sa.BigInteger(), nullable=False),
        sa.Column("unpriced_rows", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_scope_totals")),
    )
    op.execute(TOTALS)
    op.add_column("ledger", sa.Column("turn_id", sa.Text(), nullable=True))
    op.execute(TURNS)
    name_turns_of_held()


def name_turns_of_held() -> None:
    """What is still set aside is booked by what its request says, from now on with its turn."""
    connection = op.get_bind()
    of_turn = (scopes.c.reservation_id == reservations.c.id) & scopes.c.scope.startswith(TURN)
    held = (
        sa.select(reservations.c.id, reservations.c.request, scopes.c.scope)
        .select_from(reservations.outerjoin(scopes, of_turn))
        .where(reservations.c.state == "held")
    )
    for id, request, scope in connection.execute(held).all():
        turn = None if scope is None else scope.removeprefix(TURN)
        named = reservations.update().where(reservations.c.id == id)
        connection.execute(named.values(request={**request, "turn": turn}))
