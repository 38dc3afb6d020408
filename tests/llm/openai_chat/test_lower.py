"""Writing a request: everything besides the history."""

import json
from typing import Any

import pytest

from recto.llm.protocols.openai_chat import PROTOCOL
from recto.llm.protocols.openai_chat.schemas import is_strict
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Effort,
    Json,
    OutputSchema,
    Request,
    ToolChoice,
    ToolSpec,
    assistant,
    user,
)
from tests.llm.openai_chat.streams import ORIGIN

PATH: Json = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
READ = ToolSpec("read", "Reads a file.", PATH)
LIST = ToolSpec("list", "Lists files.", {})
PLAIN = Traits()
OPENAI = Traits(
    thinking="effort",
    efforts=("off", "low", "medium", "high", "xhigh", "max"),
    sampling=True,
    logprobs=True,
    output_field="max_completion_tokens",
)


def request(**more: Any) -> Request:
    return Request("llama", (user("Hi"),), 100, **more)


def lowered(request: Request, traits: Traits = PLAIN) -> dict[str, Any]:
    return json.loads(PROTOCOL.lower(request, traits, ORIGIN).body)


def test_a_plain_request_has_nothing_a_plain_server_would_not_know() -> None:
    wire = PROTOCOL.lower(request(system="Be brief."), PLAIN, ORIGIN)
    assert (wire.path, dict(wire.headers)) == ("/v1/chat/completions", {})
    assert json.loads(wire.body) == {
        "model": "llama",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "max_tokens": 100,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_full_request_has_every_field_in_its_place() -> None:
    full = request(
        system="Be brief.",
        tools=(READ,),
        tool_choice=ToolChoice("one", "read", single=True),
        effort="off",
        output_schema=OutputSchema("answer", PATH),
        stop=("END", "", "a", "b", "c", "d"),
        temperature=0.5,
        logprobs=True,
        cache=CacheMarks(system=True, messages=(0,)),
        cache_key="chat-1",
        stream=False,
    )
    mark = {"mode": "explicit"}
    assert lowered(
        full,
        Traits(
            thinking="effort",
            efforts=OPENAI.efforts,
            sampling=True,
            logprobs=True,
            cache_marks=True,
            output_field="max_completion_tokens",
        ),
    ) == {
        "model": "llama",
        "messages": [
            {
                "role": "system",
                "content": [{"type": "text", "text": "Be brief.", "prompt_cache_breakpoint": mark}],
            },
            {
                "role": "user",
                "content": [{"type": "text", "text": "Hi", "prompt_cache_breakpoint": mark}],
            },
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "read", "description": "Reads a file.", "parameters": PATH},
            }
        ],
        "tool_choice": {"type": "function", "function": {"name": "read"}},
        "parallel_tool_calls": False,
        "max_completion_tokens": 100,
        "reasoning_effort": "none",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": PATH, "strict": True},
        },
        "stop": ["END", "a", "b", "c"],
        "temperature": 0.5,
        "logprobs": True,
        "prompt_cache_key": "chat-1",
    }


@pytest.mark.parametrize(
    ("wanted", "efforts", "sent"),
    [
        pytest.param("max", OPENAI.efforts, "xhigh", id="Q18-max"),
        pytest.param("max", ("low", "high", "max"), "high", id="Q18-max-high"),
        pytest.param("xhigh", ("low", "high"), "high", id="Q18-xhigh"),
        pytest.param("minimal", ("off", "low"), "low", id="Q18-minimal"),
        pytest.param("off", ("off", "low"), "none", id="Q18-off"),
        pytest.param("off", ("low", "high"), "low", id="Q18-off-lowest"),
        pytest.param("medium", (), None, id="Q18-none-accepted"),
        pytest.param(None, ("off", "low"), None, id="Q18-default"),
    ],
)
def test_effort_is_the_nearest_that_is_accepted(
    wanted: Effort | None, efforts: tuple[Effort, ...], sent: str | None
) -> None:
    traits = Traits(thinking="effort", efforts=efforts)
    assert lowered(request(effort=wanted), traits).get("reasoning_effort") == sent


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    assert "reasoning_effort" not in lowered(request(effort="high"))


