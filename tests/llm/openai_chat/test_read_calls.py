"""Reading tool calls from servers that send them in every way but one."""

import pytest

from recto.llm.names import wire_id
from recto.messages import (
    Finished,
    Message,
    ProviderData,
    Started,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    assistant,
)
from tests.llm.openai_chat.streams import DONE, ORIGIN, call, chunk, finish_of, read, role, text

END = (chunk({}, "tool_calls"), DONE)


def test_C2_arguments_that_begin_empty_are_exact() -> None:
    events = read(
        role(),
        call(index=0, id="a", type="function", name="read", arguments=""),
        call(index=0, arguments='{"path": "a'),
        call(index=0, arguments='\\"b.md"}'),
        *END,
    )
    arguments = {"path": 'a"b.md'}
    assert events == [
        Started("chatcmpl-1", "llama"),
        ToolCallStarted(0, "a", "read"),
        ToolCallDelta(0, '{"path": "a'),
        ToolCallDelta(0, '\\"b.md"}'),
        ToolCallEnded(0, arguments, '{"path": "a\\"b.md"}'),
        Finished("tool_use", assistant(ToolCall("a", "read", arguments)), raw_reason="tool_calls"),
    ]


def test_a_call_without_arguments_has_none() -> None:
    finished = finish_of(read(call(index=0, id="a", name="now", arguments=""), *END))
    assert finished.message == assistant(ToolCall("a", "now", {}))


A_AND_B = assistant(ToolCall("a", "read", {"x": 1}), ToolCall("b", "list", {"y": 2}))


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            [
                call(index=0, id="a", name="read", arguments=""),
                call(index=1, id="b", name="list", arguments=""),
                call(index=0, arguments='{"x"'),
                call(index=1, arguments='{"y"'),
                call(index=0, arguments=":1}"),
                call(index=1, arguments=":2}"),
            ],
            id="C3-interleaved",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="read", arguments='{"x"'),
                call(index=0, id="a", name="read", arguments=":1}"),
                call(index=1, id="b", name="list", arguments='{"y"'),
                call(index=1, id="b", name="list", arguments=":2}"),
            ],
            id="C4-repeated",
        ),
        pytest.param(
            [
                call(id="a", name="read", arguments='{"x"'),
                call(arguments=":1}"),
                call(id="b", name="list", arguments='{"y"'),
                call(arguments=":2}"),
            ],
            id="C5-no-index-last",
        ),
        pytest.param(
            [
                call(id="a", name="read", arguments='{"x"'),
                call(id="b", name="list", arguments='{"y"'),
                call(id="a", arguments=":1}"),
                call(id="b", arguments=":2}"),
            ],
            id="C5-no-index-id",
        ),
        pytest.param(
            [
                call(index=1, id="a", name="read", arguments='{"x":1}'),
                call(index=5, id="b", name="list", arguments='{"y":2}'),
            ],
            id="C6-gap",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="read", arguments='{"x":1}'),
                call(index=0, id="b", name="list", arguments='{"y"'),
                call(index=0, arguments=":2}"),
            ],
            id="C7-same-index",
        ),
        pytest.param(
            [
                call(index=0, name="read", arguments='{"x"'),
                call(index=0, id="a", arguments=":1}"),
                call(index=1, id="b", arguments='{"y":2}'),
                call(index=1, name="list"),
            ],
            id="id-or-name-later",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="read", arguments={"x": 1}),
                call(index=1, id="b", name="list", arguments={"y": 2}),
            ],
            id="C11-object",
        ),
    ],
)
def test_two_calls_are_read_however_they_are_numbered(pieces: list[bytes]) -> None:
    finished = finish_of(read(role(), *pieces, *END))
    assert finished == Finished("tool_use", A_AND_B, raw_reason="tool_calls")


@pytest.mark.parametrize("reason", ["stop", None], ids=["C8-stop", "C8-null"])
def test_a_call_in_one_chunk_wants_its_tool_whatever_the_reason_says(reason: str | None) -> None:
    whole = call(index=0, id="a", name="read", arguments='{"x":1}')
    finished = finish_of(read(whole, chunk({}, reason), DONE))
    message = assistant(ToolCall("a", "read", {"x": 1}))
    assert finished == Finished("tool_use", message, raw_reason=reason)


