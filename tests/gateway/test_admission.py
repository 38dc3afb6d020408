"""Who is let in, how fast, how many at a time: the same in every worker."""

from dataclasses import replace

import anyio
import pytest

from recto.access import SpendingScope
from recto.gateway.admission import DISABLED, EXPIRED, UNKNOWN
from recto.gateway.caller import Caller, Callers, Refused
from recto.gateway.people import NewApiKey
from recto.storage import CallLimits, RequestUsage
from tests.gateway.conftest import NOVEMBER_2026_MS, Worker

pytestmark = pytest.mark.anyio

DOOR = "anthropic-messages"


async def new_key(
    worker: Worker, limits: CallLimits | None = None, account: CallLimits | None = None
) -> NewApiKey:
    ann = (await worker.people.add("ann", limits=account)).account
    return await worker.people.add_key(ann.id, limits=limits)


async def called(worker: Worker, made: NewApiKey) -> Caller:
    found = await worker.callers.authenticate(made.secret, DOOR)
    assert isinstance(found, Caller)
    return found


async def outcomes(worker: Worker, caller: Caller, times: int, tokens: int = 1) -> list[int | None]:
    """The status with which each of some calls in turn is refused; None is let in."""
    found: list[int | None] = []
    for _ in range(times):
        async with worker.callers.enter(caller, tokens=tokens) as refused:
            found.append(None if refused is None else refused.status)
    return found


async def test_a_caller_is_what_account_and_key_allow_together(worker: Worker) -> None:
    worker.gateway_micros = 900
    callers: Callers = worker.callers
    account = CallLimits(70, 60, 5, None, 3, ("a", "b"), {"x": "a", "y": "b"})
    made = await new_key(worker, CallLimits(50, 0, None, 40, 2, ("b", "c"), {"y": "c"}), account)
    id, key_id = made.record.account_id, made.record.id
    found = await callers.authenticate(made.secret, DOOR)
    assert isinstance(found, Caller)
    assert (found.account_id, found.key_id, found.name, found.is_admin) == (
        id,
        key_id,
        "ann",
        False,
    )
    assert found.models == {"b"}
    assert found.model_map == {"x": "a", "y": "c"}
    assert found.scopes == (
        SpendingScope("month:2026-11", 900, "the gateway's monthly limit", counts_markup=False),
        SpendingScope(f"account:{id}:2026-11", 60, "the account's monthly limit"),
        SpendingScope(f"balance:{id}", 70, "the account's credit"),
        SpendingScope(f"key:{key_id}:2026-11", 0, "the key's monthly limit"),
        SpendingScope(f"key-balance:{key_id}", 50, "the key's credit"),
    )
    assert [cap.most for cap in found.stream_caps] == [3, 2]


async def test_only_what_was_given_out_and_holds_is_let_in(worker: Worker) -> None:
    ann = (await worker.people.add("ann")).account
    end = NOVEMBER_2026_MS + 1000
    short = await worker.people.add_key(ann.id, expires_ms=end, doors=["gemini"])
    authenticate = worker.callers.authenticate
    for made_up in ("", "sk-recto-", short.secret[:-1], short.secret + "0", "\ud800", "rk-access-"):
        assert await authenticate(made_up, DOOR) == UNKNOWN
    assert isinstance(await authenticate(short.secret, "gemini"), Caller)
    wrong = await authenticate(short.secret, DOOR)
    assert isinstance(wrong, Refused)
    assert wrong.status == 403
    worker.clock.ms = end
    assert await authenticate(short.secret, "gemini") == EXPIRED


async def test_an_access_token_is_let_in_and_a_refresh_token_is_not(worker: Worker) -> None:
    invited = await worker.people.add("ann")
    account = await worker.people.accept(invited.code, "a long password")
    tokens = await worker.sign_ins.begin(account)
    found = await worker.callers.authenticate(tokens.access, DOOR)
    assert isinstance(found, Caller)
    assert (found.account_id, found.key_id) == (account.id, None)
    assert await worker.callers.authenticate(tokens.refresh, DOOR) == UNKNOWN
    owner = await worker.sign_ins.find(tokens.access)
    assert owner is not None
    await worker.sign_ins.end(owner.sign_in.id)
    worker.clock.ms += 500
    assert await worker.callers.authenticate(tokens.access, DOOR) == UNKNOWN


