"""Rules for JSON schemas that providers compile: what "strict" forbids, and what is no schema."""

from collections.abc import Iterator
from typing import Any

from tests.fakes.providers.shapes import is_array, is_object

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
KINDS = {"properties": dict, "enum": list, "format": str, "minItems": int, "$ref": str}
FORMATS = frozenset(
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
)
OPENAI_UNSUPPORTED = [
    "default",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "contains",
    "uniqueItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
]
ANTHROPIC_UNSUPPORTED = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
]
GEMINI_KNOWN = frozenset(
    [
        "$id",
        "$defs",
        "$ref",
        "$anchor",
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "oneOf",
        "properties",
        "additionalProperties",
        "required",
        "propertyOrdering",
        "nullable",
    ]
)
OPENAPI_KNOWN = frozenset(
    [
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "example",
        "anyOf",
        "propertyOrdering",
        "default",
        "items",
        "minimum",
        "maximum",
    ]
)
NAMED = ("properties", "$defs", "definitions", "patternProperties")
SINGLE = ("items", "additionalProperties", "not")
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")


def walk(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with where it stands."""
    if not is_object(schema):
        return
    yield path, schema
    for key in NAMED:
        inner: Any = schema.get(key)
        if is_object(inner):
            for name, one in inner.items():
                yield from walk(one, f"{path}.{key}.{name}")
    for key in SINGLE:
        yield from walk(schema.get(key), f"{path}.{key}")
    for key in LISTED:
        several: Any = schema.get(key)
        for index, one in enumerate(several if is_array(several) else []):
            yield from walk(one, f"{path}.{key}[{index}]")


def not_a_schema(schema: Any) -> str | None:
    """Why something is no JSON schema at all."""
    for path, item in walk(schema):
        kinds: Any = item.get("type", ["null"])
        listed = kinds if is_array(kinds) else [kinds]
        if not listed or any(kind not in TYPES for kind in listed):
            return f"{path or '.'}: unknown type"
        wrong = [key for key, kind in KINDS.items() if not isinstance(item.get(key, kind()), kind)]
        if wrong:
            return f"{path}.{wrong[0]}: of the wrong type"
        required: Any = item.get("required", [])
        if not is_array(required) or not all(isinstance(name, str) for name in required):
            return f"{path}.required: not a list of names"
    return None


def breaks_openai_strict(schema: Any) -> str | None:
    """What forbids a schema under strict on OpenAI."""
    if not is_object(schema) or schema.get("type") != "object":
        return "schema must be a JSON Schema of 'type: \"object\"'"
    for path, item in walk(schema):
        where = path.removeprefix(".") or "()"
        if found := next((key for key in OPENAI_UNSUPPORTED if key in item), None):
            return f"In context={where}, '{found}' is not permitted."
        if "$ref" in item and len(item) > 1:
            return f"In context={where}, $ref cannot have keywords."
        if item.get("type") == "array" and not is_object(item.get("items")):
            return f"In context={where}, array schema missing items."
        if "properties" in item or item.get("type") == "object":
            if item.get("additionalProperties") is not False:
                return f"In context={where}, 'additionalProperties' is required to be supplied and to be false."  # noqa: E501 - the API's own words
            missing = set(item.get("properties", {})) - set(item.get("required", []))
            if missing:
                return f"In context={where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '{min(missing)}'."  # noqa: E501 - the API's own words
    return None


def breaks_anthropic_strict(schema: Any) -> str | None:
    """What forbids a schema under strict or as an output format on Anthropic."""
    for path, item in walk(schema):
        where = path.removeprefix(".") or "schema"
        if item.get("type") == "object" and item.get("additionalProperties") is not False:
            return f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"  # noqa: E501 - the API's own words
        if found := next((key for key in ANTHROPIC_UNSUPPORTED if key in item), None):
            return f"{where}: For '{item.get('type')}' type, property '{found}' is not supported"
        if item.get("minItems", 0) not in {0, 1}:
            return (
                f"{where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
            )
        if item.get("type") == "string" and item.get("format", "date") not in FORMATS:
            return f"{where}: String format '{item['format']}' is not supported"
        if item.get("$ref") == "#":
            return f"{where}: recursive schemas are not supported"
    return None


def strict_cost(schema: Any) -> tuple[int, int]:
    """How many optional parameters and how many unions a schema has."""
    optional = unions = 0
    for _, item in walk(schema):
        optional += len(set(item.get("properties", {})) - set(item.get("required", [])))
        unions += "anyOf" in item or is_array(item.get("type"))
    return optional, unions


def unknown_keyword(schema: Any, known: frozenset[str]) -> tuple[str, str] | None:
    """The first keyword outside a set, with where it stands."""
    for path, item in walk(schema):
        for key in item:
            if key not in known:
                return path.removeprefix("."), key
    return None
