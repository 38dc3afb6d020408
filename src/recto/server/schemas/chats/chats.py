"""The JSON of chats as things: listed, kept in folders, changed, synced, found."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, StringConstraints, model_validator

from recto.server.rows import DescribedAs
from recto.server.schemas.base import Body, ResourceId, Schema, SkillId, Text
from recto.server.schemas.chats.turns import FilePath, LongText

AN_ID = "01h8xbb5r6c0y4m3n2p1q0t9v8"
A_MODEL = "anthropic/claude-sonnet-4-6"
MOST_IDS = 100
MOST_FILES = 1000
MOST_ROWS = 200
MOST_MESSAGES = 5000
SAFE = (1 << 53) - 1
"""The largest whole number that every JSON reader keeps."""
Time = Annotated[int, Field(ge=0, le=SAFE)]
Version = Annotated[int, Field(ge=1, le=SAFE - 1_000_000)]
"""With room for the changes to come."""
Title = Annotated[Text, StringConstraints(max_length=300)]
Model = Annotated[Text, StringConstraints(max_length=300)]
Prompt = Annotated[Text, StringConstraints(max_length=64_000)]
ContextIds = Annotated[list[ResourceId], Field(max_length=MOST_IDS)]
SkillIds = Annotated[list[SkillId], Field(max_length=MOST_IDS)]
Files = Annotated[list[FilePath], Field(max_length=MOST_FILES)]
A_CHAT: dict[str, JsonValue] = {
    "title": "Tides at the north pier",
    "groupId": AN_ID,
    "contextIds": [AN_ID],
    "skillIds": ["builtin.concise"],
    "additionalFiles": ["methods.md"],
    "additionalPrompt": "Use metric units.",
    "isGlobal": False,
}


class Chat(Schema):
    """A conversation, without what was said."""

    id: ResourceId
    project_id: ResourceId
    title: str
    model: str | None
    """The model chosen for it; null is the one for chats."""
    group_id: ResourceId | None
    """The folder it lies in."""
    context_ids: list[ResourceId]
    """What is pinned to it: a page that opens it switches this on."""
    skill_ids: list[SkillId]
    additional_files: list[str]
    additional_prompt: str
    is_global: bool
    """Whether it is listed in every project."""
    created_at: int
    last_active_at: int
    version: int
    is_running: bool


class ChatPage(Schema):
    """Some chats, the most recently active first."""

    items: list[Chat]
    next_cursor: str | None


class ChatMessage(Schema):
    """Something that was said in a chat."""

    id: ResourceId
    role: Literal["user", "assistant"]
    text: str
    created_at: int


class WholeChat(Chat):
    """A chat with everything that was said and still counts, in order."""

    messages: list[ChatMessage]


class NewChat(Body):
    """A chat to begin."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{}, {"title": "Tides", "model": A_MODEL}]}
    )

    id: ResourceId | None = None
    """Its id, if the caller has made one; null is a new one."""
    title: Title = ""
    model: Model | None = None
    group_id: ResourceId | None = None
    context_ids: ContextIds | None = None
    """Null is what its folder begins chats with, else what the project does."""
    skill_ids: SkillIds | None = None
    """Null is what its folder begins chats with, else what the project does."""
    additional_files: Files = []
    additional_prompt: Prompt = ""
    is_global: bool = False


class ChatUpdate(Body):
    """A chat as it is to be."""

    resource = WholeChat

    model_config = ConfigDict(
        json_schema_extra={"examples": [{**A_CHAT, "model": A_MODEL, "projectId": AN_ID}]}
    )

    title: Title
    model: Model | None
    group_id: ResourceId | None
    context_ids: ContextIds
    skill_ids: SkillIds
    additional_files: Files
    additional_prompt: Prompt
    is_global: bool
    project_id: ResourceId
    """Another project's id moves the chat there."""


class NewMessage(Body):
    """Something to add to a chat's history; no model is asked."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"role": "user", "text": "High water was at 06:14.", "createdAt": 0}]
        }
    )

    id: ResourceId | None = None
    """Its id, if the caller has made one: then the same call twice adds it once."""
    role: Literal["user", "assistant"]
    text: Annotated[LongText, StringConstraints(min_length=1)]
    created_at: Time | None = None
    """When it was said; null is now."""


class SyncedMessage(Body):
    """Something that was said, as a client has it."""

    id: ResourceId
    role: Literal["user", "assistant"]
    text: LongText
    created_at: Time

    @model_validator(mode="after")
    def says_something(self) -> Self:
        """A person may send a picture without words; an answer without words is none."""
        if self.role == "assistant" and not self.text:
            raise ValueError("an answer needs words")
        return self


class SyncedChat(Body):
    """A chat as a client has it, whole: what is left out is empty. A listed one is taken, too."""

    resource = WholeChat

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{**A_CHAT, "id": AN_ID, "createdAt": 0, "lastActiveAt": 0, "_version": 3}]
        }
    )

    id: ResourceId
    title: Title = ""
    group_id: ResourceId | None = None
    context_ids: ContextIds = []
    skill_ids: SkillIds = []
    additional_files: Files = []
    additional_prompt: Prompt = ""
    is_global: bool = False
    model: Model | None = None
    """Null leaves the chosen one as it is."""
    created_at: Time
    last_active_at: Time
    version: Version | None = Field(default=None, alias="_version")
    """Raised with every change; `version` as listed is the same. Without one, the later
    `lastActiveAt` decides."""
    messages: Annotated[list[SyncedMessage], Field(max_length=MOST_MESSAGES)] | None = None
    """The whole history; null leaves it as it is. It may grow, never shrink."""


class ChatsToSync(Body):
    """Chats as a client has them, each once."""

    chats: Annotated[
        list[Annotated[JsonValue, DescribedAs(SyncedChat)]], Field(max_length=MOST_ROWS)
    ]


Outcome = Literal["taken", "kept", "refused"]


class SyncedChatResult(Schema):
    """What became of a row."""

    id: str | None
    """As the row says it; null when it says none."""
    outcome: Outcome
    """taken: the server has it now; kept: the server's own is as new or newer."""
    reason: str | None = None
    """Why it was refused."""
    row: Chat | None = None
    """The chat as it is now; null when there is none that the caller may see."""


class SyncedChats(Schema):
    """What became of each row, in the order of the request."""

    results: list[SyncedChatResult]


class ChatMatch(Schema):
    """A place in a chat that fits a search."""

    chat_id: ResourceId
    title: str
    entry_id: ResourceId | None
    """Null when it is the chat's title itself."""
    seq: int
    kind: str | None
    snippet: str
    ranges: list[tuple[int, int]]
    is_thread: bool
    """Whether it is the conversation of a thread."""


class ChatMatches(Schema):
    """Places in chats that fit a search, best first."""

    items: list[ChatMatch]


class ImportResult(Schema):
    """What came in from another program's export."""

    imported: int
    known: int
    """Those that were here already."""
    skipped: list[str]
    """What could not be read, and why."""
