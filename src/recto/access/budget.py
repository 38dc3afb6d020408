"""The budget: money is set aside before a call and booked after it, so no limit is ever passed.

What is set aside is the worst case, and nothing above it is ever booked. The reservation of a
process that died stays held until `recover` books what its prompt is expected to have cost.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from recto.access.affordable import BudgetRefusal, affordable_output
from recto.access.leases import NO_MARKUP, Markup
from recto.access.limits import (
    SpendingLimits,
    SpendingScope,
    month_of,
    month_scope,
    scopes_of,
    turn_scope,
)
from recto.access.prices import Price
from recto.access.usage_meter import TokenBounds, bounded
from recto.clock import Clock, Ids
from recto.messages import Request, Usage
from recto.storage import (
    GroupedRequests,
    GroupedWrites,
    LedgerRow,
    NewReservation,
    RequestUsage,
    Reservation,
    ScopeSpending,
    Storage,
    WriteTransaction,
    finish_shielded,
    money_name,
)

if TYPE_CHECKING:
    # Who sends nothing ahead does not load what is needed for it.
    from recto.llm import SentRequest

LONGEST_CALL_MS = 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a call is for, as the ledger tells it."""

    feature: str
    provider: str
    model: str
    chat_id: str | None = None
    project_id: str | None = None
    turn_id: str | None = None
    scopes: tuple[SpendingScope, ...] = ()
    """What it counts in, where that is not the user's own month, project and turn."""
    account_id: str | None = None
    """Of a gateway's caller: whose call it is, and by which of their keys."""
    key_id: str | None = None
    deployment: str | None = None
    """Which of a gateway's ways to the model is taken."""

    @property
    def caller(self) -> dict[str, str]:
        """The account, the key and the deployment, as far as there are any."""
        named = {
            "account": self.account_id,
            "key": self.key_id,
            "deployment": self.deployment,
        }
        return {name: value for name, value in named.items() if value is not None}


class BudgetHold(NamedTuple):
    """Money that is set aside for one call."""

    id: str
    amount_micros: int
    bounds: TokenBounds
    """What may be sent and asked for; `output` is what the budget leaves of the wish."""
    price: Price | None
    purpose: Purpose
    scopes: tuple[str, ...] = ()
    """What it counts in, by name; a lease knows that itself."""


class BegunCall(NamedTuple):
    """A call that was sent before the gate goes on with it."""

    hold: BudgetHold
    at: float
    """When that was."""


class SentAhead(NamedTuple):
    """A request that was sent before the gate goes on with it."""

    call: BegunCall
    request: Request
    """As it was sent."""
    sent: "SentRequest"


@dataclass(frozen=True, slots=True)
class WantedHold:
    """A call for which money is to be set aside."""

    purpose: Purpose
    bounds: TokenBounds
    price: Price | None
    scopes: tuple[SpendingScope, ...]


@dataclass(frozen=True, slots=True)
class MonthStatus:
    """How far the month's limit is used up."""

    month: str
    limit_micros: int | None
    spending: ScopeSpending
    is_warning: bool
    is_stopped: bool


