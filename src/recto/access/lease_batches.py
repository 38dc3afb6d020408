"""What a worker writes to the books in one transaction, and what the database answers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.access.budget import BudgetHold
from recto.access.leases import (
    SHARE,
    HeldLeases,
    LeaseBook,
    LeaseGrant,
    LeaseRefusal,
    LeaseWish,
    left_in,
    lend,
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


@dataclass(frozen=True, slots=True)
class OpenHold:
    """A call that runs, and what its money came out of."""

    hold: BudgetHold
    scopes: tuple[SpendingScope, ...]
    leases: HeldLeases
    request: dict[str, Any]
    began_at: float

    def begun(self, current: frozenset[str], worker: int) -> BegunRequest:
        """As the database is told of it."""
        names = tuple(sorted({scope.name for scope in self.scopes}))
        request = {**self.request, "worker": worker}
        return BegunRequest(self.hold.id, self.hold.amount_micros, names, current, request)


@dataclass(frozen=True, slots=True)
class PendingEnd:
    """A call that ended and is not booked yet."""

    open: OpenHold
    spend: RequestUsage
    booked: asyncio.Future[LedgerRow]

    def ended(self, current: frozenset[str], worker: int) -> EndedRequest:
        """As the database is told of it."""
        plain = frozenset(one.name for one in self.open.scopes if not one.counts_markup)
        return EndedRequest(self.open.begun(current, worker), self.spend, plain)


LentMoney = tuple[LeaseGrant, HeldLeases] | LeaseRefusal


@dataclass(frozen=True, slots=True)
class PendingWish:
    """A call that waits for its money."""

    wish: LeaseWish
    answer: asyncio.Future[LentMoney]


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
    """What is free where a limit is near: it goes back with whatever is written next."""

    def __len__(self) -> int:
        return len(self.begun) + len(self.ended) + len(self.wishes) + len(self.returns)

    def take_out(self, book: LeaseBook) -> None:
        """Decide what is returned, now that nothing else can change the leases before it is."""
        for one in self.returns:
            one.amounts = book.everything() if one.is_everything else book.unused()
        self.given_back = book.near_limits()

    def scopes(self, book: LeaseBook) -> set[str]:
        """Every scope that a lease may be changed in."""
        found = {name for one in self.begun for name in one.leases}
        found |= {name for one in self.ended for name in one.open.leases}
        found |= {scope.name for one in self.wishes for scope in one.wish.scopes}
        # When terms are lengthened, it is seen which leases there are.
        found |= self.given_back.keys()
        for one in self.returns:
            found |= book.leases.keys() | one.amounts.keys()
        return found

    def singles(self) -> list["Batch"]:
        """Each part by itself, in the same order."""
        return [
            *([Batch(given_back=self.given_back)] if self.given_back else []),
            *(Batch(begun=[one]) for one in self.begun),
            *(Batch(ended=[one]) for one in self.ended),
            *(Batch(wishes=[one]) for one in self.wishes),
            *(Batch(returns=[one]) for one in self.returns),
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


@dataclass(frozen=True, slots=True)
class LeaseTransaction:
    """A batch on its way into the database: what changes there, and then here."""

    batch: Batch
    book: LeaseBook
    own: OwnLeases
    begun: list[BegunRequest]
    ended: list[EndedRequest]

    @classmethod
    def of(cls, batch: Batch, book: LeaseBook, own: OwnLeases) -> "LeaseTransaction":
        """What the database is told of the calls, with the leases that are ours just now."""
        worker = own.worker
        begun = [one.begun(book.current(one.leases), worker) for one in batch.begun]
        ended = [one.ended(book.keeping(one.open.leases), worker) for one in batch.ended]
        return cls(batch, book, own, begun, ended)

    def limited(self) -> set[str]:
        """The scopes whose spending must be known."""
        return self.batch.scopes(self.book)

    def change(
        self, booked: Booked, spending: Mapping[str, ScopeSpending]
    ) -> list[LeaseGrant | LeaseRefusal]:
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
            lend(own, spending, one.wish, self.book.current(one.wish.leases))
            for one in self.batch.wishes
        ]
        for name in spending.keys() & self.book.leases.keys():
            lease = self.book.leases[name]
            left = left_in(lease, spending[name]) - own.of(name).change(lease.counts_markup)
            lease.is_scarce = left // SHARE < lease.least_micros
        return answers

    def take_over(
        self, booked: Booked, answers: list[LeaseGrant | LeaseRefusal], ends_at: float
    ) -> bool:
        """What is committed becomes what this worker knows; False: leases were lost."""
        book, batch = self.book, self.batch
        for begun in batch.begun:
            book.written(begun.leases, begun.hold.amount_micros)
        was_lost = book.lose(batch.scopes(book) - self.own.found.keys())
        for end, ended in zip(batch.ended, self.ended, strict=True):
            self._booked(end, ended, booked[ended.begun.id])
        for one, answer in zip(batch.wishes, answers, strict=True):
            self._answered(one, answer, ends_at)
        for returned in batch.returns:
            book.renewed(ends_at)
            if not returned.done.done():
                returned.done.set_result(None)
        return not was_lost

    def _booked(
        self, end: PendingEnd, ended: EndedRequest, row: LedgerRow | AlreadySettled
    ) -> None:
        if isinstance(row, AlreadySettled):
            end.booked.set_exception(row)
            return
        self.book.booked(end.open.leases, ended.begun.amount_micros)
        for name in ended.begun.leased & self.own.found.keys():
            charge = ended.charge(name)
            self.book.returned(name, ended.begun.amount_micros - charge, charge)
        end.booked.set_result(row)

    def _answered(
        self, one: PendingWish, answer: LeaseGrant | LeaseRefusal, ends_at: float
    ) -> None:
        if isinstance(answer, LeaseRefusal):
            self.book.refused(one.wish)
            if not one.answer.done():
                one.answer.set_result(answer)
            return
        leases = self.book.granted(one.wish, answer, ends_at)
        # A caller that left while it was asked for: nobody else knows of its money.
        if one.answer.done():
            self.book.left(leases, answer.amount_micros)
        else:
            one.answer.set_result((answer, leases))
