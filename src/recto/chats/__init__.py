"""Durable chats: input admitted, turns run, recorded and published; titles, summaries, branches."""

from recto.chats.failures import (
    Busy,
    ChatFailure,
    IdTaken,
    InvalidPlacement,
    NothingToDo,
    NotRunning,
)
from recto.chats.history.archive import Archive
from recto.chats.history.entries import (
    Accounting,
    AnswerSource,
    Assistant,
    AttachedText,
    ChatEntry,
    EntryConfidence,
    EntryContent,
    Error,
    MissingFromSummary,
    Notice,
    Result,
    SideQuestion,
    Summary,
    System,
    Title,
    ToolResults,
    Totals,
    User,
)
from recto.chats.history.journal import ChatJournals
from recto.chats.history.sent_bytes import SentBytes
from recto.chats.library.groups import Groups
from recto.chats.library.keeping import Keeping, KeepingRule, keeping_rules
from recto.chats.library.opened_chat import OpenedChat, WatchedEvent
from recto.chats.library.pinned import PinnedItems, pinned_of
from recto.chats.library.requests import (
    ChatChange,
    ClientChat,
    ClientGroup,
    GroupChange,
    NewChatOptions,
    PlainMessage,
    SyncOutcome,
)
from recto.chats.outside.bringing_back import BringingBack, BroughtFile, BroughtNote
from recto.chats.outside.calls import OutsideCalls
from recto.chats.preview import Preview
from recto.chats.prompts.attachments import (
    ChosenTransform,
    OpenDocument,
    PagePassage,
    SelectedPassage,
    UserMessage,
)
from recto.chats.prompts.folder_instructions import FolderInstructions, JudgedInstruction
from recto.chats.service import Chats, model_of, pins_of, profile_of, text_of
from recto.chats.services import ChatServices, TurnPreferences
from recto.chats.threads.applied_edits import PassageGone
from recto.chats.threads.proposals import NotOpen, Proposals
from recto.chats.threads.threads import Threads
from recto.chats.turns.approvals import ApprovalAnswer, NoSuchApproval
from recto.chats.turns.queue import AdmittedTurn
from recto.chats.turns.thread_status import Status, ThreadStatus
from recto.chats.undo import UndoneFile, UndoOutcome
from recto.storage import Chat, ChatGroup, Proposal, Run

__all__ = [
    "Accounting",
    "AdmittedTurn",
    "ApprovalAnswer",
    "Archive",
    "SideQuestion",
    "Assistant",
    "AttachedText",
    "NewChatOptions",
    "Busy",
    "Chat",
    "ChatFailure",
    "ChatGroup",
    "ClientChat",
    "Chats",
    "ChosenTransform",
    "EntryContent",
    "ChatEntry",
    "Error",
    "FolderInstructions",
    "ClientGroup",
    "Groups",
    "ChatJournals",
    "Keeping",
    "KeepingRule",
    "keeping_rules",
    "SentBytes",
    "JudgedInstruction",
    "IdTaken",
    "ChatServices",
    "PlainMessage",
    "InvalidPlacement",
    "MissingFromSummary",
    "NoSuchApproval",
    "NotOpen",
    "NotRunning",
    "Notice",
    "NothingToDo",
    "OpenDocument",
    "PagePassage",
    "PinnedItems",
    "BringingBack",
    "BroughtFile",
    "BroughtNote",
    "OutsideCalls",
    "Preview",
    "Proposal",
    "Proposals",
    "Result",
    "Run",
    "UserMessage",
    "SelectedPassage",
    "AnswerSource",
    "ThreadStatus",
    "Status",
    "Summary",
    "EntryConfidence",
    "SyncOutcome",
    "System",
    "PassageGone",
    "Threads",
    "Title",
    "WatchedEvent",
    "ToolResults",
    "Totals",
    "UndoOutcome",
    "UndoneFile",
    "User",
    "OpenedChat",
    "ChatChange",
    "GroupChange",
    "TurnPreferences",
    "model_of",
    "pinned_of",
    "pins_of",
    "profile_of",
    "text_of",
]
