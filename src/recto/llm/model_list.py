"""Reads a provider's list of models, in whichever of the usual shapes it comes."""

import json
from typing import Any, cast

from recto.messages import Failure


def read_model_list(body: bytes) -> frozenset[str] | Failure:
    """The ids of the models; Gemini's carry a prefix that requests leave out."""
    try:
        found: Any = json.loads(body)
        rows = cast(list[dict[str, Any]], found.get("data") or found.get("models") or [])
        names = [str(row.get("id") or row.get("name")) for row in rows]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return Failure("upstream", "The list of models can't be read.")
    return frozenset(name.removeprefix("models/") for name in names)
