"""OpenRouter's `reasoning_details` and Mistral's thinking parts: read, kept, and sent back.

I5: provider data travels only in `part.provider`.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context import prepare
from recto.llm import load_protocol
from recto.llm.protocols.openai_chat import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    Message,
    Origin,
    ProviderData,
    Request,
    StreamEvent,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.llm.openai_chat.streams import DONE, ORIGIN, chunk, finish_of, read, read_pieces, text

CLAUDE = {"format": "anthropic-claude-v1", "index": 0, "id": None}
SIGNED = {"type": "reasoning.text", "text": "Let me see.", "signature": "c2ln", **CLAUDE}
SUMMARY = {"type": "reasoning.summary", "summary": "It is **easy**.", "id": "rs_1", "index": 0}
SEALED = {"type": "reasoning.encrypted", "data": "Z0FB", "id": "rs_1", "index": 1}
THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm, 7."}], "closed": True}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
OTHERS = [
    Origin("openai-chat", "other", "llama"),
    Origin("openai-chat", "account", "another-model"),
    Origin("openai-responses", "account", "llama"),
    Origin("anthropic-messages", "account", "llama"),
    Origin("gemini", "account", "llama"),
]


def details(*found: Any, **more: Any) -> bytes:
    return chunk({"content": "", "reasoning_details": list(found), **more})


def whole(**message: Any) -> list[StreamEvent]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    body = {"id": "chatcmpl-1", "model": "llama", "choices": [choice]}
    return PROTOCOL.read_whole(json.dumps(body).encode(), ORIGIN)


def thought(words: str, **payload: Any) -> Thinking:
    return Thinking(words, ProviderData(ORIGIN, payload))


def sent_back(answer: Message, origin: Origin = ORIGIN) -> list[dict[str, Any]]:
    """The assistant's messages as the next request has them, after all that is done to one."""
    results = [ToolResult(call.id, call.name, (Text("seen"),)) for call in answer.calls]
    told = Message("user", (*results, Text("And now?")))
    request = Request(origin.model, (user("Hi"), answer, told), 100)
    ready = prepare(request, origin, binds_prefix=False)
    body = json.loads(PROTOCOL.lower(ready, Traits(), origin).body)
    return [message for message in body["messages"] if message["role"] == "assistant"]


def test_streamed_details_are_put_together_and_sent_back_as_a_whole_answer_has_them() -> None:
    streamed = finish_of(
        read(
            details({**SIGNED, "text": "Let ", "signature": None}, reasoning="Let "),
            details({**SIGNED, "text": "me see.", "signature": None}, reasoning="me see."),
            details({"type": "reasoning.text", "signature": "c2ln", **CLAUDE}, reasoning=None),
            text("Yes."),
            chunk({}, "stop"),
            DONE,
        )
    ).message
    expected = assistant(thought("Let me see.", field="reasoning", details=[SIGNED]), "Yes.")
    assert streamed == expected
    at_once = whole(content="Yes.", reasoning="Let me see.", reasoning_details=[SIGNED])
    assert finish_of(at_once).message == expected
    [message] = sent_back(streamed)
    assert message["reasoning_details"] == [SIGNED]
    assert message["content"] == "Yes."


def test_sealed_thoughts_without_words_are_kept_and_go_back_in_their_order() -> None:
    events = read(
        details(SUMMARY),
        details(SEALED),
        chunk({"tool_calls": [{"index": 0, **CALL}]}),
        chunk({}, "tool_calls"),
        DONE,
    )
    answer = finish_of(events).message
    call = ToolCall("c1", "look", {})
    assert answer == assistant(thought("It is **easy**.", details=[SUMMARY, SEALED]), call)
    [message] = sent_back(answer)
    assert message["reasoning_details"] == [SUMMARY, SEALED]
    assert [tool_call["id"] for tool_call in message["tool_calls"]] == ["c1"]


def test_a_seal_that_comes_between_words_does_not_cut_them_in_two() -> None:
    events = read(text("Ye"), details(SEALED), text("s."), chunk({}, "stop"), DONE)
    answer = finish_of(events).message
    assert answer == assistant("Yes.", thought("", details=[SEALED]))
    assert sent_back(answer)[0]["reasoning_details"] == [SEALED]


