"""Money: reservations before a request, ledger rows after it. Sums are computed, never stored."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import BigInteger, cast, func, select, update

from recto.storage.failures import AlreadySettled, NotFound
from recto.storage.foreign import Named
from recto.storage.records import (
    JsonObject,
    LedgerRow,
    Page,
    Reservation,
    ReservationState,
    Spend,
    Spent,
)
from recto.storage.stores.cursors import newest_first
from recto.storage.tables import ledger, reservations
from recto.storage.transactions import Transactions, Write

SPEND_COLUMNS = tuple(field.name for field in fields(Spend))


class Ledger:
    """What is set aside and what was spent.

    Writes take turns, so a caller that reads the sums `within` the write that reserves can't be
    overtaken: settled plus held never passes the limit it checked.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def reserve(
        self, write: Write, *, id: str, limit_scope: str, amount_micros: int, request: JsonObject
    ) -> Reservation:
        """Set money aside."""
        if amount_micros < 0:
            raise ValueError("A reservation can't be negative.")
        made = Reservation(id, write.now_ms, limit_scope, amount_micros, "held", dict(request))
        values = {field: getattr(made, field) for field in Reservation.__slots__}
        await write.insert(reservations, values, named=Named("reservation", id))
        return made

    async def settle(self, write: Write, reservation_id: str, spend: Spend) -> LedgerRow:
        """Book what a request used in the place of what was set aside for it.

        Raises:
            AlreadySettled: it was settled or released before.
            NotFound: there is no such reservation.
        """
        await self._leave_held(write, reservation_id, "settled")
        return await self._book(write, reservation_id, spend)

    async def record(self, write: Write, spend: Spend) -> LedgerRow:
        """Book a request for which nothing was set aside."""
        return await self._book(write, None, spend)

    async def release(self, write: Write, reservation_id: str) -> None:
        """Give back what was set aside for a request that did not happen.

        Raises:
            AlreadySettled: it was settled or released before.
            NotFound: there is no such reservation.
        """
        await self._leave_held(write, reservation_id, "released")

    async def held(self, *, within: Write | None = None) -> tuple[Reservation, ...]:
        """The open reservations, oldest first."""
        query = select(reservations).where(reservations.c.state == "held")
        query = query.order_by(reservations.c.created_ms, reservations.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Reservation(*row) for row in await view.execute(query))

    async def held_micros(
        self, limit_scope: str | None = None, *, within: Write | None = None
    ) -> int:
        """The sum of what is set aside, in one scope or in all."""
        total = cast(func.coalesce(func.sum(reservations.c.amount_micros), 0), BigInteger)
        query = select(total).where(reservations.c.state == "held")
        if limit_scope is not None:
            query = query.where(reservations.c.limit_scope == limit_scope)
        async with self._transactions.read(within) as view:
            return (await view.execute(query)).scalar_one()

    async def spent_since(
        self, since_ms: int, limit_scope: str | None = None, *, within: Write | None = None
    ) -> Spent:
        """The sum of what was booked from `since_ms` on, in one scope or in all."""
        cost = ledger.c.cost_micros
        query = select(
            cast(func.coalesce(func.sum(cost), 0), BigInteger), func.count() - func.count(cost)
        ).where(ledger.c.created_ms >= since_ms)
        if limit_scope is not None:
            query = query.select_from(ledger.join(reservations))
            query = query.where(reservations.c.limit_scope == limit_scope)
        async with self._transactions.read(within) as view:
            return Spent(*(await view.execute(query)).one())

    async def page(
        self, cursor: str | None = None, limit: int = 100, *, within: Write | None = None
    ) -> Page[LedgerRow]:
        """Ledger rows, the newest first."""
        columns = (ledger.c[name] for name in ("created_ms", "reservation_id", *SPEND_COLUMNS))
        order = (ledger.c.created_ms, ledger.c.id)
        async with self._transactions.read(within) as view:
            return await newest_first(
                view, select(*columns), order, _row, cursor=cursor, limit=limit
            )

    async def _leave_held(self, write: Write, reservation_id: str, state: ReservationState) -> None:
        held = update(reservations).where(
            reservations.c.id == reservation_id, reservations.c.state == "held"
        )
        done = await write.execute(held.values(state=state).returning(reservations.c.id))
        if done.one_or_none() is not None:
            return
        query = select(reservations.c.state).where(reservations.c.id == reservation_id)
        found = (await write.execute(query)).scalar_one_or_none()
        if found is None:
            raise NotFound("reservation", reservation_id)
        raise AlreadySettled(reservation_id, found)

    async def _book(self, write: Write, reservation_id: str | None, spend: Spend) -> LedgerRow:
        values = {name: getattr(spend, name) for name in SPEND_COLUMNS}
        values |= {"created_ms": write.now_ms, "reservation_id": reservation_id}
        await write.insert(ledger, values, named=Named("ledger row", spend.id))
        return LedgerRow(write.now_ms, reservation_id, spend)


def _row(row: Sequence[Any]) -> LedgerRow:
    return LedgerRow(row[0], row[1], Spend(*row[2:]))
