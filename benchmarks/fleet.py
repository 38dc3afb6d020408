"""A thousand workers of a gateway on one database, simulated, with the product's own leases.

Time is made up, the rest is not: each worker has its `LeaseBook`, batches are put together and
changed by the code that a gateway runs, and the database is one that does one transaction after the
other, each of which takes a millisecond. 10,000 keys ask 100,000 times a second, each over one to
four connections that stay with their worker; workers are killed, and others take their place.

Prints how many transactions a second that takes, how many limits were passed (none), and how many
requests were refused although the money for them was left, in leases elsewhere (under 0.1 %). What
was asked just before a kill has no row and comes back with its lease after the term: that is
printed, too. `fleet.py SECONDS WORKERS KEYS REQUESTS_A_SECOND KILLS_A_SECOND` says otherwise.
"""

import asyncio
import gc
import heapq
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from recto.access import BudgetHold, Price, Purpose, SpendingScope, TokenBounds
from recto.access.budget import interrupted, spent_of
from recto.access.lease_batches import (
    Batch,
    LeaseTransaction,
    OpenHold,
    PendingEnd,
    PendingReturn,
    PendingWish,
)
from recto.access.lease_book import LeaseBook
from recto.access.lease_pace import WritePace
from recto.access.leased_budget import MARGIN_S
from recto.access.leases import (
    LEAST_OUTPUT,
    NO_MARKUP,
    RENEW_S,
    TERM_S,
    HeldLeases,
    LeaseRefusal,
    worst_micros,
)
from recto.access.prices import price_of
from recto.messages import Usage
from recto.storage import LedgerRow, OwnLeases, RequestUsage, ScopeSpending

TRANSACTION_S = 0.001
PRICE: Price = price_of(input=Decimal(2), output=Decimal(10), source="benchmark")
BOUNDS = TokenBounds(900, 400, 500)
WORST = worst_micros(PRICE, BOUNDS, NO_MARKUP)
LEAST = PRICE.worst(BOUNDS.prompt, LEAST_OUTPUT)
MOST_REFUSED = 0.001
PURPOSE = Purpose("gateway", "anthropic", "claude")
REQUEST = {
    "feature": "gateway",
    "chat": None,
    "project": None,
    "turn": None,
    "provider": "anthropic",
    "model": "claude",
    "prompt": 500,
    "output": 1,
    "least_micros": PRICE.cost(Usage(input=500, output=1)),
    "price": None,
}


@dataclass(slots=True)
class SimulatedBooks:
    """The database: what is booked, set aside and leased in each scope."""

    totals: dict[str, ScopeSpending] = field(default_factory=dict[str, ScopeSpending])
    leases: dict[int, dict[str, int]] = field(default_factory=dict[int, dict[str, int]])
    terms: dict[int, float] = field(default_factory=dict[int, float])
    held: dict[int, dict[str, OpenHold]] = field(default_factory=dict[int, dict[str, OpenHold]])
    limits: dict[str, int] = field(default_factory=dict[str, int])
    transactions: int = 0
    passed: int = 0
    twice: int = 0

    def commit(self, worker: int, batch: Batch, book: LeaseBook, now: float) -> list[PendingWish]:
        """One transaction of a worker; which requests wait on."""
        self.transactions += 1
        mine = self.leases.setdefault(worker, {})
        names = batch.scopes(book)
        own = OwnLeases(worker, 0, {name: mine[name] for name in names if name in mine})
        spending = {name: self.of(name) for name in names}
        work = LeaseTransaction.of(batch, book, own, spending, now)
        booked = {one.begun.id: LedgerRow(0, one.begun.id, one.spend) for one in work.ended}
        open_ = self.held.setdefault(worker, {})
        for call in batch.begun:
            open_[call.hold.id] = call
        for id in booked:
            # Whoever has booked it before has taken it out.
            self.twice += open_.pop(id, None) is None
        answers = work.change(booked)
        if batch.returns:
            self.terms[worker] = now + TERM_S
        self.terms.setdefault(worker, now + TERM_S)
        self.save(own)
        work.take_over(booked, answers, now + TERM_S - MARGIN_S)
        return work.parked

    def save(self, own: OwnLeases) -> None:
        """Write what a transaction has changed, and see that no limit is passed."""
        mine = self.leases.setdefault(own.worker, {})
        for name, change in own.totals.items():
            was = self.of(name)
            if change.leased:
                mine[name] = own.amounts[name]
                assert mine[name] >= 0, "a lease has less than nothing"
            self.totals[name] = ScopeSpending(
                was.settled_micros + change.booked,
                was.held_micros + change.held,
                was.unpriced_rows,
                was.leased_micros + change.leased,
            )
            self.passed += self.totals[name].total_micros > self.limits[name]
        for name in [name for name in mine if own.is_gone(name)]:
            del mine[name]

    def of(self, name: str) -> ScopeSpending:
        """What is booked, set aside and leased."""
        return self.totals.get(name, ScopeSpending())

    def sweep(self, dead: int, now: float) -> bool:
        """Book the calls of a dead worker, and end its leases once the term is over."""
        self.transactions += 1
        own = OwnLeases(dead, 0, dict(self.leases.get(dead, {})))
        for call in self.held.pop(dead, {}).values():
            spend = interrupted(call.hold.id, call.request())
            ended = PendingEnd(call, spend, NOBODY).ended(frozenset(), dead)
            own.end(ended)
        is_over = self.terms.get(dead, now) <= now
        if is_over:
            for name, micros in own.found.items():
                own.add(name, -micros)
        self.save(own)
        return is_over


