"""What the routes work with, handed in once by the composition root."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, Protocol

from fastapi import Depends, Request

from recto.access import (
    Budget,
    GatewaySession,
    ListModels,
    LocalModels,
    LookAt,
    ModelDownloads,
    Models,
    TryKey,
    UsageReports,
)
from recto.assist import CalibrationReports, Questions, Suggestions
from recto.chats import (
    BringingBack,
    Chats,
    FolderInstructions,
    Groups,
    KeepingRule,
    Proposals,
    Threads,
)
from recto.clock import Clock, Ids
from recto.config import Preferences
from recto.context import TokenCounter
from recto.doctor import Check
from recto.documents import Documents
from recto.margin import Notes
from recto.mcp import McpServers
from recto.messages import Failure, StreamEvent
from recto.messages import Request as Question
from recto.notebooks import LiveNotebooks
from recto.projects import (
    CommittedTexts,
    Contexts,
    Feed,
    FileOperations,
    NoteLinks,
    ProjectLibrary,
    Projects,
    Publications,
    Replacements,
    ReturnedDrafts,
    SelectionCounter,
    TrackedChanges,
    WordPages,
    Workspaces,
)
from recto.reviews import Authorships, Reviews, Versions
from recto.server.gate import Site
from recto.server.mcp_server.endpoint import McpEndpoint
from recto.skills import Skills
from recto.supervisor import TaskHealth
from recto.tools import Toolboxes


class AnswerWriter(Protocol):
    """Writes one answer for a foreign client."""

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes."""
        ...

    def write_metadata(self, metadata: dict[str, object]) -> bytes:
        """The frame with what is told besides the answer."""
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
    """Everything behind the API and the commands."""

    version: str
    projects: Projects
    workspaces: Workspaces
    documents: Callable[[str], Awaitable[Documents]]
    files: FileOperations
    links: NoteLinks
    tracked_changes: TrackedChanges
    word_pages: WordPages
    feed: Feed
    contexts: Contexts
    tokens: SelectionCounter
    preferences: Preferences
    keeping: tuple[KeepingRule, ...]
    """What is kept, and for how long."""
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
    instructions: FolderInstructions
    notes: Notes
    threads: Threads
    proposals: Proposals
    skills: Skills
    tools: Toolboxes
    library: ProjectLibrary
    publications: Publications
    returned_drafts: ReturnedDrafts
    bringing_back: BringingBack
    replacements: Replacements
    committed_texts: CommittedTexts
    counter: TokenCounter
    mcp: McpServers
    mcp_endpoint: McpEndpoint
    notebooks: LiveNotebooks
    dialect: Dialect
    list_models: ListModels
    try_key: TryKey
    look_at: LookAt
    gateway: GatewaySession
    server_addresses: Sequence[str]
    """Where on this computer running model servers are looked for."""
    local_models: LocalModels
    fetches: ModelDownloads
    ids: Ids
    clock: Clock
    zone: tzinfo
    examine: Callable[[], Awaitable[Sequence[Check]]]
    background: Callable[[], Sequence[TaskHealth]]


async def services_of(request: Request) -> Services:
    """The services of the application that got this request.

    Asynchronous, as the framework sends every other function that it is given to a thread.
    """
    return request.app.state.services


ServicesDependency = Annotated[Services, Depends(services_of)]


async def site_of(request: Request) -> Site:
    """The site that got this request; asynchronous for the same reason."""
    return request.app.state.site


SiteDependency = Annotated[Site, Depends(site_of)]
