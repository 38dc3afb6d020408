"""What a turn was asked to do, as it is stored before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from recto.documents import Anchor

Profile = Literal["chat", "document"]
DOCUMENT_STEPS = 8
"""The most steps of the document agent."""


@dataclass(frozen=True, slots=True)
class MarkedSelection:
    """What was selected, as characters that are found again whatever is written around them."""

    epoch: str
    """The life of the document whose characters these are."""
    start: Anchor
    end: Anchor


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """What was selected in a Word document: letters of paragraphs, which keep their numbers."""

    paragraph: int
    start: int
    last: int
    """The paragraph that the selection ends in."""
    end: int
    words: str
    """What stood there; empty for a cursor."""


@dataclass(frozen=True, slots=True)
class TargetDocument:
    """The document that a turn is about."""

    path: str
    marked: MarkedSelection | None = None
    passage: str = ""
    """The selected words that a transform puts others in the place of; empty without one."""
    words: MarkedWords | None = None
    """What is selected in it, if it is a Word document."""


@dataclass(frozen=True, slots=True)
class TurnInput:
    """What a run is for. The words of a message stand in its entry, or here while it waits."""

    text: str = ""
    model: str | None = None
    """The model for this turn; None is the one for chats."""
    plan: bool = False
    joins: str | None = None
    """The running turn that this was said to."""
    purpose: Literal["turn", "summary", "undo", "outside"] = "turn"
    """`outside`: another program's call, which no model of ours was asked for."""
    waiting: Mapping[str, Any] | None = None
    """The encoded message of a turn that waits; it becomes an entry when the turn begins."""
    document: TargetDocument | None = None
    """What the document agent works on; None for a turn of the chat itself."""
    comments: tuple[str, ...] = ()
    """The comments that it answers."""
    offers: tuple[str, ...] | None = None
    """The only tools that its skills leave; None when all are offered."""
    skill_model: str | None = None
    """The model that its skills want."""

    @property
    def profile(self) -> Profile:
        """Which tools, prompt and limits the turn has."""
        return "chat" if self.document is None else "document"


def body_of(given: TurnInput) -> dict[str, Any]:
    """The input as JSON."""
    return {
        "text": given.text,
        "model": given.model,
        "plan": given.plan,
        "joins": given.joins,
        "purpose": given.purpose,
        "waiting": given.waiting,
        "document": msgspec.to_builtins(given.document),
        "comments": list(given.comments),
        "offers": None if given.offers is None else list(given.offers),
        "skill_model": given.skill_model,
    }


def input_of(body: Mapping[str, Any]) -> TurnInput:
    """The input that was stored."""
    given = dict(body)
    document = msgspec.convert(given.pop("document", None), TargetDocument | None)
    comments = tuple(given.pop("comments", ()))
    offers = given.pop("offers", None)
    return TurnInput(
        **given,
        document=document,
        comments=comments,
        offers=None if offers is None else tuple(offers),
    )
