"""Turns that are stopped, or broken by a bug: whenever it happens, the history is whole."""

import asyncio
from collections.abc import Callable

import anyio
import anyio.lowlevel
import pytest

from recto.agent import Answered, CallEnded, Streamed, TurnEnded, TurnEvent, run_turn
from recto.messages import (
    Failure,
    Finished,
    TextDelta,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    UsageReported,
    assistant,
)
from recto.tools import ToolOutcome
from tests.agent.history import check_whole
from tests.agent.stage import Lines, Stage, answer, call, result, wants

pytestmark = pytest.mark.anyio

STOPPED = TurnEnded("cancelled", "The answer was stopped.")
NOT_RUN = "The turn was stopped before this call. Nothing was run."
STOPPED_RUNNING = "The turn was stopped while this tool ran. What it did until then is not known."
WENT_WRONG = "Something in Recto went wrong. What was done before that stands."
FULL = [
    wants(Thinking("Hm, what"), "Let me look.", call("read_a", "a"), call("read_b", "b")),
    wants("And write.", call("write_c", "c"), call("read_d", "d"), call("write_e", "e")),
    answer("There", reason="pause"),
    answer("it is."),
]


def full_stage() -> Stage:
    return Stage(list(FULL), refusals={"d": "The user said no."}, joins=[True])


async def count_waits() -> int:
    """How many waits the whole turn has."""
    waits = 0

    def on_wait(where: str) -> None:
        nonlocal waits
        waits += 1

    stage = full_stage()
    stage.on_wait = on_wait
    await stage.play()
    assert stage.texts() == ["Let me look.", "And write.", "There", "it is."]
    return waits


def at_wait(number: int, act: Callable[[], object]) -> Callable[[str], None]:
    """Something that happens at one wait and at no other."""
    waits = 0

    def on_wait(where: str) -> None:
        nonlocal waits
        waits += 1
        if waits == number:
            act()

    return on_wait


def check_stopped(stage: Stage) -> None:
    """The history is whole, nothing runs any more, and words are a beginning of the full ones."""
    check_whole(stage.told)
    assert stage.running == 0
    assert stage.asked == stage.closed
    full = ["Let me look.", "And write.", "There", "it is."]
    for text, whole in zip(stage.texts(), full, strict=False):
        assert whole.startswith(text)
    stopped = [call.id for call in stage.stopped]
    assert stopped == [item.call_id for item in stage.results() if text_of(item) == STOPPED_RUNNING]


async def test_a_scope_cancelled_at_any_wait_leaves_a_whole_history() -> None:
    waits = await count_waits()
    assert waits > 100
    for number in range(1, waits + 1):
        stage = full_stage()
        with anyio.CancelScope() as scope:
            stage.on_wait = at_wait(number, scope.cancel)
            await stage.play()

        check_stopped(stage)
        assert stage.told[-1] == (STOPPED if scope.cancelled_caught else TurnEnded("done"))


async def test_a_task_cancelled_at_any_wait_leaves_a_whole_history() -> None:
    waits = await count_waits()
    for number in range(1, waits + 1):
        stage = full_stage()
        turn = asyncio.create_task(run_turn(stage.ports(), stage.limits))
        stage.on_wait = at_wait(number, turn.cancel)
        with anyio.fail_after(60):
            await asyncio.wait([turn])

        check_stopped(stage)
        assert turn.cancelled()
        assert stage.told[-1] in (STOPPED, TurnEnded("done"))


async def test_a_second_stop_while_the_first_is_told_changes_nothing() -> None:
    stage = full_stage()
    turn = asyncio.create_task(run_turn(stage.ports(), stage.limits))
    waits = 0

    def stop_and_stop(where: str) -> None:
        nonlocal waits
        waits += 1
        if waits >= 30:
            turn.cancel()

    stage.on_wait = stop_and_stop
    with anyio.fail_after(60):
        await asyncio.wait([turn])

    check_stopped(stage)
    assert stage.told[-1] == STOPPED


@pytest.mark.parametrize("at", ["tell", "run", "permit", "join", "ask"])
async def test_a_bug_at_any_port_leaves_a_whole_history_and_goes_on_to_the_caller(at: str) -> None:
    stage = full_stage()
    port = getattr(stage, at)
    seen = 0

    def bug(*arguments: object) -> object:
        nonlocal seen
        seen += 1
        if seen == 3:
            raise ZeroDivisionError
        return port(*arguments)

    setattr(stage, at, bug)
    with pytest.raises((ZeroDivisionError, ExceptionGroup)) as caught:
        await stage.play()

    assert first_of(caught.value) is ZeroDivisionError
    check_whole(stage.told)
    assert stage.told[-1] == TurnEnded("failed", WENT_WRONG, Failure("upstream", WENT_WRONG))


