"""Tools, tool choice and JSON schemas for Gemini, which reads only a part of JSON Schema."""

import json
from collections.abc import Mapping
from typing import Any, cast

from recto.llm.names import wire_name
from recto.llm.protocols.gemini.body import (
    FunctionCallingConfig,
    FunctionDeclaration,
    Tool,
    ToolConfig,
)
from recto.llm.traits import Traits
from recto.messages import Json, Request
from recto.messages import ToolSpec as NeutralTool

KEPT = frozenset(
    [
        "$id",
        "$anchor",
        "type",
        "description",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "required",
        "propertyOrdering",
    ]
)
FORMATS = frozenset(["date-time", "date", "time", "int32", "int64", "float", "double"])
ONE_SCHEMA = ("items", "additionalProperties")
SCHEMA_LISTS = ("anyOf", "oneOf", "prefixItems")
SCHEMA_MAPS = {"properties": "properties", "$defs": "$defs", "definitions": "$defs"}


def forced_tool(request: Request) -> NeutralTool | None:
    """The one tool the answer must call, if there is exactly one."""
    choice = request.tool_choice
    if choice.mode == "one":
        return next((tool for tool in request.tools if tool.name == choice.name), None)
    return request.tools[0] if choice.mode == "any" and len(request.tools) == 1 else None


def is_forced(request: Request, traits: Traits) -> bool:
    """Whether the answer will be made to call a tool."""
    can = traits.tools and traits.forced_tool and bool(request.tools)
    return can and (request.tool_choice.mode == "any" or is_one(request))


def is_one(request: Request) -> bool:
    """Whether one tool is named that there is."""
    return request.tool_choice.mode == "one" and forced_tool(request) is not None


def lower_tools(request: Request) -> list[Tool]:
    """All tools in one list, in the order given; of two with one name, the first."""
    # Reversed, so that of two with one name the first is written last and stays.
    declared = [lower_tool(tool) for tool in reversed(request.tools)]
    found = {tool.name: tool for tool in declared}
    names = dict.fromkeys(wire_name(tool.name) for tool in request.tools)
    return [Tool(function_declarations=[found[name] for name in names])]


def lower_tool(tool: NeutralTool) -> FunctionDeclaration:
    """A tool. Some models refuse an object without properties, so it is left out."""
    schema = lower_schema(tool.parameters)
    return FunctionDeclaration(
        name=wire_name(tool.name),
        description=tool.description or None,
        parameters_json_schema=schema if schema.get("properties") else None,
    )


def lower_choice(request: Request, traits: Traits) -> ToolConfig | None:
    """The tool choice; nothing for `auto`, and nothing that the model refuses."""
    choice = request.tool_choice
    if choice.mode == "none":
        return ToolConfig(function_calling_config=FunctionCallingConfig(mode="NONE"))
    if not is_forced(request, traits):
        return None
    names = [wire_name(choice.name or "")] if choice.mode == "one" else None
    forced = FunctionCallingConfig(mode="ANY", allowed_function_names=names)
    return ToolConfig(function_calling_config=forced)


def lower_schema(schema: Json) -> dict[str, Any]:
    """A JSON schema with only the keywords that Gemini reads; what they say stays as close."""
    if "$ref" in schema:
        # Nothing but `$` keywords may stand beside a reference.
        kept = {"$ref": str(schema["$ref"]).replace("#/definitions/", "#/$defs/")}
        return kept | lower_maps({key: schema[key] for key in schema if key == "$defs"})
    found: dict[str, Any] = {key: schema[key] for key in schema if key in KEPT}
    found |= lower_enum(schema) | lower_maps(schema)
    if schema.get("format") in FORMATS:
        found["format"] = schema["format"]
    for key in ONE_SCHEMA:
        if key in schema:
            found[key] = lower_sub(schema[key])
    for key in SCHEMA_LISTS:
        if isinstance(schema.get(key), list):
            found[key] = [lower_sub(item) for item in schema[key]]
    return merge_all_of(found, schema.get("allOf"))


def lower_sub(schema: object) -> Any:
    """A schema inside a schema; `true` and `false` are schemas too."""
    return lower_schema(cast(Json, schema)) if isinstance(schema, Mapping) else schema


def lower_maps(schema: Json) -> dict[str, Any]:
    """Named schemas inside a schema."""
    return {
        written: {name: lower_sub(value) for name, value in schema[key].items()}
        for key, written in SCHEMA_MAPS.items()
        if isinstance(schema.get(key), Mapping)
    }


def lower_enum(schema: Json) -> dict[str, Any]:
    """The values allowed. Only words may be listed; others are told in the description."""
    values: list[Any] = [schema["const"]] if "const" in schema else list(schema.get("enum") or ())
    if not values:
        return {}
    if all(isinstance(value, str) for value in values):
        return {"enum": values} if "type" in schema else {"enum": values, "type": "string"}
    allowed = "One of: " + ", ".join(json.dumps(value) for value in values) + "."
    return {"description": " ".join(filter(None, (schema.get("description"), allowed)))}


def merge_all_of(found: dict[str, Any], all_of: object) -> dict[str, Any]:
    """`allOf` is not read: what its schemas say is said by the schema itself."""
    if not isinstance(all_of, list):
        return found
    for item in cast(list[object], all_of):
        lowered: Any = lower_sub(item)
        if not isinstance(lowered, dict):
            continue
        more = cast(dict[str, Any], lowered)
        if "$ref" in more and not found.keys() - {"description"}:
            return more
        properties = {**more.get("properties", {}), **found.get("properties", {})}
        required = sorted({*found.get("required", ()), *more.get("required", ())})
        found = {**more, **found}
        found |= {"properties": properties} if properties else {}
        found |= {"required": required} if required else {}
    return found
