"""Requests as bodies of the Responses API; the ids are those of the conformance table."""

import json
from dataclasses import replace
from typing import Any

import pytest

from recto.llm.protocols.openai_responses import PROTOCOL
from recto.llm.traits import EFFORTS, Traits
from recto.messages import (
    CacheMarks,
    Effort,
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
from tests.llm.openai_responses.streams import ORIGIN

PLAIN = Traits()
REASONING = Traits(thinking="effort", efforts=("off", "low", "medium", "high", "xhigh", "max"))
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a file.", SCHEMA)
LIST = ToolSpec("list_files", "", {})
HELLO = Request("gpt-6-sol", (user("Hello"),), 1000)
SAID_HELLO: dict[str, Any] = {
    "type": "message",
    "role": "user",
    "content": [{"type": "input_text", "text": "Hello"}],
}


def lowered(request: Request, traits: Traits = PLAIN) -> dict[str, Any]:
    """The body of a request."""
    return json.loads(PROTOCOL.lower(request, traits, ORIGIN).body)


def test_a_request_uses_every_field_it_needs_and_no_other() -> None:
    request = Request(
        model="gpt-6-sol",
        messages=(user("Read a.md", Image("image/png", b"png")),),
        max_output=32_768,
        system="You help.",
        tools=(READ, LIST),
        tool_choice=ToolChoice("one", "read_file", single=True),
        effort="medium",
        cache_key="chat-1",
    )

    wire = PROTOCOL.lower(request, REASONING, ORIGIN)

    assert (wire.path, wire.headers) == ("/v1/responses", {})
    assert json.loads(wire.body) == {
        "model": "gpt-6-sol",
        "stream": True,
        "stream_options": {"include_obfuscation": False},
        "store": False,
        "max_output_tokens": 32_768,
        "reasoning": {"effort": "medium", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "chat-1",
        "instructions": "You help.",
        "tools": [
            {
                "type": "function",
                "name": "read_file",
                "parameters": SCHEMA,
                "strict": False,
                "description": "Reads a file.",
            },
            {
                "type": "function",
                "name": "list_files",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            },
        ],
        "tool_choice": {"type": "function", "name": "read_file"},
        "parallel_tool_calls": False,
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "Read a.md"},
                    {
                        "type": "input_image",
                        "detail": "auto",
                        "image_url": "data:image/png;base64,cG5n",
                    },
                ],
            }
        ],
    }


def test_a_plain_request_is_small() -> None:
    assert lowered(replace(HELLO, stream=False)) == {
        "model": "gpt-6-sol",
        "stream": False,
        "store": False,
        "max_output_tokens": 1000,
        "input": [SAID_HELLO],
    }


def test_an_empty_conversation_is_one_empty_message() -> None:
    body = lowered(replace(HELLO, messages=(), max_output=1))

    assert body["input"] == [{"type": "message", "role": "user", "content": ""}]
    assert body["max_output_tokens"] == 16


@pytest.mark.parametrize(
    ("effort", "efforts", "sent"),
    [
        ("max", REASONING.efforts, {"effort": "max", "summary": "auto"}),
        ("max", ("low", "medium", "high"), {"effort": "high", "summary": "auto"}),
        ("max", ("off", "low", "medium", "high", "xhigh"), {"effort": "xhigh", "summary": "auto"}),
        ("minimal", ("minimal", "low"), {"effort": "minimal", "summary": "auto"}),
        ("minimal", REASONING.efforts, {"effort": "low", "summary": "auto"}),
        ("off", REASONING.efforts, {"effort": "none"}),
        ("off", ("minimal", "low"), {"effort": "minimal", "summary": "auto"}),
        ("high", (), {"summary": "auto"}),
        (None, REASONING.efforts, {"summary": "auto"}),
    ],
)
def test_Q18_effort_snaps_to_what_the_model_accepts(
    effort: Effort | None, efforts: tuple[Effort, ...], sent: dict[str, str]
) -> None:
    body = lowered(replace(HELLO, effort=effort), replace(REASONING, efforts=efforts))

    assert body["reasoning"] == sent


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    body = lowered(replace(HELLO, effort="high"), PLAIN)

    assert "reasoning" not in body
    assert "include" not in body


@pytest.mark.parametrize(
    ("traits", "effort", "sent"),
    [
        (Traits(sampling=True, logprobs=True), None, True),
        (replace(REASONING, sampling=True, logprobs=True), "off", True),
        (replace(REASONING, sampling=True, logprobs=True), "low", False),
        (replace(REASONING, sampling=True, logprobs=True), None, False),
        (PLAIN, None, False),
    ],
    ids=["Q15-allowed", "Q15-not-thinking", "Q15-thinking", "Q15-by-default", "Q15"],
)
def test_Q15_sampling_goes_only_to_models_that_do_not_think(
    traits: Traits, effort: Effort | None, sent: bool
) -> None:
    body = lowered(replace(HELLO, temperature=0.5, logprobs=True, effort=effort), traits)

    assert body.get("temperature") == (0.5 if sent else None)
    assert ("message.output_text.logprobs" in body.get("include", [])) == sent


