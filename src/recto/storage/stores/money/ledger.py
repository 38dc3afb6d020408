"""Money: reservations before a request, ledger rows after it.

What is booked and set aside in a scope is kept beside the rows, by the transactions that write
them: checking a limit takes as long after a million requests as after one. Every other sum is
computed.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    bindparam,
    func,
    select,
    text,
    update,
)

from recto.storage.driver_errors import RecordName
from recto.storage.failures import AlreadySettled, RecordNotFound
from recto.storage.records import (
    ChatUsage,
    JsonObject,
    LedgerRow,
    ModelUsage,
    Page,
    RequestUsage,
    Reservation,
    ReservationState,
    ScopeSpending,
)
from recto.storage.stores.cursors import newest_first
from recto.storage.stores.money.wrong_totals import (
    WRONG_TOTALS,
    WRONG_TOTALS_OF_SOME,
    sum_of,
)
from recto.storage.tables import ledger, reservation_scopes, reservations, scope_totals
from recto.storage.transactions import Transactions, WriteTransaction
from recto.storage.usage_records import NewReservation

SPEND_COLUMNS = tuple(field.name for field in fields(RequestUsage))
# In the order of the scopes: two that lock the same rows never wait for each other crosswise.
ADD_TO_TOTAL = text(
    "INSERT INTO scope_totals (scope, booked_micros, held_micros, unpriced_rows, markup_micros)"
    " VALUES (:scope, 0, :held, 0, 0)"
    " ON CONFLICT (scope) DO UPDATE SET"
    " held_micros = scope_totals.held_micros + excluded.held_micros"
).bindparams(bindparam("held", type_=BigInteger))
ADD_TO_TOTALS = text(
    "INSERT INTO scope_totals (scope, booked_micros, held_micros, unpriced_rows, markup_micros)"
    " SELECT scope, CAST(:booked AS BIGINT), CAST(:held AS BIGINT), CAST(:unpriced AS BIGINT),"
    " CAST(:markup AS BIGINT) FROM reservation_scopes WHERE reservation_id = :reservation_id"
    " ORDER BY scope"
    " ON CONFLICT (scope) DO UPDATE SET"
    " booked_micros = scope_totals.booked_micros + excluded.booked_micros,"
    " held_micros = scope_totals.held_micros + excluded.held_micros,"
    " unpriced_rows = scope_totals.unpriced_rows + excluded.unpriced_rows,"
    " markup_micros = scope_totals.markup_micros + excluded.markup_micros"
)

# Built once: building a statement takes longer than running it.
SPENDING = select(scope_totals).where(scope_totals.c.scope.in_(bindparam("scopes", expanding=True)))
LEAVE_HELD = (
    update(reservations)
    .where(reservations.c.id == bindparam("reservation_id"), reservations.c.state == "held")
    .returning(reservations.c.amount_micros)
)


class Ledger:
    """What is set aside and what was spent.

    Writes of a scope take turns, so a caller that reads the sums `within` the write that reserves
    can't be overtaken: settled plus held never passes the limit it checked.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def reserve(
        self,
        write: WriteTransaction,
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
        await write.insert(reservations, values, named=RecordName("reservation", id))
        rows = [{"scope": scope, "reservation_id": id} for scope in sorted(set(scopes))]
        if rows:
            await write.insert_all(reservation_scopes, rows)
            await self._add_to_totals(write, id, held=amount_micros)
        return made

    async def reserve_all(self, write: WriteTransaction, wanted: Sequence[NewReservation]) -> None:
        """Set money aside for many requests with a few statements."""
        if not wanted:
            return
        rows = [
            {
                "id": item.id,
                "created_ms": write.now_ms,
                "amount_micros": item.amount_micros,
                "state": "held",
                "request": dict(item.request),
            }
            for item in wanted
        ]
        await write.insert_all(reservations, rows)
        counted = [(scope, item) for item in wanted for scope in sorted(set(item.scopes))]
        if not counted:
            return
        await write.insert_all(
            reservation_scopes,
            [{"scope": scope, "reservation_id": item.id} for scope, item in counted],
        )
        added: Counter[str] = Counter()
        for scope, item in counted:
            added[scope] += item.amount_micros
        # In the order of the scopes, as everywhere.
        totals = [{"scope": scope, "held": added[scope]} for scope in sorted(added)]
        await write.execute_all(ADD_TO_TOTAL, totals)

    async def settle(
        self, write: WriteTransaction, reservation_id: str, spend: RequestUsage
    ) -> LedgerRow:
        """Book what a request used in the place of what was set aside for it.

        Raises:
            AlreadySettled: it was settled or released before.
            RecordNotFound: there is no such reservation.
        """
        amount = await self._leave_held(write, reservation_id, "settled")
        cost = spend.cost_micros
        await self._add_to_totals(
            write,
            reservation_id,
            booked=cost or 0,
            held=-amount,
            unpriced=int(cost is None),
            markup=spend.markup_micros,
        )
        return await self._book(write, reservation_id, spend)

    async def record(self, write: WriteTransaction, spend: RequestUsage) -> LedgerRow:
        """Book a request for which nothing was set aside: it counts in no scope."""
        return await self._book(write, None, spend)

    async def release(self, write: WriteTransaction, reservation_id: str) -> None:
        """Give back what was set aside for a request that did not happen.

        Raises:
            AlreadySettled: it was settled or released before.
            RecordNotFound: there is no such reservation.
        """
        amount = await self._leave_held(write, reservation_id, "released")
        await self._add_to_totals(write, reservation_id, held=-amount)

    async def held(
        self, scope: str | None = None, *, within: WriteTransaction | None = None
    ) -> tuple[Reservation, ...]:
        """The open reservations, of one scope or all, oldest first."""
        query = select(reservations).where(reservations.c.state == "held")
        if scope is not None:
            query = query.join(reservation_scopes).where(reservation_scopes.c.scope == scope)
        query = query.order_by(reservations.c.created_ms, reservations.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Reservation(*row) for row in await view.execute(query))

    async def held_micros(self, *, within: WriteTransaction | None = None) -> int:
        """The sum of what is set aside."""
        query = select(sum_of(reservations.c.amount_micros)).where(reservations.c.state == "held")
        async with self._transactions.read(within) as view:
            return (await view.execute(query)).scalar_one()

    async def spending(
        self, scopes: Collection[str], *, within: WriteTransaction | None = None
    ) -> Mapping[str, ScopeSpending]:
        """What is booked and what is set aside in each of the scopes."""
        if not scopes:
            return {}
        values = {"scopes": sorted(scopes)}
        async with self._transactions.read(within) as view:
            rows = await view.execute(SPENDING, values)
            found = {row[0]: ScopeSpending(*row[1:]) for row in rows}
        return {scope: found.get(scope, ScopeSpending()) for scope in scopes}

    async def wrong_totals(
        self, scopes: Collection[str] | None = None, *, within: WriteTransaction | None = None
    ) -> tuple[str, ...]:
        """The scopes, of these or all, whose totals are not what their rows come to.

        None, or there is a bug.
        """
        query, values = WRONG_TOTALS, {}
        if scopes is not None:
            query, values = WRONG_TOTALS_OF_SOME, {"scopes": sorted(scopes)}
        async with self._transactions.read(within) as view:
            return tuple((await view.execute(query, values)).scalars())

    async def of_chat(self, chat_id: str, *, within: WriteTransaction | None = None) -> ChatUsage:
        """What the requests of a chat used, all together."""
        counts = (
            ledger.c.input_tokens,
            ledger.c.cache_read_tokens,
            ledger.c.cache_write_tokens,
            ledger.c.output_tokens,
            ledger.c.cost_micros,
        )
        query = select(*map(sum_of, counts), func.count() - func.count(ledger.c.cost_micros))
        query = query.where(ledger.c.chat_id == chat_id)
        async with self._transactions.read(within) as view:
            return ChatUsage(*(await view.execute(query)).one())

    async def models_of(
        self, scope: str, *, within: WriteTransaction | None = None
    ) -> tuple[ModelUsage, ...]:
        """What was used of each model in a scope, the dearest first."""
        counts = (
            ledger.c.input_tokens,
            ledger.c.cache_read_tokens,
            ledger.c.cache_write_tokens,
            ledger.c.output_tokens,
            ledger.c.cost_micros,
        )
        booked = ledger.join(
            reservation_scopes, reservation_scopes.c.reservation_id == ledger.c.reservation_id
        )
        query = (
            select(
                ledger.c.provider,
                ledger.c.model,
                func.count(),
                *map(sum_of, counts),
                func.count() - func.count(ledger.c.cost_micros),
            )
            .select_from(booked)
            .where(reservation_scopes.c.scope == scope)
            .group_by(ledger.c.provider, ledger.c.model)
            .order_by(sum_of(ledger.c.cost_micros).desc(), ledger.c.provider, ledger.c.model)
        )
        async with self._transactions.read(within) as view:
            return tuple(ModelUsage(*row) for row in await view.execute(query))

    async def between(
        self, start_ms: int, end_ms: int, *, within: WriteTransaction | None = None
    ) -> tuple[LedgerRow, ...]:
        """The rows booked from one moment up to another, oldest first."""
        query = select(*_columns()).where(
            ledger.c.created_ms >= start_ms, ledger.c.created_ms < end_ms
        )
        query = query.order_by(ledger.c.created_ms, ledger.c.id)
        async with self._transactions.read(within) as view:
            return tuple(_row(row) for row in await view.execute(query))

    async def of_turn(
        self, chat_id: str, turn_id: str, *, within: WriteTransaction | None = None
    ) -> tuple[LedgerRow, ...]:
        """The rows of one run of a chat, oldest first."""
        # By the chat, too: that has an index.
        query = select(*_columns()).where(ledger.c.chat_id == chat_id, ledger.c.turn_id == turn_id)
        query = query.order_by(ledger.c.created_ms, ledger.c.id)
        async with self._transactions.read(within) as view:
            return tuple(_row(row) for row in await view.execute(query))

    async def first_since(
        self, since_ms: int, *, within: WriteTransaction | None = None
    ) -> int | None:
        """When the first row from a moment on was booked; None when there is none."""
        query = select(func.min(ledger.c.created_ms)).where(ledger.c.created_ms >= since_ms)
        async with self._transactions.read(within) as view:
            return (await view.execute(query)).scalar_one()

    async def page(
        self, cursor: str | None = None, limit: int = 100, *, within: WriteTransaction | None = None
    ) -> Page[LedgerRow]:
        """Ledger rows, the newest first."""
        order = (ledger.c.created_ms, ledger.c.id)
        async with self._transactions.read(within) as view:
            return await newest_first(
                view, select(*_columns()), order, _row, cursor=cursor, limit=limit
            )

    async def _leave_held(
        self, write: WriteTransaction, reservation_id: str, state: ReservationState
    ) -> int:
        """End a reservation; how much it was."""
        done = await write.execute(LEAVE_HELD, {"reservation_id": reservation_id, "state": state})
        amount: int | None = done.scalar_one_or_none()
        if amount is not None:
            return amount
        query = select(reservations.c.state).where(reservations.c.id == reservation_id)
        found = (await write.execute(query)).scalar_one_or_none()
        if found is None:
            raise RecordNotFound("reservation", reservation_id)
        raise AlreadySettled(reservation_id, found)

    async def _add_to_totals(
        self,
        write: WriteTransaction,
        reservation_id: str,
        *,
        held: int,
        booked: int = 0,
        unpriced: int = 0,
        markup: int = 0,
    ) -> None:
        """Change the totals of every scope that a reservation counts in."""
        await write.execute(
            ADD_TO_TOTALS.bindparams(
                reservation_id=reservation_id,
                booked=booked,
                held=held,
                unpriced=unpriced,
                markup=markup,
            )
        )

    async def _book(
        self, write: WriteTransaction, reservation_id: str | None, spend: RequestUsage
    ) -> LedgerRow:
        values = {name: getattr(spend, name) for name in SPEND_COLUMNS}
        values |= {"created_ms": write.now_ms, "reservation_id": reservation_id}
        await write.insert(ledger, values, named=RecordName("ledger row", spend.id))
        return LedgerRow(write.now_ms, reservation_id, spend)


def _columns() -> list[Column[Any]]:
    return [ledger.c[name] for name in ("created_ms", "reservation_id", *SPEND_COLUMNS)]


def _row(row: Sequence[Any]) -> LedgerRow:
    return LedgerRow(row[0], row[1], RequestUsage(*row[2:]))
