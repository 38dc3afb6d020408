"""Rate limits that every process shares: what was asked for in each second of the last minute.

A second counts until all of it is a minute past. So no minute ever has more than its limit,
wherever it begins, and what was used is free again a second late at most.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, select, text, update

from recto.storage.account_records import RateLimit, RateRefusal, RateSlice
from recto.storage.tables.accounts import request_rates
from recto.storage.transactions import WriteTransaction

WINDOW_S = 60
COUNT = text(
    "INSERT INTO request_rates (subject, second, requests, tokens)"
    " VALUES (:subject, :second, :requests, :tokens) ON CONFLICT (subject, second) DO UPDATE SET"
    " requests = request_rates.requests + excluded.requests,"
    " tokens = request_rates.tokens + excluded.tokens"
)
SHARE = 8
"""No process takes more than this part of what a minute leaves."""
Used = tuple[int, int, int]
"""A second, and the requests and tokens in it."""


class RequestRates:
    """Counts requests and tokens by subject. No more rows than seconds in a minute, each."""

    async def enter(
        self, write: WriteTransaction, limits: Sequence[RateLimit], *, tokens: int
    ) -> RateRefusal | None:
        """Count a request with all of its subjects, or with none if one's limit would be passed."""
        now = write.now_ms // 1000
        # Writes take turns: what is read here stays true until it is counted.
        await write.execute(delete(request_rates).where(request_rates.c.second < now - WINDOW_S))
        used = await self._used(write, [limit.subject for limit in limits])
        for limit in limits:
            refusal = refused(limit, used.get(limit.subject, []), tokens, now)
            if refusal is not None:
                return refusal
        for subject in sorted({limit.subject for limit in limits}):
            await self._count(write, RateSlice(subject, now, 1, tokens))
        return None

    async def take(
        self,
        write: WriteTransaction,
        limits: Sequence[RateLimit],
        *,
        wanted: Mapping[str, int],
        tokens: int,
        second: int,
    ) -> Mapping[str, RateSlice]:
        """Count up to so many more requests in a second to come, each with so many tokens."""
        if not any(wanted.values()):
            return {}
        used = await self._used(write, [limit.subject for limit in limits])
        taken: dict[str, RateSlice] = {}
        for limit in sorted(limits, key=lambda one: one.subject):
            counted = used.get(limit.subject, [])
            requests = wanted[limit.subject]
            if limit.requests is not None:
                left = limit.requests - sum(one[1] for one in counted)
                requests = min(requests, left // SHARE)
            if limit.tokens is not None and tokens > 0:
                left = limit.tokens - sum(one[2] for one in counted)
                requests = min(requests, left // SHARE // tokens)
            if requests > 0:
                some = RateSlice(limit.subject, second, requests, requests * tokens)
                await self._count(write, some)
                taken[limit.subject] = some
        return taken

    async def give_back(self, write: WriteTransaction, unused: Sequence[RateSlice]) -> None:
        """Count less where what was taken was not used."""
        table = request_rates.c
        for one in sorted(unused, key=lambda slice: slice.subject):
            counted = (table.subject == one.subject) & (table.second == one.second)
            await write.execute(
                update(request_rates)
                .where(counted)
                .values(requests=table.requests - one.requests, tokens=table.tokens - one.tokens)
            )

    async def _count(self, write: WriteTransaction, some: RateSlice) -> None:
        values = {"subject": some.subject, "second": some.second}
        values |= {"requests": some.requests, "tokens": some.tokens}
        await write.execute(COUNT.bindparams(**values))

    async def _used(
        self, write: WriteTransaction, subjects: Sequence[str]
    ) -> dict[str, list[Used]]:
        query = select(request_rates).where(request_rates.c.subject.in_(sorted(subjects)))
        found: dict[str, list[Used]] = {}
        for subject, *used in await write.execute(query.order_by(request_rates.c.second)):
            second, requests, tokens = used
            found.setdefault(subject, []).append((second, requests, tokens))
        return found


def refused(limit: RateLimit, used: Sequence[Used], tokens: int, now: int) -> RateRefusal | None:
    """Why a request may not begin now."""
    if limit.requests is not None:
        counted = [(second, requests) for second, requests, _ in used]
        if not fits(counted, 1, limit.requests):
            wait = wait_for(counted, 1, limit.requests, now)
            return RateRefusal(limit.subject, "requests", limit.requests, wait)
    if limit.tokens is not None:
        counted = [(second, many) for second, _, many in used]
        if not fits(counted, tokens, limit.tokens):
            wait = wait_for(counted, tokens, limit.tokens, now)
            return RateRefusal(limit.subject, "tokens", limit.tokens, wait)
    return None


def fits(used: Sequence[tuple[int, int]], more: int, limit: int) -> bool:
    """Whether there is room for more."""
    return sum(amount for _, amount in used) + more <= limit


def wait_for(used: Sequence[tuple[int, int]], more: int, limit: int, now: int) -> int | None:
    """In how many seconds enough of what was used is a minute past; None if more never fits."""
    for done in range(1, len(used) + 1):
        if fits(used[done:], more, limit):
            return max(1, used[done - 1][0] + WINDOW_S + 1 - now)
    return None
