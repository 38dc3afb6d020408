"""Names, ids and schemas that the API takes."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.llm.protocols.anthropic_messages.names import free_id, lower_id, lower_name, read_name
from recto.llm.protocols.anthropic_messages.schema import lower_output, lower_parameters
from recto.llm.traits import Traits
from recto.messages import Request, Tool, user
from tests.llm.anthropic_messages.requests import unhurried
from tests.llm.anthropic_messages.streams import ORIGIN, answer, end_of, start, stop


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("read_file", "read_file"),
        ("get-xml", "get-xml"),
        ("fs.read", "fs-x2e-read"),
        ("a-x2e-b", "a-x2d-x2e-b"),
        ("x" * 70, "x" * 70),
    ],
)
def test_Q22_a_name_comes_back_as_it_was(name: str, wire: str) -> None:
    request = Request("m", (user("Hi"),), 100, tools=(Tool(name, "", {}),))
    body = json.loads(PROTOCOL.lower(request, Traits(), ORIGIN).body)
    assert body["tools"][0]["name"] == wire
    stream = answer(start(0, type="tool_use", id="t1", name=wire, input={}), stop(0))
    assert end_of(stream).message.calls[0].name == name


def test_Q22_a_name_too_long_for_the_api_is_cut_and_stays_distinct() -> None:
    one, other = lower_name("x" * 200), lower_name("x" * 201)
    assert len(one) == len(other) == 128
    assert one != other


@unhurried
@given(st.text("-x2e.é a", max_size=20) | st.text(max_size=12, min_size=1))
def test_Q22_every_short_name_is_accepted_and_comes_back(name: str) -> None:
    wire = lower_name(name)
    assert re.fullmatch("[A-Za-z0-9_-]{1,128}", wire)
    if name:
        assert read_name(wire) == name


def test_a_foreign_name_that_looks_marked_is_left_alone() -> None:
    assert read_name("a-xffffff-b") == "a-xffffff-b"


@unhurried
@given(st.text(max_size=100), st.text(max_size=100))
def test_Q13_ids_are_accepted_and_distinct(one: str, other: str) -> None:
    for call_id in (one, other):
        assert re.fullmatch("[A-Za-z0-9_-]{1,64}", lower_id(call_id))
    assert (lower_id(one) == lower_id(other)) == (one == other)


def test_A34_a_used_id_gets_a_number() -> None:
    used = {"a"}
    assert [free_id("a", used), free_id("a", used), free_id("b", used)] == ["a_2", "a_3", "b"]
    assert len(free_id("x" * 64, {"x" * 64})) <= 64


ODD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"const": "a"},
        "size": {"oneOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]},
        "node": {"$ref": "#/$defs/node"},
        "name": {"type": ["string", "null"], "default": None, "format": "color"},
        "when": {"type": "string", "format": "date"},
        "rows": {"type": "array", "items": {"type": "object"}, "minItems": 3, "maxItems": 5},
        "some": {"type": "array", "minItems": 1, "description": "Some."},
    },
    "required": ["kind"],
    "$defs": {"node": {"type": "object", "properties": {"id": {"type": "string"}}}},
}


def test_Q20_a_tool_may_use_any_keyword_inside() -> None:
    assert lower_parameters(ODD) == ODD


def test_Q20_an_answer_is_held_to_the_subset_and_told_the_rest() -> None:
    closed = {"type": "object", "additionalProperties": False}
    assert lower_output(ODD) == {
        **closed,
        "properties": {
            "kind": {"const": "a"},
            "size": {
                "anyOf": [
                    {"type": "integer", "description": "{exclusiveMinimum: 0}"},
                    {"type": "null"},
                ]
            },
            "node": {"$ref": "#/$defs/node"},
            "name": {
                "anyOf": [
                    {"type": "string", "description": "{default: None, format: color}"},
                    {"type": "null", "description": "{default: None, format: color}"},
                ]
            },
            "when": {"type": "string", "format": "date"},
            "rows": {
                "type": "array",
                "items": {**closed, "properties": {}},
                "description": "{maxItems: 5, minItems: 3}",
            },
            "some": {"type": "array", "minItems": 1, "description": "Some."},
        },
        "required": ["kind"],
        "$defs": {"node": {**closed, "properties": {"id": {"type": "string"}}}},
    }


def test_Q20_parts_of_an_answer_that_hold_together_stay_so() -> None:
    both = {"allOf": [{"type": "object"}, {"$ref": "#/$defs/a"}]}
    closed: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    assert lower_output(both) == {"allOf": [closed, {"$ref": "#/$defs/a"}]}


def test_Q20_alternatives_at_the_top_of_a_tool_become_one_object() -> None:
    text, number = {"type": "string"}, {"type": "number"}
    either = {
        "anyOf": [
            {"type": "object", "properties": {"a": text, "b": text}, "required": ["a", "b"]},
            {"$ref": "#/$defs/c"},
        ],
        "allOf": [{"properties": {"d": text}, "required": ["d"]}],
        "$defs": {"c": {"properties": {"a": text, "c": number}, "required": ["a", "c"]}},
    }
    assert lower_parameters(either) == {
        "type": "object",
        "properties": {"a": text, "b": text, "c": number, "d": text},
        "required": ["a", "d"],
        "$defs": either["$defs"],
    }


def test_Q20_a_reference_at_the_top_of_a_tool_is_followed() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    referring = {"$ref": "#/$defs/a", "$defs": {"a": inner}}
    assert lower_parameters(referring) == {**inner, "$defs": {"a": inner}}


def test_Q21_a_tool_without_parameters_takes_an_empty_object() -> None:
    assert lower_parameters({}) == {"type": "object", "properties": {}}
