"""The JSON of what people do with files: making, moving, duplicating, deleting, bringing back."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from recto.server.schemas.base import ResourceId, Schema, Text

FilePath = Annotated[Text, StringConstraints(min_length=1, max_length=4096)]


class NewFile(Schema):
    """A file or a folder to make; its parent must exist."""

    path: FilePath
    kind: Literal["file", "folder"] = "file"
    text: Annotated[Text, StringConstraints(max_length=100_000)] = ""


class FileMove(Schema):
    """Something gets another name or another place."""

    path: FilePath
    new_path: FilePath


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
