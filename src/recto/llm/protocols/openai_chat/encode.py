"""JSON whose bytes are always the same for the same value: keys sorted, fields in their order."""

from typing import Any, cast

import msgspec

from recto.llm.assembly import mended

_SORTED = msgspec.json.Encoder(order="deterministic")


def encode(value: Any) -> bytes:
    """The value as JSON."""
    try:
        return _SORTED.encode(value)
    except UnicodeEncodeError:
        # Half a pair of surrogates, somewhere: UTF-8 can't hold it.
        return msgspec.json.encode(_whole(msgspec.to_builtins(value, order="deterministic")))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, list):
        return [_whole(one) for one in cast(list[Any], value)]
    if isinstance(value, dict):
        return {mended(key): _whole(one) for key, one in cast(dict[str, Any], value).items()}
    return value
