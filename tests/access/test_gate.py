import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, replace
from datetime import UTC
from typing import Any

import anyio
import pytest

from recto.access import (
    Access,
    BegunCall,
    Budget,
    BudgetHold,
    Completion,
    Mend,
    ModelGate,
    Purpose,
    Record,
    SentAhead,
    SpendingLimits,
    TokenBounds,
)
from recto.access.gate import SendOffering, never, safe_count
from recto.access.tokens import TokenEstimate
from recto.clock import SystemIds
from recto.llm import PROVIDERS, load_protocol
from recto.messages import (
    Failure,
    Finished,
    Message,
    PromptProgress,
    Request,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallStarted,
    Usage,
    UsageReported,
    assistant,
    user,
)
from recto.storage import LedgerRow, RequestUsage, Storage
from tests.access.world import (
    PRICE,
    STARTED,
    USED,
    Scripted,
    Step,
    ToldClock,
    access,
    asked,
    fails,
    limits,
    says,
)

pytestmark = pytest.mark.anyio

SENT: Any = object()
BUSY = Failure("overloaded", "Busy.", provider="anthropic", request_id="req_1")
WRONG = Failure("invalid_request", "Unknown field.", provider="anthropic")
PROMPT = safe_count(asked(), access())
ESTIMATE = Usage(input=PROMPT, output=1, source="estimated")


class World:
    """A gate before a scripted model, over a real store."""

    def __init__(self, storage: Storage, clock: ToldClock) -> None:
        self.storage = storage
        self.clock = clock
        self.waits: list[float] = []

    def gate(
        self,
        send: Any,
        limits: SpendingLimits | None = None,
        mend: Mend = never,
        estimate: TokenEstimate | None = None,
        send_offering: SendOffering | None = None,
    ) -> ModelGate:
        ids = SystemIds(self.clock)
        now = limits or SpendingLimits(None)
        self.budget = Budget(self.storage, clock=self.clock, ids=ids, zone=UTC, limits=lambda: now)
        return ModelGate(
            send,
            self.budget,
            clock=self.clock,
            chance=lambda: 1.0,
            mend=mend,
            estimate=estimate,
            sleep=self.sleep,
            send_offering=send_offering,
        )

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def spends(self) -> list[RequestUsage]:
        """The ledger, oldest first; nothing may be held."""
        assert await self.storage.ledger.held() == ()
        return [row.spend for row in reversed((await self.storage.ledger.page()).items)]

    async def outcomes(self) -> list[tuple[str, int | None]]:
        return [(spend.outcome, spend.cost_micros) for spend in await self.spends()]


@pytest.fixture
def world(storage: Storage, clock: ToldClock) -> World:
    return World(storage, clock)


async def collect(
    gate: ModelGate, request: Request | None = None, at: Access | None = None
) -> list[StreamEvent]:
    stream = gate.stream(at or access(), request or asked(), feature="chat")
    with anyio.fail_after(60):
        return [event async for event in stream]


async def test_an_answer_passes_through_and_is_booked(world: World) -> None:
    script: list[Step] = [
        world.clock.pass_ms(120),
        STARTED,
        world.clock.pass_ms(80),
        TextDelta("Hi"),
        world.clock.pass_ms(300),
        Finished("end_turn", assistant("Hi"), USED),
    ]
    gate = world.gate(Scripted([script]))
    stream = gate.stream(
        access(), asked(), feature="chat", chat_id="c1", project_id="p1", turn_id="t1"
    )
    events = [event async for event in stream]

    assert events == [STARTED, TextDelta("Hi"), Finished("end_turn", assistant("Hi"), USED)]
    [spend] = await world.spends()
    assert spend == RequestUsage(
        id=spend.id,
        feature="chat",
        chat_id="c1",
        project_id="p1",
        provider="anthropic",
        model="claude",
        input_tokens=80,
        cache_read_tokens=0,
        cache_write_tokens=0,
        output_tokens=30,
        reasoning_tokens=0,
        cost_micros=460,
        outcome="finished",
        body={
            "answer_id": "msg_1",
            "answer_model": "claude-5",
            "request_id": None,
            "duration_ms": 500,
            "first_token_ms": 200,
            "cache_write_long": 0,
            "reason": "end_turn",
            "source": "final",
            "price": PRICE.record(),
        },
        turn_id="t1",
    )


