"""Leases, whatever the schedule: workers that take, spend, return, die; limits that change."""

import asyncio
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from benchmarks.fleet import Fleet, SimulatedBooks
from recto.access import BudgetHold, Markup, Purpose, SpendingScope, TokenBounds
from recto.access.budget import spent_of
from recto.access.lease_batches import (
    WAIT_S,
    Batch,
    OpenHold,
    PendingEnd,
    PendingReturn,
    PendingWish,
)
from recto.access.lease_book import LeaseBook
from recto.access.lease_pace import LONGEST_S, WritePace
from recto.access.leases import RENEW_S, LeaseRefusal, portion_of, slice_micros, worst_micros
from recto.access.prices import price_of
from recto.messages import Usage
from recto.storage import ScopeSpending

PRICE = price_of(input=Decimal(2), output=Decimal(10), source="test")
PURPOSE = Purpose("gateway", "anthropic", "claude")
LIMITS = {"key": 40_000, "account": 90_000, "gateway": 150_000}
REQUEST = {
    "feature": "gateway",
    "chat": None,
    "project": None,
    "turn": None,
    "provider": "p",
    "model": "m",
    "prompt": 1,
    "output": 1,
    "least_micros": 12,
    "price": None,
}
HOLD = BudgetHold("hold", 0, TokenBounds(0, 0), PRICE, PURPOSE)
workers = st.integers(0, 2)


def test_slices_shrink_towards_the_limit_and_end_with_single_requests() -> None:
    left, leased, sizes = 1_000_000, 0, list[int]()
    while left >= 1_000:
        sizes.append(slice_micros(left, leased, 1_000, 200_000))
        left -= sizes[-1]
        leased += sizes[-1]
    assert sizes[0] == 200_000
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-8:] == [1_000] * 8
    assert sum(sizes) <= 1_000_000


def test_a_mark_up_fits_into_what_is_left_to_the_last_millionth() -> None:
    markup = Markup(Decimal("7.25"))
    for micros in range(2_000):
        cost = markup.cost_within(micros)
        assert cost + markup.on(cost) <= micros
        assert cost + 1 + markup.on(cost + 1) > micros


@dataclass
class LoneWorker:
    """One of a few workers that write when they are told to."""

    number: int
    books: SimulatedBooks
    loop: asyncio.AbstractEventLoop
    book: LeaseBook = field(default_factory=LeaseBook)
    batch: Batch = field(default_factory=Batch)

    def ask(self, now: float) -> PendingWish:
        wish = self.book.wish(ONE_SCOPE, TEN_CENTS, PRICE)
        one = PendingWish(wish, self.loop.create_future(), now)
        self.batch.wishes.append(one)
        self.write(now)
        return one

    def begin(self, one: PendingWish, name: str) -> OpenHold:
        answer = one.answer.result()
        assert not isinstance(answer, LeaseRefusal)
        grant, leases = answer
        bounds = TokenBounds(0, grant.output)
        hold = BudgetHold(name, grant.amount_micros, bounds, PRICE, PURPOSE)
        call = OpenHold(hold, ONE_SCOPE, leases, lambda: REQUEST, 0.0)
        self.batch.begun.append(call)
        return call

    def end(self, call: OpenHold, output: int) -> None:
        spend = spent_of(call.hold.id, call.hold, Usage(output=output), "finished", {})
        booked = self.loop.create_future()
        self.batch.ended.append(PendingEnd.of(call, spend, self.book, booked))

    def write(self, now: float) -> None:
        batch, self.batch = self.batch, Batch()
        batch.take_out(self.book, now)
        parked = self.books.commit(self.number, batch, self.book, now)
        self.batch.wishes.extend(parked)


ONE_SCOPE = (SpendingScope("key", 200_000, ""),)
TEN_CENTS = TokenBounds(0, 10_000)


