"""JSON schemas as the API takes them: of a tool's input, and of a whole answer.

A tool's input may use any keyword, but must be an object without alternatives at the top. An
answer is held to a subset; what is outside it goes into the description, as words to the model.
"""

from collections.abc import Mapping
from typing import Any, cast

from recto.messages import Json

ALTERNATIVES = ("anyOf", "oneOf")
STRING_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
KEPT = frozenset({"title", "description", "enum", "const", "$ref", "type"})


def lower_parameters(schema: Json) -> dict[str, Any]:
    """A tool's parameters; alternatives at the top become one object with all their fields."""
    top = _followed(schema)
    merged = {key: value for key, value in top.items() if key not in (*ALTERNATIVES, "allOf")}
    choices = [
        _followed(_schema, top) for key in ALTERNATIVES for _schema in _schemas(top.get(key))
    ]
    parts = [_followed(_schema, top) for _schema in _schemas(top.get("allOf"))]
    properties = dict(_mapping(merged.get("properties")))
    for item in (*choices, *parts):
        properties = {**_mapping(item.get("properties")), **properties}
    required = {*_names(merged), *(name for part in parts for name in _names(part))}
    required |= {
        name for name in properties if choices and all(name in _names(choice) for choice in choices)
    }
    if choices or parts:
        merged["required"] = sorted(required)
    return {**merged, "type": "object", "properties": properties}


def lower_output(schema: Json) -> dict[str, Any]:
    """An answer's schema within the subset that answers can be held to."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        rest = {key: value for key, value in schema.items() if key != "type"}
        found = [lower_output({**rest, "type": kind}) for kind in cast(list[Any], kinds)]
        return {"anyOf": found}
    kept: dict[str, Any] = {}
    words: list[str] = []
    for key, value in schema.items():
        _lower_keyword(key, value, kept, words)
    if kinds == "object":
        kept.setdefault("properties", {})
        kept["additionalProperties"] = False
    if words:
        descriptions = [kept["description"]] if "description" in kept else []
        kept["description"] = "\n\n".join([*descriptions, "{" + ", ".join(sorted(words)) + "}"])
    return kept


def _lower_keyword(key: str, value: Any, kept: dict[str, Any], words: list[str]) -> None:
    match key:
        case "properties" | "$defs" | "definitions":
            kept[key] = {name: lower_output(item) for name, item in _mapping(value).items()}
        case "anyOf" | "oneOf":
            kept["anyOf"] = [*kept.get("anyOf", []), *map(lower_output, _schemas(value))]
        case "allOf":
            kept["allOf"] = [lower_output(_schema) for _schema in _schemas(value)]
        case "items" if isinstance(value, Mapping):
            kept["items"] = lower_output(_mapping(value))
        case "required":
            kept["required"] = value
        case "format" if value in STRING_FORMATS:
            kept["format"] = value
        case "minItems" if value in (0, 1):
            kept["minItems"] = value
        case "additionalProperties" | "$schema" | "$id":
            pass
        case _ if key in KEPT:
            kept[key] = value
        case _:
            words.append(f"{key}: {value}")


def _followed(schema: Json, root: Json | None = None) -> Json:
    """The schema itself, or the one in the same document that it refers to."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Any = schema if root is None else root
    for step in reference.removeprefix("#/").split("/"):
        found = _mapping(found).get(step)
    rest = {key: value for key, value in schema.items() if key != "$ref"}
    return {**_mapping(found), **rest}


def _schemas(value: Any) -> list[Json]:
    return [_mapping(item) for item in cast(list[Any], value)] if isinstance(value, list) else []


def _mapping(value: Any) -> Json:
    return cast(Json, value) if isinstance(value, Mapping) else {}


def _names(schema: Json) -> list[str]:
    found = schema.get("required")
    return cast(list[str], found) if isinstance(found, list) else []
