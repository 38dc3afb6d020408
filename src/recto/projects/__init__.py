"""The folders people work in: projects, their live workspaces, and the feed of what changed."""

from recto.projects.failures import NotConfirmed, NotPlaced, ProjectFailure
from recto.projects.feed import Feed, FilesChanged, Follower, ResourceChanged
from recto.projects.projects import Project, ProjectPage, Projects
from recto.projects.workspaces import Workspaces
from recto.storage import BadCursor, NoSpace, NotFound, NotStorable, StaleVersion, StorageFailure
from recto.storage import Unavailable as StoreUnavailable

__all__ = [
    "BadCursor",
    "Feed",
    "FilesChanged",
    "Follower",
    "NoSpace",
    "NotConfirmed",
    "NotFound",
    "NotPlaced",
    "NotStorable",
    "Project",
    "ProjectFailure",
    "ProjectPage",
    "Projects",
    "ResourceChanged",
    "StaleVersion",
    "StorageFailure",
    "StoreUnavailable",
    "Workspaces",
]
