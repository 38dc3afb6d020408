"""SIGKILL at any byte of an answer: what was set aside is booked once, and never as nothing."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from recto.access import Budget, SpendingLimits
from recto.app import open_store
from recto.clock import LocalZone, SystemClock, SystemIds
from recto.config import Home, Settings
from recto.storage import LedgerRow, Storage
from tests.fakes.providers import (
    AnthropicServer,
    Fault,
    Gate,
    Incoming,
    Script,
    Tokens,
    says,
    thinks,
)
from tests.forking import Started, start

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MODEL = "claude-sonnet-4-6"
STEPS = (thinks("Hm, ", "the tide."), says("The tide ", "comes ", "and goes."))
USAGE = Tokens(prompt=50, output=20)
# `make soak` takes each byte of an answer, in batches of calls that are open at the same time.
EVERY, BATCHES = (1, 4) if "RECTO_TURN_KILLS" in os.environ else (5, 1)
REQUEST = {"model": MODEL, "max_tokens": 500, "stream": True, "thinking": {"type": "adaptive"}}


@dataclass(frozen=True, slots=True)
class Moment:
    """When the program is killed."""

    before: bytes | None
    """The answer stops right before these bytes; None: before its headers."""
    inside: int = 0
    """How many bytes later than that."""
    seen: str = "asking"
    """What the program has said by then."""


MOMENTS = {
    "before the headers": Moment(None),
    "before the first byte": Moment(b"event: message_start"),
    "inside the first frame": Moment(b"event: message_start", inside=60),
    "after the answer began": Moment(b"event: content_block_start"),
    "inside a thought": Moment(b"event: content_block_delta", inside=70),
    "between two words": Moment(b"event: content_block_delta", inside=-1, seen="text_delta"),
    "before the end is told": Moment(b"event: message_delta", seen="text_delta"),
    "before the last frame": Moment(b"event: message_stop", seen="text_delta"),
    "inside the last frame": Moment(b"event: message_stop", inside=30, seen="text_delta"),
}


def answer_bytes() -> bytes:
    """The whole answer; its length does not depend on the question."""
    server = AnthropicServer()
    server.script(Script(STEPS, usage=USAGE))
    headers = {"x-api-key": "test-key", "anthropic-version": "2023-06-01"}
    body = json.dumps({**REQUEST, "messages": [{"role": "user", "content": "x"}]}).encode()
    return server.reply(Incoming("POST", "/v1/messages", headers, body)).reply.body


def fault_at(moment: Moment, gate: Gate) -> Fault:
    """The answer stands still at the moment."""
    if moment.before is None:
        return Fault(hold_headers=True, gate=gate)
    whole = answer_bytes()
    # Minus one is before the last piece of the words.
    at = whole.rindex(moment.before) if moment.inside < 0 else whole.index(moment.before)
    return Fault(hold_at=at + max(0, moment.inside), gate=gate)


@asynccontextmanager
async def asker(
    home: Path, server: AnthropicServer, *, program: str = "asker", more: tuple[str, ...] = ()
) -> AsyncGenerator[Started]:
    """The program, asking; killed at the end of the block."""
    models = {"providers": {"anthropic": {"url": server.url}}}
    await anyio.Path(home).mkdir()
    await anyio.Path(home / "models.json").write_text(json.dumps(models), encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**kept, "RECTO_HOME": str(home), "ANTHROPIC_API_KEY": "test-key"}
    arguments = (program, f"anthropic/{MODEL}", *more)
    process = start(f"tests.faults.{program}", *arguments, environment=environment)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def lines_of(process: Started) -> AsyncGenerator[str]:
    """What the program says, line by line; its end is told with what it complained of."""
    while line := await to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True):
        yield line.strip()
    raise AssertionError(f"The program ended too early: {process.stderr.read()}")


async def wait_for(process: Started, word: str) -> None:
    """Read what the program says until it says this."""
    async with aclosing(lines_of(process)) as lines:
        async for line in lines:
            if line == word:
                return


@dataclass(frozen=True, slots=True)
class Books:
    """What stands in the ledger."""

    rows: tuple[LedgerRow, ...]
    held: tuple[str, ...]


async def books_of(storage: Storage) -> Books:
    page = await storage.ledger.page(limit=1000)
    return Books(tuple(page.items), tuple(item.id for item in await storage.ledger.held()))


@asynccontextmanager
async def reopened(home: Path) -> AsyncGenerator[tuple[Storage, Budget]]:
    """The records and the budget of a process that starts after the kill."""
    clock = SystemClock()
    async with open_store(Home(home), Settings(), clock) as storage:
        yield (
            storage,
            Budget(
                storage,
                clock=clock,
                ids=SystemIds(clock),
                zone=LocalZone(),
                limits=lambda: SpendingLimits(None),
            ),
        )


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
async def test_a_killed_call_is_booked_once_and_not_for_nothing(
    moment: Moment, tmp_path: Path
) -> None:
    gate = Gate()
    async with AnthropicServer() as server:
        server.script(Script(STEPS, usage=USAGE, fault=fault_at(moment, gate)))
        with anyio.fail_after(60):
            async with asker(tmp_path / "home", server) as process:
                await wait_for(process, moment.seen)
                await gate.arrived.wait()
        gate.open()
    async with reopened(tmp_path / "home") as (storage, budget):
        before = await books_of(storage)
        assert (len(before.rows), len(before.held)) == (0, 1)

        assert await budget.recover(is_alone=True) == 1
        after = await books_of(storage)
        assert after.held == ()
        assert [row.reservation_id for row in after.rows] == list(before.held)
        (spend,) = (row.spend for row in after.rows)
        assert (spend.outcome, spend.provider, spend.model) == ("interrupted", "anthropic", MODEL)
        assert spend.cost_micros is not None
        assert spend.cost_micros > 0
        assert min(spend.input_tokens, spend.output_tokens) > 0

        assert await budget.recover(is_alone=True) == 0
        assert await books_of(storage) == after
        spending = (await budget.month_status()).spending
        assert (spending.settled_micros, spending.held_micros) == (spend.cost_micros, 0)


async def wait_for_bytes(process: Started, offsets: range) -> None:
    """Wait until the questions have got, one each, as many bytes as these offsets say."""
    got: dict[str, int] = {}
    async with aclosing(lines_of(process)) as lines:
        async for line in lines:
            number, count = line.split()
            got[number] = int(count)
            if len(got) == len(offsets) and sorted(got.values()) == list(offsets):
                return


@pytest.mark.parametrize("batch", range(BATCHES))
async def test_of_many_calls_killed_each_at_another_byte_every_one_is_booked_once(
    batch: int, tmp_path: Path
) -> None:
    """Any byte of the answer is a place where one of the calls stands when the kill comes."""
    whole = len(answer_bytes())
    offsets = range(batch * whole // BATCHES, (batch + 1) * whole // BATCHES, EVERY)
    gate = Gate()
    async with AnthropicServer() as server:
        server.script(
            *[Script(STEPS, usage=USAGE, fault=Fault(hold_at=at, gate=gate)) for at in offsets]
        )
        with anyio.fail_after(120):
            more = (str(len(offsets)),)
            async with asker(tmp_path / "home", server, program="askers", more=more) as process:
                await wait_for_bytes(process, offsets)
        gate.open()
    async with reopened(tmp_path / "home") as (storage, budget):
        before = await books_of(storage)
        assert (len(before.rows), len(before.held)) == (0, len(offsets))

        assert await budget.recover(is_alone=True) == len(offsets)
        after = await books_of(storage)
        assert after.held == ()
        assert sorted(row.reservation_id or "" for row in after.rows) == sorted(before.held)
        assert {row.spend.outcome for row in after.rows} == {"interrupted"}
        costs = [row.spend.cost_micros or 0 for row in after.rows]
        assert min(costs) > 0
        assert await budget.recover(is_alone=True) == 0
        spending = (await budget.month_status()).spending
        assert (spending.settled_micros, spending.held_micros) == (sum(costs), 0)


async def test_a_call_that_was_answered_before_the_kill_stays_as_it_was_booked(
    tmp_path: Path,
) -> None:
    async with AnthropicServer() as server:
        server.script(Script(STEPS, usage=USAGE))
        with anyio.fail_after(60):
            async with asker(tmp_path / "home", server) as process:
                await wait_for(process, "asked")
    async with reopened(tmp_path / "home") as (storage, budget):
        before = await books_of(storage)
        assert before.held == ()
        (spend,) = (row.spend for row in before.rows)
        assert (spend.outcome, spend.input_tokens, spend.output_tokens) == ("finished", 50, 20)
        assert spend.cost_micros is not None
        assert spend.cost_micros > 0

        assert await budget.recover(is_alone=True) == 0
        assert await books_of(storage) == before
