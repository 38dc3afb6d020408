"""Suggestions at the cursor: what a model is told, how its answer is read, what of it fits."""

from recto.context.ghost.continuation import continued
from recto.context.ghost.excerpts import text_to_continue
from recto.context.ghost.fit import fitted, is_same
from recto.context.ghost.requests import (
    CONTINUATION_TEMPLATE,
    GHOST_TEMPLATE,
    SUGGEST,
    CursorPlace,
    Way,
    context_hashes,
    continuation_request,
    ghost_request,
)
from recto.context.ghost.suggestion_reader import SuggestionReader, suggestions_in

__all__ = [
    "CONTINUATION_TEMPLATE",
    "GHOST_TEMPLATE",
    "SUGGEST",
    "CursorPlace",
    "SuggestionReader",
    "Way",
    "context_hashes",
    "continuation_request",
    "continued",
    "fitted",
    "ghost_request",
    "is_same",
    "suggestions_in",
    "text_to_continue",
]
