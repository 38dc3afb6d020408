"""Requests of foreign clients as neutral ones."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from recto.llm.protocols.openai_responses import PROTOCOL
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    Native,
    Origin,
    OutputSchema,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from tests.examples import examples
from tests.llm.openai_responses.requests import ORIGIN as SERVED
from tests.llm.openai_responses.requests import TRAITS, requests


def served(**body: Any) -> Request:
    """What a client asks."""
    return PROTOCOL.serve(json.dumps({"model": "gpt-6-sol", **body}).encode())


@settings(max_examples=examples(30))
@given(requests())
def test_serving_undoes_lowering(request: Request) -> None:
    assert PROTOCOL.serve(PROTOCOL.lower(request, TRAITS, SERVED).body) == request


def test_a_client_may_send_just_words() -> None:
    assert served(input="Hello") == Request("gpt-6-sol", (user("Hello"),), 16_384, stream=False)


def test_a_client_may_send_everything_it_got() -> None:
    request = served(
        instructions="Be brief.",
        max_output_tokens=50,
        metadata={"a": "b"},
        truncation="auto",
        text={"format": {"type": "text"}, "verbosity": "low"},
        temperature=None,
        input=[
            {"role": "developer", "content": "You help."},
            {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm"}],
                "content": [{"type": "reasoning_text", "text": "Oh"}],
                "encrypted_content": "sealed",
                "status": "completed",
            },
            {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": None},
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "Hello", "annotations": [], "logprobs": []},
                    {"type": "refusal", "refusal": "but no."},
                ],
            },
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "c1",
                "name": "look",
                "arguments": "",
                "status": "completed",
            },
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": "ok",
                "status": "completed",
            },
            {"type": "function_call_output", "call_id": "c9", "name": "old", "output": []},
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"role": "system", "content": "Mind the tone."},
            {
                "role": "user",
                "content": [
                    {"type": "input_image", "image_url": "data:image/png;base64,cG5n"},
                    {"type": "input_file", "file_data": "data:application/pdf;base64,cGRm"},
                ],
            },
        ],
    )

    payload = {
        "id": "rs_1",
        "encrypted_content": "sealed",
        "summary": ["Hm"],
        "content": ["Oh"],
    }
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    origin = Origin("openai-responses", "", "gpt-6-sol")
    assert request == Request(
        "gpt-6-sol",
        (
            user("Hi"),
            assistant(
                Thinking("Hm\n\nOh", ProviderData(origin, payload)),
                Thinking(""),
                "Hello",
                "but no.",
                ToolCall("c1", "look", {}),
            ),
            user(ToolResult("c1", "look", (Text("ok"),)), ToolResult("c9", "old", ())),
            assistant(Native(ProviderData(origin, search))),
            user(
                "Mind the tone.",
                Image("image/png", b"png"),
                Document("application/pdf", b"pdf", "file"),
            ),
        ),
        50,
        system="Be brief.\n\nYou help.",
        stream=False,
    )


def function(name: str) -> dict[str, Any]:
    """A tool of a client."""
    return {"type": "function", "name": name, "parameters": None, "strict": None}


def test_Q8_instructions_and_leading_system_messages_are_both_the_system_prompt() -> None:
    marked = {"type": "input_text", "text": "b", "prompt_cache_breakpoint": {"mode": "explicit"}}

    request = served(
        instructions="a",
        input=[{"role": "system", "content": [marked]}, {"role": "developer", "content": "c"}],
    )

    assert request.system == "a\n\nb\n\nc"
    assert request.cache == CacheMarks(system=True)


def test_Q29_a_system_message_in_the_middle_is_told_by_the_user() -> None:
    middle = {"role": "system", "content": "Now in French."}

    request = served(input=[{"role": "user", "content": "Hi"}, middle])

    assert request.messages == (user("Hi", "Now in French."),)


def test_only_the_tools_a_client_allows_are_offered() -> None:
    allowed = {"type": "allowed_tools", "mode": "required", "tools": [function("b")]}

    request = served(input="Hi", tools=[function("a"), function("b")], tool_choice=allowed)

    assert request.tools == (ToolSpec("b", "", {}),)
    assert request.tool_choice == ToolChoice("any")


def test_an_answer_that_is_some_json_is_an_object() -> None:
    request = served(input="Hi", text={"format": {"type": "json_object"}})

    assert request.output_schema == OutputSchema("answer", {"type": "object"})


def test_half_a_pair_of_surrogates_is_replaced() -> None:
    assert served(input="a\ud83d").messages == (user("a\ufffd"),)


PICTURE = {"type": "input_image", "detail": "auto"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"input": "Hi", "previous_response_id": "resp_1"}, "`previous_response_id`"),
        ({"input": "Hi", "conversation": "conv_1"}, "`conversation` is not supported"),
        ({"input": "Hi", "background": True}, "send the whole conversation"),
        ({"input": [{"type": "item_reference", "id": "rs_1"}]}, "`item_reference`"),
        ({"input": "Hi", "tools": [{"type": "file_search"}]}, "file_search"),
        ({"input": [{"role": "robot", "content": "Hi"}]}, "robot"),
        ({"input": [7]}, "can't be read"),
        (
            {"input": [{"type": "function_call", "call_id": "c", "name": "n", "arguments": "{"}]},
            "c",
        ),
        ({"input": [{"role": "user", "content": [{**PICTURE, "file_id": "f"}]}]}, "`image_url`"),
        (
            {"input": [{"role": "user", "content": [{**PICTURE, "image_url": "data:x"}]}]},
            "data URL",
        ),
        (
            {
                "input": [
                    {
                        "role": "user",
                        "content": [{**PICTURE, "image_url": "data:image/png;base64,!"}],
                    }
                ]
            },
            "broken base64",
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]},
            "`file_data`",
        ),
    ],
)
def test_what_cannot_be_served_is_refused_with_words(body: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        served(**body)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match="JSON object"):
        PROTOCOL.serve(body)


@pytest.mark.parametrize("seal", ["gw1.", "gw1.!", "gw1.bm8", "gw1.bm8="])
def test_a_damaged_seal_is_left_out(seal: str) -> None:
    item: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": []}

    assert served(input=[{**item, "encrypted_content": seal}]).messages == (
        assistant(Thinking("")),
    )


def test_fields_of_a_clients_own_are_passed_over() -> None:
    plain = {"model": "m", "input": [{"role": "user", "content": "Hi"}]}
    content = [{"type": "input_text", "text": "Hi", "_part": 1}]
    item = {"role": "user", "content": content, "_item": 1}
    odd = {"model": "m", "input": [item], "client_metadata": {"a": 1}}
    assert PROTOCOL.serve(json.dumps(odd).encode()) == PROTOCOL.serve(json.dumps(plain).encode())