async def test_the_money_is_set_aside_before_the_model_is_asked(world: World) -> None:
    held: list[int] = []

    async def send(at: Access, request: Request, _: Record | None) -> AsyncGenerator[StreamEvent]:
        held.append(await world.storage.ledger.held_micros())
        yield Finished("end_turn", assistant("Hi"), USED)

    await collect(world.gate(send))
    assert held == [PRICE.worst(PROMPT, 1_000)]


async def test_the_row_is_there_when_the_end_is_told(world: World) -> None:
    async with aclosing(
        world.gate(Scripted([says()])).stream(access(), asked(), feature="chat")
    ) as stream:
        async for event in stream:
            if isinstance(event, Finished):
                assert await world.outcomes() == [("finished", 460)]


async def test_the_model_is_asked_for_what_the_budget_leaves(world: World) -> None:
    model = Scripted([says()])
    left = PRICE.worst(PROMPT, 250)
    at = replace(access(max_output=500), model="claude-next", effort="low")
    await collect(world.gate(model, limits(left)), asked(1_000), at)

    assert model.requests == [replace(asked(250), model="claude-next", effort="low")]


async def test_what_the_wire_raises_is_paid_for(world: World) -> None:
    model = Scripted([says()])
    at = replace(access(), provider=PROVIDERS["openai"])
    await collect(world.gate(model), asked(5), at)
    assert [request.max_output for request in model.requests] == [16]

    short = PRICE.worst(safe_count(asked(5), at), 15)
    [event] = await collect(world.gate(Scripted([]), limits(short)), asked(5), at)
    assert isinstance(event, Finished)
    assert event.failure is not None
    assert event.failure.kind == "budget"


async def test_a_request_says_how_hard_to_think_before_the_model_does(world: World) -> None:
    model = Scripted([says()])
    at = replace(access(), effort="high")
    await collect(world.gate(model), replace(asked(), effort="off"), at)

    assert [request.effort for request in model.requests] == ["off"]


async def test_a_call_that_can_not_be_paid_is_not_made(world: World) -> None:
    model = Scripted([])
    [event] = await collect(world.gate(model, limits(0)))

    assert isinstance(event, Finished)
    assert event.failure is not None
    assert (event.reason, event.message) == ("error", Message("assistant", ()))
    assert (event.failure.kind, event.failure.provider) == ("budget", "anthropic")
    assert (model.requests, await world.spends()) == ([], [])


async def test_a_failure_before_anything_is_shown_is_tried_again(world: World) -> None:
    model = Scripted([fails(BUSY), fails(BUSY), says()])
    events = await collect(world.gate(model))

    assert events == says()
    assert world.waits == [0.5, 1.0]
    assert await world.outcomes() == [("failed", 0), ("failed", 0), ("finished", 460)]


async def test_what_was_sent_ahead_is_gone_on_with_once_and_then_sent_anew(world: World) -> None:
    scripted = Scripted([fails(BUSY), says()])
    gone_on: list[bool] = []

    def send(at: Access, request: Request, record: Any, _: Any, sent: Any) -> Any:
        gone_on.append(sent is SENT)
        return scripted(at, request, record)

    gate = world.gate(scripted, send_offering=send)
    at, purpose = access(), Purpose("chat", "anthropic", "claude")
    hold = await world.budget.reserve(purpose, TokenBounds(2_000, 20), at.price)
    assert isinstance(hold, BudgetHold)
    begun = SentAhead(BegunCall(hold, world.clock.monotonic()), asked(), SENT)
    events = [event async for event in gate.stream_for(purpose, at, asked(), begun=begun)]
    assert events == says()
    assert gone_on == [True, False]
    assert [outcome for outcome, _ in await world.outcomes()] == ["failed", "finished"]


async def test_after_three_more_tries_the_failure_is_told(world: World) -> None:
    model = Scripted([fails(BUSY)] * 4)

    assert await collect(world.gate(model)) == fails(BUSY)
    assert world.waits == [0.5, 1.0, 2.0]
    assert [spend.body["request_id"] for spend in await world.spends()] == ["req_1"] * 4


