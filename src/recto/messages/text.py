"""Text that can be sent: Python keeps halves of surrogate pairs that no encoding has."""

from collections.abc import Mapping
from typing import Any, cast


def encodable(text: str) -> str:
    """The text with surrogate pairs joined and single halves replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def encodable_json(value: Any) -> Any:
    """A JSON value whose every text can be encoded."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, Mapping):
        items = cast(Mapping[str, Any], value).items()
        return {encodable(name): encodable_json(inner) for name, inner in items}
    if isinstance(value, list):
        return [encodable_json(inner) for inner in cast(list[Any], value)]
    return value
