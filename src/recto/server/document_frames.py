"""What pages and the server say to each other about live documents."""

import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from recto.documents import EditOrigin
from recto.server.schemas.base import Text

PERSON = EditOrigin("person", way="typed")


class FrameKind(IntEnum):
    """What a binary frame holds."""

    VERSION = 0
    MISSING = 1
    EDIT = 2
    EDIT_BY_AI = 3
    EDIT_PASTED = 4
    EDIT_UNDONE = 5
    EDIT_GHOST = 6
    """An accepted suggestion, or a part of one: its id, then the edit."""


ORIGINS: Mapping[int, EditOrigin] = {
    FrameKind.MISSING: PERSON,
    FrameKind.EDIT: PERSON,
    FrameKind.EDIT_PASTED: EditOrigin("person", way="pasted"),
    FrameKind.EDIT_UNDONE: EditOrigin("person", way="undone"),
}
"""Whose edit a frame holds, and how it came about."""

SUGGESTION = re.compile(rb"[0-9a-hjkmnp-tv-z]{26}")


def edit_in(kind: int, body: bytes) -> tuple[EditOrigin, bytes] | None:
    """Whose edit a frame holds, and the edit; None if it holds none."""
    if kind != FrameKind.EDIT_GHOST:
        origin = ORIGINS.get(kind)
        return None if origin is None else (origin, body)
    name = SUGGESTION.match(body)
    if name is None:
        return None
    return EditOrigin("person", name=name[0].decode(), way="ghost"), body[name.end() :]


class DocumentMessage(BaseModel):
    """Something a page says about one channel."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    channel: Annotated[int, Field(ge=0, lt=1 << 32)]


class Open(DocumentMessage):
    """Show this file."""

    type: Literal["open"]
    path: Annotated[Text, Field(min_length=1, max_length=4096)]
    whole: bool = False
    """The page has nothing of it: it is sent at once, without asking what is missing."""


class Close(DocumentMessage):
    """The file is not shown any more."""

    type: Literal["close"]


class Save(DocumentMessage):
    """Save now."""

    type: Literal["save"]
    as_utf8: Annotated[bool, Field(alias="asUtf8")] = False


class Resolve(DocumentMessage):
    """End a conflict."""

    type: Literal["resolve"]
    choice: Literal["mine", "theirs"]


Asked = Annotated[Open | Close | Save | Resolve, Field(discriminator="type")]
ASKED: TypeAdapter[Open | Close | Save | Resolve] = TypeAdapter(Asked)
