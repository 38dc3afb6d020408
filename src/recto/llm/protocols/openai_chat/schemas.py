"""JSON schemas as the API accepts them."""

from typing import Any, cast

from recto.llm.protocols.openai_chat.body import Schema
from recto.messages import Json

# Refused at the root of a tool's parameters, whatever else stands there.
REFUSED_AT_ROOT = {"oneOf", "anyOf", "allOf", "enum", "not"}
LITERALS = {"enum", "const", "default", "examples"}
SCHEMAS_BY_NAME = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
# What strict mode doesn't know.
NOT_STRICT = {
    "allOf",
    "contains",
    "default",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
}


def lower_parameters(parameters: Json) -> Schema:
    """A tool's parameters: an object at the root, and something said of every array's items."""
    kept = {key: value for key, value in parameters.items() if key not in REFUSED_AT_ROOT}
    return lower_schema({**kept, "type": "object", "properties": kept.get("properties", {})})


def lower_schema(schema: Json) -> Schema:
    """A schema in which no array leaves its items unsaid: that is refused, too."""
    found = {key: _lower_keyword(key, value) for key, value in schema.items()}
    kind = schema.get("type")
    if (kind == "array" or (isinstance(kind, list) and "array" in kind)) and "items" not in found:
        found["items"] = {}
    return found


def _lower_keyword(key: str, value: Any) -> Any:
    if key in LITERALS:
        return value
    if isinstance(value, list):
        return [_lower_keyword(key, item) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    inside = cast(dict[str, Any], value)
    if key in SCHEMAS_BY_NAME:
        return {name: _lower_keyword("", item) for name, item in inside.items()}
    return lower_schema(inside)


def is_strict(schema: Json) -> bool:
    """Whether the answer can be held to the schema exactly: closed objects, nothing optional."""
    return schema.get("type") == "object" and _is_strict(schema)


def _is_strict(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    found = cast(dict[str, Any], schema)
    if NOT_STRICT & found.keys() or not {"type", "anyOf", "$ref", "enum", "const"} & found.keys():
        return False
    properties = cast(dict[str, Any], found.get("properties", {}))
    if found.get("type") == "object" and not (
        found.get("additionalProperties") is False
        and set(found.get("required", ())) == set(properties)
    ):
        return False
    if found.get("type") == "array" and "items" not in found:
        return False
    inside = [*properties.values(), *found.get("anyOf", ()), *found.get("$defs", {}).values()]
    if "items" in found:
        inside.append(found["items"])
    return all(_is_strict(item) for item in inside)