def test_a_request_waits_for_what_others_may_return_and_is_refused_when_nothing_is_left() -> None:
    with closing(asyncio.new_event_loop()) as loop:
        books = SimulatedBooks(limits={"key": 200_000})
        here, there = LoneWorker(0, books, loop), LoneWorker(1, books, loop)
        calls = [here.begin(here.ask(0.0), name) for name in ("a", "b")]
        here.write(0.0)
        waits = there.ask(1.0)
        assert not waits.answer.done(), "all of it is set aside, but not spent"
        here.end(calls[0], 100)
        here.write(2.0)
        there.write(2.0)
        third = there.begin(waits, "c")
        in_vain = there.ask(3.0)
        there.write(3.0 + WAIT_S - 0.1)
        assert not in_vain.answer.done()
        there.write(3.0 + WAIT_S)
        assert isinstance(in_vain.answer.result(), LeaseRefusal)
        here.end(calls[1], 10_000)
        here.write(9.0)
        there.end(third, third.hold.bounds.output)
        assert isinstance(there.ask(10.0).answer.result(), LeaseRefusal), "nothing can come back"
        # Whoever asks next is refused without a transaction, for a while, and for this limit.
        known = (ONE_SCOPE, TEN_CENTS, PRICE, Markup())
        assert there.book.refusal(*known, 10.0 + RENEW_S - 0.1) is not None
        assert there.book.refusal(*known, 10.0 + RENEW_S) is None
        higher = (SpendingScope("key", 300_000, ""),)
        assert there.book.refusal(higher, *known[1:], 10.1) is None
        assert books.of("key").settled_micros == books.limits["key"]


def test_a_busy_database_is_left_alone_unless_somebody_waits_for_money() -> None:
    pace, rows = WritePace(), Batch(begun=[OpenHold(HOLD, (), {}, lambda: REQUEST, 0.0)])
    pace.wrote(0.0, 0.005)
    assert pace.pause_s(rows, 0.005) <= 0, "one that has time is asked at once"
    for began in range(20):
        pace.wrote(began, began + 0.06)
    assert 0.03 < pace.pause_s(rows, 19.06) < 0.05
    for began in range(20):
        pace.wrote(20 + began, 20.9 + began)
    assert pace.pause_s(rows, 39.9) == LONGEST_S
    with closing(asyncio.new_event_loop()) as loop:
        wish = LeaseBook().wish(ONE_SCOPE, TEN_CENTS, PRICE)
        rows.wishes.append(PendingWish(wish, loop.create_future(), 0.0))
        assert pace.pause_s(rows, 39.9) == 0


def test_a_limit_that_was_lowered_below_what_is_spent_leaves_nothing_to_lease() -> None:
    assert [portion_of(-5, 0), portion_of(0, 10), portion_of(5, 10), portion_of(10, 10)] == [
        0.0,
        0.0,
        0.5,
        1.0,
    ]