LOOP = asyncio.new_event_loop()
NOBODY: asyncio.Future[LedgerRow] = LOOP.create_future()


@dataclass(slots=True)
class SimulatedWorker:
    """A process of the gateway."""

    number: int
    book: LeaseBook = field(default_factory=LeaseBook)
    pending: Batch = field(default_factory=Batch)
    pace: WritePace = field(default_factory=WritePace)
    pauses_until: float | None = None
    queued_at: float = 0.0
    is_waiting: bool = False
    """It stands in the queue of the database."""
    is_dead: bool = False


@dataclass
class Fleet:
    """The whole of it."""

    seconds: float = 40.0
    workers: int = 1_000
    keys: int = 10_000
    rate: int = 100_000
    kills: float = 2.0
    transaction_s: float = TRANSACTION_S
    seed: int = 1
    books: SimulatedBooks = field(default_factory=SimulatedBooks)
    asked: int = 0
    waited: int = 0
    refused: int = 0
    wrongly_refused: int = 0
    lost_micros: int = 0

    def run(self) -> None:
        """Let the time pass."""
        self.chance = random.Random(self.seed)
        self.now, self.count = 0.0, 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.queue: deque[SimulatedWorker] = deque()
        self.spends: dict[tuple[int, int], RequestUsage] = {}
        self.is_writing = False
        self.spent: Counter[str] = Counter()
        self.alive = [SimulatedWorker(number) for number in range(self.workers)]
        self.next_worker = self.workers
        self.lay_keys()
        for worker in self.alive:
            self.at(self.chance.random() * RENEW_S, lambda worker=worker: self.tick(worker))
        self.at(0.0, self.ask)
        if self.kills:
            self.at(1 / self.kills, self.kill)
        while self.events and self.events[0][0] < self.seconds:
            self.now, _, act = heapq.heappop(self.events)
            act()

    def lay_keys(self) -> None:
        """Keys with limits, of which some are reached; and who serves them."""
        cost = PRICE.cost(Usage(input=700, output=150))
        mean = self.rate * self.seconds / self.keys * cost
        self.scopes: list[tuple[SpendingScope, ...]] = []
        self.connections: list[list[SimulatedWorker]] = []
        whole = SpendingScope("gateway", round(self.rate * self.seconds * cost * 10), "")
        self.books.limits["gateway"] = whole.limit_micros or 0
        for number in range(self.keys):
            # One key in twenty reaches its limit during the run, three more come near it.
            part = self.chance.choices([0.7, 3, 100], [1, 3, 16])[0]
            limit = round(part * mean + 10 * WORST)
            account = SpendingScope(f"account:{number // 5}", round(300 * mean), "")
            key = SpendingScope(f"key:{number}", limit, "")
            for scope in (account, key):
                self.books.limits[scope.name] = scope.limit_micros or 0
            self.scopes.append((whole, account, key))
            some = range(self.chance.randrange(1, 5))
            self.connections.append([self.chance.choice(self.alive) for _ in some])

    def at(self, when: float, act: Callable[[], None]) -> None:
        """Have something happen."""
        self.count += 1
        heapq.heappush(self.events, (when, self.count, act))

    def ask(self) -> None:
        """A request of some key."""
        self.at(self.now + self.chance.expovariate(self.rate), self.ask)
        number = self.chance.randrange(self.keys)
        place = self.chance.randrange(len(self.connections[number]))
        worker = self.connections[number][place]
        if worker.is_dead:
            worker = self.connections[number][place] = self.chance.choice(self.alive)
        self.asked += 1
        scopes = self.scopes[number]
        leases = worker.book.hold(scopes, WORST, self.now)
        if leases is not None:
            self.begin(worker, scopes, leases, BOUNDS, WORST)
            return
        known = worker.book.refusal(scopes, BOUNDS, PRICE, NO_MARKUP, self.now)
        if known is not None:
            self.refuse(known)
            return
        self.waited += 1
        answer = LOOP.create_future()
        wish = worker.book.wish(scopes, BOUNDS, PRICE)
        is_urgent = worker.book.is_urgent(scopes)
        worker.pending.wishes.append(PendingWish(wish, answer, self.now, is_urgent))
        self.write_soon(worker)

    def begin(
        self,
        worker: SimulatedWorker,
        scopes: tuple[SpendingScope, ...],
        leases: HeldLeases,
        bounds: TokenBounds,
        amount: int,
    ) -> None:
        """The money is set aside: the provider is asked, and the row is written meanwhile."""
        self.count += 1
        hold = BudgetHold(str(self.count), amount, bounds, PRICE, PURPOSE)
        call = OpenHold(hold, scopes, leases, lambda: REQUEST, self.now)
        worker.pending.begun.append(call)
        for scope in scopes:
            self.spent[scope.name] += amount
        self.at(self.now + self.chance.uniform(0.2, 3.0), lambda: self.end(worker, call))
        self.write_soon(worker)

    def end(self, worker: SimulatedWorker, call: OpenHold) -> None:
        """The provider has answered."""
        most = max(1, call.hold.bounds.output)
        output = self.chance.randrange(1, most + 1)
        spend = self.spends.get((most, output))
        if spend is None:
            usage = Usage(input=700, output=output)
            spend = spent_of(call.hold.id, call.hold, usage, "finished", {})
            self.spends[most, output] = spend
        for scope in call.scopes:
            self.spent[scope.name] += (spend.cost_micros or 0) - call.hold.amount_micros
        if worker.is_dead:
            return
        worker.pending.ended.append(PendingEnd.of(call, spend, worker.book, LOOP.create_future()))
        self.write_soon(worker)

    def tick(self, worker: SimulatedWorker) -> None:
        """Renew and return."""
        if worker.is_dead:
            return
        self.at(self.now + RENEW_S, lambda: self.tick(worker))
        if worker.book.leases:
            worker.pending.returns.append(PendingReturn(False, LOOP.create_future()))
            self.write_soon(worker)

    def write_soon(self, worker: SimulatedWorker) -> None:
        """Stand in the queue of the database, at once or after a pause."""
        if worker.is_waiting or worker.is_dead:
            return
        if worker.pauses_until is not None and not worker.pending.is_urgent:
            return
        until = self.now + max(0.0, worker.pace.pause_s(worker.pending, self.now))
        if until > self.now:
            worker.pauses_until = until
            self.at(until, lambda: self.pause_over(worker, until))
            return
        worker.pauses_until = None
        worker.is_waiting, worker.queued_at = True, self.now
        self.queue.append(worker)
        self.write_next()

    def pause_over(self, worker: SimulatedWorker, until: float) -> None:
        """It has waited; unless something urgent came first."""
        if worker.pauses_until == until:
            worker.pauses_until = None
            self.write_soon(worker)

    def write_next(self) -> None:
        """The next in the queue writes, if nobody does."""
        if self.is_writing or not self.queue:
            return
        self.is_writing = True
        worker = self.queue.popleft()
        batch, worker.pending = worker.pending, Batch()
        batch.take_out(worker.book, self.now)
        self.at(self.now + self.transaction_s, lambda: self.written(worker, batch))

    def written(self, worker: SimulatedWorker, batch: Batch) -> None:
        """The transaction is committed."""
        self.is_writing = worker.is_waiting = False
        if worker.is_dead:
            self.lose(batch)
        else:
            worker.pace.wrote(worker.queued_at, self.now)
            parked = self.books.commit(worker.number, batch, worker.book, self.now)
            worker.pending.wishes.extend(parked)
            for one in batch.wishes:
                if one.answer.done():
                    self.answered(worker, one)
            if len(worker.pending):
                self.write_soon(worker)
        self.write_next()

    def answered(self, worker: SimulatedWorker, one: PendingWish) -> None:
        """A request gets its money, or none."""
        answer = one.answer.result()
        if not isinstance(answer, LeaseRefusal):
            grant, leases = answer
            bounds = TokenBounds(BOUNDS.prompt, grant.output, BOUNDS.likely)
            self.begin(worker, one.wish.scopes, leases, bounds, grant.amount_micros)
            return
        self.refuse(answer)

    def refuse(self, refusal: LeaseRefusal) -> None:
        """A request gets nothing. Would reservations without leases have let it through?"""
        self.refused += 1
        scope = refusal.scope
        left = (scope.limit_micros or 0) - self.spent[scope.name]
        self.wrongly_refused += left >= LEAST

    def kill(self) -> None:
        """A worker dies, and another takes its place."""
        self.at(self.now + 1 / self.kills, self.kill)
        place = self.chance.randrange(len(self.alive))
        dead = self.alive[place]
        dead.is_dead = True
        self.lose(dead.pending)
        self.alive[place] = SimulatedWorker(self.next_worker)
        self.next_worker += 1
        fresh = self.alive[place]
        self.at(self.now + RENEW_S, lambda: self.tick(fresh))
        self.at(self.now + RENEW_S, lambda: self.sweep(dead.number))

    def lose(self, batch: Batch) -> None:
        """What a dead worker had not written is not written."""
        self.lost_micros += sum(call.hold.amount_micros for call in batch.begun)

    def sweep(self, dead: int) -> None:
        """Another worker looks after a dead one, until nothing of it is left."""
        if not self.books.sweep(dead, self.now):
            self.at(self.now + RENEW_S, lambda: self.sweep(dead))


