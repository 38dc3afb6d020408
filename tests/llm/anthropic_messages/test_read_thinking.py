"""Reading thoughts and the API's own blocks, and sending them back byte for byte."""

import json
from typing import Any

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    Finished,
    Message,
    Native,
    ProviderData,
    Request,
    Text,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.llm.anthropic_messages.streams import (
    ORIGIN,
    STARTED,
    answer,
    delta,
    end_of,
    json_delta,
    read,
    sse,
    start,
    stop,
    text_delta,
)

CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}


def signed(**payload: Any) -> ProviderData:
    return ProviderData(ORIGIN, payload)


def thinking(index: int, text: str, signature: str) -> list[dict[str, Any]]:
    return [
        start(index, type="thinking", thinking="", signature=""),
        *([delta(index, type="thinking_delta", thinking=text)] if text else []),
        delta(index, type="signature_delta", signature=signature),
        stop(index),
    ]


def sent_back(*messages: Message) -> list[Any]:
    """The turns of a request whose history is a question and these messages."""
    request = Request(ORIGIN.model, (user("Hi"), *messages), 100)
    body = json.loads(PROTOCOL.lower(request, Traits(), ORIGIN).body)
    return [turn["content"] for turn in body["messages"][1:]]


def test_A2_thoughts_words_and_calls_keep_their_order() -> None:
    stream = answer(
        *thinking(0, "Hmm.", "sig"),
        start(1, type="text", text=""),
        text_delta(1, "I will."),
        stop(1),
        start(2, **CALL),
        stop(2),
        start(3, **{**CALL, "id": "toolu_2"}),
        json_delta(3, '{"a":1}'),
        stop(3),
        reason="tool_use",
    )
    end = end_of(stream)
    assert end.reason == "tool_use"
    assert end.message == assistant(
        Thinking("Hmm.", signed(signature="sig")),
        "I will.",
        ToolCall("toolu_1", "read_file", {}),
        ToolCall("toolu_2", "read_file", {"a": 1}),
    )
    assert read(stream)[2:5] == [
        ThinkingStarted(),
        ThinkingDelta("Hmm."),
        ThinkingEnded(signed(signature="sig")),
    ]


def test_A10_thoughts_without_words_are_kept_and_go_back_as_they_came() -> None:
    message = end_of(answer(*thinking(0, "", "s+/="), *words(1))).message
    assert message == assistant(Thinking("", signed(signature="s+/=")), "Hello")
    assert sent_back(message, user("More"))[0] == [
        {"type": "thinking", "thinking": "", "signature": "s+/="},
        {"type": "text", "text": "Hello"},
    ]


def test_A11_the_last_signature_wins() -> None:
    twice = thinking(0, "Hmm.", "first")
    twice.insert(3, delta(0, type="signature_delta", signature="second"))
    assert end_of(answer(*twice)).message == assistant(Thinking("Hmm.", signed(signature="second")))


def test_A12_redacted_thoughts_are_kept_and_not_shown() -> None:
    block = {"type": "redacted_thinking", "data": "EmwKAhgB"}
    stream = answer(start(0, **block), stop(0), *words(1))
    message = end_of(stream).message
    assert message == assistant(Thinking("", signed(redacted="EmwKAhgB")), "Hello")
    assert not any(isinstance(event, ThinkingDelta) for event in read(stream))
    assert sent_back(message, user("More"))[0] == [block, {"type": "text", "text": "Hello"}]


def test_A13_thoughts_that_were_never_signed_do_not_go_back() -> None:
    message = end_of(sse(STARTED, *thinking(0, "Hmm.", "")[:2])).message
    assert message == assistant(Thinking("Hmm."))
    unsigned = Thinking("Hmm.", signed(signature=""))
    both = Message("assistant", (*message.parts, unsigned, Text("Hello")))
    assert sent_back(both, user("More"))[0] == [{"type": "text", "text": "Hello"}]


