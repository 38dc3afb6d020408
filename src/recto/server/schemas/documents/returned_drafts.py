"""The JSON of drafts that came back from Word."""

from typing import Annotated

from pydantic import Base64Bytes, StringConstraints

from recto.projects import ReturnedChanges
from recto.server.schemas.base import Body, Schema, Text

MaybePath = Annotated[Text, StringConstraints(max_length=4000)]


class ReturnedBody(Body):
    """A document that came back: one of the folder, or its bytes."""

    path: MaybePath = ""
    data: Base64Bytes = b""
    draft: MaybePath = ""
    """The draft that it should be a copy of; empty: that which it names."""
    brings: bool = False
    """Whether changes and comments are brought into the draft; otherwise they are only told."""


class ReturnedChange(Schema):
    """A change of the draft."""

    path: str
    line: int
    old: str
    new: str


class ReturnedComment(Schema):
    """Something that was said, with its answers."""

    path: str
    words: str
    body: str


class ReturnedLeftOver(Schema):
    """Something that was changed or said and has no place in the draft."""

    why: str
    old: str
    new: str


class ReturnedReport(Schema):
    """What a document brings back."""

    draft: str
    authors: list[str]
    changes: list[ReturnedChange]
    comments: list[ReturnedComment]
    left_out: list[ReturnedLeftOver]
    already_there: int
    """Changes that the draft has already."""


class SentFrom(Schema):
    """Where a document comes from."""

    draft: str | None


def present_returned(found: ReturnedChanges) -> ReturnedReport:
    """What a document brings back, as the API tells it."""
    return ReturnedReport(
        draft=found.draft,
        authors=list(found.authors),
        changes=[
            ReturnedChange(path=item.path, line=item.line, old=item.old, new=item.new)
            for item in found.changes
        ],
        comments=[
            ReturnedComment(path=item.path, words=item.words, body=item.body)
            for item in found.comments
        ],
        left_out=[
            ReturnedLeftOver(why=item.why, old=item.old, new=item.new) for item in found.left_out
        ],
        already_there=found.already_there,
    )
