"""The budget: money is set aside before a call and booked after it, so no limit is ever passed.

What is set aside is the worst case, and nothing above it is ever booked. The reservation of a
process that died stays held until `recover` books the least that it must have cost.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from recto.access.limits import (
    Limits,
    Scope,
    dollars,
    month_bounds,
    month_of,
    month_scope,
    scopes_of,
)
from recto.access.metering import Bounds, bounded
from recto.access.prices import Price
from recto.clock import Clock, Ids
from recto.messages import Failure, Usage
from recto.storage import LedgerRow, Spend, Standing, Storage, Write, to_the_end

LEAST_OUTPUT = 16
"""An answer that would have to be shorter is not worth asking for."""
LONGEST_CALL_MS = 60 * 60 * 1000
UNKNOWN_PRICE = "unknown_price"
"""The code of a refusal because nobody knows what a model costs."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a call is for, as the ledger tells it."""

    feature: str
    provider: str
    model: str
    chat_id: str | None = None
    project_id: str | None = None
    turn_id: str | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """Money that is set aside for one call."""

    id: str
    amount_micros: int
    bounds: Bounds
    """What may be sent and asked for; `output` is what the budget leaves of the wish."""
    price: Price | None
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Refusal:
    """The call can't be paid."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class MonthStatus:
    """How far the month's limit is used up."""

    month: str
    limit_micros: int | None
    standing: Standing
    unpriced: int
    """How many requests have no known price."""
    is_warning: bool
    is_stopped: bool


