"""After a crash: what the log and the history hold becomes a whole history, once."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from recto.access import Budget, BudgetHold, Purpose, SpendingLimits, TokenBounds
from recto.access.prices import price_of
from recto.chats.history.archive import Archive
from recto.chats.history.codec import encode_result
from recto.chats.history.entries import Assistant, EntryContent, Error, Notice, Result, ToolResults
from recto.chats.history.journal import ChatJournals
from recto.chats.prompts.turn_input import TurnInput, body_of
from recto.chats.services import ChatServices
from recto.chats.turns.event_bodies import STOPPED, source_of
from recto.chats.turns.recovery import NOT_RUN, UNKNOWN, recover, recover_run
from recto.messages import AssistantPart, Failure, Text, Thinking, ToolCall, ToolResult, Usage
from recto.storage import NewEvent, Run, Storage
from tests.fakes import CountingIds, FakeClock
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

CHAT, RUN, MODEL = "c1", "r1", "anthropic/claude"
# Two micro-dollars a token in, ten a token out.
PRICE = price_of(input=Decimal(2), output=Decimal(10), source="test")


@dataclass(frozen=True, slots=True)
class Died:
    """A store of a process that died: as much of `ChatServices` as recovery uses."""

    storage: Storage
    archive: Archive
    journals: ChatJournals
    run: Run
    budget: Budget
    ids: CountingIds

    @property
    def services(self) -> ChatServices:
        return cast("ChatServices", self)

    async def log(self, *events: tuple[str, dict[str, Any]]) -> None:
        """What the turn had told by then."""
        async with self.storage.write() as write:
            new = [NewEvent(kind, body, RUN) for kind, body in events]
            await self.storage.events.append(write, CHAT, new)

    async def remember(self, *contents: EntryContent) -> None:
        """What of it was history by then."""
        async with self.storage.write() as write:
            for content in contents:
                await self.archive.append(write, CHAT, content)

    async def hold(self, turn_id: str = RUN) -> BudgetHold:
        """What another process, which is dead, had set aside for a request."""
        purpose = Purpose("chat", "anthropic", "claude", CHAT, "p1", turn_id)
        held = await budget_of(self.storage, self.ids).reserve(
            purpose, TokenBounds(500, 1000), PRICE
        )
        assert isinstance(held, BudgetHold)
        return held

    async def history(self) -> list[EntryContent]:
        return [entry.content for entry in await self.archive.all(CHAT)]

    async def results(self) -> list[tuple[str, str]]:
        """The words and the state of every result."""
        return [
            (words_of(result), result.state)
            for content in await self.history()
            if isinstance(content, ToolResults)
            for result in content.results
        ]


@pytest.fixture
async def died(tmp_path: Path) -> AsyncGenerator[Died]:
    storage = await open_empty(tmp_path / "recto.db", clock=FakeClock())
    async with storage.write() as write:
        await storage.projects.add(write, id="p1", name="p1", path="/p1", settings={})
        await storage.chats.add(write, id=CHAT, project_id="p1", title="", meta={})
        run = await storage.runs.add(
            write, id=RUN, chat_id=CHAT, state="running", body=body_of(TurnInput("Go on."))
        )
    await storage.close()
    storage = await Storage.open(tmp_path / "recto.db", clock=FakeClock())
    ids = CountingIds()
    archive, journals = Archive(storage, ids), ChatJournals(storage)
    yield Died(storage, archive, journals, run, budget_of(storage, ids), ids)
    await storage.close()


def budget_of(storage: Storage, ids: CountingIds) -> Budget:
    """The budget of one process."""
    return Budget(
        storage, clock=FakeClock(), ids=ids, zone=UTC, limits=lambda: SpendingLimits(None)
    )


def step(number: int) -> tuple[str, dict[str, Any]]:
    return "step", {"step": number, "limit": 9, "model": MODEL, "model_name": "Claude"}


def piece(kind: str, text: str, number: int = 1) -> tuple[str, dict[str, Any]]:
    return kind, {"step": number, "text": text}


def started(call: ToolCall, number: int = 1) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {"step": number, "call_id": call.id, "name": call.name, "arguments": {}}
    return "call_started", body


def ended(call: ToolCall, words: str, number: int = 1) -> tuple[str, dict[str, Any]]:
    result = Result(ToolResult(call.id, call.name, (Text(words),)), "", "done")
    body = {"step": number, "result": encode_result(result).body, "not_covered": ""}
    return "call_ended", body


def answer(*parts: AssistantPart, number: int = 1) -> Assistant:
    return Assistant(
        parts=parts,
        turn=RUN,
        step=number,
        model=MODEL,
        model_name="Claude",
        reason="tool_use",
        usage=None,
        cost_micros=None,
        sureness=STOPPED,
        source=source_of(None),
    )


def a_call(name: str, id: str) -> ToolCall:
    return ToolCall(id, name, {})


def words_of(result: Result) -> str:
    (text,) = result.result.content
    assert isinstance(text, Text)
    return text.text


async def test_words_that_had_come_are_kept_in_their_order(died: Died) -> None:
    await died.log(
        step(1),
        piece("thinking", "Hm, "),
        piece("thinking", "the tide."),
        piece("thinking", ""),
        piece("text", "It comes "),
        piece("text", "and g"),
    )

    assert await recover(died.services) == 1

    partial, notice = await died.history()
    assert isinstance(partial, Assistant)
    assert partial.parts == (Thinking("Hm, the tide."), Text("It comes and g"))
    assert (partial.reason, partial.step, partial.turn) == ("interrupted", 1, RUN)
    assert isinstance(notice, Notice)
    assert notice.reason == "interrupted"
    assert (await died.storage.runs.get(RUN)).state == "interrupted"


@pytest.mark.parametrize("is_alone", [True, False])
async def test_an_answer_that_was_cut_off_cost_what_was_booked_for_it(
    died: Died, is_alone: bool
) -> None:
    """Its reservation may be booked at the start, or only with its turn: others may be alive."""
    first = await budget_of(died.storage, died.ids).settle(
        await died.hold(), Usage(input=7, output=8), outcome="finished", body={}
    )
    await died.log(
        step(1), ("exchange", {"step": 1, "request_id": None, "booked": [first.spend.id]})
    )
    await died.remember(answer(Text("All.")))
    mine, other = await died.hold(), await died.hold("another turn")
    await died.log(step(2), piece("text", "Half", 2))

    assert await died.budget.recover(is_alone=is_alone) == (2 if is_alone else 0)
    await recover(died.services)

    _, partial, _ = await died.history()
    assert isinstance(partial, Assistant)
    rows = {row.reservation_id: row.spend for row in (await died.storage.ledger.page()).items}
    spend = rows[mine.id]
    assert (spend.turn_id, spend.outcome, spend.cost_micros) == (RUN, "interrupted", 1010)
    assert partial.usage == Usage(input=500, output=1, source="estimated")
    assert partial.cost_micros == spend.cost_micros
    left = [item.id for item in await died.storage.ledger.held()]
    assert left == ([] if is_alone else [other.id])
    assert await died.storage.ledger.wrong_totals() == ()


async def test_every_try_of_an_answer_that_was_cut_off_counts(died: Died) -> None:
    await died.log(step(1), piece("text", "Half"))
    await budget_of(died.storage, died.ids).settle(
        await died.hold(), Usage(input=3, output=0), outcome="failed", body={}
    )
    await died.hold()
    await recover(died.services)

    partial, _ = await died.history()
    assert isinstance(partial, Assistant)
    assert partial.usage == Usage(input=503, output=1, source="estimated")
    assert partial.cost_micros == 6 + 1010


async def test_words_that_are_history_already_are_not_said_again(died: Died) -> None:
    await died.log(step(1), piece("text", "All."), ("exchange", {"step": 1, "request_id": None}))
    await died.remember(answer(Text("All.")))
    await recover(died.services)

    first, second = await died.history()
    assert isinstance(first, Assistant)
    assert isinstance(second, Notice)


async def test_a_run_that_has_ended_meanwhile_is_left_as_it_ended(died: Died) -> None:
    await died.log(step(1), piece("text", "Half"))
    async with died.storage.write() as write:
        await died.storage.runs.end(write, RUN, "finished")
    before = await died.storage.events.latest(CHAT)

    await recover_run(died.services, died.run)

    assert await died.history() == []
    assert (await died.storage.runs.get(RUN)).state == "finished"
    assert await died.storage.events.latest(CHAT) == before


async def test_recovering_twice_is_recovering_once(died: Died) -> None:
    await died.log(step(1), piece("text", "Half"))
    await recover_run(died.services, died.run)
    once = await died.history(), await died.storage.events.latest(CHAT)
    await recover_run(died.services, died.run)

    assert (await died.history(), await died.storage.events.latest(CHAT)) == once


async def test_every_open_call_says_what_is_known_of_it(died: Died) -> None:
    """I11: an answer, an unknown outcome, or not run; a call of an earlier step is another's."""
    done, begun, waiting = a_call("read", "a"), a_call("write", "b"), a_call("run", "c")
    earlier = a_call("run", "c")
    await died.log(step(1), started(earlier), ended(earlier, "earlier"))
    await died.remember(answer(done, begun, waiting, number=2))
    await died.log(
        step(2),
        ("exchange", {"step": 2, "request_id": None}),
        started(done, 2),
        started(begun, 2),
        ended(done, "found", 2),
    )
    await recover(died.services)

    assert await died.results() == [
        ("found", "done"),
        (UNKNOWN, "unknown"),
        (NOT_RUN, "cancelled"),
    ]