async def test_a_stop_in_the_middle_of_an_answer_keeps_what_was_said_and_no_call() -> None:
    lines: Lines = [
        *answer(Thinking("Hm"), "Let me look.", call("read_a", "a"))[:-1],
        UsageReported(Usage(input=9, output=4)),
        TextDelta("Then"),
        TextDelta("more"),
    ]

    stage = await stop_when(Stage([lines]), Streamed(1, TextDelta("Then")))

    assert stage.main_events()[1:] == [
        Answered(
            1,
            Finished(
                "error",
                assistant(Thinking("Hm"), "Let me look.", "Then"),
                Usage(input=9, output=4, source="partial"),
                Failure("cancelled", "The answer was stopped."),
            ),
        ),
        STOPPED,
    ]


async def test_a_stop_between_the_calls_tells_what_ran_what_was_stopped_and_what_was_not_run() -> (
    None
):
    done, stopped, waiting = (call(f"write_{name}", name) for name in "abc")
    stage = Stage([wants(done, stopped, waiting)])

    with anyio.CancelScope() as scope:

        async def stop_at_second(call: ToolCall) -> None:
            if call == stopped:
                scope.cancel()
                await anyio.sleep_forever()

        stage.on_run = stop_at_second
        await stage.play()

    assert stage.stopped == [stopped]
    assert [event for event in stage.told if isinstance(event, CallEnded)] == [
        CallEnded(1, done, result(done, "write_a"), "7 letters", "done"),
        CallEnded(
            1, stopped, result(stopped, STOPPED_RUNNING, is_error=True), "stopped", "cancelled"
        ),
        CallEnded(1, waiting, result(waiting, NOT_RUN, is_error=True), "stopped", "cancelled"),
    ]
    check_whole(stage.told)


async def test_a_stopped_tool_is_awaited_before_its_end_is_told() -> None:
    stage = Stage([wants(call("write_a", "a"))])
    told_by_then: list[TurnEvent] = []

    with anyio.CancelScope() as scope:

        async def clean_up(call: ToolCall) -> None:
            try:
                scope.cancel()
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.lowlevel.checkpoint()
                told_by_then.extend(stage.told)

        stage.on_run = clean_up
        await stage.play()

    assert told_by_then == stage.told[:-3]
    assert stage.kinds()[-3:] == ["write_a cancelled", "results_ready", "turn_ended"]


async def test_a_bug_in_a_tool_stops_its_neighbours_and_nobody_knows_what_they_did() -> None:
    calls = [call("read_bad", "a"), call("read_good", "b")]
    stage = Stage([wants(*calls)])

    async def fail(call: ToolCall) -> None:
        if call.name == "read_good":
            await anyio.sleep_forever()
        while stage.running < 2:
            await anyio.lowlevel.checkpoint()
        raise ZeroDivisionError

    stage.on_run = fail
    with pytest.raises(ExceptionGroup) as caught:
        await stage.play()

    assert first_of(caught.value) is ZeroDivisionError
    words = (
        "Something in Recto went wrong while this tool ran. What it did until then is not known."
    )
    assert stage.results() == [result(item, words, is_error=True) for item in calls]
    assert stage.kinds()[-4:-2] == ["read_bad error", "read_good error"]
    check_whole(stage.told)


async def test_a_record_that_can_not_be_written_is_not_hidden() -> None:
    stage = Stage([answer("Words.")])

    async def full_disk(event: TurnEvent) -> None:
        raise OSError("The disk is full.")

    stage.tell = full_disk
    with pytest.raises(OSError, match=r"The disk is full\."):
        await stage.play()


async def test_an_outcome_without_content_is_a_result_all_the_same() -> None:
    stage = Stage([wants(call("read_a", "a")), answer("So.")], outcomes={"read_a": ToolOutcome(())})

    assert await stage.play() == TurnEnded("done")

    assert stage.results() == [ToolResult("a", "read_a", ())]


async def stop_when(stage: Stage, event: TurnEvent) -> Stage:
    """Play, and stop once the event was told."""
    with anyio.CancelScope() as scope:

        def look(where: str) -> None:
            if event in stage.told:
                scope.cancel()

        stage.on_wait = look
        await stage.play()
    check_whole(stage.told)
    return stage


def text_of(result: ToolResult) -> str:
    return "".join(getattr(part, "text", "") for part in result.content)


def first_of(error: BaseException) -> type[BaseException]:
    """What was raised, out of the groups around it."""
    match error:
        case ExceptionGroup(exceptions=(first, *_)):
            return first_of(first)
        case _:
            return type(error)