class CallBudget(Protocol):
    """What the gate of every call needs of a budget."""

    async def reserve(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | BudgetRefusal:
        """Set the worst case aside, with as much output as the tightest limit leaves."""
        ...

    def reserve_now(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | None:
        """Set the worst case aside without waiting; None: only `reserve` can."""
        ...

    async def settle(
        self, hold: BudgetHold, usage: Usage, *, outcome: str, body: Mapping[str, Any]
    ) -> LedgerRow:
        """Book what a call used; also when the caller is being cancelled."""
        ...


class Budget:
    """Sets aside and books. One for each process."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Clock,
        ids: Ids,
        zone: tzinfo,
        limits: Callable[[], SpendingLimits],
    ) -> None:
        self._storage = storage
        self._writes = GroupedWrites(storage)
        self._reservations = GroupedRequests(storage, self._reserve_all, names_of_scopes)
        self._clock = clock
        self._ids = ids
        self._zone = zone
        self._limits = limits
        # Tells our own reservations from those of processes that died.
        self._owner = ids.new()

    async def reserve(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | BudgetRefusal:
        """Set the worst case aside, with as much output as the tightest limit leaves."""
        month = month_of(self._clock.now_ms(), self._zone)
        scopes = purpose.scopes or scopes_of(
            self._limits(), month, project_id=purpose.project_id, turn_id=purpose.turn_id
        )
        # A task of its own: cut off after its commit, the money would stay held.
        wanted = WantedHold(purpose, bounds, price, tuple(scopes))
        task = asyncio.create_task(self._reserve(wanted))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # The write goes on by itself, and only here its reservation is known.
            await finish_shielded(self._give_back(task))
            raise

    def reserve_now(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | None:
        """Nothing is at hand: each call's money is set aside in a transaction of its own."""
        return None

    async def settle(
        self, hold: BudgetHold, usage: Usage, *, outcome: str, body: Mapping[str, Any]
    ) -> LedgerRow:
        """Book what a call used; also when the caller is being cancelled."""
        return await finish_shielded(self._settle(hold, usage, outcome, body))

    async def recover(self, *, is_alone: bool) -> int:
        """Book the reservations of processes that died; answers how many there were.

        With others on the same store, only what is older than any call can be is known to be dead.
        """
        # Younger ones may belong to a call that another process has under way.
        oldest = self._clock.now_ms() - LONGEST_CALL_MS
        async with self._storage.write() as write:
            dead = [
                held
                for held in await self._storage.ledger.held(within=write)
                if held.request["owner"] != self._owner and (is_alone or held.created_ms < oldest)
            ]
            for held in dead:
                await self._book_interrupted(write, held)
        return len(dead)

    async def recover_turn(self, write: WriteTransaction, turn_id: str) -> None:
        """Book what is still set aside for a turn whose process is known to be dead."""
        for held in await self._storage.ledger.held(turn_scope(turn_id), within=write):
            await self._book_interrupted(write, held)

    async def month_status(self) -> MonthStatus:
        """How far the month's limit is used up now."""
        limits = self._limits()
        month = month_of(self._clock.now_ms(), self._zone)
        scope = month_scope(month)
        spending = (await self._storage.ledger.spending([scope]))[scope]
        limit, total = limits.month_micros, spending.total_micros
        return MonthStatus(
            month=month,
            limit_micros=limit,
            spending=spending,
            is_warning=limit is not None and total >= limit * limits.warn_at,
            is_stopped=limit is not None and total >= limit,
        )

    async def _reserve(self, wanted: WantedHold) -> BudgetHold | BudgetRefusal:
        return await self._reservations.do(wanted)

    async def _reserve_all(
        self, write: WriteTransaction, wanted: Sequence[WantedHold]
    ) -> Sequence[BudgetHold | BudgetRefusal]:
        """Set money aside for many calls, in the order they came: all in a few statements."""
        limited = {
            scope.name for item in wanted for scope in item.scopes if scope.limit_micros is not None
        }
        # Limit and reservation in one write: two calls at once can't both take the last dollar.
        spending = await self._storage.ledger.spending(limited, within=write)
        spent = {name: found.total_micros for name, found in spending.items()}
        answers: list[BudgetHold | BudgetRefusal] = []
        made: list[NewReservation] = []
        for item in wanted:
            output = affordable_output(item.bounds, item.price, item.scopes, spent)
            if isinstance(output, BudgetRefusal):
                answers.append(output)
                continue
            bounds, price = replace(item.bounds, output=output), item.price
            amount = price.worst(bounds.prompt, output) if price else 0
            names = tuple(scope.name for scope in item.scopes)
            hold = BudgetHold(self._ids.new(), amount, bounds, price, item.purpose, names)
            for name in names:
                spent[name] = spent.get(name, 0) + amount
            request = held_request(hold, self._owner)
            made.append(NewReservation(hold.id, names, amount, request))
            answers.append(hold)
        await self._storage.ledger.reserve_all(write, made)
        return answers

    async def _settle(
        self, hold: BudgetHold, usage: Usage, outcome: str, body: Mapping[str, Any]
    ) -> LedgerRow:
        spend = spent_of(self._ids.new(), hold, usage, outcome, body)
        names = [money_name(scope) for scope in hold.scopes]
        return await self._writes.do(lambda write: self._book(write, hold.id, spend), *names)

    async def _book_interrupted(self, write: WriteTransaction, held: Reservation) -> None:
        await self._book(write, held.id, interrupted(self._ids.new(), held.request))

    async def _book(self, write: WriteTransaction, hold_id: str, spend: RequestUsage) -> LedgerRow:
        row = await self._storage.ledger.settle(write, hold_id, spend)
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

    async def _give_back(self, task: asyncio.Task[BudgetHold | BudgetRefusal]) -> None:
        """Undo what a caller who left has begun: nobody else knows of it."""
        hold = await task
        if isinstance(hold, BudgetHold):
            async with self._storage.write() as write:
                await self._storage.ledger.release(write, hold.id)


def names_of_scopes(wanted: WantedHold) -> list[str]:
    """What setting money aside reads and changes."""
    return [money_name(scope.name) for scope in wanted.scopes]


def held_request(hold: BudgetHold, owner: str, markup: Markup = NO_MARKUP) -> dict[str, Any]:
    """What is kept with a reservation, so that it can be booked if its process dies."""
    purpose, price = hold.purpose, hold.price
    # The prompt was surely read, of the answer nothing is known.
    least = Usage(input=hold.bounds.expected, output=min(1, hold.bounds.output))
    cost = price.cost(least) if price else None
    return {
        "owner": owner,
        "feature": purpose.feature,
        "chat": purpose.chat_id,
        "project": purpose.project_id,
        "turn": purpose.turn_id,
        "provider": purpose.provider,
        "model": purpose.model,
        "prompt": least.input,
        "output": least.output,
        "least_micros": cost,
        "markup_micros": markup.on(cost or 0),
        "price": price.record() if price else None,
        "caller": purpose.caller,
    }


def spent_of(
    id: str,
    hold: BudgetHold,
    usage: Usage,
    outcome: str,
    body: Mapping[str, Any],
    markup: Markup = NO_MARKUP,
) -> RequestUsage:
    """What is booked for a call."""
    # Never above the reservation: a limit that was checked before must hold after.
    used = bounded(usage, hold.bounds)
    purpose, price = hold.purpose, hold.price
    cost = price.cost(used) if price else None
    return RequestUsage(
        id=id,
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
        cost_micros=cost,
        outcome=outcome,
        body={
            **body,
            **purpose.caller,
            "source": used.source,
            "price": price.record() if price else None,
        },
        turn_id=purpose.turn_id,
        markup_micros=markup.on(cost or 0),
    )


def interrupted(id: str, request: Mapping[str, Any]) -> RequestUsage:
    """What is booked for a call whose process died."""
    return RequestUsage(
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
        body={**request.get("caller", {}), "source": "estimated", "price": request["price"]},
        turn_id=request["turn"],
        markup_micros=request.get("markup_micros", 0),
    )