FORCED = replace(HELLO, tools=(READ, LIST), tool_choice=ToolChoice("one", "read_file"))


@pytest.mark.parametrize(
    ("efforts", "sent"),
    [(EFFORTS, {"effort": "none"}), (("low", "high"), None)],
    ids=["Q16", "Q16-cannot-be-off"],
)
def test_Q16_a_model_that_cannot_think_while_forced_is_told_not_to(
    efforts: tuple[Effort, ...], sent: dict[str, str] | None
) -> None:
    traits = replace(REASONING, efforts=efforts, forced_tool_thinking=False)

    assert lowered(replace(FORCED, effort="high"), traits).get("reasoning") == sent


@pytest.mark.parametrize(
    "request_",
    [FORCED, replace(HELLO, tools=(READ,), tool_choice=ToolChoice("any"))],
    ids=["Q17-one", "Q17-any-of-one"],
)
def test_Q17_a_tool_that_cannot_be_forced_becomes_the_schema_of_the_answer(
    request_: Request,
) -> None:
    body = lowered(request_, replace(PLAIN, forced_tool=False))

    form = {"type": "json_schema", "name": "read_file", "schema": SCHEMA, "strict": False}
    assert body["text"] == {"format": form}
    assert "tools" not in body
    assert "tool_choice" not in body


@pytest.mark.parametrize(
    ("request_", "traits"),
    [
        (FORCED, replace(PLAIN, forced_tool=False, structured=False)),
        (replace(FORCED, tool_choice=ToolChoice("any")), replace(PLAIN, forced_tool=False)),
        (replace(FORCED, tool_choice=ToolChoice("one", "gone")), PLAIN),
    ],
    ids=["Q17-no-schema", "Q17-any-of-two", "no-such-tool"],
)
def test_Q17_otherwise_the_model_may_choose(request_: Request, traits: Traits) -> None:
    body = lowered(request_, traits)

    assert [tool["name"] for tool in body["tools"]] == ["read_file", "list_files"]
    assert "tool_choice" not in body
    assert "text" not in body


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (ToolChoice(), None),
        (ToolChoice("none"), "none"),
        (ToolChoice("any"), "required"),
        (ToolChoice("one", "list_files"), {"type": "function", "name": "list_files"}),
    ],
)
def test_the_choice_of_tools_is_sent_in_the_words_of_the_api(
    choice: ToolChoice, sent: object
) -> None:
    assert lowered(replace(FORCED, tool_choice=choice)).get("tool_choice") == sent


def test_a_choice_without_tools_is_not_sent() -> None:
    choice = ToolChoice("any", single=True)

    assert lowered(replace(HELLO, tool_choice=choice)) == lowered(HELLO)
    assert lowered(replace(FORCED, tool_choice=choice), replace(PLAIN, tools=False)) == lowered(
        HELLO
    )


CLOSED = {**SCHEMA, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({**CLOSED, "properties": {"path": {"type": "array", "items": CLOSED}}}, True),
        ({**CLOSED, "properties": {"path": {"anyOf": [{"type": "null"}, CLOSED]}}}, True),
        (SCHEMA, False),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "properties": {"path": {"type": "array", "items": SCHEMA}}}, False),
        ({**CLOSED, "properties": {"path": {"type": "string", "default": "a"}}}, False),
        ({**CLOSED, "properties": {"path": True}}, False),
        ({"type": "array", "items": CLOSED}, False),
    ],
)
def test_a_schema_is_strict_where_it_can_be(schema: dict[str, Any], strict: bool) -> None:
    body = lowered(replace(HELLO, output_schema=OutputSchema("an answer", schema)))

    name = "esc-an-20answer"
    form = {"type": "json_schema", "name": name, "schema": schema, "strict": strict}
    assert body["text"] == {"format": form}


def test_a_model_without_schemas_is_sent_none() -> None:
    request = replace(HELLO, output_schema=OutputSchema("a", CLOSED))

    assert lowered(request, replace(PLAIN, structured=False)) == lowered(HELLO)


