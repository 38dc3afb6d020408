"""The gate that every call to a model passes: tried again, paid for, written down.

It reads from the outside in: `stream` -> `_with_retries` -> `_within_budget` -> `_once`. The budget
lies inside the retries, because each try is a request of its own that its provider may charge for.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import anyio

from recto.access.access import Access
from recto.access.affordable import BudgetRefusal, advised, allowed_request, failed
from recto.access.budget import BegunCall, BudgetHold, CallBudget, Purpose, SentAhead
from recto.access.retry import RetryPolicy, is_visible
from recto.access.tokens import ByteEstimate, TokenEstimate, most_tokens
from recto.access.usage_meter import TokenBounds, UsageMeter
from recto.clock import Clock
from recto.llm import OfferEvents, Record, RelayedPiece, least_output
from recto.messages import (
    Failure,
    Finished,
    Message,
    PromptProgress,
    Request,
    StreamEvent,
    Usage,
)
from recto.storage import LedgerRow, finish_shielded

if TYPE_CHECKING:
    from recto.llm import ReadyRequest, SentRequest

Send = Callable[[Access, Request, Record | None], AsyncGenerator[StreamEvent]]
"""Carries a request to a model, and tells the record of it; ends in one `Finished`."""
SendOffering = Callable[
    [Access, Request, Record | None, OfferEvents | None, "SentRequest | None"],
    AsyncGenerator[StreamEvent],
]
"""Carries a request as `Send` does, offers words as they come, goes on with one that was sent."""
MakeReady = Callable[[Access, Request], "ReadyRequest | None"]
"""Makes a request ready to be sent without waiting; None: it has to be waited for."""
CountTokens = Callable[[Request, Access], int]
"""More tokens than the prompt can have."""
Mend = Callable[[Access, Failure, Request], tuple[Access, Request] | None]
"""What to send instead, when a failure says what was wrong with it."""
OnMended = Callable[[Access, Request], None]
"""Told what is sent instead, so that the next request of the conversation can be right at once."""
OnBooked = Callable[[LedgerRow], None]
"""Told what each try cost, once that is booked."""
RelaySend = Callable[[int, Callable[[StreamEvent], None]], AsyncGenerator[RelayedPiece]]
"""Carries a client's own bytes to a model that is allowed so much output, and back; tells what it
reads in them, and that ends in one `Finished` unless whoever listens leaves before."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer."""

    text: str
    message: Message
    usage: Usage | None
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class GatedCall:
    """One call as it is tried: mending may change what is sent, not what it is for."""

    access: Access
    request: Request
    purpose: Purpose
    record: Record | None = None
    on_mended: OnMended | None = None
    on_booked: OnBooked | None = None
    offer: OfferEvents | None = None
    begun: SentAhead | None = None


def safe_count(request: Request, access: Access) -> int:
    """The bound that holds for every tokenizer."""
    return most_tokens(request)


def never(access: Access, failure: Failure, request: Request) -> None:
    """Mends nothing."""