@pytest.mark.parametrize(
    "shown", [TextDelta("H"), ThinkingDelta("Hm"), ToolCallStarted(0, "a", "read")]
)
async def test_once_something_is_shown_nothing_is_tried_again(
    world: World, shown: StreamEvent
) -> None:
    *before, end = fails(BUSY, STARTED, shown)
    assert isinstance(end, Finished)

    events = await collect(world.gate(Scripted([[*before, end]])))
    assert events == [*before, replace(end, usage=ESTIMATE)]
    assert world.waits == []


async def test_how_far_a_model_is_is_told_at_once_and_is_nothing_of_the_answer(
    world: World,
) -> None:
    reading = PromptProgress(64, 128)
    model = Scripted([[reading, *fails(BUSY)], [reading, *says()]])
    assert await collect(world.gate(model)) == [reading, reading, *says()]
    assert await world.outcomes() == [("failed", 0), ("finished", 460)]


async def test_a_try_that_began_is_paid_and_its_beginning_is_not_told(world: World) -> None:
    first = fails(BUSY, Started("msg_0", "claude-5"), UsageReported(Usage(input=50, output=1)))
    events = await collect(world.gate(Scripted([first, says()])))

    assert events == says()
    assert await world.outcomes() == [("failed", 50 * 2 + 10), ("finished", 460)]


async def test_what_will_fail_again_is_told_at_once(world: World) -> None:
    script = fails(Failure("auth", "No."))

    assert await collect(world.gate(Scripted([script]))) == script
    assert await world.outcomes() == [("failed", 0)]


@pytest.mark.parametrize(
    "protocol", ["anthropic-messages", "gemini", "openai-chat", "openai-responses"]
)
async def test_a_refused_key_is_told_at_once_whatever_words_come_with_it(
    world: World, protocol: str
) -> None:
    body = b'{"error": {"type": "api_error", "status": "INTERNAL", "message": "Internal."}}'
    script = fails(load_protocol(protocol).read_failure(401, {}, body))
    model = Scripted([script] * 4)

    assert await collect(world.gate(model)) == script
    assert (len(model.requests), world.waits) == (1, [])


async def test_a_request_is_mended_once(world: World) -> None:
    def mend(at: Access, failure: Failure, request: Request) -> tuple[Access, Request]:
        return at, replace(request, cache_key="mended")

    model = Scripted([fails(WRONG), fails(WRONG)])

    assert await collect(world.gate(model, mend=mend)) == fails(WRONG)
    assert [request.cache_key for request in model.requests] == [None, "mended"]
    assert world.waits == []


async def test_A29_whoever_asks_is_told_what_was_sent_instead(world: World) -> None:
    def mend(at: Access, failure: Failure, request: Request) -> tuple[Access, Request]:
        return replace(at, effort="off"), replace(request, messages=request.messages[:1])

    told: list[tuple[Access, Request]] = []
    gate = world.gate(Scripted([fails(WRONG), says(), says()]), mend=mend)
    request = replace(asked(), messages=(user("Hello"), user("Again")))
    for _ in range(2):
        stream = gate.stream(
            access(), request, feature="chat", on_mended=lambda at, sent: told.append((at, sent))
        )
        assert [event async for event in stream] == says()
    assert told == [(replace(access(), effort="off"), replace(request, messages=(user("Hello"),)))]


async def test_every_try_is_told_to_the_record(world: World) -> None:
    kept: list[tuple[str, bytes]] = []
    stream = world.gate(Scripted([fails(BUSY), says()])).stream(
        access(), asked(), feature="chat", record=lambda kind, data: kept.append((kind, data))
    )
    assert [event async for event in stream] == says()
    assert kept == [("request", b"Hello"), ("request", b"Hello")]


GONE = Failure("not_found", "model: claude", provider="anthropic", status=404)


@pytest.mark.parametrize(
    ("failure", "instead", "words"),
    [
        pytest.param(GONE, "a/b", "model: claude. Try a/b instead.", id="A30"),
        pytest.param(GONE, None, "model: claude", id="A30-nothing-known"),
        pytest.param(replace(GONE, code="redirect"), "a/b", "model: claude", id="another-address"),
        pytest.param(replace(GONE, kind="auth"), "a/b", "model: claude", id="another-failure"),
    ],
)
async def test_A30_a_model_that_is_gone_says_whom_to_ask(
    world: World, failure: Failure, instead: str | None, words: str
) -> None:
    events = await collect(
        world.gate(Scripted([fails(failure)])), at=replace(access(), instead=instead)
    )
    assert events == fails(replace(failure, message=words))


