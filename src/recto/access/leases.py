"""Leases: money of a scope that a worker may set aside without asking the database.

Only arithmetic, no clock and no database: the same lines run in a gateway's worker and in the
simulation of a thousand of them. What is leased counts against the limit like what is spent, so
however many workers there are, all of them together can't pass it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil, floor

from recto.access.limits import SpendingScope
from recto.access.prices import Price
from recto.access.usage_meter import TokenBounds
from recto.storage import OwnLeases, ScopeSpending

TERM_S = 30.0
"""How long a lease holds without being renewed. That of a dead worker comes back after it."""
RENEW_S = 5.0
SHARE = 16
"""No worker gets more than this part of what is left: so slices shrink towards the limit."""
FIRST_REQUESTS = 4
"""A new lease is for so many requests like the first one."""
LEAST_OUTPUT = 16
"""An answer that would have to be shorter is not worth asking for."""


@dataclass(frozen=True, slots=True)
class Markup:
    """What a gateway asks for on top of what a provider charges."""

    percent: Decimal = Decimal(0)

    def on(self, cost_micros: int) -> int:
        """The mark-up on a cost, rounded up."""
        return ceil(cost_micros * self.percent / 100)

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
    least_micros: int = 0
    """What it should have at least, as long as the limit is far."""
    free_micros: int = 0
    lowest_micros: int = 0
    """The least that was free since the last look: so much nobody needed."""
    spent_micros: int = 0
    """What was used up since the last look, and in the time before it."""
    spent_before: int = 0
    is_scarce: bool = False
    """The limit is near: requests get their money singly, and what they leave over goes back."""
    unwritten_micros: int = 0
    """What is set aside for requests whose rows are not written yet: still in the lease there."""
    held_micros: int = 0
    """What is set aside for requests that run."""

    @property
    def is_empty(self) -> bool:
        """Whether the database has nothing in it, either, and nothing will come back."""
        return not self.free_micros and not self.unwritten_micros and not self.held_micros

    def wish(self, needed: int) -> int:
        """How much would last for a while."""
        spent = max(self.spent_micros, self.spent_before)
        return max(FIRST_REQUESTS * needed, self.held_micros, 2 * spent)

    def set_aside(self, micros: int) -> None:
        """Take out what is free."""
        self.free_micros -= micros
        self.unwritten_micros += micros
        self.lowest_micros = min(self.lowest_micros, self.free_micros)


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


@dataclass(frozen=True, slots=True)
class LeaseGrant:
    """What a request may cost, and what was added to the leases for it."""

    output: int
    amount_micros: int
    has: Mapping[str, int]
    """What each lease has for it now."""
    scarce: frozenset[str]
    """Scopes that are near their limit: what is left over of a request there is not kept."""


@dataclass(frozen=True, slots=True)
class LeaseRefusal:
    """So much is left in the tightest scope, and it is not enough."""

    scope: SpendingScope
    left_micros: int


def slice_micros(left: int, needed: int, wanted: int, least: int) -> int:
    """How much of what is left a worker gets; it needs no more than there is.

    When a share is less than a lease should have at least, it is what this request needs.
    """
    share = left // SHARE
    return needed if share < least else max(needed, min(wanted, share))


def worst_micros(price: Price, bounds: TokenBounds, markup: Markup) -> int:
    """The most that a request can cost, with the mark-up."""
    cost = price.worst(bounds.prompt, bounds.output)
    return cost + markup.on(cost)


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
    cost = wish.price.worst(wish.bounds.prompt, output)
    amount = cost + wish.markup.on(cost)
    # A caller that wants even fewer may have them, if there is money for the prompt.
    if output < min(LEAST_OUTPUT, wish.bounds.output) or amount > most:
        return LeaseRefusal(tightest, most)
    scarce: set[str] = set()
    for scope in wish.scopes:
        lacks = max(0, amount - has[scope.name])
        if lacks > 0:
            least = FIRST_REQUESTS * amount
            more = slice_micros(left[scope], lacks, wish.wants[scope.name], least)
            own.add(scope.name, more)
            has[scope.name] += more
            if left[scope] // SHARE < least:
                scarce.add(scope.name)
    return LeaseGrant(output, amount, has, frozenset(scarce))


@dataclass(slots=True)
class LeaseBook:
    """What this worker has leased, by scope.

    What a lease has in the database is what is free here and what is unwritten.
    """

    leases: dict[str, ScopeLease] = field(default_factory=dict[str, ScopeLease])

    def hold(self, scopes: Sequence[SpendingScope], amount: int, now: float) -> HeldLeases | None:
        """Set money aside in every scope: the leases it came out of; None if they lack it."""
        found: HeldLeases = {}
        for scope in scopes:
            lease = self.leases.get(scope.name)
            if (
                lease is None
                or lease.free_micros < amount
                or now >= lease.ends_at
                or lease.limit_micros != scope.limit_micros
            ):
                return None
            found[scope.name] = lease
        for lease in found.values():
            lease.set_aside(amount)
            lease.held_micros += amount
        return found

    def wish(
        self,
        scopes: tuple[SpendingScope, ...],
        bounds: TokenBounds,
        price: Price,
        markup: Markup = NO_MARKUP,
    ) -> LeaseWish:
        """What to ask the database for. What is free is kept for it until the answer."""
        amount = worst_micros(price, bounds, markup)
        wish = LeaseWish(scopes, {}, {}, {}, bounds, price, markup)
        for scope in scopes:
            lease = self.leases.get(scope.name)
            if lease is None:
                wish.has[scope.name], wish.wants[scope.name] = 0, FIRST_REQUESTS * amount
                continue
            # Under another limit everything is weighed anew.
            is_same = lease.limit_micros == scope.limit_micros
            wish.leases[scope.name] = lease
            wish.has[scope.name] = min(lease.free_micros, amount) if is_same else lease.free_micros
            wish.wants[scope.name] = lease.wish(amount)
            lease.set_aside(wish.has[scope.name])
        return wish

    def granted(self, wish: LeaseWish, grant: LeaseGrant, ends_at: float) -> HeldLeases:
        """The database has lent what was wished for: the leases with the request's money."""
        self._unkeep(wish)
        found: HeldLeases = {}
        for scope in wish.scopes:
            limit = scope.limit_micros or 0
            fresh = ScopeLease(limit, scope.counts_markup, ends_at)
            lease = self.leases.setdefault(scope.name, fresh)
            lease.limit_micros, lease.ends_at = limit, ends_at
            lease.least_micros = FIRST_REQUESTS * grant.amount_micros
            lease.is_scarce = scope.name in grant.scarce
            lease.free_micros += grant.has[scope.name]
            lease.set_aside(grant.amount_micros)
            lease.held_micros += grant.amount_micros
            found[scope.name] = lease
        return found

    def refused(self, wish: LeaseWish) -> None:
        """Nothing came of a wish: what was kept for it is free again."""
        self._unkeep(wish)
        for name in self.current(wish.leases):
            self.leases[name].free_micros += wish.has[name]

    def left(self, leases: HeldLeases, amount: int) -> None:
        """Whoever wanted it is gone before its row was written: the money is free again."""
        for name in self.current(leases):
            self.leases[name].unwritten_micros -= amount
            self.leases[name].held_micros -= amount
            self.leases[name].free_micros += amount

    def written(self, leases: HeldLeases, amount: int) -> None:
        """The row of a request is written: its money is out of the leases there, too."""
        for lease in leases.values():
            lease.unwritten_micros -= amount

    def booked(self, leases: HeldLeases, amount: int) -> None:
        """A request is booked."""
        for lease in leases.values():
            lease.held_micros -= amount

    def returned(self, name: str, left_over: int, spent: int) -> None:
        """What a request left over is in the lease again."""
        self.leases[name].free_micros += left_over
        self.leases[name].spent_micros += spent

    def current(self, leases: HeldLeases) -> frozenset[str]:
        """Those that are still ours: one that was lost may have been followed by another."""
        return frozenset(name for name, one in leases.items() if self.leases.get(name) is one)

    def keeping(self, leases: HeldLeases) -> frozenset[str]:
        """Those that keep what requests leave over."""
        return frozenset(name for name in self.current(leases) if not leases[name].is_scarce)

    def lose(self, names: Iterable[str]) -> bool:
        """The database has no such leases of ours; whether we thought it had some."""
        return bool([lease for name in names if (lease := self.leases.pop(name, None))])

    def renewed(self, ends_at: float) -> None:
        """The terms were lengthened."""
        for lease in self.leases.values():
            lease.ends_at = ends_at

    def unused(self) -> dict[str, int]:
        """Take out what nobody needed lately, to be returned; called every `RENEW_S`."""
        found: dict[str, int] = {}
        for name, lease in list(self.leases.items()):
            # As much as was spent will be spent again.
            unused = max(0, lease.lowest_micros - lease.spent_micros)
            if unused:
                found[name] = unused
                lease.free_micros -= unused
            lease.lowest_micros = lease.free_micros
            lease.spent_before, lease.spent_micros = lease.spent_micros, 0
            if lease.is_empty and not lease.spent_before:
                found.setdefault(name, 0)
                del self.leases[name]
        return found

    def near_limits(self) -> dict[str, int]:
        """Take out what is free where a limit is near: others may need it more."""
        found = {
            name: lease.free_micros
            for name, lease in self.leases.items()
            if lease.is_scarce and lease.free_micros > 0
        }
        for name in found:
            self.leases[name].free_micros = self.leases[name].lowest_micros = 0
        return found

    def everything(self) -> dict[str, int]:
        """Take out all that is free, to be returned at the end."""
        found = {name: lease.free_micros for name, lease in self.leases.items()}
        for name, lease in list(self.leases.items()):
            lease.free_micros = lease.lowest_micros = 0
            if lease.is_empty:
                del self.leases[name]
        return found

    def not_returned(self, amounts: Mapping[str, int]) -> None:
        """What was taken out to be returned is here still."""
        for name, micros in amounts.items():
            if name in self.leases:
                self.leases[name].free_micros += micros

    def _unkeep(self, wish: LeaseWish) -> None:
        for name in self.current(wish.leases):
            self.leases[name].unwritten_micros -= wish.has[name]
