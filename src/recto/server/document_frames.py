"""What pages and the server say to each other about live documents."""

import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from recto.documents import Origin
from recto.server.schemas import Text

PERSON = Origin("person", way="typed")


class Kind(IntEnum):
    """What a binary frame holds."""

    VERSION = 0
    MISSING = 1
    EDIT = 2
    EDIT_BY_AI = 3
    EDIT_PASTED = 4
    EDIT_UNDONE = 5
    EDIT_GHOST = 6
    """An accepted suggestion, or a part of one: its id, then the edit."""


ORIGINS: Mapping[int, Origin] = {
    Kind.MISSING: PERSON,
    Kind.EDIT: PERSON,
    Kind.EDIT_PASTED: Origin("person", way="pasted"),
    Kind.EDIT_UNDONE: Origin("person", way="undone"),
}
"""Whose edit a frame holds, and how it came about."""

SUGGESTION = re.compile(rb"[0-9a-hjkmnp-tv-z]{26}")


def edit_in(kind: int, body: bytes) -> tuple[Origin, bytes] | None:
    """Whose edit a frame holds, and the edit; None if it holds none."""
    if kind != Kind.EDIT_GHOST:
        origin = ORIGINS.get(kind)
        return None if origin is None else (origin, body)
    name = SUGGESTION.match(body)
    if name is None:
        return None
    return Origin("person", name=name[0].decode(), way="ghost"), body[name.end() :]


class Message(BaseModel):
    """Something a page says about one channel."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    channel: Annotated[int, Field(ge=0, lt=1 << 32)]


class Open(Message):
    """Show this file."""

    type: Literal["open"]
    path: Annotated[Text, Field(min_length=1, max_length=4096)]


class Close(Message):
    """The file is not shown any more."""

    type: Literal["close"]


class Save(Message):
    """Save now."""

    type: Literal["save"]
    as_utf8: Annotated[bool, Field(alias="asUtf8")] = False


class Resolve(Message):
    """End a conflict."""

    type: Literal["resolve"]
    choice: Literal["mine", "theirs"]


Asked = Annotated[Open | Close | Save | Resolve, Field(discriminator="type")]
ASKED: TypeAdapter[Open | Close | Save | Resolve] = TypeAdapter(Asked)
