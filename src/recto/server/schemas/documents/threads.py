"""The JSON of threads and comments."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from recto.server.schemas.base import Body, ResourceId, Schema, Text
from recto.server.schemas.chats.turns import MAX_OFFSET, FilePath, GoesAlong, LongText

MAX_PASSAGE = 100_000
"""Far more than anybody may talk about."""
MAX_SENT = 100
Words = Annotated[Text, StringConstraints(max_length=100_000)]
Said = Annotated[LongText, StringConstraints(min_length=1)]
Position = dict[str, dict[str, int] | str | int]
"""As Yjs writes a relative position down."""
AN_ID = "01h8xbb5r6c0y4m3n2p1q0t9v8"


class PassageOfText(Body):
    """A passage of a file, in UTF-16 units of its live text.

    With its words in `text` it is found although the file has changed meanwhile: the same words
    next to where they were.
    """

    kind: Literal["text"]
    path: FilePath
    start: Annotated[int, Field(ge=0, le=MAX_OFFSET)]
    end: Annotated[int, Field(ge=0, le=MAX_OFFSET)]
    text: Annotated[Text, StringConstraints(min_length=1)] | None = None


class PassageOfAnswer(Body):
    """A passage of an answer as it is shown; `occurrence` counts the same words from 0."""

    kind: Literal["answer"]
    chat_id: ResourceId
    entry_id: ResourceId
    text: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_PASSAGE)]
    occurrence: Annotated[int, Field(ge=0, le=MAX_PASSAGE)]


class NewThread(GoesAlong):
    """A comment (with `body`), a thread (with `text`, its first message), or an empty thread.

    What goes along goes with the first message.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "passage": {"kind": "text", "path": "methods.md", "start": 120, "end": 164},
                    "body": "Which gauge is this?",
                },
                {
                    "passage": {
                        "kind": "answer",
                        "chatId": AN_ID,
                        "entryId": AN_ID,
                        "text": "twice a day",
                        "occurrence": 0,
                    },
                    "text": "Everywhere?",
                    "model": None,
                },
            ]
        }
    )

    passage: Annotated[PassageOfText | PassageOfAnswer, Field(discriminator="kind")]
    body: Annotated[Words, StringConstraints(min_length=1)] | None = None
    text: Said | None = None

    @model_validator(mode="after")
    def is_one_thing(self) -> Self:
        """A comment has no conversation yet."""
        if self.body is not None and self.text is not None:
            raise ValueError('give "body" for a comment or "text" for a thread, not both')
        return self


class ThreadMessage(GoesAlong):
    """Something to say in a thread."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "Make it shorter.", "model": None}]}
    )

    text: Said


class SendComments(GoesAlong):
    """Comments that become one message, in a chat or in a new one."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"ids": [AN_ID], "chatId": None, "text": "Please answer each."}]
        }
    )

    ids: Annotated[list[ResourceId], Field(min_length=1, max_length=MAX_SENT)]
    chat_id: ResourceId | None = None
    text: LongText = ""


class ThreadAdmitted(Schema):
    """The message is stored, and where."""

    chat_id: ResourceId
    turn_id: ResourceId
    state: Literal["running", "queued"]


class ThreadPlace(Schema):
    """Where a passage is in the live document with this epoch."""

    epoch: str
    begin: Annotated[Position, Field(alias="from")]
    end: Annotated[Position, Field(alias="to")]


class ThreadAnswer(Schema):
    """The answer that a passage stands in."""

    chat_id: ResourceId
    entry_id: ResourceId
    occurrence: int


class ThreadSent(Schema):
    """The turn that a comment was sent with."""

    chat_id: ResourceId
    turn_id: ResourceId


class Thread(Schema):
    """A passage, and what is said to it."""

    id: ResourceId
    project_id: ResourceId
    path: str | None
    """The file; null for a passage of an answer."""
    text: str
    """The passage when the thread was made."""
    line: int | None
    is_detached: bool
    """Whether the passage is not there any more."""
    place: ThreadPlace | None
    answer: ThreadAnswer | None
    body: str
    """The words of a comment."""
    author: Literal["person", "ai"]
    status: Literal["idle", "streaming", "error", "resolved"]
    chat_id: ResourceId | None
    """Its own conversation, if it has one."""
    messages: int
    sent: ThreadSent | None
    reply: str | None
    """The answer to a comment that was sent."""
    has_applied_edit: bool
    created_at: int
    updated_at: int
    version: int


class ThreadUpdate(Body):
    """What may be changed of a thread."""

    resource = Thread

    model_config = ConfigDict(json_schema_extra={"examples": [{"resolved": True}]})

    body: Words | None = None
    """Other words for a comment; null keeps them."""
    resolved: bool | None = None
    """Null leaves it as it is."""


class ThreadList(Schema):
    """The threads and comments of a project or a file, the oldest first."""

    items: list[Thread]
    next_cursor: str | None = None
