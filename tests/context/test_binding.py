from dataclasses import replace

from recto.context import bind, drop_unbound, faults, prepare, without_thoughts
from recto.messages import (
    Origin,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)

HERE = Origin("anthropic-messages", "a", "claude")
THOUGHT = Thinking("hm", ProviderData(HERE, {"signature": "s"}))
FIRST = Request("claude", (user("one"),), 100, system="Be brief.")


def talk() -> Request:
    """A conversation of two answered turns, each with a thought."""
    answer = bind(assistant(THOUGHT, "1"), FIRST)
    second = replace(FIRST, messages=(*FIRST.messages, answer, user("two")))
    answer = bind(assistant(THOUGHT, "2"), second)
    return replace(second, messages=(*second.messages, answer, user("three")))


def thoughts(request: Request) -> list[bool]:
    return [
        any(isinstance(part, Thinking) for part in message.parts)
        for message in request.messages
        if message.role == "assistant"
    ]


def test_thoughts_stay_while_nothing_before_them_changes() -> None:
    assert drop_unbound(talk()) == talk()


def test_an_edit_takes_the_thoughts_after_it_away_and_keeps_the_words() -> None:
    edited = replace(talk(), messages=(user("ONE"), *talk().messages[1:]))
    assert thoughts(drop_unbound(edited)) == [False, False]
    assert [message.text for message in drop_unbound(edited).messages] == [
        "ONE",
        "1",
        "two",
        "2",
        "three",
    ]


def test_an_edit_in_between_keeps_the_thoughts_before_it() -> None:
    messages = list(talk().messages)
    messages[2] = user("TWO")
    assert thoughts(drop_unbound(replace(talk(), messages=tuple(messages)))) == [True, False]


def test_another_system_prompt_takes_all_thoughts_away() -> None:
    assert thoughts(drop_unbound(replace(talk(), system="Be long."))) == [False, False]


def test_a_message_of_nothing_but_such_a_thought_goes_whole() -> None:
    request = replace(FIRST, messages=(user("x"), assistant(THOUGHT), user("y")))
    assert drop_unbound(request).messages == (user("x"), user("y"))


def test_Q26_what_changes_is_appended_and_the_thoughts_before_it_stay() -> None:
    grown = replace(talk(), messages=(*talk().messages[:-1], user("three", "Open tabs: b.md")))
    assert thoughts(drop_unbound(grown)) == [True, True]


def test_Q27_a_cut_history_has_no_half_calls_and_no_thoughts_of_another_past() -> None:
    call, result = ToolCall("c", "read", {}), ToolResult("c", "read", (Text("text"),))
    first = replace(FIRST, tools=(ToolSpec("read", "Reads a file.", {"type": "object"}),))
    answer = bind(assistant(THOUGHT, call), first)
    second = replace(first, messages=(*first.messages, answer, user(result, "two")))
    answer = bind(assistant(THOUGHT, "2"), second)
    whole = replace(second, messages=(*second.messages, answer, user("three")))
    assert thoughts(prepare(whole, HERE, binds_prefix=True)) == [True, True]
    for start in range(1, len(whole.messages)):
        cut = prepare(replace(whole, messages=whole.messages[start:]), HERE, binds_prefix=True)
        assert faults(cut.messages, HERE) == []
        assert True not in thoughts(cut)


def test_A29_thoughts_of_earlier_turns_can_be_left_out_for_good() -> None:
    _, first, two, second, three = talk().messages
    assert without_thoughts(talk().messages, before=3) == (
        user("one"),
        assistant("1"),
        two,
        second,
        three,
    )
    alone = (user("one"), assistant(THOUGHT), user("two"))
    assert without_thoughts(alone, before=9) == (user("one"), assistant(), user("two"))
    assert without_thoughts((first,), before=0) == (first,)
