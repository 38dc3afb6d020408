"""The JSON of what people do with files: making, moving, duplicating, deleting, bringing back."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.server.schemas.base import ResourceId, Schema, Text

FilePath = Annotated[Text, StringConstraints(min_length=1, max_length=4096)]
LinkWords = Annotated[Text, StringConstraints(max_length=8192)]


class NewFile(Schema):
    """A file or a folder to make; its parent must exist, unless parents are wanted, too."""

    path: FilePath
    kind: Literal["file", "folder"] = "file"
    parents: bool = False
    text: Annotated[Text, StringConstraints(max_length=100_000)] = ""


class FileMove(Schema):
    """Something gets another name or another place."""

    path: FilePath
    new_path: FilePath
    links: bool = False
    """Whether links to it, and its own, follow."""
    spellings: dict[FilePath, dict[LinkWords, LinkWords]] = Field(
        default_factory=dict[str, dict[str, str]], max_length=10_000
    )
    """To take a move back: for each text how a link is written now, and was before."""


class FileCopy(Schema):
    """Something is to be there twice; without a new path, beside itself as “… copy”."""

    path: FilePath
    new_path: FilePath | None = None


class FileRemoval(Schema):
    """Something to put into the trash."""

    path: FilePath


class FilePlace(Schema):
    """Where something is now."""

    path: str


class ChangedLink(Schema):
    """A link, as it is written before and after a move."""

    line: int
    before: str
    after: str


class ChangedText(Schema):
    """The links of a text that follow a move; the path is the one before it."""

    path: str
    links: list[ChangedLink]


class UnchangedText(Schema):
    """A text whose links can't follow, and why."""

    path: str
    reason: str


class LinkChanges(Schema):
    """What a move changes in links."""

    texts: list[ChangedText]
    left_alone: list[UnchangedText]
    truncated: bool


class MovedFile(FilePlace):
    """Where something is now, and which links have followed."""

    links: LinkChanges


class DeletedFile(Schema):
    """Something in the trash."""

    id: ResourceId
    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    deleted_at: int


class DeletedFilePage(Schema):
    """What lies in a project's trash, the newest first."""

    items: list[DeletedFile]
    next_cursor: str | None
