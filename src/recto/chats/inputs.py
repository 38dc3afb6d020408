"""What a turn was asked to do, as it is stored before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Input:
    """What a run is for. The words of a message stand in its entry, or here while it waits."""

    text: str = ""
    model: str | None = None
    """The model for this turn; None is the one for chats."""
    plan: bool = False
    joins: str | None = None
    """The running turn that this was said to."""
    purpose: Literal["turn", "summary", "undo"] = "turn"
    waiting: Mapping[str, Any] | None = None
    """The encoded message of a turn that waits; it becomes an entry when the turn begins."""


def body_of(given: Input) -> dict[str, Any]:
    """The input as JSON."""
    return {
        "text": given.text,
        "model": given.model,
        "plan": given.plan,
        "joins": given.joins,
        "purpose": given.purpose,
        "waiting": given.waiting,
    }


def input_of(body: Mapping[str, Any]) -> Input:
    """The input that was stored."""
    return Input(**body)