def test_A14_a_block_of_an_unknown_kind_is_kept_whole() -> None:
    block = {"type": "surprise", "value": {"deep": [1, 2.5, None]}, "text": 7}
    message = end_of(answer(start(0, **block), stop(0), *words(1))).message
    assert message == assistant(Native(signed(block=block)), "Hello")
    assert sent_back(message, user("More"))[0] == [block, {"type": "text", "text": "Hello"}]


def test_A20_a_pause_is_continued_by_the_same_turn_and_no_other() -> None:
    asked: dict[str, Any] = {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {},
    }
    stream = answer(
        *words(0),
        start(1, **asked),
        json_delta(1, '{"query":'),
        json_delta(1, '"x"}'),
        stop(1),
        reason="pause_turn",
    )
    end = end_of(stream)
    assert end.reason == "pause"
    assert sent_back(end.message) == [
        [{"type": "text", "text": "Hello"}, {**asked, "input": {"query": "x"}}]
    ]


def test_a_server_call_cut_in_the_middle_is_left_out() -> None:
    asked: dict[str, Any] = {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {},
    }
    stream = answer(*words(0), start(1, **asked), json_delta(1, '{"que'), stop(1))
    assert end_of(stream).message == assistant("Hello")


def test_a_server_call_goes_back_only_with_its_result_and_the_reverse() -> None:
    asked: dict[str, Any] = {
        "type": "server_tool_use",
        "id": "s1",
        "name": "web_search",
        "input": {},
    }
    result: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    both = assistant(Native(signed(block=asked)), Native(signed(block=result)), "Found.")
    assert sent_back(both, user("More"))[0] == [asked, result, {"type": "text", "text": "Found."}]
    for item in (asked, result):
        alone = assistant(Native(signed(block=item)), "Found.")
        assert sent_back(alone, user("More"))[0] == [{"type": "text", "text": "Found."}]


def test_A35_thoughts_between_calls_stay_there() -> None:
    stream = answer(
        *thinking(0, "One.", "sig1"),
        start(1, **CALL, caller={"type": "direct"}),
        stop(1),
        *thinking(2, "", "sig2"),
        start(3, **{**CALL, "id": "toolu_2"}, toolset_name="computer"),
        stop(3),
        reason="tool_use",
    )
    results = user(ToolResult("toolu_1", "read_file", ()), ToolResult("toolu_2", "read_file", ()))
    assert sent_back(end_of(stream).message, results) == [
        [
            {"type": "thinking", "thinking": "One.", "signature": "sig1"},
            {**CALL, "caller": {"type": "direct"}},
            {"type": "thinking", "thinking": "", "signature": "sig2"},
            {**CALL, "id": "toolu_2", "toolset_name": "computer"},
        ],
        [
            {"type": "tool_result", "tool_use_id": "toolu_1"},
            {"type": "tool_result", "tool_use_id": "toolu_2"},
        ],
    ]


def test_a_whole_answer_tells_what_its_stream_would() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Hmm.", "signature": "sig"},
        {"type": "redacted_thinking", "data": "EmwK"},
        {"type": "text", "text": "Hello", "citations": None},
        {"type": "surprise", "value": 1},
        {**CALL, "input": {"path": "a.md"}},
    ]
    whole = {
        "id": "msg_1",
        "type": "message",
        "model": "claude-test",
        "content": blocks,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 5},
    }
    stream = answer(
        *thinking(0, "Hmm.", "sig"),
        start(1, **blocks[1]),
        stop(1),
        *words(2),
        start(3, **blocks[3]),
        stop(3),
        start(4, **blocks[4]),
        stop(4),
        reason="tool_use",
    )
    told = PROTOCOL.read_whole(json.dumps(whole).encode(), ORIGIN)
    assert told[-1] == read(stream)[-1]


def test_blocks_that_are_none_are_passed_over() -> None:
    whole = {"id": "msg_1", "content": [7, {"type": "text", "text": "Hello"}], "stop_reason": "x"}
    told = PROTOCOL.read_whole(json.dumps(whole).encode(), ORIGIN)
    assert told[-1] == Finished("end_turn", assistant("Hello"), raw_reason="x")


def words(index: int) -> list[dict[str, Any]]:
    return [start(index, type="text", text=""), text_delta(index, "Hello"), stop(index)]
