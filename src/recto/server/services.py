"""What the routes work with, handed in once by the composition root."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, Protocol

from fastapi import Depends, Request

from recto.access import Budget, ListModels, Models, UsageReports
from recto.assist import CalibrationReports, Questions, Suggestions
from recto.chats import Chats, Groups, Proposals, Threads
from recto.clock import Clock, Ids
from recto.config import Preferences
from recto.doctor import Check
from recto.documents import Documents
from recto.margin import Notes
from recto.messages import Failure, StreamEvent
from recto.messages import Request as Question
from recto.projects import Contexts, Feed, Projects, Tokens, Workspaces
from recto.reviews import Authorships, Reviews, Versions
from recto.server.gate import Doorway
from recto.server.page import Page
from recto.server.sessions import Sessions
from recto.skills import Skills
from recto.tools import Toolboxes


class AnswerWriter(Protocol):
    """Writes one answer for a foreign client."""

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes."""
        ...


class Dialect(Protocol):
    """A provider's wire format, spoken by us as the server."""

    def serve(self, body: bytes) -> Question:
        """Read a client's request. Raises ValueError with words."""
        ...

    def writer(self, answer_id: str, model: str, body: bytes) -> AnswerWriter:
        """Write a streamed answer to the request in `body`."""
        ...

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write an answer in one piece."""
        ...

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error: the status and the body."""
        ...


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
    documents: Callable[[str], Awaitable[Documents]]
    feed: Feed
    contexts: Contexts
    tokens: Tokens
    preferences: Preferences
    models: Models
    budget: Budget
    reports: UsageReports
    questions: Questions
    chats: Chats
    groups: Groups
    reviews: Reviews
    authorships: Authorships
    versions: Versions
    suggestions: Suggestions
    calibration: CalibrationReports
    notes: Notes
    threads: Threads
    proposals: Proposals
    skills: Skills
    tools: Toolboxes
    dialect: Dialect
    list_models: ListModels
    ids: Ids
    clock: Clock
    zone: tzinfo
    examine: Callable[[], Awaitable[Sequence[Check]]]


async def services_of(request: Request) -> Services:
    """The services of the application that got this request.

    Asynchronous, as the framework sends every other function that it is given to a thread.
    """
    return request.app.state.services


Given = Annotated[Services, Depends(services_of)]
