"""Turns as stories: what the model says, what is run, what is told."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest

from recto.agent import (
    Answered,
    CallEnded,
    CallStarted,
    ResultsReady,
    StepStarted,
    Streamed,
    TurnEnded,
)
from recto.messages import (
    Failure,
    Finished,
    StreamEvent,
    TextDelta,
    Thinking,
    ToolCall,
    ToolCallEnded,
    assistant,
)
from recto.tools import ToolOutcome
from tests.agent.history import check_whole
from tests.agent.stage import Lines, Stage, answer, call, result, said, wants

pytestmark = pytest.mark.anyio

READ = call("read_file", "c1", path="a.md")
WRITE = call("write_file", "c2", path="b.md")


async def test_a_plain_answer_is_streamed_told_whole_and_ends_the_turn() -> None:
    lines = answer("Good day.")
    stage = Stage([lines])

    ended = await stage.play()

    end = lines[-1]
    assert isinstance(end, Finished)
    assert stage.told == [
        StepStarted(1),
        *(Streamed(1, piece) for piece in lines[:-1]),
        Answered(1, end),
        TurnEnded("done"),
    ]
    assert ended == TurnEnded("done")
    assert stage.closed == [1]


async def test_a_tool_is_told_before_it_runs_and_its_result_before_the_next_step() -> None:
    first, second = wants("Let me look.", READ), answer("Here it is.")
    stage = Stage([first, second], outcomes={"read_file": said("Words.")})

    await stage.play()

    assert stage.main_events() == [
        StepStarted(1),
        Answered(1, ending(first)),
        CallStarted(1, READ),
        CallEnded(1, READ, result(READ, "Words."), "6 letters", "done"),
        ResultsReady(1, (result(READ, "Words."),)),
        StepStarted(2),
        Answered(2, ending(second)),
        TurnEnded("done"),
    ]


async def test_a_tool_begins_only_once_its_start_has_been_told() -> None:
    stage = Stage([wants(READ), answer("Done.")])
    told_before: list[object] = []

    async def look(call: ToolCall) -> None:
        told_before.append(stage.told[-1])

    stage.on_run = look
    await stage.play()

    assert told_before == [CallStarted(1, READ)]


async def test_a_tool_that_fails_answers_the_model_and_the_turn_goes_on() -> None:
    failed = ToolOutcome(said("There is no a.md.").content, is_error=True, fact="not found")
    stage = Stage([wants(READ), answer("Then not.")], outcomes={"read_file": failed})

    assert await stage.play() == TurnEnded("done")

    assert stage.main_events()[3] == CallEnded(
        1, READ, result(READ, "There is no a.md.", is_error=True), "not found", "error"
    )


async def test_a_denied_call_never_starts_and_the_model_reads_why() -> None:
    stage = Stage([wants(WRITE), answer("Understood.")], refusals={"c2": "The user said no."})

    await stage.play()

    assert stage.began == []
    assert stage.main_events()[2:4] == [
        CallEnded(
            1, WRITE, result(WRITE, "The user said no.", is_error=True), "not allowed", "denied"
        ),
        ResultsReady(1, (result(WRITE, "The user said no.", is_error=True),)),
    ]


async def test_neighbours_that_change_nothing_run_side_by_side_and_others_alone() -> None:
    names = ["read_a", "read_b", "write_c", "write_d", "read_e", "read_f"]
    stage = Stage([wants(*(call(name, name) for name in names)), answer("Done.")])

    await stage.play()

    assert stage.kinds()[2:-3] == [
        *("read_a", "read_b", "read_a done", "read_b done"),
        *("write_c", "write_c done", "write_d", "write_d done"),
        *("read_e", "read_f", "read_e done", "read_f done"),
        "results_ready",
    ]


async def test_results_stand_in_the_order_of_the_calls_however_long_each_took() -> None:
    calls = [call("read_file", f"c{number}", path=f"{number}.md") for number in range(3)]
    is_last_done = anyio.Event()
    stage = Stage([wants(*calls), answer("Done.")])

    async def last_first(call: ToolCall) -> None:
        if call == calls[-1]:
            is_last_done.set()
        else:
            await is_last_done.wait()

    stage.on_run = last_first
    await stage.play()

    ready = next(event for event in stage.told if isinstance(event, ResultsReady))
    assert ready.results == tuple(result(call, "read_file") for call in calls)


async def test_a_hundred_calls_run_eight_at_a_time_and_each_has_its_result() -> None:
    calls = [call("read_file", f"c{number}", path=f"{number}.md") for number in range(100)]
    are_eight = anyio.Event()
    stage = Stage([wants(*calls), answer("Done.")])

    async def wait_for_eight(call: ToolCall) -> None:
        if stage.running == 8:
            are_eight.set()
        await are_eight.wait()

    stage.on_run = wait_for_eight
    await stage.play()

    check_whole(stage.told)
    assert stage.began == calls
    assert stage.most_running == 8


async def test_calls_that_share_an_id_run_one_after_the_other_and_each_has_its_result() -> None:
    calls = [call("read_file", "same", path="1.md"), call("read_file", "same", path="2.md")]
    stage = Stage([wants(*calls), answer("Done.")])

    await stage.play()

    check_whole(stage.told)
    assert stage.began == calls
    assert stage.most_running == 1


async def test_what_somebody_says_while_tools_run_joins_at_the_next_step() -> None:
    stage = Stage([wants(READ), answer("Seen."), answer("Never asked.")], joins=[True, False])

    assert await stage.play() == TurnEnded("done")

    assert stage.asked == [1, 2]
    assert stage.join_count == 2


async def test_what_somebody_says_while_the_model_ends_is_answered_in_the_same_turn() -> None:
    stage = Stage([answer("So."), answer("And so.")], joins=[True, False])

    assert await stage.play() == TurnEnded("done")

    assert stage.texts() == ["So.", "And so."]


async def test_a_paused_answer_goes_on_without_anything_new() -> None:
    stage = Stage([answer("I am", reason="pause"), answer("here.")])

    assert await stage.play() == TurnEnded("done")

    assert stage.asked == [1, 2]
    assert stage.join_count == 1


async def test_a_refusal_says_the_explanation_that_came_with_it() -> None:
    *pieces, end = answer("I can't.", reason="refusal")
    assert isinstance(end, Finished)
    stage = Stage([[*pieces, replace(end, explanation="This could harm.")]])

    words = "The model declined to answer: This could harm."
    assert await stage.play() == TurnEnded("refusal", words)


async def test_a_refusal_ends_the_turn_and_says_so() -> None:
    stage = Stage([answer("I can't.", READ, reason="refusal")])

    assert await stage.play() == TurnEnded("refusal", "The model declined to answer.")

    assert stage.began == []
    check_whole(stage.told)


async def test_an_answer_cut_at_its_length_runs_nothing_and_offers_to_go_on() -> None:
    stage = Stage([answer("Let me", READ, reason="max_tokens")])

    assert await stage.play() == TurnEnded(
        "max_tokens",
        "The answer reached its greatest length and was cut. Say “continue” to go on.",
    )

    assert stage.began == []
    assert stage.results() == [
        result(
            READ,
            "The answer with this call was cut at its greatest length, so calls may be missing. "
            "Nothing was run.",
            is_error=True,
        )
    ]
    check_whole(stage.told)


async def test_a_failed_answer_ends_the_turn_in_its_own_words_and_its_calls_never_run() -> None:
    lost = Failure("network", "The connection was lost.")
    stage = Stage([answer("Let me", READ, reason="error", failure=lost)])

    assert await stage.play() == TurnEnded("failed", "The connection was lost.", lost)

    assert stage.began == []
    assert stage.results() == [
        result(
            READ, "The answer with this call failed before its end. Nothing was run.", is_error=True
        )
    ]
    check_whole(stage.told)


async def test_calls_are_run_whatever_the_provider_calls_its_reason() -> None:
    stage = Stage([answer(READ, reason="end_turn"), answer("Done.", reason="stop_sequence")])

    assert await stage.play() == TurnEnded("done")

    assert stage.began == [READ]


@pytest.mark.parametrize(
    ("lines", "words", "text"),
    [
        ([], "The answer ended abruptly.", ""),
        (
            [TextDelta("Half a")],
            "The answer ended abruptly.",
            "Half a",
        ),
        (
            [*wants("Twice.", READ), *answer("Twice.")],
            "The provider went on after the end of its answer.",
            "Twice.",
        ),
        (
            answer("So.", reason="error"),
            "The model failed without saying why.",
            "So.",
        ),
        (
            [ToolCallEnded(0, None, '{"path": "a'), *wants("Hm.")],
            "The model called a tool, but the call did not arrive whole. Nothing was run.",
            "Hm.",
        ),
        (answer(Thinking("Hm."), " \n"), "The model sent an empty answer.", " \n"),
    ],
    ids=["nothing", "no end", "two ends", "no reason", "no whole call", "no words"],
)
async def test_an_answer_that_breaks_its_rules_is_a_failure(
    lines: Lines, words: str, text: str
) -> None:
    stage = Stage([lines])

    assert await stage.play() == TurnEnded("failed", words, Failure("upstream", words))

    assert stage.began == []
    assert stage.texts() == [text]
    check_whole(stage.told)


async def test_after_its_tools_a_model_may_end_without_a_word() -> None:
    stage = Stage([wants(READ), answer()], outcomes={"read_file": said("Words.")})

    assert await stage.play() == TurnEnded("done")


async def test_an_answer_that_goes_on_for_ever_after_its_end_is_left() -> None:
    stage = Stage([])

    async def go_on(step: int) -> AsyncGenerator[StreamEvent]:
        yield Finished("end_turn", assistant("So."))
        while True:
            await anyio.lowlevel.checkpoint()
            yield TextDelta("more")

    stage.ask = go_on

    assert (await stage.play()).reason == "failed"


async def test_a_broken_answer_keeps_words_and_thoughts_apart() -> None:
    lines = answer(Thinking("Well then"), "First", READ, "second")
    stage = Stage([lines[:-1]])

    await stage.play()

    answered = next(event for event in stage.told if isinstance(event, Answered))
    texts = [getattr(part, "text", part) for part in answered.end.message.parts]
    assert texts == ["Well then", "First", "second"]


def ending(lines: Lines) -> Finished:
    end = lines[-1]
    assert isinstance(end, Finished)
    return end
