"""Reads a server's list of models, in whichever of the usual shapes it comes."""

import json
from dataclasses import dataclass
from typing import Any, cast

from recto.messages import Failure

UNREADABLE = Failure("upstream", "The list of models can't be read.")
# What servers call the families of models that only make vectors.
VECTORS = ("bert", "embed", "bge-", "rerank")


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its server lists it."""

    model: str
    window: int | None = None
    """How many tokens it takes, where the server says so."""
    is_chat: bool = True
    """Whether it answers; some only make vectors of texts."""
    owner: str = ""
    """Who has it, as the server says: some kinds of servers are known by it."""


def read_model_list(body: bytes) -> frozenset[str] | Failure:
    """The ids of the models."""
    found = read_listed(body)
    return found if isinstance(found, Failure) else frozenset(item.model for item in found)


def read_listed(body: bytes) -> tuple[ListedModel, ...] | Failure:
    """The models with what is said of them; Gemini's carry a prefix that requests leave out."""
    try:
        found: Any = json.loads(body)
        rows = cast(list[dict[str, Any]], found.get("data") or found.get("models") or [])
        return tuple(_listed(row) for row in rows)
    except (ValueError, AttributeError, TypeError, RecursionError):
        return UNREADABLE


def is_tag_list(body: bytes) -> bool:
    """Whether this is Ollama's own list. llama.cpp answers there too, with both shapes at once."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "models" in found and "data" not in found


def _listed(row: dict[str, Any]) -> ListedModel:
    name = str(row.get("id") or row.get("name")).removeprefix("models/")
    details: dict[str, Any] = row.get("details") or {}
    family = str(details.get("family") or "")
    is_vectors = any(word in text.lower() for word in VECTORS for text in (name, family))
    window = row.get("max_model_len")
    return ListedModel(
        name,
        window if isinstance(window, int) and window > 0 else None,
        not is_vectors,
        str(row.get("owned_by") or ""),
    )
