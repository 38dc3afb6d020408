"""Rate limits, counted ahead: a worker takes some requests and tokens of a minute at once.

What is taken is counted in the last second in which it may be used, so that no minute ever has more
than its limit, wherever it begins. Near the limit, or when a caller seldom asks, requests are
counted singly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from recto.clock import Clock
from recto.storage import RateLimit, RateRefusal, RateSlice, Storage, WriteTransaction

SLICE_S = 2
MOST_WANTED = 1_000
MOST_SUBJECTS = 10_000


@dataclass(slots=True)
class RateLease:
    """What is left of what this worker has taken."""

    limit: RateLimit
    second: int
    """In which it is counted: it may be used until that is over."""
    requests: int = 0
    tokens: int = 0
    taken: int = 0

    def has(self, limit: RateLimit, tokens: int, now: int) -> bool:
        """Whether a request may begin on it."""
        if now > self.second or limit != self.limit or self.requests < 1:
            return False
        return limit.tokens is None or self.tokens >= tokens


class RateLeases:
    """The leases of this worker, by what is limited."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._leases: dict[str, RateLease] = {}

    def spend(self, limits: Sequence[RateLimit], *, tokens: int) -> bool:
        """Count a request in what was taken; False when that does not suffice."""
        if not self.suffices(limits, tokens=tokens):
            return False
        for limit in limits:
            lease = self._leases[limit.subject]
            lease.requests -= 1
            lease.tokens -= tokens
        return True

    def suffices(self, limits: Sequence[RateLimit], *, tokens: int) -> bool:
        """Whether `spend` would count a request."""
        if not limits:
            return True
        now = self._now()
        for limit in limits:
            lease = self._leases.get(limit.subject)
            if lease is None or not lease.has(limit, tokens, now):
                return False
        return True

    async def enter(
        self, write: WriteTransaction, limits: Sequence[RateLimit], *, tokens: int
    ) -> RateRefusal | None:
        """Count a request in the database, and take some more if many are asked."""
        rates, now = self._storage.request_rates, self._now()
        left = [self._unused(limit.subject) for limit in limits]
        await rates.give_back(write, [one for one in left if one is not None])
        refusal = await rates.enter(write, limits, tokens=tokens)
        if refusal is not None:
            for limit in limits:
                self._leases.pop(limit.subject, None)
            return refusal
        wanted = {limit.subject: self._wanted(limit.subject, now) for limit in limits}
        second = now + SLICE_S
        taken = await rates.take(write, limits, wanted=wanted, tokens=tokens, second=second)
        if len(self._leases) >= MOST_SUBJECTS:
            self._leases = {name: one for name, one in self._leases.items() if now <= one.second}
        for limit in limits:
            some = taken.get(limit.subject) or RateSlice(limit.subject, second, 0, 0)
            self._leases[limit.subject] = RateLease(
                limit, second, some.requests, some.tokens, some.requests
            )
        return None

    async def refusal(self, limits: Sequence[RateLimit], *, tokens: int) -> RateRefusal | None:
        """Count a request; why it may not begin."""
        if self.spend(limits, tokens=tokens):
            return None
        async with self._storage.write() as write:
            return await self.enter(write, limits, tokens=tokens)

    async def give_back(self) -> None:
        """Return what was taken and is of no more use."""
        now = self._now()
        over = [name for name, lease in self._leases.items() if now > lease.second]
        unused = [self._unused(name) for name in over]
        for name in over:
            del self._leases[name]
        rows = [one for one in unused if one is not None]
        if rows:
            async with self._storage.write() as write:
                await self._storage.request_rates.give_back(write, rows)

    async def keep_tidy(self) -> None:
        """Return what is of no more use, for ever."""
        while True:
            await anyio.sleep(SLICE_S)
            await self.give_back()

    def _unused(self, subject: str) -> RateSlice | None:
        """What is left of a lease; from now on it has nothing."""
        lease = self._leases.get(subject)
        if lease is None or lease.requests <= 0:
            return None
        left = RateSlice(subject, lease.second, lease.requests, max(0, lease.tokens))
        lease.taken -= lease.requests
        lease.requests = lease.tokens = 0
        return left

    def _wanted(self, subject: str, now: int) -> int:
        """As many as the last lease had, and twice as many if that was too little."""
        last = self._leases.get(subject)
        if last is None or now > last.second + SLICE_S:
            return 0
        return min(MOST_WANTED, max(1, 2 * last.taken if now <= last.second else last.taken))

    def _now(self) -> int:
        return self._clock.now_ms() // 1000
