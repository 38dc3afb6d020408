"""Where a turn ends by itself, and what it says then."""

from collections.abc import AsyncGenerator

import anyio
import pytest

from recto.agent import Answered, TurnEnded, TurnLimits
from recto.messages import Failure, Finished, StreamEvent, TextDelta, ToolCall, assistant
from recto.tools import ToolOutcome
from tests.agent.history import check_whole
from tests.agent.stage import Stage, answer, call, result, said, wants

pytestmark = pytest.mark.anyio

ALIKE = (
    "This call was made three times in a row with the same arguments, so it was not run and the "
    "turn ended. Try another way."
)


def reads(number: int) -> ToolCall:
    return call("read_file", f"c{number}", path=f"{number}.md")


async def test_a_turn_that_never_ends_stops_after_its_steps_and_says_what_was_done() -> None:
    write = call("write_file", "w", path="notes.md")
    stage = Stage([wants(reads(1), reads(2)), wants(write), wants(reads(3))])
    stage.limits = TurnLimits(steps=3)

    assert await stage.play() == TurnEnded(
        "steps",
        "The turn reached its limit of 3 steps. It took 3 steps and ran read_file 3 times, "
        "write_file once. Last change: write_file on notes.md (10 letters). "
        "Say “continue” to go on.",
    )

    assert stage.asked == [1, 2, 3]
    check_whole(stage.told)


async def test_a_limit_takes_in_nothing_that_the_next_turn_should_answer() -> None:
    stage = Stage([wants(reads(1))], joins=[True], limits=TurnLimits(steps=1))

    assert (await stage.play()).reason == "steps"

    assert stage.join_count == 0


async def test_a_turn_that_is_done_with_its_last_step_is_done() -> None:
    stage = Stage([answer("So.")], joins=[True], limits=TurnLimits(steps=1))

    assert await stage.play() == TurnEnded("done")

    assert stage.join_count == 0


async def test_a_paused_answer_counts_as_a_step() -> None:
    stage = Stage([answer("I am", reason="pause")], limits=TurnLimits(steps=1))

    assert await stage.play() == TurnEnded(
        "steps",
        "The turn reached its limit of 1 step. It took 1 step and ran no tool. "
        "Say “continue” to go on.",
    )


async def test_a_turn_ends_when_it_has_spent_what_it_may() -> None:
    stage = Stage([wants(reads(1)), answer("Never.")], limits=TurnLimits(spend_micros=500_000))

    async def pay(call: ToolCall) -> None:
        stage.spent = 500_000

    stage.on_run = pay

    assert await stage.play() == TurnEnded(
        "spend",
        "The turn reached its limit of $0.50. It took 1 step and ran read_file once. "
        "Say “continue” to go on.",
    )


@pytest.mark.parametrize(
    ("micros", "words"),
    [(0, "$0.00"), (12_340_000, "$12.34"), (1_500, "$0.0015"), (1, "$0.000001")],
)
async def test_a_limit_of_money_is_said_exactly(micros: int, words: str) -> None:
    stage = Stage([], spent=micros, limits=TurnLimits(spend_micros=micros))

    assert await stage.play() == TurnEnded(
        "spend",
        f"The turn reached its limit of {words}. It took 0 steps and ran no tool. "
        "Say “continue” to go on.",
    )


async def test_a_running_tool_is_not_cut_by_the_time_and_the_call_after_it_does_not_start() -> None:
    stage = Stage(
        [wants(call("write_a", "a"), call("write_b", "b"))], limits=TurnLimits(wall_s=600)
    )

    async def take_long(call: ToolCall) -> None:
        stage.now += 600

    stage.on_run = take_long

    assert await stage.play() == TurnEnded(
        "time",
        "The turn reached its limit of 10 minutes. It took 1 step and ran write_a once. "
        "Last change: write_a (7 letters). Say “continue” to go on.",
    )

    assert stage.permitted == [call("write_a", "a")]
    late = "The turn's time was up before this call. Nothing was run."
    assert stage.results() == [
        result(call("write_a", "a"), "write_a"),
        result(call("write_b", "b"), late, is_error=True),
    ]
    check_whole(stage.told)


async def test_a_call_that_waited_for_its_place_does_not_start_when_the_time_is_up() -> None:
    stage = Stage([wants(*(reads(number) for number in range(9)))], limits=TurnLimits(wall_s=600))

    async def take_long(call: ToolCall) -> None:
        stage.now += 600

    stage.on_run = take_long

    assert (await stage.play()).reason == "time"

    assert len(stage.began) < 9
    check_whole(stage.told)


