"""The JSON that goes in and out of the API: camelCase, times in milliseconds."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
ResourceId = Annotated[str, StringConstraints(pattern=r"^[0-9a-hjkmnp-tv-z]{26}$")]
SkillId = Annotated[
    str,
    StringConstraints(
        pattern=r"^(builtin\.[a-z-]{1,40}|folder\.[0-9a-f]{8}|[0-9a-hjkmnp-tv-z]{26})$"
    ),
]
"""A skill of one's own has an id like everything else; the others are named by where they are."""


class Schema(BaseModel):
    """What every body shares."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, from_attributes=True, extra="forbid"
    )


class ProblemBody(BaseModel):
    """What went wrong and what to do (RFC 9457)."""

    model_config = ConfigDict(title="Problem")

    type: str
    title: str
    status: int
    detail: str
    remedy: str | None = None
    errors: list[dict[str, object]] = Field(default_factory=list[dict[str, object]])


class Health(Schema):
    """The server is there."""

    status: Literal["ok"] = "ok"
    version: str


class ProjectSettings(Schema):
    """What holds for one project."""

    default_context_ids: list[ResourceId] = Field(default_factory=list, max_length=1000)
    default_skill_ids: list[SkillId] = Field(default_factory=list, max_length=1000)
    write_policy: Literal["review", "direct"] | None = None


class Project(Schema):
    """A folder that Recto works in."""

    id: ResourceId
    name: str
    path: str
    created_at: int
    last_accessed_at: int
    version: int
    available: bool
    settings: ProjectSettings


class ProjectPage(Schema):
    """Some projects, the most recently used first."""

    items: list[Project]
    next_cursor: str | None


class NewProject(Schema):
    """A folder to work in."""

    path: Annotated[Text, StringConstraints(min_length=1, max_length=4096)]
    name: Name | None = None


class ProjectUpdate(Schema):
    """What may be changed of a project."""

    name: Name
    settings: ProjectSettings


class Entry(Schema):
    """One name in a folder. A name that is not valid text has no path and can't be opened."""

    name: str
    path: str | None
    kind: Literal["file", "folder", "link", "other"]
    size: int | None
    modified_at: int | None
    ignored: bool


class FolderPage(Schema):
    """Some of what lies in a folder."""

    path: str
    items: list[Entry]
    next_cursor: str | None


class TextFile(Schema):
    """A text and how it is stored."""

    path: str
    text: str
    size: int
    hash: str
    encoding: str
    line_ending: Literal["lf", "crlf", "cr", "mixed", "none"]
    bom: bool


class FileNameMatch(Schema):
    """A file whose name fits, and which of its UTF-16 units do."""

    path: str
    positions: list[int]


class FileNames(Schema):
    """The files that fit best."""

    items: list[FileNameMatch]
    total: int
    truncated: bool


class SearchMatch(Schema):
    """A line that fits. `ranges` count as JavaScript does, in UTF-16 units."""

    path: str
    line: int
    column: int
    text: str
    ranges: list[tuple[int, int]]


class SearchResults(Schema):
    """The lines that fit."""

    items: list[SearchMatch]
    truncated: bool


GitMark = Literal["modified", "added", "conflict", "deleted", "renamed", "untracked"]


class GitState(Schema):
    """What git says of the folder."""

    repository: bool
    branch: str | None
    files: dict[str, GitMark]
    truncated: bool
    reason: str | None


class DoctorCheck(Schema):
    """One thing Recto needs, and how it is."""

    name: str
    state: Literal["ok", "warning", "problem"]
    detail: str
    remedy: str | None


class DoctorReport(Schema):
    """Everything Recto needs of this computer."""

    checks: list[DoctorCheck]


class SessionLink(Schema):
    """An address that signs in one browser, once."""

    url: str