class Budget:
    """Sets aside and books. One for each process."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Clock,
        ids: Ids,
        zone: tzinfo,
        limits: Callable[[], Limits],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._zone = zone
        self._limits = limits
        self._owner = ids.new()

    async def reserve(
        self, purpose: Purpose, bounds: Bounds, price: Price | None
    ) -> Hold | Refusal:
        """Set the worst case aside, with as much output as the tightest limit leaves."""
        month = month_of(self._clock.now_ms(), self._zone)
        scopes = scopes_of(
            self._limits(), month, project_id=purpose.project_id, turn_id=purpose.turn_id
        )
        task = asyncio.create_task(self._reserve(purpose, bounds, price, scopes))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # The write goes on by itself, and only here its reservation is known.
            await to_the_end(self._give_back(task))
            raise

    async def settle(
        self, hold: Hold, usage: Usage, *, outcome: str, body: Mapping[str, Any]
    ) -> LedgerRow:
        """Book what a call used; also when the caller is being cancelled."""
        return await to_the_end(self._settle(hold, usage, outcome, body))

    async def recover(self, *, is_alone: bool) -> int:
        """Book the reservations of processes that died; answers how many there were.

        With others on the same store, only what is older than any call can be is known to be dead.
        """
        oldest = self._clock.now_ms() - LONGEST_CALL_MS
        async with self._storage.write() as write:
            dead = [
                held
                for held in await self._storage.ledger.held(within=write)
                if held.request["owner"] != self._owner and (is_alone or held.created_ms < oldest)
            ]
            for held in dead:
                spend = _interrupted(self._ids.new(), held.request)
                await self._storage.ledger.settle(write, held.id, spend)
        return len(dead)

    async def month_status(self) -> MonthStatus:
        """How far the month's limit is used up now."""
        limits = self._limits()
        month = month_of(self._clock.now_ms(), self._zone)
        scope = month_scope(month)
        standing = (await self._storage.ledger.standing([scope]))[scope]
        limit, total = limits.month_micros, standing.total_micros
        start, _ = month_bounds(self._clock.now_ms(), self._zone)
        spent = await self._storage.ledger.spent_since(start)
        return MonthStatus(
            month=month,
            limit_micros=limit,
            standing=standing,
            unpriced=spent.unpriced_rows,
            is_warning=limit is not None and total >= limit * limits.warn_at,
            is_stopped=limit is not None and total >= limit,
        )

    async def _reserve(
        self, purpose: Purpose, bounds: Bounds, price: Price | None, scopes: Collection[Scope]
    ) -> Hold | Refusal:
        async with self._storage.write() as write:
            output = await self._affordable(write, bounds, price, scopes)
            if isinstance(output, Refusal):
                return output
            amount = price.worst(bounds.prompt, output) if price else 0
            hold = Hold(self._ids.new(), amount, Bounds(bounds.prompt, output), price, purpose)
            await self._hold(write, hold, [scope.name for scope in scopes])
            return hold

    async def _affordable(
        self, write: Write, bounds: Bounds, price: Price | None, scopes: Collection[Scope]
    ) -> int | Refusal:
        """How much output every limit allows."""
        limits = {scope: scope.limit_micros for scope in scopes}
        limited = {scope: limit for scope, limit in limits.items() if limit is not None}
        if price is None:
            return _unknown_price(next(iter(limited))) if limited else bounds.output
        if not limited or price.worst(bounds.prompt, bounds.output) == 0:
            return bounds.output
        standing = await self._storage.ledger.standing([one.name for one in limited], within=write)
        left = {one: limit - standing[one.name].total_micros for one, limit in limited.items()}
        tightest = min(left, key=lambda scope: left[scope])
        possible = price.affordable_output(left[tightest], bounds.prompt)
        output = bounds.output if possible is None else min(bounds.output, possible)
        if output < min(LEAST_OUTPUT, bounds.output):
            return _too_dear(tightest, left[tightest])
        return output

    async def _hold(self, write: Write, hold: Hold, scopes: Collection[str]) -> None:
        purpose, price = hold.purpose, hold.price
        least = Usage(input=hold.bounds.prompt, output=min(1, hold.bounds.output))
        request = {
            "owner": self._owner,
            "feature": purpose.feature,
            "chat": purpose.chat_id,
            "project": purpose.project_id,
            "provider": purpose.provider,
            "model": purpose.model,
            "prompt": least.input,
            "output": least.output,
            "least_micros": price.cost(least) if price else None,
            "price": price.record() if price else None,
        }
        await self._storage.ledger.reserve(
            write, id=hold.id, scopes=scopes, amount_micros=hold.amount_micros, request=request
        )

    async def _settle(
        self, hold: Hold, usage: Usage, outcome: str, body: Mapping[str, Any]
    ) -> LedgerRow:
        used = bounded(usage, hold.bounds)
        purpose, price = hold.purpose, hold.price
        spend = Spend(
            id=self._ids.new(),
            feature=purpose.feature,
            chat_id=purpose.chat_id,
            project_id=purpose.project_id,
            provider=purpose.provider,
            model=purpose.model,
            input_tokens=used.input,
            cache_read_tokens=used.cache_read,
            cache_write_tokens=used.cache_write,
            output_tokens=used.output,
            reasoning_tokens=used.reasoning,
            cost_micros=price.cost(used) if price else None,
            outcome=outcome,
            body={**body, "source": used.source, "price": price.record() if price else None},
        )
        async with self._storage.write() as write:
            row = await self._storage.ledger.settle(write, hold.id, spend)
            # Every open page shows what is spent.
            await self._storage.changes.append(
                write,
                kind="usage",
                resource_id=spend.id,
                project_id=spend.project_id,
                action="created",
                version=1,
            )
            return row

    async def _give_back(self, task: asyncio.Task[Hold | Refusal]) -> None:
        """Undo what a caller who left has begun: nobody else knows of it."""
        hold = await task
        if isinstance(hold, Hold):
            async with self._storage.write() as write:
                await self._storage.ledger.release(write, hold.id)


def _interrupted(id: str, request: Mapping[str, Any]) -> Spend:
    return Spend(
        id=id,
        feature=request["feature"],
        chat_id=request["chat"],
        project_id=request["project"],
        provider=request["provider"],
        model=request["model"],
        input_tokens=request["prompt"],
        cache_read_tokens=0,
        cache_write_tokens=0,
        output_tokens=request["output"],
        reasoning_tokens=0,
        cost_micros=request["least_micros"],
        outcome="interrupted",
        body={"source": "estimated", "price": request["price"]},
    )


def _unknown_price(scope: Scope) -> Refusal:
    return Refusal(
        Failure(
            "budget",
            "Nobody knows what this model costs, so "
            f"{scope.words} can't be kept. State its price in models.json, in dollars per million "
            'tokens: "price": {"input": 1, "output": 5}.',
            code=UNKNOWN_PRICE,
        )
    )


def _too_dear(scope: Scope, left_micros: int) -> Refusal:
    limit = dollars(scope.limit_micros or 0)
    return Refusal(
        Failure(
            "budget",
            f"This would pass {scope.words} of {limit}: {dollars(max(0, left_micros))} are left. "
            "Raise the limit in the settings, or choose a cheaper model.",
            code="limit_reached",
        )
    )