@pytest.mark.parametrize("effort", ["low", None])
def test_sampling_stops_and_logprobs_are_not_for_a_thinking_model(effort: Effort | None) -> None:
    wanted = request(effort=effort, temperature=1.0, stop=("END",), logprobs=True)
    body = lowered(wanted, OPENAI)
    assert not {"temperature", "stop", "logprobs"} & body.keys()


def test_Q15_a_temperature_is_sent_only_where_it_is_accepted() -> None:
    assert "temperature" not in lowered(request(temperature=1.0))
    assert lowered(request(temperature=1.0), Traits(sampling=True))["temperature"] == 1.0


def test_usage_is_not_asked_for_where_that_is_not_known() -> None:
    assert "stream_options" not in lowered(request(), Traits(usage_option=False))


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (ToolChoice(), None),
        (ToolChoice("none"), "none"),
        (ToolChoice("any"), "required"),
        (ToolChoice("one", "read"), {"type": "function", "function": {"name": "read"}}),
        (ToolChoice("one", "gone"), None),
    ],
)
def test_a_tool_choice_is_written_in_the_apis_words(choice: ToolChoice, sent: object) -> None:
    body = lowered(request(tools=(READ, LIST), tool_choice=choice))
    assert body.get("tool_choice") == sent


def test_without_tools_nothing_is_said_of_them() -> None:
    body = lowered(request(tool_choice=ToolChoice("any", single=True)))
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & body.keys()


def test_a_model_without_tools_gets_none() -> None:
    body = lowered(request(tools=(READ,), tool_choice=ToolChoice("any")), Traits(tools=False))
    assert not {"tools", "tool_choice"} & body.keys()


@pytest.mark.parametrize(
    ("tools", "choice"),
    [
        pytest.param((READ, LIST), ToolChoice("one", "read"), id="Q17-one"),
        pytest.param((READ,), ToolChoice("any"), id="Q17-any-of-one"),
    ],
)
def test_where_no_tool_can_be_forced_its_schema_is_the_answers(
    tools: tuple[ToolSpec, ...], choice: ToolChoice
) -> None:
    body = lowered(request(tools=tools, tool_choice=choice), Traits(forced_tool=False))
    assert not {"tools", "tool_choice"} & body.keys()
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "read", "schema": PATH, "strict": True},
    }


@pytest.mark.parametrize(
    ("traits", "choice"),
    [
        pytest.param(Traits(forced_tool=False), ToolChoice("any"), id="Q17-several"),
        pytest.param(
            Traits(forced_tool=False, structured=False),
            ToolChoice("one", "read"),
            id="Q17-no-schema",
        ),
    ],
)
def test_else_the_model_chooses(traits: Traits, choice: ToolChoice) -> None:
    body = lowered(request(tools=(READ, LIST), tool_choice=choice), traits)
    assert len(body["tools"]) == 2
    assert not {"tool_choice", "response_format"} & body.keys()


@pytest.mark.parametrize(
    ("efforts", "sent"),
    [(("off", "low"), "none"), (("low", "high"), None)],
    ids=["Q16-off", "Q16-omitted"],
)
def test_a_forced_tool_turns_thinking_off_where_both_do_not_go(
    efforts: tuple[Effort, ...], sent: str | None
) -> None:
    traits = Traits(thinking="effort", efforts=efforts, forced_tool_thinking=False)
    wanted = request(tools=(READ,), tool_choice=ToolChoice("any"), effort="high")
    assert lowered(wanted, traits).get("reasoning_effort") == sent


