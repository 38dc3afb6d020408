"""What the routes work with, handed in once by the composition root."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from recto.doctor import Check
from recto.projects import Feed, Projects, Workspaces
from recto.server.gate import Doorway
from recto.server.page import Page
from recto.server.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Services:
    """Everything behind the API."""

    version: str
    sessions: Sessions
    doorway: Doorway
    base_url: str
    page: Page
    projects: Projects
    workspaces: Workspaces
    feed: Feed
    examine: Callable[[], Awaitable[Sequence[Check]]]


def services_of(request: Request) -> Services:
    """The services of the application that got this request."""
    return request.app.state.services


Given = Annotated[Services, Depends(services_of)]
