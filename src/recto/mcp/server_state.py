"""How a server is, and why."""

from dataclasses import dataclass
from typing import Literal

StateKind = Literal[
    "invalid", "unapproved", "off", "starting", "ready", "pausing", "failed", "needs_sign_in"
]


@dataclass(frozen=True, slots=True)
class ServerState:
    """How a server is, and why, in words."""

    kind: StateKind
    words: str = ""

    @property
    def unavailable_words(self) -> str:
        """Why it can't be asked, behind its name."""
        match self.kind:
            case "off" | "unapproved" | "invalid":
                return "is off"
            case "needs_sign_in":
                return "needs you to sign in"
            case _:
                return f"can't be reached: {self.words}" if self.words else "does not answer"