async def test_an_answer_without_an_end_gets_one(world: World) -> None:
    events = await collect(world.gate(Scripted([[STARTED, TextDelta("Hi"), TextDelta(" you")]])))

    failure = Failure("upstream", "The answer ended abruptly.", provider="anthropic")
    estimate = Usage(input=PROMPT, output=2, source="estimated")
    assert events[-1] == Finished("error", assistant("Hi you"), estimate, failure)
    [spend] = await world.spends()
    assert (spend.outcome, spend.body["source"]) == ("failed", "estimated")


async def test_nothing_is_read_after_the_end(world: World) -> None:
    model = Scripted([[*says(), TextDelta("more"), *says()]])

    assert await collect(world.gate(model)) == says()
    assert model.closed == 1


async def test_the_carrier_comes_to_its_end_or_its_connection_is_cut(world: World) -> None:
    ended: list[str] = []
    model = Scripted([[*says(), lambda: ended.append("the connection")]])

    assert await collect(world.gate(model)) == says()
    assert ended == ["the connection"]


async def test_a_bug_is_raised_and_booked(world: World) -> None:
    model = Scripted([[STARTED, TextDelta("Hi"), ZeroDivisionError()]])
    with pytest.raises(ZeroDivisionError):
        await collect(world.gate(model))

    assert await world.outcomes() == [("failed", PRICE.cost(ESTIMATE))]


async def test_a_listener_who_leaves_pays_what_was_reported(world: World) -> None:
    script: list[Step] = [STARTED, UsageReported(Usage(input=70, output=1)), TextDelta("x" * 300)]
    model = Scripted([[*script, TextDelta("never")]])
    async with aclosing(world.gate(model).stream(access(), asked(), feature="chat")) as stream:
        async for event in stream:
            if isinstance(event, TextDelta):
                break

    [spend] = await world.spends()
    assert (spend.outcome, spend.input_tokens, spend.output_tokens) == ("cancelled", 70, 100)
    assert spend.body["reported"] == asdict(Usage(input=70, output=1))
    assert model.closed == 1


@pytest.mark.parametrize("how", ["task", "scope"])
async def test_a_cancelled_caller_pays_an_estimate_before_leaving(world: World, how: str) -> None:
    begun = anyio.Event()
    closed: list[str] = []

    async def send(at: Access, request: Request, _: Record | None) -> AsyncGenerator[StreamEvent]:
        try:
            yield TextDelta("Hi")
            begun.set()
            await anyio.sleep_forever()
        finally:
            closed.append("upstream")

    async def call() -> None:
        await collect(world.gate(send))

    with anyio.fail_after(60):
        if how == "task":
            task = asyncio.create_task(call())
            await begun.wait()
            task.cancel()
            await asyncio.wait([task])
        else:
            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await begun.wait()
                group.cancel_scope.cancel()

    assert closed == ["upstream"]
    assert await world.outcomes() == [("cancelled", PRICE.cost(ESTIMATE))]


class Counts:
    """Counts words, as a tokenizer would count tokens."""

    def request(self, request: Request, model: str, /) -> int:
        return sum(self.text(message.text, model) for message in request.messages)

    def text(self, text: str, model: str, /) -> int:
        return len(text.split())


LOST = Failure("network", "Lost.", provider="anthropic")
REPORTED = UsageReported(Usage(input=70, cache_read=9, output=1, source="partial"))


@pytest.mark.parametrize(
    ("said", "booked"),
    [
        ((), Usage(input=1, output=3, source="estimated")),
        ((REPORTED,), Usage(input=70, cache_read=9, output=3, source="estimated")),
        (
            (UsageReported(Usage(input=70, output=8, source="partial")),),
            Usage(input=70, output=8, source="estimated"),
        ),
    ],
    ids=["nothing reported", "at its start", "more than we can see"],
)
@pytest.mark.parametrize("limit", [None, 40_000])
async def test_a_broken_answer_is_booked_and_told_as_what_was_sent_and_received(
    world: World, said: tuple[StreamEvent, ...], booked: Usage, limit: int | None
) -> None:
    script = fails(LOST, STARTED, *said, TextDelta("one two "), ThinkingDelta("three"))
    events = await collect(world.gate(Scripted([script]), limits(limit), estimate=Counts()))

    [spend] = await world.spends()
    assert spend.cost_micros == PRICE.cost(booked)
    assert spend.body["source"] == "estimated"
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.usage == booked