def test_a_signed_detail_is_complete_and_another_id_is_another_detail() -> None:
    first, second = {**SIGNED, "signature": "a"}, {**SIGNED, "text": "More.", "signature": "b"}
    twins = [{**SEALED, "id": "call_1"}, {**SEALED, "id": "call_2"}]
    frames = [details(item) for item in (first, second, *twins)]
    answer = finish_of(read(*frames, text("Yes."), chunk({}, "stop"), DONE)).message
    assert sent_back(answer)[0]["reasoning_details"] == [first, second, *twins]


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@st.composite
def some_details(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Details as a whole answer has them: each with an index of its own."""
    made: list[dict[str, Any]] = []
    for index in range(draw(st.integers(1, 4))):
        kind, name = draw(
            st.sampled_from([("text", "text"), ("summary", "summary"), ("encrypted", "data")])
        )
        one: dict[str, Any] = {"type": f"reasoning.{kind}", name: draw(texts), "index": index}
        if draw(st.booleans()):
            one["id"] = f"rs_{index}"
        if kind == "text" and draw(st.booleans()):
            one["signature"] = draw(texts)
        made.append(one)
    return made


@given(some_details(), st.data())
def test_details_cut_anywhere_are_those_of_the_whole_answer(
    found: list[dict[str, Any]], data: st.DataObject
) -> None:
    frames: list[bytes] = []
    for item in found:
        name = next(name for name in ("text", "summary", "data") if name in item)
        rest = {key: value for key, value in item.items() if key not in (name, "signature")}
        words = item[name]
        cut = data.draw(st.integers(0, len(words)))
        frames += [details({**rest, name: piece}) for piece in (words[:cut], words[cut:])]
        frames += [details({**rest, "signature": item["signature"]})] if "signature" in item else []
    streamed = finish_of(read_pieces([*frames, text("Yes."), chunk({}, "stop"), DONE]))
    at_once = finish_of(whole(content="Yes.", reasoning_details=found))
    assert streamed.message == at_once.message
    assert sent_back(streamed.message)[0]["reasoning_details"] == found


@pytest.mark.parametrize("origin", OTHERS)
@pytest.mark.parametrize("payload", [{"details": [SIGNED]}, {"part": THINKING}])
def test_what_came_with_thoughts_goes_to_nobody_else(
    origin: Origin, payload: dict[str, Any]
) -> None:
    answer = assistant(thought("Let me see.", **payload), "Yes.")
    unprepared = Request(origin.model, (user("Hi"), answer, user("And now?")), 100)
    prepared = prepare(unprepared, origin, binds_prefix=False)
    for request in (unprepared, prepared):
        body = load_protocol(origin.protocol).lower(request, Traits(), origin).body
        assert b"Yes." in body
        assert b"c2ln" not in body
        assert b"Hm, 7." not in body


@pytest.mark.parametrize(
    "found",
    [
        "words",
        {"type": "reasoning.text"},
        [None, 7, "words", []],
        [{"type": 7, "index": "0", "text": ["no"], "id": {}}],
        [{"type": "reasoning.text", "index": 0, "text": "\ud83d"}],
    ],
)
def test_odd_details_never_end_an_answer(found: Any) -> None:
    frames = [details(found), details(found), text("Yes."), chunk({}, "stop"), DONE]
    odd = chunk({"reasoning_details": found})
    assert finish_of(read(odd, *frames)).message.text == "Yes."
    assert finish_of(whole(content="Yes.", reasoning_details=found)).message.text == "Yes."


def test_details_nested_too_deeply_to_be_written_again_are_left_out() -> None:
    deep: Any = "end"
    for _ in range(300):
        deep = [deep]
    frames = [details({"type": "reasoning.text", "text": "Hm.", "more": deep}), text("Yes.")]
    answer = finish_of(read_pieces([*frames, chunk({}, "stop"), DONE])).message
    assert answer == assistant(Thinking("Hm."), "Yes.")


def mistral(*pieces: Any) -> bytes:
    return chunk({"content": list(pieces)})


def part(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": words}], **more}


def test_mistrals_thinking_parts_are_thoughts_and_go_back_in_its_own_form() -> None:
    streamed = finish_of(
        read(
            mistral(part("Hm, ")),
            mistral(part("7.", closed=True)),
            mistral({"type": "text", "text": "Se"}),
            text("ven."),
            chunk({}, "stop"),
            DONE,
        )
    ).message
    expected = assistant(thought("Hm, 7.", part=THINKING), "Seven.")
    assert streamed == expected
    at_once = whole(content=[THINKING, {"type": "text", "text": "Seven."}])
    assert finish_of(at_once).message == expected
    [message] = sent_back(streamed)
    assert message["content"] == [THINKING, {"type": "text", "text": "Seven."}]


def test_signed_thinking_parts_stay_apart_and_in_their_places() -> None:
    content = [
        part("One.", signature="a"),
        part("Two.", signature="b"),
        {"type": "text", "text": "Words."},
        {"type": "thinking", "thinking": [{"type": "reference", "reference_ids": [1]}]},
    ]
    at_once = finish_of(whole(content=content, tool_calls=[CALL])).message
    streamed = [mistral(item) for item in content]
    streamed += [chunk({"tool_calls": [{"index": 0, **CALL}]}), chunk({}, "tool_calls"), DONE]
    assert finish_of(read(*streamed)).message == at_once
    [message] = sent_back(at_once)
    assert message["content"] == content
    assert [tool_call["id"] for tool_call in message["tool_calls"]] == ["c1"]


@pytest.mark.parametrize("thinking", [None, 7, "plain words", [None, {"text": 7}], {}])
def test_odd_thinking_parts_never_end_an_answer(thinking: Any) -> None:
    odd = {"type": "thinking", "thinking": thinking}
    answer = finish_of(read(mistral(odd), text("Yes."), chunk({}, "stop"), DONE)).message
    assert answer.text == "Yes."
    assert sent_back(answer)[0]["content"][-1] == {"type": "text", "text": "Yes."}


def test_a_foreign_client_may_send_thinking_parts_along() -> None:
    said = {"role": "assistant", "content": [THINKING, {"type": "text", "text": "Seven."}]}
    asked = [{"role": "user", "content": "Hi"}, said, {"role": "user", "content": "And now?"}]
    served = PROTOCOL.serve(json.dumps({"model": "llama", "messages": asked}).encode())
    assert served.messages[1] == assistant("Seven.")
