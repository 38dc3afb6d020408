"""What one worker has leased, and what it knows of limits that are used up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recto.access.leases import (
    FIRST_REQUESTS,
    NO_MARKUP,
    RENEW_S,
    HeldLeases,
    LeaseGrant,
    LeaseRefusal,
    LeaseWish,
    Markup,
    ScopeLease,
    UsedUp,
    least_micros,
    worst_micros,
)
from recto.access.limits import SpendingScope
from recto.access.prices import Price
from recto.access.usage_meter import TokenBounds


@dataclass(slots=True)
class LeaseBook:
    """What this worker has leased, by scope.

    What a lease has in the database is what is free here and what is unwritten, less what is
    unbooked.
    """

    leases: dict[str, ScopeLease] = field(default_factory=dict[str, ScopeLease])
    used_up: dict[str, UsedUp] = field(default_factory=dict[str, UsedUp])
    touched: set[str] = field(default_factory=set[str])
    """The leases that something happened to since the last transaction."""

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
        for name, lease in found.items():
            self._begin(name, lease, amount)
        return found

    def refusal(
        self,
        scopes: Sequence[SpendingScope],
        bounds: TokenBounds,
        price: Price,
        markup: Markup,
        now: float,
    ) -> LeaseRefusal | None:
        """Whether it is known already that a limit leaves too little."""
        for scope in scopes:
            known = self.used_up.get(scope.name)
            if known is None or known.limit_micros != scope.limit_micros or now >= known.until:
                continue
            lease = self.leases.get(scope.name)
            most = known.most_micros + (lease.free_micros + lease.kept_micros if lease else 0)
            least = least_micros(price, bounds, markup)
            if least > most:
                return LeaseRefusal(scope, most, 0, least)
        return None

    def is_urgent(self, scopes: Iterable[SpendingScope]) -> bool:
        """Whether to ask at once, however busy the database is: not where a limit is near."""
        for scope in scopes:
            lease = self.leases.get(scope.name)
            if scope.name in self.used_up or (lease is not None and lease.is_scarce):
                return False
        return True

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
            free = max(0, lease.free_micros)
            if lease.is_scarce:
                # It goes back, and whoever is first gets all of it: halves would serve nobody.
                free = 0
                self.touched.add(scope.name)
            wish.leases[scope.name] = lease
            wish.has[scope.name] = min(free, amount) if is_same else free
            wish.wants[scope.name] = max(FIRST_REQUESTS * amount, lease.wanted_micros)
            lease.set_aside(wish.has[scope.name])
            lease.kept_micros += wish.has[scope.name]
        return wish

    def granted(
        self, wish: LeaseWish, grant: LeaseGrant, *, now: float, ends_at: float
    ) -> HeldLeases:
        """The database has lent what was wished for: the leases with the request's money."""
        self._unkeep(wish)
        found: HeldLeases = {}
        for scope in wish.scopes:
            limit = scope.limit_micros or 0
            fresh = ScopeLease(limit, scope.counts_markup, ends_at, looked_at=now)
            lease = self.leases.setdefault(scope.name, fresh)
            lease.limit_micros, lease.ends_at = limit, ends_at
            lease.request_micros = grant.amount_micros
            lease.free_micros += grant.has[scope.name]
            self.used_up.pop(scope.name, None)
            self._begin(scope.name, lease, grant.amount_micros)
            found[scope.name] = lease
        return found

    def refused(self, wish: LeaseWish) -> None:
        """Nothing came of a wish: what was kept for it is free again."""
        self._unkeep(wish)
        for name in self.current(wish.leases):
            self.leases[name].free_micros += wish.has[name]
            self.touched.add(name)

    def remember(self, refusal: LeaseRefusal, now: float) -> bool:
        """Too little is left; whether a request may be paid with what comes back.

        If not, there is no need to ask again at once.
        """
        scope, returned = refusal.scope, 0
        if lease := self.leases.get(scope.name):
            lease.is_scarce = True
            returned = max(0, lease.free_micros)
        most = refusal.left_micros + refusal.elsewhere_micros
        if most + returned >= refusal.least_micros:
            return True
        self.used_up[scope.name] = UsedUp(scope.limit_micros, most, now + RENEW_S)
        return False

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
            lease.written_micros += amount

    def ended(self, leases: HeldLeases, amount: int, left_over: Mapping[str, int]) -> None:
        """A request has ended: what it left over is free at once, in leases that are still ours."""
        for lease in leases.values():
            lease.held_micros -= amount
        for name, micros in left_over.items():
            lease = self.leases[name]
            lease.free_micros += micros
            lease.unbooked_micros += micros
            lease.taken_micros -= micros
            self.touched.add(name)
            self.used_up.pop(name, None)

    def booked(
        self, leases: HeldLeases, amount: int, left_over: Mapping[str, int], *, is_kept: bool
    ) -> None:
        """It is booked; if not by us, what it left over was not ours."""
        for name, lease in leases.items():
            lease.written_micros -= amount
            lease.unbooked_micros -= left_over.get(name, 0)
            if not is_kept:
                lease.free_micros -= left_over.get(name, 0)

    def current(self, leases: HeldLeases) -> frozenset[str]:
        """Those that are still ours: one that was lost may have been followed by another."""
        return frozenset([name for name, one in leases.items() if self.leases.get(name) is one])

    def lose(self, names: Iterable[str]) -> bool:
        """The database has no such leases of ours; whether we thought it had some."""
        return bool([lease for name in names if (lease := self.leases.pop(name, None))])

    def renewed(self, ends_at: float) -> None:
        """The terms were lengthened."""
        for lease in self.leases.values():
            lease.ends_at = ends_at

    def look(self, now: float) -> dict[str, int]:
        """Take out what is too much where something happened, or where a limit is near."""
        found: dict[str, int] = {}
        for name in self.touched & self.leases.keys():
            lease = self.leases[name]
            lease.look(now)
            if micros := lease.too_much():
                lease.free_micros -= micros
                found[name] = micros
                self.used_up.pop(name, None)
        self.touched.clear()
        return found

    def unused(self, now: float) -> dict[str, int]:
        """Take out what nobody needed lately, to be returned; called every `RENEW_S`."""
        found: dict[str, int] = {}
        self.used_up = {
            name: one for name, one in self.used_up.items() if now < one.until + RENEW_S
        }
        for name, lease in list(self.leases.items()):
            lease.look(now)
            # Where less is used than a request in that time, nothing is kept.
            is_idle = lease.pace_micros * RENEW_S < lease.request_micros
            micros = max(0, lease.free_micros) if is_idle else lease.too_much()
            if micros:
                found[name] = micros
                lease.free_micros -= micros
            if lease.is_empty and is_idle:
                found.setdefault(name, 0)
                del self.leases[name]
        return found

    def everything(self) -> dict[str, int]:
        """Take out all that is free, to be returned at the end."""
        found = {name: lease.free_micros for name, lease in self.leases.items()}
        for name, lease in list(self.leases.items()):
            lease.free_micros = 0
            if lease.is_empty:
                del self.leases[name]
        return found

    def not_returned(self, amounts: Mapping[str, int]) -> None:
        """What was taken out to be returned is here still."""
        for name, micros in amounts.items():
            if name in self.leases:
                self.leases[name].free_micros += micros

    def _begin(self, name: str, lease: ScopeLease, amount: int) -> None:
        lease.set_aside(amount)
        lease.held_micros += amount
        lease.taken_micros += amount
        self.touched.add(name)

    def _unkeep(self, wish: LeaseWish) -> None:
        for name in self.current(wish.leases):
            self.leases[name].unwritten_micros -= wish.has[name]
            self.leases[name].kept_micros -= wish.has[name]
