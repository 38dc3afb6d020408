"""Suggestions at the cursor: what a model is told, how its answer is read, what of it fits."""

from recto.context.ghost.asking import (
    CONTINUATION_TEMPLATE,
    GHOST_TEMPLATE,
    SUGGEST,
    Around,
    Way,
    context_hashes,
    continuation_request,
    ghost_request,
)
from recto.context.ghost.continuing import continued
from recto.context.ghost.cutting import text_to_continue
from recto.context.ghost.fitting import fitted, is_same
from recto.context.ghost.reading import SuggestionReader, suggestions_in

__all__ = [
    "CONTINUATION_TEMPLATE",
    "GHOST_TEMPLATE",
    "SUGGEST",
    "Around",
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
