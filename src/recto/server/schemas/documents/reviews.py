"""The JSON of reviews, authorship and versions."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.server.schemas.base import Body, ResourceId, Schema, Text

HunkId = Annotated[Text, StringConstraints(min_length=1, max_length=200)]
EditKind = Literal["edited", "created", "deleted", "moved", "replaced"]


class ReviewEdit(Schema):
    """One call of a tool that changed the file."""

    id: ResourceId
    chat_id: ResourceId
    turn_id: ResourceId
    call_id: str
    tool: str
    model: str
    """Its name, for people."""
    prompt_hash: str
    at: int


class Review(Schema):
    """What waits in one file."""

    id: ResourceId
    path: str
    kind: EditKind
    from_path: str | None
    """Where it was before it was moved."""
    unit: Literal["word", "line"]
    """What `added` and `removed` count."""
    added: int
    removed: int
    hunk_count: int
    """0 where only the whole file can be accepted or rejected."""
    edits: list[ReviewEdit]
    problem: str | None = None
    """Why it could not be done what was asked for."""


class ReviewList(Schema):
    """What waits in a project."""

    items: list[Review]


class ReviewHunk(Schema):
    """One passage: the text has `new` where it had `old`."""

    id: HunkId
    line: int
    """Where it begins, from 1."""
    old: str
    new: str
    edits: list[str]


class OpenedReview(Schema):
    """A review with its passages."""

    review: Review
    hunks: list[ReviewHunk]


class HunkChoice(Body):
    """Which passages are meant; all when left out."""

    hunks: Annotated[list[HunkId], Field(min_length=1, max_length=10_000)] | None = None


class ReviewLeft(Schema):
    """What is left of a review; null when nothing is."""

    review: Review | None


class AuthorSpan(Schema):
    """UTF-16 units of the text, and the number of their author."""

    start: int
    end: int
    author: int


class Author(Schema):
    """Somebody who wrote a part of a text; for an AI, which edit of which turn.

    What was suggested at the cursor has a model, and no turn.
    """

    kind: Literal["before", "typed", "pasted", "outside", "ghost", "ai"]
    edit_id: str | None = None
    chat_id: str | None = None
    turn_id: str | None = None
    model: str | None = None
    prompt_hash: str | None = None
    at: int | None = None


class Authorship(Schema):
    """Who wrote a text."""

    path: str
    spans: list[AuthorSpan]
    authors: list[Author]
    characters: int
    by_ai: int
    """Characters that AI wrote and that are still there."""
    ai_edited_since: int
    """Characters that AI wrote and that a person, or another program, changed or removed."""


class Version(Schema):
    """One edit of a file."""

    id: ResourceId
    at: int
    tool: str
    model: str
    chat_id: ResourceId
    turn_id: ResourceId
    kind: EditKind
    status: Literal["pending", "accepted", "rejected", "undone", "not_written"]


class SavedVersion(Schema):
    """A stretch of a person's own writing in a file, saved last at `at`."""

    id: ResourceId
    begun_at: int
    at: int


class VersionList(Schema):
    """The edits of a file by AI, and what a person saved; each the newest first."""

    items: list[Version]
    saves: list[SavedVersion]


class VersionTexts(Schema):
    """The text before and after an edit; null where there was none."""

    before: str | None
    after: str | None


class Restore(Body):
    """Which text to go back to."""

    side: Literal["before", "after"]