class LeaseSchedules(RuleBasedStateMachine):
    """Three workers on one database; after every step the money is where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.books = SimulatedBooks(limits=dict(LIMITS))
        self.now = 0.0
        self.made = 0
        self.fleet = [(number, LeaseBook(), Batch()) for number in range(3)]
        self.open: list[list[OpenHold]] = [[], [], []]
        self.spent = 0

    @property
    def scopes(self) -> tuple[SpendingScope, ...]:
        """What every request counts in."""
        return tuple(SpendingScope(name, limit, "") for name, limit in self.books.limits.items())

    @rule(at=workers, prompt=st.integers(0, 2_000), output=st.integers(1, 2_000))
    def ask(self, at: int, prompt: int, output: int) -> None:
        _, book, batch = self.fleet[at]
        bounds = TokenBounds(prompt, output)
        amount = worst_micros(PRICE, bounds, Markup())
        leases = book.hold(self.scopes, amount, self.now)
        if leases is None:
            wish = book.wish(self.scopes, bounds, PRICE)
            one = PendingWish(wish, self.loop.create_future(), self.now)
            batch.wishes.append(one)
            self.write(at)
            while not one.answer.done():
                # It waits for what others may return.
                self.now += WAIT_S / 2
                self.write(at)
            answer = one.answer.result()
            if isinstance(answer, LeaseRefusal):
                return
            grant, leases = answer
            amount, bounds = grant.amount_micros, TokenBounds(prompt, grant.output)
        self.made += 1
        hold = BudgetHold(str(self.made), amount, bounds, PRICE, PURPOSE)
        call = OpenHold(hold, self.scopes, leases, lambda: REQUEST, self.now)
        self.fleet[at][2].begun.append(call)
        self.open[at].append(call)

    @rule(at=workers, leaves=st.booleans())
    def ask_and_leave(self, at: int, leaves: bool) -> None:
        """A caller that is gone before the database answers."""
        _, book, batch = self.fleet[at]
        wish = book.wish(self.scopes, TokenBounds(1_000, 500), PRICE)
        one = PendingWish(wish, self.loop.create_future(), self.now)
        one.answer.cancel()
        batch.wishes.append(one)
        if leaves:
            self.write(at)

    @rule(at=workers, which=st.integers(0, 100), output=st.integers(0, 3_000))
    def end(self, at: int, which: int, output: int) -> None:
        if not self.open[at]:
            return
        call = self.open[at].pop(which % len(self.open[at]))
        usage = Usage(input=call.hold.bounds.prompt, output=output)
        spend = spent_of(call.hold.id, call.hold, usage, "finished", {})
        self.spent += spend.cost_micros or 0
        _, book, batch = self.fleet[at]
        batch.ended.append(PendingEnd.of(call, spend, book, self.loop.create_future()))

    @rule(at=workers)
    def write(self, at: int) -> None:
        number, book, batch = self.fleet[at]
        self.fleet[at] = (number, book, Batch())
        batch.take_out(book, self.now)
        parked = self.books.commit(number, batch, book, self.now)
        self.fleet[at][2].wishes.extend(parked)

    @rule(at=workers, is_everything=st.booleans())
    def renew(self, at: int, is_everything: bool) -> None:
        done = self.loop.create_future()
        self.fleet[at][2].returns.append(PendingReturn(is_everything, done))
        self.write(at)

    @rule(at=workers)
    def die(self, at: int) -> None:
        """What was not written is lost; the lease stays until its term is over."""
        number, _, batch = self.fleet[at]
        for end in batch.ended:
            self.spent -= end.spend.cost_micros or 0
        self.open[at] = []
        self.spent += 12 * len(self.books.held.get(number, {}))
        before = sum(self.books.leases.get(number, {}).values())
        assert self.books.sweep(number, self.now) == (self.books.terms.get(number, 0) <= self.now)
        if self.books.terms.get(number, 0) > self.now:
            assert sum(self.books.leases.get(number, {}).values()) == before
        self.fleet[at] = (self.fresh(), LeaseBook(), Batch())

    @rule(limit=st.sampled_from([30_000, 40_000, 60_000]))
    def change_limit(self, limit: int) -> None:
        for at in range(3):
            # What was asked for under the limit before is lent under that one.
            self.write(at)
        if self.books.of("key").total_micros <= limit:
            self.books.limits["key"] = limit

    @rule(seconds=st.integers(1, 40))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds

    @precondition(lambda self: self.made > 0)
    @rule()
    def end_all(self) -> None:
        """Everybody stops: nothing is set aside or leased, and what is booked is what was spent."""
        for at in range(3):
            while self.open[at]:
                self.end(at, 0, 10)
            self.write(at)
            self.renew(at, is_everything=True)
        self.now += 100
        living = {number for number, _, _ in self.fleet}
        for number in self.books.leases.keys() - living:
            self.books.sweep(number, self.now)
        for name in LIMITS:
            assert self.books.of(name) == ScopeSpending(self.spent, 0)

    @invariant()
    def no_limit_is_passed_and_every_lease_is_where_its_worker_thinks(self) -> None:
        assert self.books.passed == 0
        assert self.books.twice == 0
        for name in LIMITS:
            leased = sum(of.get(name, 0) for of in self.books.leases.values())
            assert leased == self.books.of(name).leased_micros
        for number, book, _ in self.fleet:
            for name, lease in book.leases.items():
                assert lease.free_micros >= 0
                has = self.books.leases.get(number, {}).get(name, 0)
                here = lease.free_micros + lease.unwritten_micros - lease.unbooked_micros
                assert has == here, name

    def fresh(self) -> int:
        """The number of a new worker."""
        return max(number for number, _, _ in self.fleet) + 1

    def teardown(self) -> None:
        self.loop.close()


LeaseSchedules.TestCase.settings = settings(stateful_step_count=40)
TestLeaseSchedules = LeaseSchedules.TestCase


def test_a_fleet_passes_no_limit_and_refuses_hardly_anybody_who_could_pay() -> None:
    # Longer than a term: what the dead had leased comes back.
    fleet = Fleet(seconds=45, workers=8, keys=30, rate=100, kills=0.05)
    fleet.run()
    assert fleet.asked > 4_000
    assert (fleet.books.passed, fleet.books.twice) == (0, 0)
    assert fleet.refused > 0, "some keys reach their limit"
    assert fleet.wrongly_refused < 0.001 * fleet.asked
    assert fleet.waited < 0.3 * fleet.asked, "most are paid out of a lease"