def test_C9_calls_without_id_get_stable_ones() -> None:
    first = call(index=0, name="read", arguments='{"x":1}')
    second = call(index=0, name="read", arguments='{"x":2}')
    finished = finish_of(read(role(), first, second, *END))
    assert finished.message == assistant(
        ToolCall(wire_id("chatcmpl-1:0:read"), "read", {"x": 1}),
        ToolCall(wire_id("chatcmpl-1:1:read"), "read", {"x": 2}),
    )


def test_calls_without_anything_but_a_name_and_arguments_are_told_apart() -> None:
    pieces = [call(name="read", arguments=piece) for piece in ('{"x":', "1}", '{"x":2}')]
    finished = finish_of(read(role(), *pieces, *END))
    assert [item.arguments for item in finished.message.calls] == [{"x": 1}, {"x": 2}]


def test_C10_an_id_of_odd_characters_is_kept() -> None:
    finished = finish_of(
        read(call(index=0, id="functions.Bash:0", name="Bash", arguments="{}"), *END)
    )
    assert finished.message == assistant(ToolCall("functions.Bash:0", "Bash", {}))


def test_an_id_used_twice_in_one_answer_is_used_once() -> None:
    pieces = [call(index=at, id="same", name="read", arguments="{}") for at in (0, 1)]
    finished = finish_of(read(*pieces, *END))
    assert [item.id for item in finished.message.calls] == ["same", wire_id("chatcmpl-1:1:read")]


@pytest.mark.parametrize("raw", ['{"x": ', "[1]", "null"], ids=["C12-cut", "C12-list", "C12-null"])
def test_a_call_whose_arguments_are_no_object_is_told_but_is_no_part(raw: str) -> None:
    events = read(role(), call(index=0, id="a", name="read", arguments=raw), *END)
    assert events[1:] == [
        ToolCallStarted(0, "a", "read"),
        ToolCallDelta(0, raw),
        ToolCallEnded(0, None, raw),
        Finished("tool_use", Message("assistant", ()), raw_reason="tool_calls"),
    ]


def test_an_answer_cut_at_the_limit_keeps_only_the_complete_calls() -> None:
    events = read(
        call(index=0, id="a", name="read", arguments='{"x":1}'),
        call(index=1, id="b", name="list", arguments='{"y"'),
        call(index=2, id="c", name="now", arguments=""),
        chunk({}, "length"),
        DONE,
    )
    message = assistant(ToolCall("a", "read", {"x": 1}))
    assert finish_of(events) == Finished("max_tokens", message, raw_reason="length")


def test_a_broken_answer_has_no_calls() -> None:
    finished = finish_of(read(text("Now: "), call(index=0, id="a", name="read", arguments='{"x"')))
    assert (finished.reason, finished.message) == ("error", assistant("Now: "))


def test_a_call_without_a_name_is_no_call() -> None:
    finished = finish_of(read(text("Hi"), call(index=0, id="a", arguments="{}"), *END))
    assert finished == Finished("end_turn", assistant("Hi"), raw_reason="tool_calls")


@pytest.mark.parametrize("late", [False, True], ids=["C29", "C29-late"])
def test_a_signature_is_kept_with_its_call(late: bool) -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    first = call(
        index=0, id="a", name="read", arguments="", **({} if late else {"extra_content": extra})
    )
    then = call(index=0, arguments='{"x":1}', **({"extra_content": extra} if late else {}))
    finished = finish_of(read(first, then, *END))
    data = ProviderData(ORIGIN, {"extra_content": extra})
    assert finished.message == assistant(ToolCall("a", "read", {"x": 1}, data))


def test_a_name_that_was_escaped_comes_back_as_it_was() -> None:
    finished = finish_of(read(call(index=0, id="a", name="esc-files-2eread", arguments="{}"), *END))
    assert finished.message == assistant(ToolCall("a", "files.read", {}))
