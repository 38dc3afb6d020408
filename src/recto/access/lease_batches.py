"""What a worker writes to the books in one transaction, and what the database answers."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.access.budget import BudgetHold
from recto.access.lease_book import LeaseBook
from recto.access.leases import (
    SHARE,
    SINGLE,
    HeldLeases,
    LeaseGrant,
    LeaseRefusal,
    LeaseWish,
    left_in,
    lend,
    portion_of,
)
from recto.access.limits import SpendingScope
from recto.storage import (
    AlreadySettled,
    BegunRequest,
    EndedRequest,
    LedgerRow,
    OwnLeases,
    RequestUsage,
    ScopeSpending,
)

WAIT_S = 5.0
"""So long a request waits for money that other workers may return before it is refused."""
LATE_SCOPE = "late"
"""What was sent by a worker that was cut off until its lease was over, and no limit leaves."""


@dataclass(slots=True)
class OpenHold:
    """A call that runs, and what its money came out of."""

    hold: BudgetHold
    scopes: tuple[SpendingScope, ...]
    leases: HeldLeases
    request: Callable[[], dict[str, Any]]
    """Tells what is kept with its row, when that is written."""
    began_at: float
    late: frozenset[str] = frozenset()
    """The scopes that it does not count in, because it came too late."""
    _request: dict[str, Any] | None = field(init=False, default=None)

    @property
    def names(self) -> tuple[str, ...]:
        """The scopes that it counts in."""
        names = {scope.name for scope in self.scopes} - self.late
        return tuple(sorted(names | {LATE_SCOPE} if self.late else names))

    def begun(self, current: frozenset[str], worker: int) -> BegunRequest:
        """As the database is told of it."""
        if self._request is None:
            self._request = self.request()
        request = {**self._request, "worker": worker}
        return BegunRequest(self.hold.id, self.hold.amount_micros, self.names, current, request)


@dataclass(frozen=True, slots=True)
class PendingEnd:
    """A call that ended and is not booked yet."""

    open: OpenHold
    spend: RequestUsage
    booked: asyncio.Future[LedgerRow]
    left_over: dict[str, int] = field(default_factory=dict[str, int])
    """What it left over in each lease that was still ours: it is free there already."""

    @classmethod
    def of(
        cls,
        call: OpenHold,
        spend: RequestUsage,
        book: LeaseBook,
        booked: asyncio.Future[LedgerRow],
    ) -> "PendingEnd":
        """A call has ended: what it left over can be used again at once."""
        amount, cost = call.hold.amount_micros, spend.cost_micros or 0
        ours = book.current(call.leases)
        left_over = {
            scope.name: amount - cost - (spend.markup_micros if scope.counts_markup else 0)
            for scope in call.scopes
            if scope.name in ours
        }
        book.ended(call.leases, amount, left_over)
        return cls(call, spend, booked, left_over)

    def ended(self, current: frozenset[str], worker: int) -> EndedRequest:
        """As the database is told of it."""
        plain = frozenset([one.name for one in self.open.scopes if not one.counts_markup])
        return EndedRequest(self.open.begun(current, worker), self.spend, plain)


LentMoney = tuple[LeaseGrant, HeldLeases] | LeaseRefusal


@dataclass(slots=True)
class PendingWish:
    """A call that waits for its money."""

    wish: LeaseWish
    answer: asyncio.Future[LentMoney]
    asked_at: float
    is_urgent: bool = True
    is_parked: bool = False
    """It was asked for, and may be paid once others return what they have."""


@dataclass(slots=True)
class PendingReturn:
    """Money that goes back; with it, the terms of all leases are lengthened."""

    is_everything: bool
    done: asyncio.Future[None]
    amounts: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(slots=True)
class Batch:
    """What one transaction writes."""

    begun: list[OpenHold] = field(default_factory=list[OpenHold])
    ended: list[PendingEnd] = field(default_factory=list[PendingEnd])
    wishes: list[PendingWish] = field(default_factory=list[PendingWish])
    returns: list[PendingReturn] = field(default_factory=list[PendingReturn])
    given_back: dict[str, int] = field(default_factory=dict[str, int])
    """What is not needed: it goes back with whatever is written next."""

    def __len__(self) -> int:
        return len(self.begun) + len(self.ended) + len(self.wishes) + len(self.returns)

    @property
    def is_urgent(self) -> bool:
        """Whether somebody waits who could be served at once."""
        return any(one.is_urgent for one in self.wishes) or any(
            one.is_everything for one in self.returns
        )

    @property
    def is_parked(self) -> bool:
        """Whether there is nothing but requests that wait for other workers."""
        return len(self) == len(self.wishes) and all(one.is_parked for one in self.wishes)

    def take_out(self, book: LeaseBook, now: float) -> None:
        """Decide what is returned, now that nothing else can change the leases before it is."""
        for one in self.returns:
            one.amounts = book.everything() if one.is_everything else book.unused(now)
        self.given_back = book.look(now)
        self.wishes = [one for one in self.wishes if not (one.is_parked and one.answer.done())]
        for one in self.wishes:
            if one.is_parked:
                wish = one.wish
                one.wish = book.wish(wish.scopes, wish.bounds, wish.price, wish.markup)

    def scopes(self, book: LeaseBook) -> set[str]:
        """Every scope that a lease may be changed in."""
        found: set[str] = set()
        for one in self.begun:
            found.update(one.leases)
        for one in self.ended:
            found.update(one.open.leases)
        for one in self.wishes:
            found.update([scope.name for scope in one.wish.scopes])
        found |= self.given_back.keys()
        # When terms are lengthened, it is seen which leases there are.
        for one in self.returns:
            found |= book.leases.keys() | one.amounts.keys()
        return found

    def singles(self) -> list["Batch"]:
        """Each part by itself, in the same order."""
        return [
            *(Batch(begun=[one]) for one in self.begun),
            *(Batch(ended=[one]) for one in self.ended),
            *(Batch(wishes=[one]) for one in self.wishes),
            *(Batch(returns=[one]) for one in self.returns),
            *([Batch(given_back=self.given_back)] if self.given_back else []),
        ]

    def fail(self, error: Exception, book: LeaseBook) -> None:
        """Tell who waits for money that there is none; calls that began and ended stay."""
        for one in self.wishes:
            book.refused(one.wish)
            if not one.answer.done():
                one.answer.set_exception(error)
        book.not_returned(self.given_back)
        for returned in self.returns:
            book.not_returned(returned.amounts)
            if not returned.done.done():
                returned.done.set_exception(error)


Booked = Mapping[str, LedgerRow | AlreadySettled]
"""What became of calls that ended, by the id of what was set aside for them."""


@dataclass(slots=True)
class LeaseTransaction:
    """A batch on its way into the database: what changes there, and then here."""

    batch: Batch
    book: LeaseBook
    own: OwnLeases
    spending: Mapping[str, ScopeSpending]
    """What the database has in every scope that a lease may be changed in."""
    now: float
    begun: list[BegunRequest]
    ended: list[EndedRequest]
    added: dict[str, int] = field(default_factory=dict[str, int])
    """What leases get for what will be asked next, so that nobody has to wait for it."""
    parked: list[PendingWish] = field(default_factory=list[PendingWish])
    """Requests that wait on."""

    @classmethod
    def of(
        cls,
        batch: Batch,
        book: LeaseBook,
        own: OwnLeases,
        spending: Mapping[str, ScopeSpending],
        now: float,
    ) -> "LeaseTransaction":
        """What the database is told of the calls, with the leases that are ours just now."""
        worker = own.worker
        _set_late(batch, book, own, spending)
        begun = [one.begun(book.current(one.leases), worker) for one in batch.begun]
        ended = [
            one.ended(book.current(one.open.leases) & one.left_over.keys(), worker)
            for one in batch.ended
        ]
        return cls(batch, book, own, spending, now, begun, ended)

    def change(self, booked: Booked) -> list[LeaseGrant | LeaseRefusal]:
        """Change the leases and totals, in an order in which no money counts twice as free."""
        own = self.own
        for begun in self.begun:
            own.begin(begun)
        for ended in self.ended:
            if isinstance(booked[ended.begun.id], LedgerRow):
                own.end(ended)
        for returned in self.batch.returns:
            for name in returned.amounts.keys() & own.found.keys():
                own.add(name, -returned.amounts[name])
            own.dropped |= returned.amounts.keys() - self.book.leases.keys()
        for name in self.batch.given_back.keys() & own.found.keys():
            own.add(name, -self.batch.given_back[name])
        answers = [
            lend(own, self.spending, one.wish, self.book.current(one.wish.leases))
            for one in self.batch.wishes
        ]
        returned = {name for one in self.batch.returns for name in one.amounts}
        for name in self.spending.keys() & self.book.leases.keys() & own.found.keys():
            self._refill(name, is_returned=name in returned)
        return answers

    def take_over(
        self, booked: Booked, answers: list[LeaseGrant | LeaseRefusal], ends_at: float
    ) -> bool:
        """What is committed becomes what this worker knows; False: leases were lost."""
        book, batch = self.book, self.batch
        for begun in batch.begun:
            book.written(begun.leases, begun.hold.amount_micros)
        was_lost = book.lose(self.spending.keys() - self.own.found.keys())
        for end in batch.ended:
            self._booked(end, booked[end.open.hold.id])
        for name, micros in self.added.items():
            book.leases[name].free_micros += micros
        for one, answer in zip(batch.wishes, answers, strict=True):
            self._answered(one, answer, ends_at)
        for returned in batch.returns:
            book.renewed(ends_at)
            if not returned.done.done():
                returned.done.set_result(None)
        return not was_lost

    def _refill(self, name: str, *, is_returned: bool) -> None:
        """See how near a limit is, and give a lease what will be needed soon."""
        lease, there, change = self.book.leases[name], self.spending[name], self.own.of(name)
        left = left_in(lease, there) - change.change(lease.counts_markup)
        lease.portion = portion_of(left, there.leased_micros + change.leased)
        wanted = round(lease.portion * min(lease.wanted_micros, left // SHARE))
        is_wanted = lease.pace_micros > 0 and not lease.is_scarce and not is_returned
        lease.is_scarce = wanted < SINGLE * lease.request_micros
        if lease.is_scarce:
            self.book.touched.add(name)
        elif is_wanted and lease.free_micros < wanted * 3 // 4:
            self.added[name] = wanted - lease.free_micros
            self.own.add(name, self.added[name])

    def _booked(self, end: PendingEnd, row: LedgerRow | AlreadySettled) -> None:
        is_ours = isinstance(row, LedgerRow)
        call = end.open
        self.book.booked(call.leases, call.hold.amount_micros, end.left_over, is_kept=is_ours)
        if is_ours:
            end.booked.set_result(row)
        else:
            end.booked.set_exception(row)

    def _answered(
        self, one: PendingWish, answer: LeaseGrant | LeaseRefusal, ends_at: float
    ) -> None:
        book = self.book
        if isinstance(answer, LeaseRefusal):
            book.refused(one.wish)
            may_be_paid = book.remember(answer, self.now)
            if may_be_paid and self.now - one.asked_at < WAIT_S:
                one.is_urgent, one.is_parked = False, True
                self.parked.append(one)
                return
            if not one.answer.done():
                one.answer.set_result(answer)
            return
        leases = book.granted(one.wish, answer, now=self.now, ends_at=ends_at)
        # A caller that left while it was asked for: nobody else knows of its money.
        if one.answer.done():
            book.left(leases, answer.amount_micros)
        else:
            one.answer.set_result((answer, leases))


def _set_late(
    batch: Batch, book: LeaseBook, own: OwnLeases, spending: Mapping[str, ScopeSpending]
) -> None:
    """Find the calls whose lease was over before they had a row: a limit may leave nothing."""
    claimed: Counter[str] = Counter()
    for call in batch.begun:
        ours = book.current(call.leases) & own.found.keys()
        if len(ours) == len(call.leases) and not call.late:
            continue
        late: set[str] = set()
        for scope in call.scopes:
            if scope.name in ours or scope.name not in call.leases:
                continue
            claimed[scope.name] += call.hold.amount_micros
            if claimed[scope.name] > left_in(scope, spending[scope.name]):
                claimed[scope.name] -= call.hold.amount_micros
                late.add(scope.name)
        if late or call.late:
            call.late = frozenset(late)
