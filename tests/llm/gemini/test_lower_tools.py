"""Tools, tool choice and schemas in generateContent bodies."""

import json
from dataclasses import replace
from typing import Any

import pytest

from recto.llm.protocols.gemini import PROTOCOL
from recto.llm.protocols.gemini.lower_tools import lower_schema
from recto.llm.traits import Traits
from recto.messages import OutputSchema, Request, ToolChoice, ToolSpec, user
from tests.llm.gemini.streams import ORIGIN

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
}
READ = ToolSpec("read", "Reads a file.", SCHEMA)
STOP = ToolSpec("stop", "", {"type": "object", "properties": {}})
FORCED = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}}


def ask(*tools: ToolSpec, choice: ToolChoice | None = None, **more: Any) -> Request:
    return Request(
        "gemini-3.8-flash",
        (user("Go."),),
        1000,
        tools=tools,
        tool_choice=choice or ToolChoice(),
        **more,
    )


def lowered(request: Request, traits: Traits | None = None) -> dict[str, Any]:
    return json.loads(PROTOCOL.lower(request, traits or Traits(), ORIGIN).body)


def test_Q21_tools_stand_in_one_list_and_one_without_parameters_has_none() -> None:
    assert lowered(ask(READ, STOP)) == {
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read",
                        "description": "Reads a file.",
                        "parametersJsonSchema": SCHEMA,
                    },
                    {"name": "stop"},
                ]
            }
        ],
        "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
        "generationConfig": {"maxOutputTokens": 1000},
    }


def test_of_two_tools_with_one_name_the_first_is_declared() -> None:
    found = lowered(ask(STOP, READ, replace(READ, description="Another.")))
    declared = found["tools"][0]["functionDeclarations"]
    assert [tool.get("description") for tool in declared] == [None, "Reads a file."]


def test_a_model_without_tools_is_told_of_none() -> None:
    found = lowered(ask(READ, choice=ToolChoice("any")), Traits(tools=False))
    assert found.keys() == {"contents", "generationConfig"}


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        (ToolChoice(), None),
        (ToolChoice("none"), {"functionCallingConfig": {"mode": "NONE"}}),
        (ToolChoice("any", single=True), {"functionCallingConfig": {"mode": "ANY"}}),
        (ToolChoice("one", "read"), FORCED),
        (ToolChoice("one", "unheard_of"), None),
    ],
)
def test_tool_choice(choice: ToolChoice, config: dict[str, Any] | None) -> None:
    found = lowered(ask(READ, STOP, choice=choice))
    assert found.get("toolConfig") == config
    assert len(found["tools"][0]["functionDeclarations"]) == 2


def test_without_tools_there_is_no_choice() -> None:
    found = lowered(ask(choice=ToolChoice("none")))
    assert found.keys() == {"contents", "generationConfig"}


@pytest.mark.parametrize("choice", [ToolChoice("one", "read"), ToolChoice("any")])
def test_Q17_a_tool_that_can_not_be_forced_is_asked_for_as_a_schema(choice: ToolChoice) -> None:
    assert lowered(ask(READ, choice=choice), Traits(forced_tool=False)) == {
        "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
        "generationConfig": {
            "maxOutputTokens": 1000,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


@pytest.mark.parametrize(
    ("tools", "choice", "traits"),
    [
        ((READ,), ToolChoice("one", "read"), Traits(forced_tool=False, structured=False)),
        ((READ, STOP), ToolChoice("any"), Traits(forced_tool=False)),
    ],
)
def test_Q17_otherwise_the_model_may_choose(
    tools: tuple[ToolSpec, ...], choice: ToolChoice, traits: Traits
) -> None:
    found = lowered(ask(*tools, choice=choice), traits)
    assert found.keys() == {"tools", "contents", "generationConfig"}


def test_Q16_a_forced_tool_turns_thinking_off_where_both_can_not_be() -> None:
    traits = Traits(thinking="budget", efforts=("off", "high"), forced_tool_thinking=False)
    forced = ask(READ, choice=ToolChoice("any"), effort="high")
    assert lowered(forced, traits)["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}
    free = replace(forced, tool_choice=ToolChoice())
    assert lowered(free, traits)["generationConfig"]["thinkingConfig"] == {
        "includeThoughts": True,
        "thinkingBudget": 24576,
    }


@pytest.mark.parametrize(
    ("traits", "sent"), [(Traits(), False), (Traits(needs_signatures=True), True)]
)
def test_before_Gemini_3_a_schema_does_not_stand_beside_tools(traits: Traits, sent: bool) -> None:
    found = lowered(ask(READ, output_schema=OutputSchema("answer", SCHEMA)), traits)
    assert ("responseJsonSchema" in found["generationConfig"]) is sent


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"const": "a"}, {"enum": ["a"], "type": "string"}),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        (
            {"type": "integer", "enum": [1, 2], "description": "How many."},
            {"type": "integer", "description": "How many. One of: 1, 2."},
        ),
        ({"const": None}, {"description": "One of: null."}),
        (
            {"type": "number", "exclusiveMinimum": 0, "default": 1, "maximum": 9},
            {"type": "number", "maximum": 9},
        ),
        ({"$schema": "x", "title": "T", "examples": [1], "type": "string"}, {"type": "string"}),
        ({"type": "string", "format": "uri"}, {"type": "string"}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        (
            {"$ref": "#/definitions/A", "description": "An A."},
            {"$ref": "#/$defs/A"},
        ),
        (
            {"definitions": {"A": {"const": "a"}}, "oneOf": [{"$ref": "#/definitions/A"}, True]},
            {
                "$defs": {"A": {"enum": ["a"], "type": "string"}},
                "oneOf": [{"$ref": "#/$defs/A"}, True],
            },
        ),
        (
            {"type": "array", "items": {"title": "x", "type": "string"}, "minItems": 1},
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
        ),
        (
            {
                "type": "object",
                "properties": {"title": {"title": "x"}},
                "additionalProperties": False,
            },
            {"type": "object", "properties": {"title": {}}, "additionalProperties": False},
        ),
        ({"allOf": [{"$ref": "#/$defs/A"}], "description": "d"}, {"$ref": "#/$defs/A"}),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "allOf": [{"properties": {"b": {"type": "null"}}, "required": ["b"]}, True],
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "null"}},
                "required": ["a", "b"],
            },
        ),
    ],
)
def test_Q20_schemas_keep_only_what_Gemini_reads(
    schema: dict[str, Any], sent: dict[str, Any]
) -> None:
    assert lower_schema(schema) == sent


def test_Q22_a_tools_name_is_the_same_wherever_it_stands() -> None:
    found = lowered(ask(replace(READ, name="a.b"), choice=ToolChoice("one", "a.b")))
    assert found["tools"][0]["functionDeclarations"][0]["name"] == "esc-a-2eb"
    assert found["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["esc-a-2eb"]
