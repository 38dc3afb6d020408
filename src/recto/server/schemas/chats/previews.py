"""The JSON of "What will be sent": the next request, part for part, before it is sent."""

from typing import Annotated, Literal

from pydantic import Field

from recto.server.schemas.base import Body, ResourceId, Schema
from recto.server.schemas.chats.entries import EntryId
from recto.server.schemas.chats.turns import NewTurn

PartOrigin = Literal[
    "system",
    "summary",
    "kept",
    "tools",
    "file",
    "selection",
    "skill",
    "names",
    "meta",
    "message",
    "thought",
    "call",
    "result",
    "note",
]
"""Where a part comes from; a note is what Recto puts in so that the conversation is whole."""


class AskPreview(Body):
    """A message that is not sent yet."""

    chat_id: ResourceId | None = None
    """The chat it would be said in; null for one that has not begun."""
    edits: EntryId | None = None
    """The earlier message that it would take the place of."""
    turn: Annotated[NewTurn, Field(examples=[{"text": "What is in this folder?"}])]
    texts: bool = False
    """Whether every part comes with its text."""


class PreviewPart(Schema):
    """One part of what would be sent, in the order it is sent."""

    origin: PartOrigin
    name: str
    reason: str
    """Why it goes along, in words."""
    tokens: int
    cost_micros: int | None
    """What it costs if the provider still remembers what it can; null when unknown."""
    state: Literal["same", "new", "changed"]
    """Against the request before."""
    is_cached: bool
    """Whether the provider can remember it from the request before."""
    entry_id: EntryId | None
    """The entry it belongs to; null for what no entry holds yet, such as the new message."""
    hash: str
    text: str | None


class PartRemoved(Schema):
    """Something of the request before that would not be sent again."""

    origin: PartOrigin
    name: str
    tokens: int


class CacheBreak(Schema):
    """From where on the provider can't use what it remembers of the request before."""

    part: int
    """The number of the first part that is not what the provider remembers, from 0."""
    why: str
    tokens: int
    """How many tokens it reads anew that stood in the request before."""
    cost_micros: int | None
    """What that costs more; null when unknown."""


class PreviewLeftOut(Schema):
    """Something that is not sent, and why."""

    what: str
    why: str
    tokens: int
    entry_id: EntryId | None
    """Pinning this entry puts it back; null where there is nothing to pin."""


class Preview(Schema):
    """The next request, before it is sent."""

    model: str
    model_name: str
    window: int
    tokens: int
    cost_micros: int | None
    """Without the answer, and without anything remembered; null when the price is unknown."""
    cost_if_cached_micros: int | None
    """The same, if the provider still remembers what it can."""
    cached_tokens: int
    parts: list[PreviewPart]
    removed: list[PartRemoved]
    cache_break: CacheBreak | None
    left_out: list[PreviewLeftOut]
    too_long: str | None
    """Why it can't be sent, and what to do; null when it can."""
