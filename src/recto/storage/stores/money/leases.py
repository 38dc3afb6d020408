"""Leases, and the many requests that a worker books in one transaction against them.

A lease is money of a scope that a worker may set aside without asking. When the row of a request
is written, what it sets aside moves out of the lease; when the request is booked, what is left over
moves back. So what is booked, set aside and leased in a scope is never more than its limit.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import delete, select, text, update

from recto.storage.failures import AlreadySettled
from recto.storage.records import JsonObject, LedgerRow, RequestUsage
from recto.storage.stores.money.ledger import SPEND_COLUMNS
from recto.storage.tables import leases, ledger, reservation_scopes, reservations, workers
from recto.storage.transactions import Transactions, WriteTransaction
from recto.storage.workers import Workers

MOST_IN_A_LIST = 500
ADD = text(
    "INSERT INTO scope_totals"
    " (scope, booked_micros, held_micros, unpriced_rows, leased_micros, markup_micros)"
    " VALUES (:scope, :booked, :held, :unpriced, :leased, :markup)"
    " ON CONFLICT (scope) DO UPDATE SET"
    " booked_micros = scope_totals.booked_micros + excluded.booked_micros,"
    " held_micros = scope_totals.held_micros + excluded.held_micros,"
    " unpriced_rows = scope_totals.unpriced_rows + excluded.unpriced_rows,"
    " leased_micros = scope_totals.leased_micros + excluded.leased_micros,"
    " markup_micros = scope_totals.markup_micros + excluded.markup_micros"
)
PUT = text(
    "INSERT INTO leases (worker, scope, amount_micros, until_ms)"
    " VALUES (:worker, :scope, :amount, :until) ON CONFLICT (worker, scope) DO UPDATE SET"
    " amount_micros = excluded.amount_micros, until_ms = excluded.until_ms"
)


@dataclass(frozen=True, slots=True)
class BegunRequest:
    """A request for which money was set aside in this process, out of its leases."""

    id: str
    amount_micros: int
    scopes: tuple[str, ...]
    leased: frozenset[str]
    """The scopes in which the money comes out of a lease."""
    request: JsonObject


@dataclass(frozen=True, slots=True)
class EndedRequest:
    """What such a request used."""

    begun: BegunRequest
    spend: RequestUsage
    without_markup: frozenset[str]
    """The scopes whose limit is on the cost alone."""

    def charge(self, scope: str) -> int:
        """What it takes away of a scope's limit."""
        markup = 0 if scope in self.without_markup else self.spend.markup_micros
        return (self.spend.cost_micros or 0) + markup


@dataclass(slots=True)
class TotalsChange:
    """What a transaction changes in a scope."""

    booked: int = 0
    held: int = 0
    unpriced: int = 0
    leased: int = 0
    markup: int = 0

    def change(self, counts_markup: bool) -> int:
        """By how much less of a limit is left."""
        markup = self.markup if counts_markup else 0
        return self.booked + self.held + self.leased + markup


@dataclass(slots=True)
class OwnLeases:
    """The leases of this process while a transaction changes them."""

    worker: int
    until_ms: int
    found: dict[str, int]
    """What the database has, by scope."""
    amounts: dict[str, int] = field(init=False)
    totals: dict[str, TotalsChange] = field(default_factory=dict[str, TotalsChange])
    dropped: set[str] = field(default_factory=set[str])
    """Leases that go once they have nothing; others stay for what requests leave over."""

    def __post_init__(self) -> None:
        self.amounts = {**self.found}

    def add(self, scope: str, micros: int) -> None:
        """Take more of a scope into the lease, or give some back."""
        self.amounts[scope] = self.amounts.get(scope, 0) + micros
        self.of(scope).leased += micros

    def begin(self, request: BegunRequest) -> None:
        """Move what a request sets aside out of the leases."""
        for scope in request.scopes:
            self.of(scope).held += request.amount_micros
            if scope in request.leased and scope in self.found:
                self.add(scope, -request.amount_micros)

    def end(self, request: EndedRequest) -> None:
        """Book what a request cost, and move what is left over into the leases."""
        spend, amount = request.spend, request.begun.amount_micros
        for scope in request.begun.scopes:
            totals = self.of(scope)
            totals.held -= amount
            totals.booked += spend.cost_micros or 0
            totals.markup += spend.markup_micros
            totals.unpriced += spend.cost_micros is None
            if scope in request.begun.leased and scope in self.found:
                self.add(scope, amount - request.charge(scope))

    def is_gone(self, scope: str) -> bool:
        """Whether nothing of a lease is left, and nothing will come."""
        return scope in self.dropped and self.amounts[scope] == 0

    def of(self, scope: str) -> TotalsChange:
        """What changes in a scope."""
        found = self.totals.get(scope)
        if found is None:
            found = self.totals[scope] = TotalsChange()
        return found


