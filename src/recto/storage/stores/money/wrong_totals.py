"""What finds totals that are not what their rows come to."""

from typing import Any

from sqlalchemy import BigInteger, bindparam, case, cast, func, literal, or_, select, union_all
from sqlalchemy.sql import ColumnElement, Select
from sqlalchemy.sql.elements import BindParameter

from recto.storage.tables import leases, ledger, reservation_scopes, reservations, scope_totals

NOTHING = cast(literal(0), BigInteger)


def sum_of(column: ColumnElement[int] | ColumnElement[int | None]) -> ColumnElement[int]:
    """The sum of a column; 0 of no rows."""
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def _less_the_rows() -> Select[Any, int, int, int, int, int]:
    """What the rows of each scope come to, below zero: with its totals, it comes to nothing."""
    is_unpriced = (reservations.c.state == "settled") & ledger.c.cost_micros.is_(None)
    held = case((reservations.c.state == "held", reservations.c.amount_micros), else_=0)
    joined = reservation_scopes.join(reservations).outerjoin(
        ledger, ledger.c.reservation_id == reservations.c.id
    )
    return (
        select(
            reservation_scopes.c.scope,
            -sum_of(ledger.c.cost_micros),
            -sum_of(held),
            -sum_of(case((is_unpriced, 1), else_=0)),
            NOTHING,
            -sum_of(ledger.c.markup_micros),
        )
        .select_from(joined)
        .group_by(reservation_scopes.c.scope)
    )


def _less_the_leases() -> Select[Any, int, int, int, int, int]:
    """What the leases of each scope come to, below zero."""
    amount = -sum_of(leases.c.amount_micros)
    return select(leases.c.scope, NOTHING, NOTHING, NOTHING, amount, NOTHING).group_by(
        leases.c.scope
    )


def _wrong_totals(*, is_of_some: bool) -> Select[Any]:
    """The scopes whose totals and rows do not come to nothing: all, or those of `scopes`."""
    kept = scope_totals.c
    totals = tuple(column for column in kept if column.name != "scope")
    parts = (
        (kept.scope, select(kept.scope, *totals)),
        (reservation_scopes.c.scope, _less_the_rows()),
        (leases.c.scope, _less_the_leases()),
    )
    wanted: BindParameter[Any] = bindparam("scopes", expanding=True)
    both = union_all(
        *(query.where(scope.in_(wanted)) if is_of_some else query for scope, query in parts)
    ).subquery()
    sums = [func.sum(both.c[column.name]) for column in totals]
    query = select(both.c.scope).group_by(both.c.scope).order_by(both.c.scope)
    return query.having(or_(*(item != 0 for item in sums)))


# Built once: building them takes longer than running them.
WRONG_TOTALS = _wrong_totals(is_of_some=False)
WRONG_TOTALS_OF_SOME = _wrong_totals(is_of_some=True)