@pytest.mark.parametrize("how", ["task", "scope"])
async def test_whoever_stops_an_answer_is_told_what_was_booked(world: World, how: str) -> None:
    begun = anyio.Event()
    told: list[LedgerRow] = []

    async def send(at: Access, request: Request, _: Record | None) -> AsyncGenerator[StreamEvent]:
        yield TextDelta("one two three")
        begun.set()
        await anyio.sleep_forever()

    async def call() -> None:
        gate = world.gate(send, estimate=Counts())
        stream = gate.stream(access(), asked(), feature="chat", on_booked=told.append)
        async with aclosing(stream) as events:
            async for _ in events:
                pass

    with anyio.fail_after(60):
        if how == "task":
            task = asyncio.create_task(call())
            await begun.wait()
            task.cancel()
            await asyncio.wait([task])
        else:
            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await begun.wait()
                group.cancel_scope.cancel()

    [row] = told
    assert [row.spend] == await world.spends()
    assert (row.spend.input_tokens, row.spend.output_tokens) == (1, 3)
    assert row.spend.cost_micros == 1 * 2 + 3 * 10


async def test_a_caller_who_leaves_before_the_first_byte_pays_nothing(world: World) -> None:
    begun = anyio.Event()

    async def send(at: Access, request: Request, _: Record | None) -> AsyncGenerator[StreamEvent]:
        begun.set()
        await anyio.sleep_forever()
        yield STARTED

    task = asyncio.create_task(collect(world.gate(send)))
    with anyio.fail_after(60):
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])

    assert await world.outcomes() == [("cancelled", 0)]


@pytest.mark.parametrize(
    ("said", "booked"),
    [
        (None, ESTIMATE),
        (Usage(), ESTIMATE),
        (Usage(input=80), Usage(input=80, output=1)),
        (Usage(output=30), Usage(input=PROMPT, output=30)),
        (Usage(input=10**9, output=10**9), Usage(input=PROMPT, output=1_000)),
        (Usage(input=-7, output=-7), ESTIMATE),
    ],
)
async def test_an_answer_is_never_free_and_never_dearer_than_feared(
    world: World, said: Usage | None, booked: Usage
) -> None:
    await collect(world.gate(Scripted([says("Hi", said)])))

    [spend] = await world.spends()
    assert (spend.input_tokens, spend.output_tokens) == (booked.input, booked.output)
    assert spend.cost_micros == PRICE.cost(booked) > 0
    assert spend.body.get("reported") == (asdict(said) if said else None)


async def test_a_whole_answer_is_a_value(world: World) -> None:
    model = Scripted([says("Hi there")])
    gate = world.gate(model)
    found = await gate.complete(access(), asked(), feature="title")

    assert found == Completion("Hi there", assistant("Hi there"), USED, None)
    assert [request.stream for request in model.requests] == [False]
    assert [spend.feature for spend in await world.spends()] == ["title"]


async def test_a_whole_answer_that_failed_is_a_value_too(world: World) -> None:
    found = await world.gate(Scripted([fails(WRONG)])).complete(access(), asked(), feature="title")
    assert found == Completion("", Message("assistant", ()), None, WRONG)


async def test_two_hundred_callers_who_are_all_lied_to_spend_at_most_the_limit(
    world: World,
) -> None:
    limit = PRICE.worst(PROMPT, 1_000) * 3 + 17
    lie = says("Hi", Usage(input=10**9, output=10**9))
    gate = world.gate(Scripted([lie] * 200), limits(limit))
    ends: list[str | None] = []

    async def call() -> None:
        found = await gate.complete(access(), asked(), feature="chat")
        ends.append(found.failure and found.failure.kind)

    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(call)

    spent = sum(cost or 0 for _, cost in await world.outcomes())
    assert (ends.count(None), ends.count("budget")) == (3, 197)
    assert limit - 17 == spent <= limit


async def test_a_failure_that_says_cancelled_is_booked_as_that(world: World) -> None:
    await collect(world.gate(Scripted([fails(Failure("cancelled", "Stopped."), STARTED)])))

    assert await world.outcomes() == [("cancelled", PRICE.cost(ESTIMATE))]