def test_Q20_every_schema_keyword_is_kept_where_it_is_accepted() -> None:
    parameters: Json = {
        "oneOf": [{"required": ["a"]}],
        "properties": {
            "a": {"const": "x"},
            "b": {"oneOf": [{"type": "integer", "exclusiveMinimum": 0}, {"$ref": "#/$defs/c"}]},
            "list": {"type": "array"},
            "maybe": {"type": ["array", "null"], "default": {"type": "array"}},
            "enum": {"type": "array", "items": {"type": "array"}},
        },
        "$defs": {"c": {"type": "string", "default": "x"}},
    }
    body = lowered(request(tools=(ToolSpec("t", "", parameters),)))
    assert body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "t",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "a": {"const": "x"},
                        "b": {
                            "oneOf": [
                                {"type": "integer", "exclusiveMinimum": 0},
                                {"$ref": "#/$defs/c"},
                            ]
                        },
                        "list": {"type": "array", "items": {}},
                        "maybe": {
                            "type": ["array", "null"],
                            "default": {"type": "array"},
                            "items": {},
                        },
                        "enum": {"type": "array", "items": {"type": "array", "items": {}}},
                    },
                    "$defs": {"c": {"type": "string", "default": "x"}},
                },
            },
        }
    ]


def test_Q21_a_tool_without_parameters_takes_an_empty_object() -> None:
    body = lowered(request(tools=(LIST,)))
    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}


def test_Q22_a_tools_name_is_the_same_wherever_it_stands() -> None:
    tool = ToolSpec("files.read", "", {})
    body = lowered(request(tools=(tool,), tool_choice=ToolChoice("one", "files.read")))
    assert body["tools"][0]["function"]["name"] == "esc-files-2eread"
    assert body["tool_choice"]["function"]["name"] == "esc-files-2eread"


def test_Q25_the_same_conversation_gives_the_same_bytes() -> None:
    def written(parameters: Json) -> bytes:
        return PROTOCOL.lower(request(tools=(ToolSpec("t", "", parameters),)), PLAIN, ORIGIN).body

    one: Json = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
    two: Json = {"properties": {"b": {"type": "null"}, "a": {"type": "string"}}, "type": "object"}
    assert one == two
    assert written(one) == written(two)


def test_Q25_a_longer_conversation_begins_as_the_shorter_did() -> None:
    short = Request("llama", (user("Hi"),), 100, system="Be brief.", tools=(READ,))
    more = (user("Hi"), assistant("Hello."), user("More"))
    long = Request("llama", more, 100, system="Be brief.", tools=(READ,))
    assert lowered(long)["messages"][:2] == lowered(short)["messages"]


def test_a_conversations_name_too_long_becomes_a_hash() -> None:
    assert lowered(request(cache_key="k" * 64))["prompt_cache_key"] == "k" * 64
    assert len(lowered(request(cache_key="k" * 65))["prompt_cache_key"]) == 64


def test_half_a_character_is_replaced() -> None:
    body = lowered(Request("llama", (user("a\ud83db"),), 100))
    assert body["messages"] == [{"role": "user", "content": "a\ufffdb"}]


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (PATH, True),
        ({**PATH, "$defs": {"x": {"type": "array", "items": {"type": "string"}}}}, True),
        ({"type": "object"}, False),
        ({**PATH, "additionalProperties": True}, False),
        ({**PATH, "required": []}, False),
        ({**PATH, "properties": {"path": {"type": "string", "default": ""}}}, False),
        ({**PATH, "properties": {"path": {}}}, False),
        ({**PATH, "properties": {"path": {"type": "array"}}}, False),
        ({**PATH, "properties": {"path": True}}, False),
        ({**PATH, "properties": {"path": {"anyOf": [{"type": "null"}, PATH]}}}, True),
        ({"type": "array", "items": PATH}, False),
    ],
)
def test_only_a_closed_schema_is_strict(schema: Json, strict: bool) -> None:
    assert is_strict(schema) is strict
