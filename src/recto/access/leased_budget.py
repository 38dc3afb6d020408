"""A budget that sets aside out of leases: no call waits for the disk before it is sent.

One task writes for the whole worker. Whatever has come together while it wrote is its next
transaction: rows of calls that began, what others cost, and what leases lack. So a busy database is
asked seldom and for much, and one that has time is asked at once.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import anyio

from recto.access.affordable import BudgetRefusal, too_dear, unknown_price
from recto.access.budget import (
    LONGEST_CALL_MS,
    BudgetHold,
    Purpose,
    held_request,
    interrupted,
    spent_of,
)
from recto.access.lease_batches import (
    LATE_SCOPE,
    Batch,
    LeaseTransaction,
    LentMoney,
    OpenHold,
    PendingEnd,
    PendingReturn,
    PendingWish,
)
from recto.access.lease_book import LeaseBook
from recto.access.lease_pace import WritePace
from recto.access.leases import (
    NO_MARKUP,
    RENEW_S,
    TERM_S,
    HeldLeases,
    LeaseRefusal,
    Markup,
    worst_micros,
)
from recto.access.limits import SpendingScope
from recto.access.prices import Price
from recto.access.usage_meter import TokenBounds
from recto.clock import Clock, Ids
from recto.messages import Failure, Usage
from recto.storage import (
    DatabaseFull,
    LedgerRow,
    Reservation,
    ServerGone,
    Storage,
    StorageFailure,
    Unavailable,
    WriteTransaction,
    finish_shielded,
)

LATE_S = 2.0
"""A row that waits for longer is a database that is away: until it is back no call begins."""
PATIENCE_S = 30.0
CLOSE_S = 5.0
FIRST_BYTE_S = 0.05
"""How long the row of a call that began may wait, so that writing it does not delay the answer's
first byte. Meanwhile the lease that the money is held against counts as spent."""
MARGIN_S = 2.0
"""A lease is not used in its last moments: what is sent then might be heard of too late."""

AWAY = (Unavailable, ServerGone, DatabaseFull)
"""Failures of the database, not of what is written: it is written later."""

log = logging.getLogger(__name__)


class LeasedBudget:
    """Sets aside and books, for a gateway. One for each worker; its tasks must be running."""

    def __init__(
        self, storage: Storage, *, clock: Clock, ids: Ids, markup: Markup = NO_MARKUP
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._markup = markup
        self._owner = ids.new()
        self._book = LeaseBook()
        self._open: dict[str, OpenHold] = {}
        self._pending = Batch()
        self._writing: list[OpenHold] = []
        self._pace = WritePace()
        self._wanted = anyio.Event()
        self._later: asyncio.TimerHandle | None = None
        self._urgent = anyio.Event()
        self._written = anyio.Event()

    async def reserve(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | BudgetRefusal:
        """Set the worst case aside, with as much output as the tightest limit leaves."""
        if not purpose.scopes:
            raise ValueError("A call must count in some scope.")
        if self._is_late() and not await self._is_writing():
            return BudgetRefusal(BOOKS_CLOSED)
        hold = self._take_at_hand(purpose, bounds, price)
        if hold is not None:
            return hold
        limited = limited_scopes(purpose)
        if price is None:
            return unknown_price(limited[0])
        now = self._clock.monotonic()
        found = self._book.refusal(limited, bounds, price, self._markup, now)
        if found is None:
            try:
                found = await self._ask(limited, bounds, price)
            except AWAY:
                return BudgetRefusal(BOOKS_CLOSED)
        if isinstance(found, LeaseRefusal):
            return too_dear(found.scope, found.left_micros)
        grant, leases = found
        allowed = replace(bounds, output=grant.output)
        return self._begin(purpose, allowed, price, grant.amount_micros, leases)

    def reserve_now(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | None:
        """Set the worst case aside, if the leases suffice and the books are kept in time."""
        if not purpose.scopes:
            raise ValueError("A call must count in some scope.")
        return None if self._is_late() else self._take_at_hand(purpose, bounds, price)

    def _take_at_hand(
        self, purpose: Purpose, bounds: TokenBounds, price: Price | None
    ) -> BudgetHold | None:
        limited = limited_scopes(purpose)
        if price is None:
            # Without a price no limit can be kept, so with a limit nothing is sent.
            return None if limited else self._begin(purpose, bounds, None, 0, {})
        amount = worst_micros(price, bounds, self._markup)
        if amount == 0:
            # Free models go on even when a limit is passed.
            return self._begin(purpose, bounds, price, 0, {})
        leases = self._book.hold(limited, amount, self._clock.monotonic())
        return None if leases is None else self._begin(purpose, bounds, price, amount, leases)

    async def settle(
        self, hold: BudgetHold, usage: Usage, *, outcome: str, body: Mapping[str, Any]
    ) -> LedgerRow:
        """Book what a call used; also when the caller is being cancelled."""
        spend = spent_of(self._ids.new(), hold, usage, outcome, body, self._markup)
        booked: asyncio.Future[LedgerRow] = asyncio.get_running_loop().create_future()
        end = PendingEnd.of(self._open.pop(hold.id), spend, self._book, booked)
        self._pending.ended.append(end)
        self._tell(is_urgent=False)
        return await finish_shielded(_result(booked))

    async def keep_books(self) -> None:
        """Write what has come together, for ever."""
        while True:
            await self._wanted.wait()
            self._wanted = anyio.Event()
            while len(self._pending):
                await self._pause()
                await finish_shielded(self._write())

    async def keep_leases(self) -> None:
        """Renew the leases, return what is not needed, and end those of dead workers, for ever."""
        while True:
            await anyio.sleep(RENEW_S)
            await self.renew()
            await self.sweep()

    async def renew(self) -> None:
        """Lengthen the terms, and return what nobody needed lately."""
        if self._book.leases:
            await self._give_back(is_everything=False)

    async def written(self) -> None:
        """Return when all that has begun so far stands in the database."""
        while self._writing or self._pending.begun:
            self._tell(is_urgent=False)
            await self._written.wait()

    async def close(self) -> None:
        """Return everything, while the task that writes still runs.

        Of a database that does not answer nothing is waited for: leases end by themselves.
        """
        with anyio.move_on_after(CLOSE_S):
            await self.written()
            await self._give_back(is_everything=True)

    async def recover(self, *, is_alone: bool) -> int:
        """Book what processes that died had set aside; answers how many calls that were.

        With others on the same store only what is older than any call can be is known to be dead
        by its age; `sweep` knows the dead by their numbers.
        """
        oldest = self._clock.now_ms() - LONGEST_CALL_MS
        async with self._storage.write() as write:
            held = await self._storage.ledger.held(within=write)
            dead = [one for one in held if is_alone or one.created_ms < oldest]
            await self._book_interrupted(write, dead)
        return len(dead)

    async def sweep(self) -> int:
        """Book the calls of dead workers, and end their leases once the term is over.

        Until then a lease counts as spent: what was sent just before the end has left no row.
        """
        leases = self._storage.leases
        if not await leases.dead_workers():
            return 0
        async with self._storage.write() as write:
            dead = await leases.dead_workers(within=write)
            held = await self._storage.ledger.held(within=write)
            theirs = [one for one in held if one.request.get("worker") in dead]
            await self._book_interrupted(write, theirs)
            left = await leases.take_back(write, dead)
            await leases.forget(write, dead - left)
        return len(theirs)

    async def _is_writing(self) -> bool:
        """Wait a while for late rows: nothing is sent that nobody books. Whether they came."""
        with anyio.move_on_after(PATIENCE_S):
            while self._is_late():
                await self._written.wait()
            return True
        return False

    def _is_late(self) -> bool:
        begun = self._writing or self._pending.begun
        return bool(begun) and self._clock.monotonic() - begun[0].began_at >= LATE_S

    def _begin(
        self,
        purpose: Purpose,
        bounds: TokenBounds,
        price: Price | None,
        amount: int,
        leases: HeldLeases,
    ) -> BudgetHold:
        hold = BudgetHold(self._ids.new(), amount, bounds, price, purpose)
        now = self._clock.monotonic()
        request = partial(held_request, hold, self._owner, self._markup)
        begun = OpenHold(hold, purpose.scopes, leases, request, now)
        self._open[hold.id] = begun
        self._pending.begun.append(begun)
        if self._later is None:
            self._later = asyncio.get_running_loop().call_later(FIRST_BYTE_S, self._write_begun)
        return hold

    def _write_begun(self) -> None:
        """The rows of calls that began have waited long enough."""
        self._later = None
        self._wanted.set()

    async def _ask(
        self, scopes: tuple[SpendingScope, ...], bounds: TokenBounds, price: Price
    ) -> LentMoney:
        answer: asyncio.Future[LentMoney] = asyncio.get_running_loop().create_future()
        wish = self._book.wish(scopes, bounds, price, self._markup)
        one = PendingWish(wish, answer, self._clock.monotonic())
        one.is_urgent = self._book.is_urgent(scopes)
        self._pending.wishes.append(one)
        self._tell(is_urgent=one.is_urgent)
        try:
            return await answer
        except asyncio.CancelledError:
            # The caller leaves: what was lent for it meanwhile is free again.
            if not answer.cancelled() and answer.exception() is None:
                found = answer.result()
                if not isinstance(found, LeaseRefusal):
                    self._book.left(found[1], found[0].amount_micros)
            raise

    async def _give_back(self, *, is_everything: bool) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.returns.append(PendingReturn(is_everything, done))
        self._tell(is_urgent=is_everything)
        await done

    def _tell(self, *, is_urgent: bool) -> None:
        """Somebody waits for what is to be written."""
        self._wanted.set()
        if is_urgent:
            self._urgent.set()

    async def _pause(self) -> None:
        """Leave a busy database alone for a moment, unless somebody waits for money."""
        self._urgent = anyio.Event()
        seconds = self._pace.pause_s(self._pending, self._clock.monotonic())
        if seconds > 0:
            with anyio.move_on_after(seconds):
                await self._urgent.wait()

    async def _write(self) -> None:
        """Write all that has come together."""
        batch, self._pending = self._pending, Batch()
        batch.take_out(self._book, self._clock.monotonic())
        self._writing = batch.begun
        try:
            await self._write_batch(batch)
        except Exception as error:
            if not isinstance(error, StorageFailure) or isinstance(error, AWAY):
                self._put_back(batch, error)
                raise
            await self._write_singly(batch, error)
        finally:
            self._writing = []
        self._written.set()
        self._written = anyio.Event()

    def _put_back(self, batch: Batch, error: Exception) -> None:
        """Calls that began or ended are written later; whoever waits for money is told."""
        self._pending.begun[:0] = batch.begun
        self._pending.ended[:0] = batch.ended
        batch.fail(error, self._book)
        self._tell(is_urgent=False)

    async def _write_singly(self, batch: Batch, error: StorageFailure) -> None:
        """One part can't be stored: it alone fails, the others are written without it."""
        if len(batch) > 1:
            for one in batch.singles():
                try:
                    await self._write_batch(one)
                except AWAY as gone:
                    self._put_back(one, gone)
                except StorageFailure as failure:
                    await self._write_singly(one, failure)
            return
        log.error("a call can't be booked", exc_info=error)
        batch.fail(error, self._book)
        for begun in batch.begun:
            self._book.left(begun.leases, begun.hold.amount_micros)
        for end in batch.ended:
            end.booked.set_exception(error)

    async def _write_batch(self, batch: Batch) -> None:
        """One transaction."""
        began = self._clock.monotonic()
        leases = self._storage.leases
        async with self._storage.write() as write:
            until_ms = write.now_ms + round(TERM_S * 1000)
            scopes = batch.scopes(self._book)
            own = await leases.open(write, scopes, until_ms=until_ms)
            spending = await self._storage.ledger.spending(scopes, within=write)
            work = LeaseTransaction.of(batch, self._book, own, spending, began)
            await leases.begin(write, work.begun)
            booked = await leases.end(write, work.ended)
            answers = work.change(booked)
            if batch.returns:
                await leases.renew(write, until_ms=until_ms)
            await leases.save(write, own)
        self._pace.wrote(began, self._clock.monotonic())
        if not work.take_over(booked, answers, began + TERM_S - MARGIN_S):
            log.warning("leases were taken back from this worker, which lives")
        for call in batch.begun:
            if call.late:
                log.error("a call came too late for its limits; it is booked as %s", LATE_SCOPE)
        self._pending.wishes.extend(work.parked)

    async def _book_interrupted(self, write: WriteTransaction, dead: Sequence[Reservation]) -> None:
        for held in dead:
            spend = interrupted(self._ids.new(), held.request)
            await self._storage.ledger.settle(write, held.id, spend)


def limited_scopes(purpose: Purpose) -> tuple[SpendingScope, ...]:
    """Those that have a limit."""
    return tuple([scope for scope in purpose.scopes if scope.limit_micros is not None])


async def _result(booked: asyncio.Future[LedgerRow]) -> LedgerRow:
    return await booked


BOOKS_CLOSED = Failure(
    "overloaded",
    "The gateway can't write down what calls cost just now, so it begins none. Try again shortly.",
    code="books_closed",
    retry_after_s=5,
)