async def test_calls_that_share_an_id_get_each_their_own_result(died: Died) -> None:
    first, second, third = a_call("read", "x"), a_call("write", "x"), a_call("run", "x")
    await died.remember(answer(first, second, third))
    await died.log(
        step(1),
        ("exchange", {"step": 1, "request_id": None}),
        started(first),
        ended(first, "found"),
        started(second),
    )
    await recover(died.services)

    assert await died.results() == [
        ("found", "done"),
        (UNKNOWN, "unknown"),
        (NOT_RUN, "cancelled"),
    ]


async def test_calls_that_share_an_id_get_their_results_in_their_order(died: Died) -> None:
    first, second = a_call("read", "x"), a_call("write", "x")
    await died.remember(answer(first, second))
    await died.log(
        step(1),
        ("exchange", {"step": 1, "request_id": None}),
        started(first),
        ended(first, "found"),
        started(second),
        ended(second, "written"),
    )
    await recover(died.services)

    assert await died.results() == [("found", "done"), ("written", "done")]


async def test_a_refused_call_does_not_hide_that_the_next_with_its_id_had_begun(died: Died) -> None:
    refused, begun = a_call("run", "x"), a_call("run", "x")
    await died.remember(answer(refused, begun))
    await died.log(step(1), ended(refused, "no"), started(begun))
    await recover(died.services)

    assert await died.results() == [("no", "done"), (UNKNOWN, "unknown")]


async def test_calls_of_an_answer_that_failed_get_results_too(died: Died) -> None:
    """I11: the error stands between the answer and the results of its calls."""
    await died.log(step(1), ("exchange", {"step": 1, "request_id": None}))
    await died.remember(
        answer(a_call("run", "x")), Error(Failure("upstream", "The connection broke."), RUN)
    )
    await recover(died.services)

    assert await died.results() == [(NOT_RUN, "cancelled")]