def main() -> int:
    """Run it."""
    given = [float(word) for word in sys.argv[1:]]
    names = ("seconds", "workers", "keys", "rate", "kills")
    whole = {"workers", "keys", "rate"}
    options = {
        name: int(value) if name in whole else value
        for name, value in zip(names, given, strict=False)
    }
    # Millions of small things, none of them in a circle.
    gc.disable()
    fleet = Fleet(**options)  # pyright: ignore[reportArgumentType] - by name, each of its type
    began = time.perf_counter()
    fleet.run()
    books = fleet.books
    wrongly = fleet.wrongly_refused / max(1, fleet.asked)
    spent = books.of("gateway").settled_micros
    print(
        f"{fleet.workers:,} workers, {fleet.keys:,} keys, {fleet.rate:,} requests a second for"
        f" {fleet.seconds:g} s, {fleet.next_worker - fleet.workers} workers killed"
        f" (simulated in {time.perf_counter() - began:.0f} s)\n"
        f"transactions a second: {books.transactions / fleet.seconds:,.0f},"
        f" {fleet.asked / books.transactions:.0f} requests for each\n"
        f"requests that waited for a lease: {fleet.waited / max(1, fleet.asked):.2%}\n"
        f"limits passed: {books.passed}; settled twice: {books.twice}\n"
        f"refused because a limit was reached: {fleet.refused / max(1, fleet.asked):.2%}\n"
        f"refused although money was left: {fleet.wrongly_refused:,}, {wrongly:.4%}"
        f" (at most {MOST_REFUSED:.1%})\n"
        f"set aside when a worker died, with no row yet: {fleet.lost_micros / 1e6:.2f} of"
        f" {spent / 1e6:,.2f} dollars"
    )
    return 0 if not books.passed and not books.twice and wrongly < MOST_REFUSED else 1


if __name__ == "__main__":
    sys.exit(main())
