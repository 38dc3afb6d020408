"""The arguments of tool calls as models write them: JSON that may be anything."""

import json
import re
from typing import Any, cast

from recto.messages import Json, encodable

MAX_DEPTH = 200
HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def read_arguments(text: str) -> Json | None:
    """A call's arguments, if the text is a complete JSON object; empty text is an empty one.

    Whatever is given back can be written as JSON again: NaN and deep nesting are refused, halves
    of surrogate pairs are replaced.
    """
    if not text.strip():
        return {}
    try:
        found: Any = json.loads(text, parse_constant=refuse_constant)
        # Only then: walking through every argument would be slow for long files.
        if HALF_PAIR.search(text) or text.count("[") + text.count("{") > MAX_DEPTH:
            found = writable(found)
    except (ValueError, RecursionError):
        return None
    return cast(Json, found) if isinstance(found, dict) else None


def refuse_constant(name: str) -> None:
    """NaN and the infinities are Python's JSON, and nobody else's."""
    raise ValueError(name)


def writable(value: Any, depth: int = 0) -> Any:
    """The value with its strings mended. Raises ValueError if it is nested too deeply."""
    if depth > MAX_DEPTH:
        raise ValueError(depth)
    match value:
        case str():
            return encodable(value)
        case list():
            return [writable(item, depth + 1) for item in cast(list[Any], value)]
        case dict():
            pairs = cast(dict[str, Any], value).items()
            return {encodable(name): writable(item, depth + 1) for name, item in pairs}
        case _:
            return value
