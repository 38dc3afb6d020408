"""The JSON schema of a tool's arguments, from the struct they are read into.

Only words that every provider reads: no references, no unions with null (an argument that is not
required may be left out), every object closed.
"""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from recto.messages import Json

KEPT = ("type", "description", "enum", "minimum", "maximum", "minItems", "maxItems")


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every tool's arguments are: closed, read once."""


def parameters_of(arguments: type[Arguments]) -> Json:
    """The schema that models are given."""
    (whole,), parts = msgspec.json.schema_components([arguments], ref_template="{name}")
    found = inline(whole, parts)
    found.pop("description", None)  # the struct's own docstring is for readers of the code
    return found


def inline(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its references replaced by what they mean."""
    if "$ref" in schema:
        return inline(parts[schema["$ref"]], parts)
    if "anyOf" in schema:
        return inline_union(schema, parts)
    found = {word: schema[word] for word in KEPT if word in schema}
    if "enum" in found:
        found["type"] = "string"  # the only kind of choice that every provider reads
    if "items" in schema:
        found["items"] = inline(schema["items"], parts)
    if "properties" in schema:
        properties = cast(Mapping[str, Mapping[str, Any]], schema["properties"])
        found["properties"] = {name: inline(item, parts) for name, item in properties.items()}
        found["required"] = list(schema.get("required", ()))
        found["additionalProperties"] = False
    return found


def inline_union(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """The one thing that an optional argument may be."""
    choices = [inline(item, parts) for item in schema["anyOf"] if item != {"type": "null"}]
    if len(choices) != 1:
        raise TypeError("An argument must be of one type; not every provider reads unions.")
    told = {"description": schema["description"]} if "description" in schema else {}
    return choices[0] | told


def read_arguments(arguments: type[Any], given: Json) -> Any:
    """The arguments as their struct. Raises msgspec.ValidationError.

    Not strict about "3" or 3.0 for 3: some models write numbers so.
    """
    return msgspec.convert(dict(given), arguments, strict=False)