async def test_the_time_is_checked_between_steps() -> None:
    stage = Stage([wants(reads(1)), answer("Never.")], limits=TurnLimits(wall_s=60))

    async def take_long(call: ToolCall) -> None:
        stage.now += 61

    stage.on_run = take_long

    assert (await stage.play()).reason == "time"

    assert stage.asked == [1]


async def test_the_time_a_person_takes_to_allow_a_call_is_not_the_turns() -> None:
    stage = Stage([wants(call("write_file", "w")), answer("Done.")], limits=TurnLimits(wall_s=60))

    def take_the_night_off() -> None:
        stage.now += 8 * 3600

    stage.on_permit = take_the_night_off

    assert await stage.play() == TurnEnded("done")


async def test_an_answer_that_takes_too_long_is_cut_and_what_came_of_it_stays() -> None:
    stage = Stage([], limits=TurnLimits(wall_s=0.05))
    closed: list[int] = []

    async def drip(step: int) -> AsyncGenerator[StreamEvent]:
        try:
            yield TextDelta("Well")
            await anyio.sleep_forever()
        finally:
            closed.append(step)

    stage.ask = drip

    ended = await stage.play()

    assert (ended.reason, ended.failure) == ("time", None)
    late = Failure("timeout", "The turn's time was up before the answer was complete.")
    assert stage.main_events()[1] == Answered(1, Finished("error", assistant("Well"), failure=late))
    assert closed == [1]
    check_whole(stage.told)


async def test_a_whole_answer_counts_even_if_its_connection_is_never_closed() -> None:
    stage = Stage([], limits=TurnLimits(wall_s=0.05))

    async def hang(step: int) -> AsyncGenerator[StreamEvent]:
        yield Finished("end_turn", assistant("So."))
        await anyio.sleep_forever()

    stage.ask = hang

    assert await stage.play() == TurnEnded("done")

    assert stage.texts() == ["So."]


async def test_the_third_call_alike_ends_the_turn_without_being_run() -> None:
    same = [call("read_file", f"c{number}", path="a.md") for number in range(3)]
    stage = Stage([wants(item) for item in same])

    assert await stage.play() == TurnEnded(
        "repeat",
        "The model called read_file three times in a row with the same arguments. "
        "It took 3 steps and ran read_file twice. Say “continue” to go on.",
    )

    assert stage.began == same[:2]
    assert stage.results()[-1] == result(same[2], ALIKE, is_error=True)
    check_whole(stage.told)


async def test_calls_alike_in_one_answer_count_too_and_what_follows_them_is_not_run() -> None:
    same = [call("read_file", f"c{number}", path="a.md") for number in range(3)]
    other = call("read_file", "d", path="b.md")
    stage = Stage([wants(*same, other)])

    assert (await stage.play()).reason == "repeat"

    assert stage.began == same[:2]
    assert stage.results()[2:] == [
        result(same[2], ALIKE, is_error=True),
        result(
            other,
            "The turn ended before this call, because it went in circles. Nothing was run.",
            is_error=True,
        ),
    ]
    check_whole(stage.told)


async def test_a_call_that_was_refused_counts_as_one_alike() -> None:
    same = [call("write_file", f"c{number}", path="a.md") for number in range(3)]
    stage = Stage([wants(item) for item in same], refusals={item.id: "No." for item in same})

    assert (await stage.play()).reason == "repeat"


async def test_another_call_between_makes_the_same_call_new() -> None:
    stage = Stage([wants(reads(number)) for number in (1, 1, 2, 1, 1)] + [answer("Done.")])

    assert await stage.play() == TurnEnded("done")


async def test_somebodys_words_make_the_same_call_new() -> None:
    same = call("read_file", path="a.md")
    stage = Stage([wants(same), wants(same), wants(same), answer("Done.")], joins=[False, True])

    assert await stage.play() == TurnEnded("done")


async def test_the_last_change_is_one_that_succeeded() -> None:
    changes = [call("write_file", "a", path="a.md"), call("move_file", "b"), call("remove", "c")]
    stage = Stage(
        [wants(*changes)],
        outcomes={"write_file": said("ok"), "move_file": ToolOutcome((), is_error=True)},
        refusals={"c": "The user said no."},
        limits=TurnLimits(steps=1),
    )

    assert (await stage.play()).words == (
        "The turn reached its limit of 1 step. It took 1 step and ran write_file once, "
        "move_file once. Last change: write_file on a.md (2 letters). Say “continue” to go on."
    )