def test_Q20_a_tool_keeps_its_schema_except_choices_on_top() -> None:
    inner = {
        "kind": {"const": "a"},
        "size": {"oneOf": [{"exclusiveMinimum": 0}, {"$ref": "#/$defs/size"}], "default": 1},
    }
    kept = {"type": "object", "properties": inner, "$defs": {"size": {"type": "integer"}}}
    tool = ToolSpec("resize", "", {**kept, "anyOf": [{"required": ["kind"]}], "not": {}})

    assert lowered(replace(HELLO, tools=(tool,)))["tools"][0]["parameters"] == kept


def test_Q21_a_tool_without_parameters_takes_an_empty_object() -> None:
    [tool] = lowered(replace(HELLO, tools=(LIST,)))["tools"]

    assert tool["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("read_file-2", "read_file-2"),
        ("files.read", "esc-files-2eread"),
        ("esc-a", "esc-esc-2da"),
        ("größe", "esc-gr-c3-b6-c3-9fe"),
        ("n" * 70, "n" * 51 + "_" + "85069ddf4167"),
    ],
    ids=["Q22-plain", "Q22-dots", "Q22-escape", "Q22-umlaut", "Q22-long"],
)
def test_Q22_names_the_api_refuses_are_written_in_others(name: str, sent: str) -> None:
    tool = replace(READ, name=name)
    calls = (assistant(ToolCall("c1", name, {})), user(ToolResult("c1", name, ())))
    request = replace(
        HELLO, tools=(tool,), tool_choice=ToolChoice("one", name), messages=(user("x"), *calls)
    )

    body = lowered(request)

    names = {body["tools"][0]["name"], body["tool_choice"]["name"], body["input"][1]["name"]}
    assert names == {sent}


def test_Q25_the_same_conversation_is_the_same_bytes() -> None:
    one = replace(READ, parameters={"type": "object", "properties": {"b": {}, "a": {}}})
    other = replace(READ, parameters={"properties": {"a": {}, "b": {}}, "type": "object"})
    calls = [assistant(ToolCall("c", "x", args)) for args in ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
    first, second = (
        PROTOCOL.lower(replace(HELLO, tools=(tool,), messages=(user("Hi"), call)), PLAIN, ORIGIN)
        for tool, call in zip((one, other), calls, strict=True)
    )

    assert first == second


def test_Q25_a_conversation_that_grows_only_changes_the_end_of_its_bytes() -> None:
    first = PROTOCOL.lower(HELLO, PLAIN, ORIGIN).body
    longer = replace(HELLO, messages=(*HELLO.messages, assistant("Hi"), user("Bye")))

    assert PROTOCOL.lower(longer, PLAIN, ORIGIN).body.startswith(first.removesuffix(b"]}"))


MARKED = Request(
    "gpt-6-sol",
    tuple(user(f"q{n}") if n % 2 == 0 else assistant(f"a{n}") for n in range(9)),
    1000,
    system="You help.",
    cache=CacheMarks(system=True, messages=(0, 2, 4, 6, 8)),
)
EXPLICIT = {"mode": "explicit"}


def test_Q9_at_most_three_marks_are_set_the_system_and_the_latest() -> None:
    body = lowered(MARKED, replace(PLAIN, cache_marks=True))

    system = {"type": "input_text", "text": "You help.", "prompt_cache_breakpoint": EXPLICIT}
    assert "instructions" not in body
    assert body["input"][0] == {"type": "message", "role": "developer", "content": [system]}
    marked: list[str] = [
        part["text"]
        for item in body["input"]
        for part in item["content"]
        if isinstance(part, dict) and "prompt_cache_breakpoint" in part
    ]
    assert marked == ["You help.", "q6", "q8"]


def test_Q9_marks_are_for_models_that_take_them() -> None:
    body = lowered(MARKED, PLAIN)

    assert body["instructions"] == "You help."
    assert "prompt_cache_breakpoint" not in json.dumps(body)


def test_Q9_a_mark_after_a_result_stands_in_its_output() -> None:
    messages = (
        user("Hi"),
        assistant(ToolCall("c1", "list_files", {})),
        user(ToolResult("c1", "list_files", (Text("a.md"),))),
    )
    request = replace(HELLO, messages=messages, cache=CacheMarks(messages=(2,)))

    body = lowered(request, replace(PLAIN, cache_marks=True))

    output = [{"type": "input_text", "text": "a.md", "prompt_cache_breakpoint": EXPLICIT}]
    assert body["input"][2] == {"type": "function_call_output", "call_id": "c1", "output": output}


def test_text_that_no_encoding_has_is_mended() -> None:
    request = replace(
        HELLO,
        system="a\ud83d",
        messages=(user("b\ud83d"), assistant(ToolCall("c", "x", {"k\ud83d": ["\ud83d"]}))),
        tools=(ToolSpec("x", "\ud83d", {"description": "\ud83d"}),),
    )

    assert "\\ud83d" not in json.dumps(lowered(request))
