"""Leases: money of a scope that a worker may set aside without asking the database.

Only arithmetic, no clock and no database: the same lines run in a gateway's worker and in the
simulation of a thousand of them. What is leased counts against the limit like what is spent, so
however many workers there are, all of them together can't pass it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil, exp, floor

from recto.access.limits import SpendingScope
from recto.access.prices import Price
from recto.access.usage_meter import TokenBounds
from recto.storage import OwnLeases, ScopeSpending

TERM_S = 10.0
"""How long a lease holds without being renewed. That of a dead worker comes back after it."""
RENEW_S = 3.0
SHARE = 4
"""No worker gets more than this part of what is left: so slices shrink towards the limit."""
FIRST_REQUESTS = 8
"""A lease is for so many requests like the last one, or for what is spent in a while."""
WHILE_S = 6.0
SINGLE = 2
"""Where a slice would be for fewer requests, each gets its money singly."""
MEMORY_S = 2.0
"""How quickly a worker forgets how much it used to spend."""
LEAST_OUTPUT = 16
"""An answer that would have to be shorter is not worth asking for."""


@dataclass(frozen=True, slots=True)
class Markup:
    """What a gateway asks for on top of what a provider charges."""

    percent: Decimal = Decimal(0)

    def on(self, cost_micros: int) -> int:
        """The mark-up on a cost, rounded up."""
        return ceil(cost_micros * self.percent / 100) if self.percent else 0

    def cost_within(self, micros: int) -> int:
        """The highest cost that fits into an amount together with its mark-up."""
        return floor(micros * 100 / (100 + self.percent))


NO_MARKUP = Markup()


@dataclass(slots=True)
class ScopeLease:
    """What this worker has of one scope."""

    limit_micros: int
    counts_markup: bool
    ends_at: float
    request_micros: int = 0
    """What the last request set aside that was lent money."""
    free_micros: int = 0
    taken_micros: int = 0
    """What was used since the last look."""
    looked_at: float = 0.0
    pace_micros: float = 0.0
    """What is used in a second, lately."""
    portion: float = 1.0
    """How much of what it wants it may have: less when less is left than leased."""
    is_scarce: bool = False
    """The limit is near: requests get their money singly, and what they leave over goes back."""
    unwritten_micros: int = 0
    """What is set aside for requests whose rows are not written yet: still in the lease there."""
    kept_micros: int = 0
    """What is kept for requests that have asked for more: part of what is unwritten."""
    unbooked_micros: int = 0
    """What ended requests left over that are not booked yet: free here, not in the lease there."""
    held_micros: int = 0
    """What is set aside for requests that run."""
    written_micros: int = 0
    """What is set aside for those that have a row."""

    @property
    def is_empty(self) -> bool:
        """Whether the database has nothing in it, either, and nothing will come back."""
        return not (
            self.free_micros or self.unwritten_micros or self.unbooked_micros or self.held_micros
        )

    @property
    def wanted_micros(self) -> int:
        """How much would last for a while, if the limit is far."""
        return max(FIRST_REQUESTS * self.request_micros, round(WHILE_S * self.pace_micros))

    def set_aside(self, micros: int) -> None:
        """Take out what is free."""
        self.free_micros -= micros
        self.unwritten_micros += micros

    def look(self, now: float) -> None:
        """See how much is used."""
        passed = now - self.looked_at
        if passed > 0:
            weight = 1 - exp(-passed / MEMORY_S)
            self.pace_micros += weight * (max(0, self.taken_micros) / passed - self.pace_micros)
            self.taken_micros, self.looked_at = 0, now

    def too_much(self) -> int:
        """What is free and will not be needed soon."""
        if self.is_scarce:
            return max(0, self.free_micros)
        wanted = round(self.portion * self.wanted_micros)
        return self.free_micros - wanted if self.free_micros > 2 * wanted else 0


HeldLeases = dict[str, ScopeLease]
"""The leases that a request's money came out of, by scope."""


@dataclass(frozen=True, slots=True)
class LeaseWish:
    """A request for which the leases do not suffice."""

    scopes: tuple[SpendingScope, ...]
    """Those with a limit."""
    leases: HeldLeases
    has: dict[str, int]
    """What was free in each, and is kept for it."""
    wants: dict[str, int]
    bounds: TokenBounds
    price: Price
    markup: Markup = NO_MARKUP

    @property
    def least_micros(self) -> int:
        """What it needs for the shortest answer that is worth asking for."""
        return least_micros(self.price, self.bounds, self.markup)


