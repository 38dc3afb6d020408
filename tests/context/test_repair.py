import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.context import faults, repair
from recto.context.repair import GO_ON, LEFT_OUT, NO_RESULT
from recto.messages import (
    Message,
    Origin,
    ProviderData,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.context.histories import HISTORIES, ORIGINS
from tests.examples import examples

HERE = ORIGINS[0]
THERE = ORIGINS[2]


def call(call_id: str) -> ToolCall:
    return ToolCall(call_id, "read", {"path": "a"})


def result(call_id: str, text: str = "done") -> ToolResult:
    return ToolResult(call_id, "read", (Text(text),))


@pytest.mark.slow
@settings(max_examples=examples(75), deadline=None)
@given(HISTORIES, st.sampled_from(ORIGINS))
def test_any_history_becomes_one_that_can_be_sent(history: list[Message], origin: Origin) -> None:
    repaired = repair(history, origin)
    assert faults(repaired, origin) == []
    assert repair(repaired, origin) == repaired


def test_a_sound_history_is_left_alone() -> None:
    sound = (
        user("Read a."),
        assistant("Yes.", call("c1"), call("c2")),
        user(result("c1"), result("c2"), "And now?"),
        assistant("Done."),
        user("Thanks."),
    )
    assert repair(sound, HERE) == sound


def test_a_call_that_was_interrupted_gets_a_result_that_says_so() -> None:
    repaired = repair([user("Read."), assistant(call("c1"))], HERE)
    assert repaired[2:] == (user(ToolResult("c1", "read", (Text(NO_RESULT),), is_error=True)),)


def test_results_come_first_and_in_the_order_of_their_calls() -> None:
    repaired = repair(
        [user("x"), assistant(call("a"), call("b")), user("Well?", result("b"), result("a"))], HERE
    )
    assert repaired[2] == user(result("a"), result("b"), "Well?")


def test_a_result_without_its_call_is_told_in_words() -> None:
    repaired = repair([user("x"), assistant("y"), user(result("gone", "kept"))], HERE)
    assert repaired[2].results == ()
    assert "kept" in repaired[2].text


def test_the_same_id_twice_is_made_two() -> None:
    repaired = repair(
        [user("x"), assistant(call("c")), user(result("c")), assistant(call("c")), user("go")],
        HERE,
    )
    first, second = (message.calls[0].id for message in repaired if message.calls)
    assert first == "c"
    assert second != "c"
    assert repaired[4].results[0].call_id == second


def test_calls_of_one_answer_that_share_an_id_get_each_their_own_result() -> None:
    repaired = repair(
        [user("x"), assistant(call("c"), call("c")), user(result("c", "1"), result("c", "2"))],
        HERE,
    )
    first, second = repaired[1].calls
    assert first.id != second.id
    assert repaired[2].results == (result(first.id, "1"), result(second.id, "2"))


def test_ids_that_look_alike_stay_apart() -> None:
    repaired = repair([user("x"), assistant(call("a.b"), call("a:b"))], HERE)
    ids = [item.id for item in repaired[1].calls]
    assert len(set(ids)) == 2
    assert [item.call_id for item in repaired[2].results] == ids


def test_thoughts_go_back_only_to_the_model_that_had_them() -> None:
    # I5: what only a provider understands stays in `part.provider`, and goes to nobody else.
    mine = Thinking("mine", ProviderData(HERE, {"signature": "s"}))
    theirs = Thinking("theirs", ProviderData(THERE, {"id": "rs_1"}))
    unsigned = Thinking("cut off")
    history = [user("x"), assistant(mine, theirs, unsigned, "answer"), user("y")]
    assert repair(history, HERE)[1] == assistant(mine, "answer")
    assert repair(history, THERE)[1] == assistant(theirs, "answer")


def test_a_history_that_was_cut_begins_and_ends_with_the_user() -> None:
    repaired = repair([assistant("Then"), user("x"), assistant("y")], HERE)
    assert repaired[0] == user(LEFT_OUT)
    assert repaired[-1] == user(GO_ON)


def test_a_check_names_what_is_wrong() -> None:
    found = faults([assistant(call("a b")), assistant("")], HERE)
    assert {
        "the first message is not the user's",
        "the last message is not the user's",
        "messages 0 and 1 have the same role",
        "the call id 'a b' is not portable",
        "message 1: a text is empty",
    } <= set(found)
