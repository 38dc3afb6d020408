"""The JSON of tracked changes in Word documents."""

from typing import Annotated, Literal

from pydantic import Field

from recto.server.schemas.base import Schema, Text
from recto.server.schemas.file_operations import FilePath


class TrackedChange(Schema):
    """One change: what was inserted, deleted, replaced or moved, or a format."""

    what: Literal["inserted", "deleted", "replaced", "moved", "format"]
    author: str
    date: str
    text: str


class TrackedChangeList(Schema):
    """The changes of a document, in order, and the hash of the document they are in."""

    hash: str
    changes: list[TrackedChange]


Place = Annotated[int, Field(ge=0, le=1_000_000)]


class Settlement(Schema):
    """Changes to accept or reject: those at these places of the list, or all."""

    path: FilePath
    hash: Text
    accept: bool
    chosen: Annotated[list[Place], Field(max_length=10_000)] | None = None
