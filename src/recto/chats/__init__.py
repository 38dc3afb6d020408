"""Durable chats: input admitted, turns run, recorded and published; titles, summaries, branches."""

from recto.chats.approvals import Answer, Approvals, NoSuchApproval
from recto.chats.archive import Archive
from recto.chats.entries import (
    Accounting,
    Asked,
    Assistant,
    Attached,
    Content,
    Entry,
    Error,
    Missing,
    Notice,
    Result,
    Source,
    Summary,
    Sureness,
    System,
    Title,
    ToolResults,
    Totals,
    User,
)
from recto.chats.failures import Busy, ChatFailure, Known, Misplaced, NothingToDo, NotRunning
from recto.chats.gathering import ChosenTransform, OpenDocument, Said, Selected
from recto.chats.groups import Groups
from recto.chats.journal import Journals
from recto.chats.means import Means, Wishes
from recto.chats.pinned import Pinned, pinned_of
from recto.chats.preview import Preview
from recto.chats.service import Chats, model_of, pins_of, profile_of, text_of
from recto.chats.threads.proposals import NotOpen, Proposals
from recto.chats.threads.standing import Standing, Status
from recto.chats.threads.taking import TextChanged
from recto.chats.threads.threads import Threads
from recto.chats.turns import Admitted
from recto.chats.undoing import Undone, UndoneFile
from recto.chats.views import Told, View
from recto.chats.wanted import (
    Beginning,
    ChatRow,
    GroupRow,
    Message,
    Synced,
    WantedChat,
    WantedGroup,
)
from recto.storage import Chat, ChatGroup, Proposal, Run

__all__ = [
    "Accounting",
    "Admitted",
    "Answer",
    "Approvals",
    "Archive",
    "Asked",
    "Assistant",
    "Attached",
    "Beginning",
    "Busy",
    "Chat",
    "ChatFailure",
    "ChatGroup",
    "ChatRow",
    "Chats",
    "ChosenTransform",
    "Content",
    "Entry",
    "Error",
    "GroupRow",
    "Groups",
    "Journals",
    "Known",
    "Means",
    "Message",
    "Misplaced",
    "Missing",
    "NoSuchApproval",
    "NotOpen",
    "NotRunning",
    "Notice",
    "NothingToDo",
    "OpenDocument",
    "Pinned",
    "Preview",
    "Proposal",
    "Proposals",
    "Result",
    "Run",
    "Said",
    "Selected",
    "Source",
    "Standing",
    "Status",
    "Summary",
    "Sureness",
    "Synced",
    "System",
    "TextChanged",
    "Threads",
    "Title",
    "Told",
    "ToolResults",
    "Totals",
    "Undone",
    "UndoneFile",
    "User",
    "View",
    "WantedChat",
    "WantedGroup",
    "Wishes",
    "model_of",
    "pinned_of",
    "pins_of",
    "profile_of",
    "text_of",
]
