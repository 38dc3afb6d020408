"""Messages: who spoke, and what they said. Tool results are the user's turn to speak."""

from dataclasses import dataclass
from typing import Literal

from recto.messages.parts import Part, Text, ToolCall, ToolResult

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All words of the message, in order."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools it wants run."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool answers it carries."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


def user(*parts: Part | str) -> Message:
    """A message of the user; a string is words."""
    return Message("user", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def assistant(*parts: Part | str) -> Message:
    """A message of the model; a string is words."""
    return Message(
        "assistant", tuple(Text(part) if isinstance(part, str) else part for part in parts)
    )