async def test_within_a_second_another_worker_knows_what_was_revoked_limited_or_disabled(
    two_workers: tuple[Worker, Worker],
) -> None:
    here, there = two_workers
    ann = (await here.people.add("ann")).account
    first, second = [await here.people.add_key(ann.id) for _ in range(2)]
    assert (await called(there, first)).rates == ()
    await here.people.limit_key(second.record.id, CallLimits(requests_per_minute=3))
    await here.people.revoke_key(first.record.id)
    here.clock.ms += 500
    assert await there.callers.authenticate(first.secret, DOOR) == UNKNOWN
    assert [rate.requests for rate in (await called(there, second)).rates] == [3]
    await here.people.change(ann.id, {"is_disabled": True})
    here.clock.ms += 500
    assert await there.callers.authenticate(second.secret, DOOR) == DISABLED


async def test_a_key_in_use_is_read_twice_a_second_and_its_use_noted_once_a_minute(
    worker: Worker,
) -> None:
    made = await new_key(worker)
    first = await called(worker, made)
    # Behind the worker's back, and before it looks again.
    await worker.people.limit_key(made.record.id, CallLimits(streams=1))
    worker.clock.ms += 499
    assert await called(worker, made) == first
    worker.clock.ms += 59_500
    await called(worker, made)
    [record] = await worker.people.keys()
    assert record.last_used_ms == NOVEMBER_2026_MS
    worker.clock.ms += 1000
    await called(worker, made)
    [record] = await worker.people.keys()
    assert record.last_used_ms == NOVEMBER_2026_MS + 60_999


async def test_rates_of_key_and_account_hold_across_workers(
    two_workers: tuple[Worker, Worker],
) -> None:
    here, there = two_workers
    account = CallLimits(requests_per_minute=3, tokens_per_minute=100)
    made = await new_key(here, CallLimits(requests_per_minute=2), account)
    other = await here.people.add_key(made.record.account_id)
    assert await outcomes(here, await called(here, made), 1) == [None]
    assert await outcomes(there, await called(there, made), 2) == [None, 429]
    assert await outcomes(there, await called(there, other), 2) == [None, 429]
    here.clock.ms += 61_000
    assert await outcomes(here, await called(here, other), 2, tokens=60) == [None, 429]


async def test_a_refusal_says_how_long_to_wait(worker: Worker) -> None:
    made = await new_key(worker, CallLimits(requests_per_minute=1, tokens_per_minute=10))
    caller = await called(worker, made)
    async with worker.callers.enter(caller, tokens=11) as refused:
        assert refused is not None
        assert refused.retry_after_s is None
        assert not refused.failure.retryable
    assert await outcomes(worker, caller, 1) == [None]
    async with worker.callers.enter(caller, tokens=1) as refused:
        assert refused is not None
        assert refused.retry_after_s == 61
        assert refused.failure.message == (
            "This key may ask for 1 requests a minute. Try again in 61 seconds."
        )


async def test_streams_are_capped_across_workers_and_given_back(
    two_workers: tuple[Worker, Worker],
) -> None:
    here, there = two_workers
    made = await new_key(here, account=CallLimits(streams=1))
    caller = await called(here, made)
    async with here.callers.enter(caller, tokens=1) as refused:
        assert refused is None
        assert await outcomes(there, caller, 1) == [429]
    assert await outcomes(there, caller, 2) == [None, None]


async def test_a_stream_whose_request_fails_or_is_cancelled_is_given_back(worker: Worker) -> None:
    caller = await called(worker, await new_key(worker, CallLimits(streams=1)))
    with pytest.raises(ZeroDivisionError):
        async with worker.callers.enter(caller, tokens=1):
            raise ZeroDivisionError
    with anyio.CancelScope() as scope:
        async with worker.callers.enter(caller, tokens=1):
            scope.cancel()
            await anyio.sleep_forever()
    assert await outcomes(worker, caller, 1) == [None]


async def test_a_call_waits_for_a_place_as_long_as_it_may(worker: Worker) -> None:
    patient = Worker(worker.storage, worker.clock, queue_s=60)
    caller = await called(worker, await new_key(worker, CallLimits(streams=1)))
    let_in: list[int] = []

    async def call(number: int) -> None:
        async with patient.callers.enter(caller, tokens=1) as refused:
            assert refused is None
            let_in.append(number)

    async with anyio.create_task_group() as tasks:
        async with patient.callers.enter(caller, tokens=1):
            for number in range(4):
                tasks.start_soon(call, number)
            # Who may not wait is refused, while the others wait.
            assert await outcomes(worker, caller, 1) == [429]
            assert let_in == []
        assert await outcomes(patient, caller, 1) == [None]
    assert sorted(let_in) == [0, 1, 2, 3]


async def test_what_a_worker_had_that_died_is_given_back(
    two_workers: tuple[Worker, Worker],
) -> None:
    died, lives = two_workers
    caller = await called(died, await new_key(died, CallLimits(streams=1)))
    streams = died.storage.open_streams
    async with died.storage.write() as write:
        id, key_id = caller.account_id, caller.key_id
        await streams.enter(write, id="s1", account_id=id, key_id=key_id, caps=caller.stream_caps)
    assert await outcomes(lives, caller, 1) == [429]
    await died.storage.close()
    assert await outcomes(lives, caller, 1) == [None]


