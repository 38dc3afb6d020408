"""The folders people work in: projects, their live workspaces, and the feed of what changed."""

from recto.projects.contexts import ContextPage, Contexts, CountedContext
from recto.projects.counting import FileCounts
from recto.projects.failures import (
    NotConfirmed,
    NotPlaced,
    PathRefused,
    ProjectFailure,
    TooManyFiles,
)
from recto.projects.feed import Feed, FilesChanged, Follower, ResourceChanged
from recto.projects.projects import Project, ProjectPage, Projects
from recto.projects.tokens import Chosen, Tally, Tokens
from recto.projects.workspaces import Workspaces
from recto.storage import BadCursor, NoSpace, NotFound, NotStorable, StaleVersion, StorageFailure
from recto.storage import Unavailable as StoreUnavailable

__all__ = [
    "BadCursor",
    "Chosen",
    "ContextPage",
    "Contexts",
    "CountedContext",
    "Feed",
    "FileCounts",
    "FilesChanged",
    "Follower",
    "NoSpace",
    "NotConfirmed",
    "NotFound",
    "NotPlaced",
    "NotStorable",
    "PathRefused",
    "Project",
    "ProjectFailure",
    "ProjectPage",
    "Projects",
    "ResourceChanged",
    "StaleVersion",
    "StorageFailure",
    "StoreUnavailable",
    "Tally",
    "Tokens",
    "TooManyFiles",
    "Workspaces",
]
