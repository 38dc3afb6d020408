"""Reading a foreign client's request."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.openai_chat import PROTOCOL
from recto.llm.protocols.openai_chat.serve import wants_usage
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    OutputSchema,
    Request,
    Text,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)

UNREAD = "The request can't be read: "
HI: dict[str, Any] = {"role": "user", "content": "Hi"}
TEXT: dict[str, Any] = {"type": "text", "text": "Hello"}
ANY_OBJECT = {"type": "object"}
NOTHING_TO_ANSWER = "`messages` has nothing to answer: send at least one message of a user."


def served(*messages: object, **more: Any) -> Request:
    return PROTOCOL.serve(body(*messages, **more))


def body(*messages: object, **more: Any) -> bytes:
    return json.dumps({"model": "recto", "messages": messages or [HI], **more}).encode()


def test_the_least_request_is_served_with_defaults() -> None:
    assert served() == Request("recto", (user("Hi"),), 16_384, stream=False)


def test_nulls_are_as_good_as_nothing() -> None:
    fields = ["tools", "tool_choice", "stop", "temperature", "response_format", "stream_options"]
    fields += ["n", "functions", "max_tokens", "reasoning_effort", "stream"]
    assert served(**dict.fromkeys(fields)) == served()


def test_Q29_instructions_are_joined_at_the_start_and_the_users_later() -> None:
    request = served(
        {"role": "system", "content": "A"},
        {"role": "developer", "content": [{"type": "text", "text": "B"}]},
        HI,
        {"role": "system", "content": "C"},
    )
    assert request.system == "A\n\nB"
    assert request.messages == (user("Hi", "C"),)


def test_a_history_as_the_official_client_echoes_it_is_served() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a":1}'}}
    echoed = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "annotations": [],
        "audio": None,
        "function_call": None,
        "reasoning_content": "Hm",
        "tool_calls": [call],
    }
    request = served(
        HI,
        echoed,
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "# A"}]},
        {"role": "tool", "tool_call_id": "c9", "content": "?"},
        {"role": "user", "content": "And?"},
    )
    assert request.messages == (
        user("Hi"),
        assistant(ToolCall("c1", "read", {"a": 1})),
        user(ToolResult("c1", "read", (Text("# A"),)), ToolResult("c9", "", (Text("?"),)), "And?"),
    )


def test_refusals_of_the_model_are_its_words() -> None:
    parts = [{"type": "text", "text": "A"}, {"type": "refusal", "refusal": "B"}]
    request = served({"role": "assistant", "content": parts, "refusal": "C"})
    assert request.messages == (assistant("A", "B", "C"),)


def test_pictures_and_files_are_read() -> None:
    content = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://x.test/a"}},
        {"type": "file", "file": {"file_data": "cGRm", "filename": "a.pdf"}},
        {"type": "file", "file": {"file_data": "data:application/x;base64,cGRm"}},
    ]
    assert served({"role": "user", "content": content}).messages == (
        user(
            Image("image/png", b"png"),
            Image("image/*", url="https://x.test/a"),
            Document("application/pdf", b"pdf", "a.pdf"),
            Document("application/x", b"pdf", "file"),
        ),
    )


def function(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", ToolChoice()),
        ("none", ToolChoice("none")),
        ("required", ToolChoice("any")),
        (function("esc-a-2eb"), ToolChoice("one", "a.b")),
    ],
)
def test_a_tool_choice_is_read(choice: object, expected: ToolChoice) -> None:
    tools = [{**function("esc-a-2eb"), "function": {"name": "esc-a-2eb", "strict": True}}]
    request = served(tools=tools, tool_choice=choice)
    assert request.tools == (ToolSpec("a.b", "", {"type": "object", "properties": {}}),)
    assert request.tool_choice == expected


@pytest.mark.parametrize(("mode", "expected"), [("auto", "auto"), ("required", "any")])
def test_of_allowed_tools_only_those_are_offered(mode: str, expected: str) -> None:
    allowed = {"mode": mode, "tools": [function("b")]}
    request = served(
        tools=[function("a"), function("b")],
        tool_choice={"type": "allowed_tools", "allowed_tools": allowed},
        parallel_tool_calls=False,
    )
    assert [tool.name for tool in request.tools] == ["b"]
    assert (request.tool_choice.mode, request.tool_choice.single) == (expected, True)


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, OutputSchema("answer", ANY_OBJECT)),
        ({"type": "json_schema", "json_schema": {"name": "n"}}, OutputSchema("n", ANY_OBJECT)),
        (
            {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array"}}},
            OutputSchema("n", {"type": "array"}),
        ),
    ],
)
def test_a_format_is_read(format: object, expected: OutputSchema | None) -> None:
    assert served(response_format=format).output_schema == expected


def test_one_stop_may_be_a_string() -> None:
    assert served(stop="END").stop == ("END",)


def test_either_name_of_the_output_limit_is_read() -> None:
    assert served(max_tokens=7).max_output == 7
    assert served(max_tokens=7, max_completion_tokens=8).max_output == 8


def test_marks_on_the_system_prompt_and_on_messages_are_read() -> None:
    marked = [{"type": "text", "text": "S", "prompt_cache_breakpoint": {"mode": "explicit"}}]
    request = served(
        {"role": "system", "content": marked}, HI, {"role": "assistant", "content": marked}
    )
    assert request.cache == CacheMarks(system=True, messages=(1,))


def test_ordinary_messages_of_clients_are_read() -> None:
    """Fields of their own, nulls, and arguments that a model spoilt."""
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "["}}
    request = PROTOCOL.serve(
        body(
            {"role": "system", "content": [{**TEXT, "cache_control": {"type": "ephemeral"}}]},
            {**HI, "name": "Ada", "prefix": True, "x": 1},
            {"role": "assistant", "content": None, "prefix": True, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "name": "f", "content": None, "index": 1},
            {"role": "user", "content": [{**TEXT, "cache_control": {"type": "ephemeral"}}]},
        )
    )
    assert request.messages[1].parts == (ToolCall("c", "f", {"unreadable_arguments": "["}),)
    assert request.messages[2].parts == (ToolResult("c", "f", ()), Text("Hello"))
    assert request.cache == CacheMarks(system=True, messages=(2,))


def test_W20_a_wish_that_is_not_known_is_left_out() -> None:
    assert served(top_k=5, top_p=1, seed=None, user="me", metadata={"a": "b"}) == served()


@pytest.mark.parametrize(
    ("request_body", "words"),
    [
        (b"", UNREAD + "Input data was truncated."),
        (b"[]", UNREAD + "Expected `object`, got `array`."),
        (b'{"model": "m"}', UNREAD + "Object missing required field `messages`."),
        (body({"role": "wizard"}), UNREAD + "Invalid value 'wizard' - at `$.messages[0].role`."),
        (b'{"model": "m", "messages": []}', NOTHING_TO_ANSWER),
        (body({"role": "system", "content": "Be brief."}), NOTHING_TO_ANSWER),
        (body(HI, temperature=9), "`temperature` must be from 0 to 2."),
        (body(HI, temperature=-0.1), "`temperature` must be from 0 to 2."),
        (body(HI, top_p=0.5), "`top_p` is not served here: leave it out."),
        (body(HI, seed=7), "`seed` is not served here: leave it out."),
        (body(HI, presence_penalty=1), "`presence_penalty` is not served here: leave it out."),
        (body(HI, frequency_penalty=1), "`frequency_penalty` is not served here: leave it out."),
        (body(n=2), "One answer at a time is served: leave out `n`."),
        (body(functions=[]), "`functions` is not served here."),
        (body(audio={}), "`audio` is not served here."),
        (
            body({"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}),
            "A file is served only with its `file_data`: there are no uploads here.",
        ),
        (
            body(
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]}
            ),
            "A data URL must look like data:image/png;base64,…",
        ),
        (
            body(
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "data:;base64,?"}}],
                }
            ),
            "A data URL holds broken base64: Only base64 data is allowed.",
        ),
    ],
)
def test_what_can_not_be_served_is_refused_with_words(request_body: bytes, words: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the words are compared below
        PROTOCOL.serve(request_body)
    assert str(refused.value) == words


def test_usage_is_written_only_for_a_client_that_asks() -> None:
    assert wants_usage(body(stream=True, stream_options={"include_usage": True}))
    assert not wants_usage(body(stream=True))


def test_a_request_nested_too_deeply_is_refused() -> None:
    with pytest.raises(ValueError, match="can't be read"):
        PROTOCOL.serve(b'{"model": "m", "messages": ' + b"[" * 100_000)


@given(st.binary(max_size=200))
def test_any_bytes_are_served_or_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="can't be read"):
        PROTOCOL.serve(data)
