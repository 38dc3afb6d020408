"""JSON schemas in the forms this API accepts."""

from typing import Any, cast

from recto.messages import Json, encodable_json

NOT_ON_TOP = frozenset({"oneOf", "anyOf", "allOf", "enum", "not"})
STRICT_WORDS = frozenset(
    {
        "type", "properties", "required", "additionalProperties", "items", "enum", "const",
        "anyOf", "description", "title", "$ref", "$defs", "minItems", "maxItems", "minimum",
        "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern",
    }
)  # fmt: skip


def lower_parameters(schema: Json) -> dict[str, Any]:
    """A tool's schema: always an object with properties, and no choice between whole schemas."""
    kept = {word: value for word, value in schema.items() if word not in NOT_ON_TOP}
    return encodable_json({"properties": {}, **kept, "type": "object"})


def is_strict(schema: Json) -> bool:
    """Whether a schema follows the rules of strict mode; others are sent as a wish."""
    return schema.get("type") == "object" and follows_rules(schema)


def follows_rules(schema: object) -> bool:
    """Every object is closed and requires all it has, and every word is known to strict mode."""
    if not isinstance(schema, dict):
        return False
    found = cast(dict[str, Any], schema)
    if not STRICT_WORDS.issuperset(found):
        return False
    properties = found.get("properties", {})
    is_object = "properties" in found or found.get("type") == "object"
    is_closed = found.get("additionalProperties") is False
    if is_object and not (is_closed and set(found.get("required", ())) == set(properties)):
        return False
    inner = [*properties.values(), *found.get("$defs", {}).values(), *found.get("anyOf", ())]
    if "items" in found:
        inner.append(found["items"])
    return all(map(follows_rules, inner))