class LeaseStore:
    """Leases by worker and scope."""

    def __init__(self, transactions: Transactions, own: Workers) -> None:
        self._transactions = transactions
        self._workers = own

    async def worker(self, write: WriteTransaction) -> int:
        """The number of this process."""
        return await self._workers.own(write)

    async def open(
        self, write: WriteTransaction, scopes: Collection[str], *, until_ms: int
    ) -> OwnLeases:
        """This process's leases of some scopes, to be changed and then `save`d."""
        worker = await self._workers.own(write)
        found: dict[str, int] = {}
        for some in _parts(sorted(scopes)):
            query = select(leases.c.scope, leases.c.amount_micros).where(
                leases.c.worker == worker, leases.c.scope.in_(some)
            )
            found |= {row.scope: row.amount_micros for row in await write.execute(query)}
        return OwnLeases(worker, until_ms, found)

    async def save(self, write: WriteTransaction, own: OwnLeases) -> None:
        """Write what has changed."""
        kept = [
            {"worker": own.worker, "scope": scope, "amount": amount, "until": own.until_ms}
            for scope, amount in sorted(own.amounts.items())
            if amount != own.found.get(scope) and not own.is_gone(scope)
        ]
        if kept:
            await write.execute_all(PUT, kept)
        gone = sorted(scope for scope in own.found if own.is_gone(scope))
        for some in _parts(gone):
            await write.execute(
                delete(leases).where(leases.c.worker == own.worker, leases.c.scope.in_(some))
            )
        await self._add(write, own.totals)

    async def begin(self, write: WriteTransaction, begun: Sequence[BegunRequest]) -> None:
        """Write the rows of requests; their totals are `OwnLeases.begin`'s."""
        if not begun:
            return
        rows = [
            {
                "id": one.id,
                "created_ms": write.now_ms,
                "amount_micros": one.amount_micros,
                "state": "held",
                "request": dict(one.request),
            }
            for one in begun
        ]
        await write.insert_all(reservations, rows)
        scopes = [
            {"scope": scope, "reservation_id": one.id}
            for one in begun
            for scope in sorted(set(one.scopes))
        ]
        if scopes:
            await write.insert_all(reservation_scopes, scopes)

    async def end(
        self, write: WriteTransaction, ended: Sequence[EndedRequest]
    ) -> Mapping[str, LedgerRow | AlreadySettled]:
        """Book requests, each once; by the id of the reservation. Totals are `OwnLeases.end`'s."""
        left: set[str] = set()
        found: dict[str, LedgerRow | AlreadySettled] = {}
        for some in _parts(sorted(one.begun.id for one in ended)):
            held = update(reservations).where(
                reservations.c.id.in_(some), reservations.c.state == "held"
            )
            done = await write.execute(held.values(state="settled").returning(reservations.c.id))
            left |= set(done.scalars())
        rows: list[dict[str, object]] = []
        for one in ended:
            id = one.begun.id
            if id not in left:
                found[id] = AlreadySettled(id, "settled")
                continue
            values: dict[str, object] = {name: getattr(one.spend, name) for name in SPEND_COLUMNS}
            rows.append({**values, "created_ms": write.now_ms, "reservation_id": id})
            found[id] = LedgerRow(write.now_ms, id, one.spend)
        if rows:
            await write.insert_all(ledger, rows)
        return found

    async def renew(self, write: WriteTransaction, *, until_ms: int) -> frozenset[str]:
        """Lengthen the term of every lease of this process; which scopes it still has."""
        worker = await self._workers.own(write)
        own = update(leases).where(leases.c.worker == worker).values(until_ms=until_ms)
        return frozenset((await write.execute(own.returning(leases.c.scope))).scalars())

    async def dead_workers(self, *, within: WriteTransaction | None = None) -> frozenset[int]:
        """The processes that have left something behind and live no more."""
        living = await self._workers.living(within=within)
        async with self._transactions.read(within) as view:
            found = set((await view.execute(select(leases.c.worker).distinct())).scalars())
            found |= set((await view.execute(select(workers.c.number))).scalars())
        return frozenset(found - living)

    async def take_back(self, write: WriteTransaction, dead: Collection[int]) -> frozenset[int]:
        """End the leases of dead processes whose term is over; who has some left."""
        query = select(leases).where(leases.c.worker.in_(sorted(dead)))
        over: dict[str, TotalsChange] = {}
        left: set[int] = set()
        for row in await write.execute(query):
            if row.until_ms > write.now_ms:
                left.add(row.worker)
            else:
                over.setdefault(row.scope, TotalsChange()).leased -= row.amount_micros
        is_over = leases.c.until_ms <= write.now_ms
        await write.execute(delete(leases).where(leases.c.worker.in_(sorted(dead)), is_over))
        await self._add(write, over)
        return frozenset(left)

    async def forget(self, write: WriteTransaction, dead: Collection[int]) -> None:
        """Nothing of these processes is left."""
        await write.execute(delete(workers).where(workers.c.number.in_(sorted(dead))))

    async def all(self) -> Mapping[str, int]:
        """What is leased in each scope, by all workers."""
        found: Counter[str] = Counter()
        async with self._transactions.read() as view:
            for row in await view.execute(select(leases)):
                found[row.scope] += row.amount_micros
        return found

    async def _add(self, write: WriteTransaction, totals: Mapping[str, TotalsChange]) -> None:
        rows = [
            {
                "scope": scope,
                "booked": change.booked,
                "held": change.held,
                "unpriced": change.unpriced,
                "leased": change.leased,
                "markup": change.markup,
            }
            for scope, change in sorted(totals.items())
            if change != TotalsChange()
        ]
        if rows:
            await write.execute_all(ADD, rows)


def _parts(names: Sequence[str]) -> list[Sequence[str]]:
    """Some at a time: a statement takes no list of any length."""
    return [names[at : at + MOST_IN_A_LIST] for at in range(0, len(names), MOST_IN_A_LIST)]
