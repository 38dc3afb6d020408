"""Schemas that the API takes."""

from typing import Any

from recto.llm.protocols.anthropic_messages.schema import lower_output, lower_parameters

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
