"""What one request used, as its provider reported it. Nothing here is ever a sum of requests."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one request. `input` leaves out what came from or went into a cache.

    `output` includes `reasoning`. `source` says how sure the numbers are: `final` is the
    provider's last word, `partial` its last word before a break, `estimated` our own count.
    """

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_long: int = 0
    """The part of `cache_write` kept for longer than usual, at its own price."""
    output: int = 0
    reasoning: int = 0
    source: Literal["final", "partial", "estimated"] = "final"

    @property
    def prompt(self) -> int:
        """Everything that was sent."""
        return self.input + self.cache_read + self.cache_write

    @property
    def context(self) -> int:
        """How much of the context window the request and its answer take."""
        return self.prompt + self.output
