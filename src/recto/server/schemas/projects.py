"""The JSON of projects."""

from typing import Annotated, Literal

from pydantic import (
    Field,
    StringConstraints,
)

from recto.server.schemas.base import Body, Name, ResourceId, Schema, SkillId, Text


class ProjectSettings(Body):
    """What holds for one project."""

    default_context_ids: list[ResourceId] = Field(default_factory=list, max_length=1000)
    default_skill_ids: list[SkillId] = Field(default_factory=list, max_length=1000)
    write_policy: Literal["review", "direct"] | None = None
    strip_outputs: bool = False
    """Whether notebooks are saved without what their cells answered."""
    kernel_rights: Literal["own", "sandbox", "network"] = "own"
    """What kernels may do from their next start on: what the user may, or what the sandbox of
    commands leaves them, without the network or with it."""


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


class NewProject(Body):
    """A folder to work in."""

    path: Annotated[Text, StringConstraints(min_length=1, max_length=4096)]
    name: Name | None = None


class ProjectUpdate(Body):
    """What may be changed of a project."""

    resource = Project

    name: Name
    settings: ProjectSettings
