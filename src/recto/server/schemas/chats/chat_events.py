"""The JSON of what happens in a chat, and of a chat as it is opened."""

from typing import Annotated, Literal

from pydantic import Field

from recto.server.schemas.base import Schema
from recto.server.schemas.chats.chats import Chat
from recto.server.schemas.chats.entries import CallResult, ChatTotals, Entry
from recto.server.schemas.chats.turns import Turn


class EventFields(Schema):
    """What every event has: its number in the chat."""

    seq: int


class EntryAdded(EventFields):
    """The history has one more entry."""

    kind: Literal["entry"] = "entry"
    entry: Entry


class TurnChanged(EventFields):
    """A turn began, waits, or ended."""

    kind: Literal["turn"] = "turn"
    turn_id: str
    state: Literal[
        "queued", "running", "finished", "failed", "cancelled", "interrupted", "joined", "removed"
    ]
    text: str
    model: str | None
    profile: Literal["chat", "document"] = "chat"
    document: str | None = None
    """The path of the document that it is about."""


class StepStarted(EventFields):
    """A model is asked."""

    kind: Literal["step"] = "step"
    turn_id: str
    step: int
    limit: int | None = None
    """The most steps that the turn may take."""
    model: str
    model_name: str


class PromptRead(EventFields):
    """A model on this computer has read so much of what it was sent."""

    kind: Literal["reading"] = "reading"
    turn_id: str
    step: int
    read: int
    total: int
    """In tokens; 0 while the model is being loaded."""


class TextAdded(EventFields):
    """Some more words of the answer of the current step."""

    kind: Literal["text"] = "text"
    turn_id: str
    step: int
    text: str


class ThinkingAdded(EventFields):
    """Some more of what it thinks; the first may be empty: it begins to think."""

    kind: Literal["thinking"] = "thinking"
    turn_id: str
    step: int
    text: str
    is_over: bool


class CallWritten(EventFields):
    """The model is writing a tool call; its arguments are not whole yet."""

    kind: Literal["call_written"] = "call_written"
    turn_id: str
    step: int
    slot: int
    call_id: str
    name: str


class CallBegan(EventFields):
    """A tool runs."""

    kind: Literal["call_started"] = "call_started"
    turn_id: str
    step: int
    call_id: str
    name: str
    arguments: dict[str, object]


class CallPrinted(EventFields):
    """A running tool printed something."""

    kind: Literal["call_output"] = "call_output"
    turn_id: str
    call_id: str
    text: str


class CallOver(EventFields):
    """A tool has answered."""

    kind: Literal["call_ended"] = "call_ended"
    turn_id: str
    result: CallResult


class ApprovalAsked(EventFields):
    """A tool waits for a person."""

    kind: Literal["approval"] = "approval"
    approval_id: str
    turn_id: str
    call_id: str
    name: str
    arguments: dict[str, object]
    why: str
    rule: str | None
    """What "always" would allow from now on; null when it can't be allowed for good."""
    is_unsandboxed: bool


class ApprovalAnswered(EventFields):
    """The person answered, or the turn ended."""

    kind: Literal["approval_answered"] = "approval_answered"
    approval_id: str
    call_id: str
    answer: Literal["once", "chat", "always", "deny", "cancelled"]


class ElicitationAsked(EventFields):
    """An MCP server asks a person something, in the middle of a call."""

    kind: Literal["elicitation"] = "elicitation"
    elicitation_id: str
    turn_id: str
    call_id: str
    server: str
    message: str
    form: dict[str, object] | None
    """The JSON schema of what is to be filled in: an object of plain fields."""
    url: str | None
    """An address to open instead; it is shown whole first."""


class ElicitationAnswered(EventFields):
    """The person answered, or the call ended."""

    kind: Literal["elicitation_answered"] = "elicitation_answered"
    elicitation_id: str
    call_id: str
    action: Literal["accept", "decline", "cancel", "cancelled"]


class ChatRenamed(EventFields):
    """The chat has another title or model."""

    kind: Literal["chat"] = "chat"
    title: str
    model: str | None


class EntriesPinned(EventFields):
    """Messages are sent whole whatever happens from now on, or no longer."""

    kind: Literal["pin"] = "pin"
    entry_ids: list[str]
    pinned: bool


ChatEvent = Annotated[
    EntryAdded
    | TurnChanged
    | StepStarted
    | PromptRead
    | TextAdded
    | ThinkingAdded
    | CallWritten
    | CallBegan
    | CallPrinted
    | CallOver
    | ApprovalAsked
    | ApprovalAnswered
    | ElicitationAsked
    | ElicitationAnswered
    | ChatRenamed
    | EntriesPinned,
    Field(discriminator="kind"),
]


class ChatView(Schema):
    """A chat as it is opened: the end of its history, and what goes on now."""

    chat: Chat
    entries: list[Entry]
    has_earlier: bool
    turns: list[Turn]
    """The running or interrupted turn first, then those that wait."""
    events: list[ChatEvent]
    """What has happened in the running turn since the last entry: fold them like live ones."""
    last_event: int
    """Follow the stream from here."""
    totals: ChatTotals
