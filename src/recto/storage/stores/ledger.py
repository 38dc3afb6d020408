"""Money: reservations before a request, ledger rows after it. Sums are computed, never stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import BigInteger, Column, case, cast, func, select, update
from sqlalchemy.sql import ColumnElement

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
    Standing,
    Used,
)
from recto.storage.stores.cursors import newest_first
from recto.storage.tables import ledger, reservation_scopes, reservations
from recto.storage.transactions import Transactions, Write

DAY_MS = 24 * 60 * 60 * 1000
SPEND_COLUMNS = tuple(field.name for field in fields(Spend))


class Ledger:
    """What is set aside and what was spent.

    Writes take turns, so a caller that reads the sums `within` the write that reserves can't be
    overtaken: settled plus held never passes the limit it checked.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def reserve(
        self,
        write: Write,
        *,
        id: str,
        scopes: Collection[str],
        amount_micros: int,
        request: JsonObject,
    ) -> Reservation:
        """Set money aside; it counts in each of the scopes."""
        if amount_micros < 0:
            raise ValueError("A reservation can't be negative.")
        made = Reservation(id, write.now_ms, amount_micros, "held", dict(request))
        values = {field: getattr(made, field) for field in Reservation.__slots__}
        await write.insert(reservations, values, named=Named("reservation", id))
        rows = [{"scope": scope, "reservation_id": id} for scope in sorted(set(scopes))]
        if rows:
            await write.insert_all(reservation_scopes, rows)
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

    async def held_micros(self, *, within: Write | None = None) -> int:
        """The sum of what is set aside."""
        query = select(_sum(reservations.c.amount_micros)).where(reservations.c.state == "held")
        async with self._transactions.read(within) as view:
            return (await view.execute(query)).scalar_one()

    async def standing(
        self, scopes: Collection[str], *, within: Write | None = None
    ) -> Mapping[str, Standing]:
        """What is booked and what is set aside in each of the scopes."""
        amount = case((reservations.c.state == "held", reservations.c.amount_micros), else_=0)
        joined = reservation_scopes.join(reservations).outerjoin(
            ledger, ledger.c.reservation_id == reservations.c.id
        )
        query = (
            select(reservation_scopes.c.scope, _sum(ledger.c.cost_micros), _sum(amount))
            .select_from(joined)
            .where(reservation_scopes.c.scope.in_(sorted(scopes)))
            .group_by(reservation_scopes.c.scope)
        )
        async with self._transactions.read(within) as view:
            found = dict(_standing(row) for row in await view.execute(query))
        return {scope: found.get(scope, Standing()) for scope in scopes}

    async def spent_since(self, since_ms: int, *, within: Write | None = None) -> Spent:
        """The sum of what was booked from `since_ms` on."""
        cost = ledger.c.cost_micros
        query = select(_sum(cost), func.count() - func.count(cost))
        query = query.where(ledger.c.created_ms >= since_ms)
        async with self._transactions.read(within) as view:
            return Spent(*(await view.execute(query)).one())

    async def of_chat(self, chat_id: str, *, within: Write | None = None) -> Used:
        """What the requests of a chat used, all together."""
        counts = (
            ledger.c.input_tokens,
            ledger.c.cache_read_tokens,
            ledger.c.cache_write_tokens,
            ledger.c.output_tokens,
            ledger.c.cost_micros,
        )
        query = select(*map(_sum, counts), func.count() - func.count(ledger.c.cost_micros))
        query = query.where(ledger.c.chat_id == chat_id)
        async with self._transactions.read(within) as view:
            return Used(*(await view.execute(query)).one())

    async def between(
        self, start_ms: int, end_ms: int, *, within: Write | None = None
    ) -> tuple[LedgerRow, ...]:
        """The rows booked from one moment up to another, oldest first."""
        query = select(*_columns()).where(
            ledger.c.created_ms >= start_ms, ledger.c.created_ms < end_ms
        )
        query = query.order_by(ledger.c.created_ms, ledger.c.id)
        async with self._transactions.read(within) as view:
            return tuple(_row(row) for row in await view.execute(query))

    async def moments(self, *, within: Write | None = None) -> tuple[int, ...]:
        """When rows were booked, one moment for each day of UTC that has any."""
        day = ledger.c.created_ms // DAY_MS
        query = select(func.min(ledger.c.created_ms)).group_by(day).order_by(day)
        async with self._transactions.read(within) as view:
            return tuple((await view.execute(query)).scalars())

    async def page(
        self, cursor: str | None = None, limit: int = 100, *, within: Write | None = None
    ) -> Page[LedgerRow]:
        """Ledger rows, the newest first."""
        order = (ledger.c.created_ms, ledger.c.id)
        async with self._transactions.read(within) as view:
            return await newest_first(
                view, select(*_columns()), order, _row, cursor=cursor, limit=limit
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


def _sum(column: ColumnElement[int] | ColumnElement[int | None]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def _standing(row: Sequence[Any]) -> tuple[str, Standing]:
    return row[0], Standing(row[1], row[2])


def _columns() -> list[Column[Any]]:
    return [ledger.c[name] for name in ("created_ms", "reservation_id", *SPEND_COLUMNS)]


def _row(row: Sequence[Any]) -> LedgerRow:
    return LedgerRow(row[0], row[1], Spend(*row[2:]))
