"""What a model gets to see: repair and check of every request, cache marks, token counts."""

from recto.context.binding import bind, drop_unbound, prompt_hash
from recto.context.caching import mark_cache
from recto.context.check import faults
from recto.context.prepare import prepare
from recto.context.repair import repair
from recto.context.tokens import Calibration, TokenCounter

__all__ = [
    "Calibration",
    "TokenCounter",
    "bind",
    "drop_unbound",
    "faults",
    "mark_cache",
    "prepare",
    "prompt_hash",
    "repair",
]