async def test_usage_tells_what_account_and_key_have_spent_and_what_is_left(
    worker: Worker,
) -> None:
    made = await new_key(worker, account=CallLimits(credit_micros=1000))
    caller = await called(worker, made)
    spend = RequestUsage(
        "l1", "gateway", None, None, "anthropic", "claude", 10, 1, 2, 5, 0, 300, "finished", {}
    )
    names = [scope.name for scope in caller.scopes]
    ledger = worker.storage.ledger
    async with worker.storage.write() as write:
        for id in ("r1", "r2"):
            await ledger.reserve(write, id=id, scopes=names, amount_micros=400, request={})
        await ledger.settle(write, "r1", spend)
    account = await worker.people.account(caller.account_id)
    found = await worker.usage.of_account(account)
    assert found.month == "2026-11"
    assert (found.spending.month_micros, found.spending.held_micros) == (300, 400)
    assert found.spending.balance_micros == 300
    assert found.keys[made.record.id] == replace(found.spending, balance_micros=None)
    [model] = found.models
    assert (model.model, model.requests, model.input_tokens, model.cost_micros) == (
        "claude",
        1,
        10,
        300,
    )


async def test_of_many_at_once_on_two_workers_no_more_than_the_limits_are_let_in(
    two_workers: tuple[Worker, Worker],
) -> None:
    limits = CallLimits(requests_per_minute=12, tokens_per_minute=70, streams=3)
    made = await new_key(two_workers[0], limits)
    patient = [Worker(worker.storage, worker.clock, queue_s=60) for worker in two_workers]
    caller = await called(patient[0], made)
    running, most, let_in, refused = 0, 0, 0, 0

    async def call(worker: Worker, tokens: int) -> None:
        nonlocal running, most, let_in, refused
        async with worker.callers.enter(caller, tokens=tokens) as refusal:
            if refusal is not None:
                refused += 1
                return
            let_in += 1
            running += 1
            most = max(most, running)
            await anyio.wait_all_tasks_blocked()
            running -= 1

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(call, patient[number % 2], 5)
    assert (let_in, refused) == (12, 8)
    assert most <= 3


async def test_who_was_just_authenticated_is_recalled_for_half_a_second_and_no_longer(
    worker: Worker,
) -> None:
    made = await new_key(worker)
    callers: Callers = worker.callers
    assert callers.recall(made.secret, DOOR) is None
    caller = await called(worker, made)
    assert callers.recall(made.secret, DOOR) is caller
    assert callers.recall(made.secret + "0", DOOR) is None
    await worker.people.revoke_key(made.record.id)
    worker.clock.ms += 500
    assert callers.recall(made.secret, DOOR) is None
    assert await callers.authenticate(made.secret, DOOR) == UNKNOWN
    assert callers.recall(made.secret, DOOR) is None


async def test_a_key_is_recalled_at_its_own_doors_and_until_it_expires(worker: Worker) -> None:
    ann = (await worker.people.add("ann")).account
    end = NOVEMBER_2026_MS + 100
    made = await worker.people.add_key(ann.id, expires_ms=end, doors=["gemini"])
    assert isinstance(await worker.callers.authenticate(made.secret, "gemini"), Caller)
    assert worker.callers.recall(made.secret, "gemini") is not None
    assert worker.callers.recall(made.secret, DOOR) is None
    worker.clock.ms = end
    assert worker.callers.recall(made.secret, "gemini") is None


async def test_who_has_a_rate_enters_at_once_as_often_as_this_worker_has_taken(
    worker: Worker,
) -> None:
    caller = await called(worker, await new_key(worker, CallLimits(requests_per_minute=6)))
    callers: Callers = worker.callers
    let_in = 0
    while let_in < 20:
        if callers.enters_at_once(caller, tokens=1):
            callers.count(caller, tokens=1)
        elif await outcomes(worker, caller, 1) != [None]:
            break
        let_in += 1
    assert let_in == 6
    assert not callers.enters_at_once(caller, tokens=1)


async def test_who_needs_a_place_never_enters_at_once(worker: Worker) -> None:
    caller = await called(worker, await new_key(worker, CallLimits(streams=5)))
    assert not worker.callers.enters_at_once(caller, tokens=1)
    other = await called(worker, await worker_key(worker, "bob"))
    assert worker.callers.enters_at_once(other, tokens=1)


async def worker_key(worker: Worker, name: str) -> NewApiKey:
    account = (await worker.people.add(name)).account
    return await worker.people.add_key(account.id)