@dataclass(frozen=True, slots=True)
class LeaseGrant:
    """What a request may cost, and what was added to the leases for it."""

    output: int
    amount_micros: int
    has: Mapping[str, int]
    """What each lease has for it now."""


@dataclass(frozen=True, slots=True)
class LeaseRefusal:
    """So much is left in the tightest scope, and it is not enough."""

    scope: SpendingScope
    left_micros: int
    elsewhere_micros: int = 0
    """What other workers have leased or set aside: some of it may come back."""
    least_micros: int = 0
    """The least that the request needs."""


@dataclass(frozen=True, slots=True)
class UsedUp:
    """A limit that leaves nothing: whoever wants more is refused without asking again, a while."""

    limit_micros: int | None
    most_micros: int
    """What there may be, at most, with all that others have."""
    until: float


def slice_micros(left: int, leased: int, needed: int, wanted: int) -> int:
    """How much of what is left a worker gets; it needs no more than there is.

    `leased` is what all workers have: the less is left beside it, the less they get. When that
    comes to a request or two, it is what this request needs.
    """
    share = round(portion_of(left, leased) * min(wanted, left // SHARE))
    return needed if share < SINGLE * needed else share


def portion_of(left: int, leased: int) -> float:
    """How much of what it wants a worker may have."""
    if left >= leased:
        return 1.0
    # Less than nothing is left when a limit was lowered, also while nobody has leased anything.
    return left / leased if left > 0 else 0.0


def worst_micros(price: Price, bounds: TokenBounds, markup: Markup) -> int:
    """The most that a request can cost, with the mark-up."""
    cost = price.worst(bounds.prompt, bounds.output)
    return cost + markup.on(cost)


def least_micros(price: Price, bounds: TokenBounds, markup: Markup) -> int:
    """What a request needs for the shortest answer that is worth asking for."""
    shortest = replace(bounds, output=min(LEAST_OUTPUT, bounds.output))
    return worst_micros(price, shortest, markup)


def left_in(scope: "SpendingScope | ScopeLease", spending: ScopeSpending) -> int:
    """What a limit leaves."""
    markup = spending.markup_micros if scope.counts_markup else 0
    return (scope.limit_micros or 0) - spending.total_micros - markup


def lend(
    own: OwnLeases, spending: Mapping[str, ScopeSpending], wish: LeaseWish, current: frozenset[str]
) -> LeaseGrant | LeaseRefusal:
    """Give the leases what a request lacks, as far as each limit leaves it.

    `spending` is what the database had before the changes that `own` has collected, `current` are
    those of the wish's leases that are still ours.
    """
    # A lease that was taken back meanwhile, from a worker taken for dead, has nothing.
    has = {
        name: free if name in current and name in own.found else 0
        for name, free in wish.has.items()
    }
    left = {
        scope: left_in(scope, spending[scope.name]) - own.of(scope.name).change(scope.counts_markup)
        for scope in wish.scopes
    }
    tightest = min(wish.scopes, key=lambda scope: left[scope] + has[scope.name])
    most = left[tightest] + has[tightest.name]
    possible = wish.price.affordable_output(wish.markup.cost_within(most), wish.bounds.prompt)
    output = wish.bounds.output if possible is None else min(wish.bounds.output, possible)
    amount = worst_micros(wish.price, replace(wish.bounds, output=output), wish.markup)
    # A caller that wants even fewer may have them, if there is money for the prompt.
    if output < min(LEAST_OUTPUT, wish.bounds.output) or amount > most:
        name, lease = tightest.name, wish.leases.get(tightest.name)
        there = spending[name]
        elsewhere = there.leased_micros - own.found.get(name, 0) + there.held_micros
        if lease is not None and name in current:
            elsewhere += lease.kept_micros - wish.has[name] - lease.written_micros
        return LeaseRefusal(tightest, most, max(0, elsewhere), wish.least_micros)
    for scope in wish.scopes:
        lacks = max(0, amount - has[scope.name])
        if lacks > 0:
            leased = spending[scope.name].leased_micros
            more = slice_micros(left[scope], leased, lacks, wish.wants[scope.name])
            own.add(scope.name, more)
            has[scope.name] += more
    return LeaseGrant(output, amount, has)
