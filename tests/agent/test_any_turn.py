"""Random turns: whatever the model says, whoever refuses, stops or fails, the history is whole."""

import asyncio
from dataclasses import dataclass

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.agent import CallStarted, StepStarted, TurnEnded, TurnLimits, run_turn
from recto.messages import (
    Failure,
    Finished,
    StopReason,
    Text,
    TextDelta,
    Thinking,
    ToolCall,
)
from tests.agent.history import check_whole
from tests.agent.stage import Lines, Stage, answer
from tests.examples import examples

pytestmark = pytest.mark.anyio

LOST = Failure("network", "The connection was lost.")
REASONS: list[StopReason] = [
    *("tool_use", "tool_use", "tool_use", "end_turn", "pause"),
    *("max_tokens", "stop_sequence", "refusal", "error"),
]
words = st.text("abc ", min_size=1, max_size=8)
calls = st.builds(
    ToolCall,
    st.sampled_from(["c1", "c2", "c3", "c4", "c5", "c6"]),
    st.sampled_from(["read_file", "read_list", "write_file"]),
    st.fixed_dictionaries({"path": st.sampled_from(["a.md", "b.md", "c.md"])}),
)
parts = st.lists(st.one_of(st.builds(Text, words), st.builds(Thinking, words), calls, calls))


@st.composite
def answers(draw: st.DrawFn) -> Lines:
    """An answer; some fail, some have no end, some have two, some go on after it."""
    failure = draw(st.sampled_from([None, None, None, None, None, LOST]))
    reason = "error" if failure else draw(st.sampled_from(REASONS))
    lines = answer(*draw(parts), reason=reason, failure=failure)
    odd = draw(st.integers(0, 12))
    if odd == 0:
        return lines[: draw(st.integers(0, len(lines) - 1))]
    extra: Lines = [lines[-1]] if odd == 1 else [TextDelta("more")] if odd == 2 else []
    return [*lines, *extra]


@dataclass(frozen=True)
class Script:
    """One play, and what disturbs it."""

    lines: list[Lines]
    refused: frozenset[str]
    joins: list[bool]
    steps: int
    disturbed_at: int | None

    def stage(self) -> Stage:
        return Stage(
            [*self.lines, *([answer("Done.")] * 10)],
            refusals=dict.fromkeys(self.refused, "The user said no."),
            joins=self.joins,
            limits=TurnLimits(steps=self.steps),
        )


scripts = st.builds(
    Script,
    st.lists(answers(), max_size=5),
    st.frozensets(st.sampled_from(["c1", "c2", "c3"]), max_size=2),
    st.lists(st.booleans(), max_size=4),
    st.integers(0, 6),
    st.integers(1, 120) | st.none(),
)


@settings(max_examples=examples(40), deadline=None)
@given(scripts)
async def test_any_turn_is_a_whole_history(script: Script) -> None:
    stage = script.stage()

    ended = await stage.play()

    check(stage)
    assert stage.told[-1] == ended
    assert ended.reason != "cancelled"
    assert stage.stopped == []


@settings(max_examples=examples(40), deadline=None)
@given(scripts, st.booleans())
async def test_any_turn_that_is_stopped_is_a_whole_history(script: Script, by_task: bool) -> None:
    stage = script.stage()
    waits = 0

    async def turn() -> None:
        await run_turn(stage.ports(), stage.limits)

    with anyio.fail_after(60), anyio.CancelScope() as scope:
        task = asyncio.create_task(turn()) if by_task else None

        def stop(where: str) -> None:
            nonlocal waits
            waits += 1
            if waits == script.disturbed_at:
                (task or scope).cancel()

        stage.on_wait = stop
        await (turn() if task is None else asyncio.wait([task]))

    check(stage)


@settings(max_examples=examples(40), deadline=None)
@given(scripts)
async def test_any_turn_that_meets_a_bug_is_a_whole_history(script: Script) -> None:
    stage = script.stage()
    waits = 0

    def fail(where: str) -> None:
        nonlocal waits
        waits += where != "told"
        if waits == script.disturbed_at:
            waits += 1
            raise ZeroDivisionError

    stage.on_wait = fail
    try:
        ended = await stage.play()
    except (ZeroDivisionError, ExceptionGroup):
        ended = stage.told[-1]
        assert isinstance(ended, TurnEnded)
        assert ended.reason == "failed"

    check(stage)


def check(stage: Stage) -> None:
    """The history is whole, and nothing ran that must not."""
    check_whole(stage.told)
    # I2: one request a step, and the step is told before it.
    steps = [event.step for event in stage.told if isinstance(event, StepStarted)]
    assert stage.asked in (steps, steps[:-1])
    assert stage.closed == stage.asked
    assert stage.running == 0
    started = [event.call for event in stage.told if isinstance(event, CallStarted)]
    assert sorted(map(key, started)) == sorted(map(key, stage.began))
    assert not any(call.id in stage.refusals for call in stage.began)
    allowed = [call for lines in stage.lines for call in runnable(lines)]
    assert all(call in allowed for call in stage.began)
    check_no_circles(stage)


def check_no_circles(stage: Stage) -> None:
    """No call ran a third time in a row; refusals count too, and somebody's words count anew."""
    if not any(stage.joins) and not stage.refusals:
        ran = [(call.name, call.arguments) for call in stage.began]
        assert not any(ran[at] == ran[at + 1] == ran[at + 2] for at in range(len(ran) - 2))


def runnable(lines: Lines) -> tuple[ToolCall, ...]:
    """The calls of an answer that ends once, last, and well."""
    ends = [event for event in lines if isinstance(event, Finished)]
    if len(ends) != 1 or lines[-1] != ends[0] or ends[0].failure is not None:
        return ()
    is_well = ends[0].reason not in ("max_tokens", "refusal", "error")
    return ends[0].message.calls if is_well else ()


def key(call: ToolCall) -> str:
    return repr(call)