class ModelGate:
    """Nothing else calls a model."""

    def __init__(
        self,
        send: Send,
        budget: CallBudget,
        *,
        clock: Clock,
        chance: Callable[[], float],
        mend: Mend = never,
        count: CountTokens = safe_count,
        estimate: TokenEstimate | None = None,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        on_booked: OnBooked | None = None,
        send_offering: SendOffering | None = None,
    ) -> None:
        """`on_booked` is told of every call, besides whoever asks to be told of one."""
        self._send = send
        self._send_offering = send_offering
        self._budget = budget
        self._clock = clock
        self._chance = chance
        self._mend = mend
        self._count = count
        self._estimate = estimate or ByteEstimate()
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._on_booked = on_booked

    async def stream(
        self,
        access: Access,
        request: Request,
        *,
        feature: str,
        chat_id: str | None = None,
        project_id: str | None = None,
        turn_id: str | None = None,
        record: Record | None = None,
        on_mended: OnMended | None = None,
        on_booked: OnBooked | None = None,
    ) -> AsyncGenerator[StreamEvent]:
        """Ask a model. The last event is the only `Finished`; failures are in it.

        Whoever stops listening closes the generator: what was used until then is booked first.
        """
        purpose = Purpose(feature, access.provider.id, access.model, chat_id, project_id, turn_id)
        call = GatedCall(access, request, purpose, record, on_mended, on_booked)
        async with aclosing(self._with_retries(call)) as events:
            async for event in events:
                yield event

    def stream_for(
        self,
        purpose: Purpose,
        access: Access,
        request: Request,
        *,
        record: Record | None = None,
        offer: OfferEvents | None = None,
        begun: SentAhead | None = None,
    ) -> AsyncGenerator[StreamEvent]:
        """Ask a model as `stream` does, for a purpose that names its own scopes.

        `offer` must not take words before all that was told is through: see `AnswerDecoder`.
        """
        call = GatedCall(access, request, purpose, record, offer=offer, begun=begun)
        return self._with_retries(call)

    def begin(
        self, purpose: Purpose, access: Access, request: Request, make_ready: MakeReady
    ) -> SentAhead | None:
        """Send a request at once, paid for like any; None: it has to wait, and nothing was done.

        Whoever gets it must have `stream_for` go on with it, or nobody books it.
        """
        bounds = self._bounds(access, request)
        # All or nothing is set aside at once, so this much output it will be.
        asked = allowed_request(access, request, bounds.output)
        ready = make_ready(access, asked)
        call = None if ready is None else self.reserve_now(purpose, access, bounds)
        if ready is None or call is None:
            return None
        return SentAhead(call, asked, ready.send())

    def reserve_now(
        self, purpose: Purpose, access: Access, bounds: TokenBounds
    ) -> BegunCall | None:
        """Set money aside for a call that is sent at once; None: that has to be waited for.

        Whoever gets it must have the call gone on with, or nobody books it.
        """
        hold = self._budget.reserve_now(purpose, bounds, access.price)
        return None if hold is None else BegunCall(hold, self._clock.monotonic())

    async def relay(
        self,
        purpose: Purpose,
        access: Access,
        bounds: TokenBounds,
        send: RelaySend,
        *,
        begun: BegunCall | None = None,
    ) -> AsyncGenerator[RelayedPiece]:
        """Pass a client's bytes on and an answer's bytes back, once, paid for like any call.

        For a call that has `begun` money is set aside already.
        """
        if begun is None:
            hold = await self._budget.reserve(purpose, bounds, access.price)
        else:
            hold = begun.hold
        if isinstance(hold, BudgetRefusal):
            yield RelayedPiece(0, {}, b"", replace(hold.failure, provider=access.provider.id))
            return
        meter = UsageMeter(self._clock, begun and begun.at)
        outcome = "cancelled"
        try:
            async with aclosing(send(hold.bounds.output, meter.see)) as pieces:
                async for piece in pieces:
                    yield piece
            outcome = meter.outcome
        except Exception:
            outcome = "failed"
            raise
        finally:
            relayed = GatedCall(access, Request(access.model, (), hold.bounds.output), purpose)
            await finish_shielded(self._book(relayed, hold, meter, outcome))

    async def complete(
        self,
        access: Access,
        request: Request,
        *,
        feature: str,
        chat_id: str | None = None,
        project_id: str | None = None,
        turn_id: str | None = None,
        record: Record | None = None,
    ) -> Completion:
        """Ask a model and wait for the whole answer."""
        events = self.stream(
            access,
            replace(request, stream=False),
            feature=feature,
            chat_id=chat_id,
            project_id=project_id,
            turn_id=turn_id,
            record=record,
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    return Completion(event.message.text, event.message, event.usage, event.failure)
        raise RuntimeError("A stream ended without Finished.")

    async def _with_retries(self, call: GatedCall) -> AsyncGenerator[StreamEvent]:
        """Try again while nothing has been shown; what comes before that is kept back."""
        retries, is_mended = 0, False
        while True:
            kept: list[StreamEvent] = []
            is_shown = False
            failure: Failure | None = None
            async with aclosing(self._within_budget(call)) as events:
                async for event in events:
                    if isinstance(event, PromptProgress):
                        yield event  # how far it is may be told twice
                        continue
                    # Once words were shown, another try would show them twice.
                    if isinstance(event, Finished) and event.failure and not is_shown:
                        failure = event.failure
                    kept.append(event)
                    if is_shown or (failure is None and is_visible(event)):
                        is_shown = True
                        for item in kept:
                            yield item
                        kept.clear()
            if failure is None:
                return
            call = replace(call, begun=None)  # what was sent ahead has just failed
            # Once only: a provider that refuses the mended request, too, would keep us here.
            mended = None if is_mended else self._mended(call, failure)
            if mended is not None:
                call, is_mended = mended, True
                if call.on_mended is not None:
                    call.on_mended(call.access, call.request)
                continue
            wait_s = self._policy.wait_s(failure, retries, self._chance())
            if wait_s is None:
                for item in kept:
                    yield item
                return
            retries += 1
            await self._sleep(wait_s)

    def _mended(self, call: GatedCall, failure: Failure) -> GatedCall | None:
        if failure.kind == "budget":
            return None
        found = self._mend(call.access, failure, call.request)
        return found and replace(call, access=found[0], request=found[1])

    async def _within_budget(self, call: GatedCall) -> AsyncGenerator[StreamEvent]:
        """Set money aside, ask once, and book what it cost, however it ends."""
        access, request, begun = call.access, call.request, call.begun
        if begun is None:
            bounds = self._bounds(access, request)
            hold = await self._budget.reserve(call.purpose, bounds, access.price)
        else:
            hold = begun.call.hold
        if isinstance(hold, BudgetRefusal):
            yield advised(failed(replace(hold.failure, provider=access.provider.id)), access)
            return
        meter = UsageMeter(self._clock, begun and begun.call.at)
        allowed = begun.request if begun else allowed_request(access, request, hold.bounds.output)
        # Until the end is seen, the only ways out are a listener who leaves and a bug.
        outcome = "cancelled"
        try:
            async with aclosing(self._once(call, allowed, meter)) as events:
                async for event in events:
                    yield event
            outcome = meter.outcome
        except Exception:
            outcome = "failed"
            raise
        finally:
            # Also when the listener left: the provider charges for what it has sent.
            used = await finish_shielded(self._book(call, hold, meter, outcome))
        end = meter.finished
        assert end is not None
        # The page and the ledger must tell the same number.
        if used.source == "estimated":
            end = replace(end, usage=used)
        yield advised(end, access)

    async def _once(
        self, call: GatedCall, allowed: Request, meter: UsageMeter
    ) -> AsyncGenerator[StreamEvent]:
        """Send it. Everything is told but the end, which the meter keeps until it is booked."""
        async with aclosing(self._sent(call, allowed, meter)) as events:
            async for event in events:
                meter.see(event)
                if isinstance(event, Finished):
                    # Only a carrier that comes to its end leaves its connection to the next call.
                    await anext(events, None)
                    return
                yield event
        # A carrier that ends without `Finished` has broken off; the meter still has its words.
        provider = call.access.provider.id
        failure = Failure("upstream", "The answer ended abruptly.", provider=provider)
        meter.see(Finished("error", meter.message, meter.reported, failure))

    def _sent(
        self, call: GatedCall, allowed: Request, meter: UsageMeter
    ) -> AsyncGenerator[StreamEvent]:
        offer, sent = call.offer, call.begun and call.begun.sent
        if self._send_offering is None:
            assert sent is None
            return self._send(call.access, allowed, call.record)
        if offer is None:
            return self._send_offering(call.access, allowed, call.record, None, sent)

        def metered(events: list[StreamEvent]) -> bool:
            is_taken = offer(events)
            if is_taken:
                for event in events:
                    meter.see(event)
            return is_taken

        return self._send_offering(call.access, allowed, call.record, metered, sent)

    def _bounds(self, access: Access, request: Request) -> TokenBounds:
        """How many tokens a request and its answer can have at most."""
        return TokenBounds(
            prompt=self._count(request, access),
            # A wish for fewer is raised on the wire, so that many must be paid for.
            output=max(
                min(request.max_output, access.max_output), least_output(access.provider.protocol)
            ),
            likely=cache(partial(self._estimate.request, request, access.id)),
        )

    async def _book(
        self, call: GatedCall, hold: BudgetHold, meter: UsageMeter, outcome: str
    ) -> Usage:
        """Book what was used, and tell it."""
        model = call.access.id
        used = meter.usage(hold.bounds, lambda text: self._estimate.text(text, model))
        failure = meter.finished.failure if meter.finished else None
        body: dict[str, Any] = {
            "answer_id": meter.answer_id,
            "answer_model": meter.answer_model,
            "request_id": failure.request_id if failure else None,
            "duration_ms": meter.duration_ms,
            "first_token_ms": meter.first_token_ms,
            "cache_write_long": used.cache_write_long,
        }
        if meter.finished is not None:
            body["reason"] = meter.finished.reason
        if failure is not None:
            body["failure"] = failure.kind
        if meter.reported is not None and meter.reported != used:
            body["reported"] = asdict(meter.reported)
        row = await self._budget.settle(hold, used, outcome=outcome, body=body)
        for told in (call.on_booked, self._on_booked):
            if told is not None:
                told(row)
        return used
