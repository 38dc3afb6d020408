"""JSON whose bytes are always the same for the same value: keys sorted, fields in their order."""

from typing import Any

import msgspec

from recto.messages import encodable_json

_SORTED = msgspec.json.Encoder(order="deterministic")


def encode(value: Any) -> bytes:
    """The value as JSON. Halves of surrogate pairs, which no UTF-8 holds, are replaced."""
    try:
        return _SORTED.encode(value)
    except UnicodeEncodeError:
        # Sorted before: the fields of a struct keep their order.
        plain = msgspec.to_builtins(value, order="deterministic")
        return msgspec.json.encode(encodable_json(plain))
