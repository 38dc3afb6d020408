"""The services that chats and turns depend on, put together once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from recto.access import Budget, Models
from recto.agent import TurnLimits
from recto.assist import Questions
from recto.chats.history.archive import Archive
from recto.chats.history.journal import ChatJournals
from recto.chats.history.sent_bytes import SentBytes
from recto.clock import Clock, Ids
from recto.config import Trust
from recto.context import TokenCounter, Transform
from recto.documents import Documents
from recto.margin import Notes
from recto.mcp import McpServers
from recto.notebooks import Notebooks
from recto.reviews import Commits, Edits
from recto.skills import Skills
from recto.storage import Storage
from recto.tools import Toolbox
from recto.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TurnPreferences:
    """What the user wants of turns; it may change from one turn to the next."""

    limits: TurnLimits
    summarises: bool
    """Whether a chat that fills its model's window is summarised without asking."""
    asks_after_reading: bool = True
    """Whether text of others that was read makes calls ask that no rule names one by one."""
    summarises_results: bool = False
    """Whether a model summarises what tools answer that is too long to be sent whole."""
    transforms: tuple[Transform, ...] = ()
    """The user's own quick transforms."""


@dataclass(frozen=True, slots=True)
class ChatServices:
    """The services behind chats."""

    storage: Storage
    archive: Archive
    journals: ChatJournals
    models: Models
    budget: Budget
    questions: Questions
    counter: TokenCounter
    open_workspace: Callable[[str], Awaitable[Workspace]]
    """The folder of a project."""
    open_toolbox: Callable[[Workspace], Awaitable[Toolbox]]
    """The tools of a folder, with the permissions in force now."""
    trust: Trust
    """Which instructions of folders the user has agreed to."""
    save_rules: Callable[[bytes], None]
    """Keeps the user's own rules for tools."""
    clock: Clock
    ids: Ids
    preferences: Callable[[], TurnPreferences]
    """What the user wants now."""
    sent: SentBytes
    """What was recorded last of each chat: the next is stored as what is new in it."""
    open_documents: Callable[[str], Awaitable[Documents]] | None = None
    """The live documents of a project; without them, files are changed on disk only."""
    edits: Edits | None = None
    """Where the edits of runs are kept for review; a replay makes none."""
    commits: Commits | None = None
    """Keeps accepted runs in git; none where nobody has accepted anything when a run ends."""
    notes: Notes | None = None
    """The margins of texts, for the tools that write there; a replay has none."""
    mcp: McpServers | None = None
    """The servers whose tools are offered beside ours; a replay has what they answered."""
    notebooks: Notebooks | None = None
    """Whoever shows notebooks is told what is written into them; a replay writes into none."""
    skills: Skills | None = None
    """The skills of projects; a replay has what they gave in its record."""

    async def settle(self, project_id: str) -> None:
        """What people have typed goes to the disk, before it is taken from there."""
        if self.open_documents is not None:
            await (await self.open_documents(project_id)).settle()
