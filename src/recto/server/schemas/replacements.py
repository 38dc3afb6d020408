"""The JSON of replacing in all files."""

from typing import Annotated

from pydantic import Field

from recto.server.schemas.base import Body, Schema, Text

ReplacementId = Annotated[Text, Field(pattern=r"^[0-9a-f]{64}$")]


class ReplacementAsked(Body):
    """What to find and what comes in its place."""

    query: Annotated[Text, Field(min_length=1, max_length=1000)]
    replacement: Annotated[Text, Field(max_length=1000)]
    regex: bool = False
    case_sensitive: bool = False
    whole_word: bool = False


class ReplacementMade(ReplacementAsked):
    """The same, as it was looked at, without the hits that are left out."""

    look: ReplacementId
    left_out: list[Annotated[int, Field(ge=0, le=1_000_000)]] = Field(
        default_factory=list[int], max_length=100_000
    )


class ReplacementHit(Schema):
    """A hit in its line, in UTF-16 units, and what comes in its place. Hits count from 0."""

    number: int
    start: int
    end: int
    new: str


class ReplacementLine(Schema):
    """A line with hits. Of a long one only what is around the first hit is shown."""

    path: str
    line: int
    text: str
    hits: list[ReplacementHit]


class ReplacementLook(Schema):
    """What would be replaced; `items` has the first lines of it."""

    id: str
    items: list[ReplacementLine]
    files: int
    hits: int
    too_much: bool


class FileLeft(Schema):
    """A file that was left as it is, and why."""

    path: str
    reason: str


class Replaced(Schema):
    """What was done; `id` takes it back."""

    id: str | None
    files: int
    hits: int
    left: list[FileLeft]
