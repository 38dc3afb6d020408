"""The JSON of chats, turns and their events."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from recto.server.schemas import ResourceId, Schema, Text

EntryId = ResourceId
MAX_OFFSET = 100_000_000
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\u2028\u2029]*$")]
LongText = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=4_000_000)]
FilePath = Annotated[Text, StringConstraints(min_length=1, max_length=4096)]


class Chat(Schema):
    """A conversation, without what was said."""

    id: ResourceId
    project_id: ResourceId
    title: str
    model: str | None
    """The model chosen for it; null is the one for chats."""
    created_at: int
    last_active_at: int
    version: int
    is_running: bool


class ChatPage(Schema):
    """Some chats, the most recently active first."""

    items: list[Chat]
    next_cursor: str | None


class NewChat(Schema):
    """A chat to begin."""

    title: Annotated[Text, StringConstraints(max_length=300)] = ""
    model: Annotated[Text, StringConstraints(max_length=300)] | None = None


class ChatUpdate(Schema):
    """What may be changed of a chat."""

    title: Annotated[Text, StringConstraints(max_length=300)]
    model: Annotated[Text, StringConstraints(max_length=300)] | None


class Selection(Schema):
    """A passage of a file, with what stands around it."""

    path: FilePath
    before: Annotated[Text, StringConstraints(max_length=1000)] = ""
    text: LongText
    after: Annotated[Text, StringConstraints(max_length=1000)] = ""


class NewImage(Schema):
    """A picture that goes with a message: its bytes in base64."""

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: Annotated[str, StringConstraints(min_length=4, max_length=7_000_000)]


class Stretch(Schema):
    """A selection, in UTF-16 units of the live text; both ends the same are a cursor."""

    start: Annotated[int, Field(ge=0, le=MAX_OFFSET)]
    end: Annotated[int, Field(ge=0, le=MAX_OFFSET)]

    @model_validator(mode="after")
    def is_forward(self) -> Self:
        """A selection ends where it begins, or later."""
        if self.end < self.start:
            raise ValueError("the selection ends before it begins")
        return self


class OpenDocument(Schema):
    """The document that the document agent works on."""

    path: FilePath
    selection: Stretch | None = None


class ChosenTransform(Schema):
    """A quick transform; what it is about is selected in the document."""

    id: Annotated[Text, StringConstraints(min_length=1, max_length=60)]
    argument: Annotated[Line, StringConstraints(min_length=1, max_length=60)] | None = None
    """Such as the language of a translation."""


class Transform(Schema):
    """A ready request about a passage."""

    id: str
    title: str
    argument: str | None
    """What it asks for besides the passage, such as a language; null when nothing."""


class TransformList(Schema):
    """Those that Recto brings, then the user's own."""

    items: list[Transform]


class NewTurn(Schema):
    """Something to say to the model, or to the document agent."""

    text: LongText = ""
    """Left out with a transform, which has its own words."""
    profile: Literal["chat", "document"] = "chat"
    document: OpenDocument | None = None
    """With the profile "document", and only then."""
    transform: ChosenTransform | None = None
    """With something selected in a document, in place of words."""
    files: list[FilePath] = Field(default_factory=list, max_length=200)
    selection: Selection | None = None
    images: list[NewImage] = Field(default_factory=list[NewImage], max_length=20)
    model: Annotated[Text, StringConstraints(max_length=300)] | None = None
    """Only for this turn; null is the chat's."""
    plan: bool = False
    """Only tools that change nothing."""
    open_tabs: list[FilePath] = Field(default_factory=list, max_length=100)
    active_tab: FilePath | None = None

    @model_validator(mode="after")
    def fits_together(self) -> Self:
        """What goes with a chat is not what goes with a document."""
        if (self.profile == "document") != (self.document is not None):
            raise ValueError('"document" goes with the profile "document", and only with that')
        if self.document is not None and self.selection is not None:
            raise ValueError('the selection of a document stands in "document"')
        if self.transform is None and "text" not in self.model_fields_set:
            raise ValueError('"text" is missing')
        if self.transform is not None and (self.text or not self._selects()):
            raise ValueError("a transform needs a selection in a document, and no text")
        return self

    def _selects(self) -> bool:
        selection = self.document.selection if self.document else None
        return selection is not None and selection.end > selection.start


class Steer(Schema):
    """Something to say while a turn runs; it joins at the next step."""

    text: LongText


class TurnAdmitted(Schema):
    """The input is stored."""

    turn_id: ResourceId
    state: Literal["running", "queued"]


class Turn(Schema):
    """A turn that has not ended, or waits to begin."""

    id: ResourceId
    state: Literal["running", "queued", "interrupted"]
    text: str
    """What the person said, for a turn that waits."""
    model: str | None
    started_at: int
    profile: Literal["chat", "document"]
    document: str | None
    """The path of the document that it is about."""
    limit: int | None
    """The most steps of the document agent; a chat's are told with each step."""


class AttachedFile(Schema):
    """A text that went along with a message."""

    path: str
    origin: Literal["file", "selection", "skill"]
    size: int
    cut: str | None


class AttachedImage(Schema):
    """A picture in a chat; its bytes are at /api/v1/chats/{chatId}/images/{hash}."""

    media_type: str
    hash: str


class EntryFields(Schema):
    """What every entry has."""

    id: EntryId
    seq: int
    created_at: int


class UserEntry(EntryFields):
    """Something a person said."""

    kind: Literal["user"] = "user"
    turn_id: str
    text: str
    attached: list[AttachedFile]
    images: list[AttachedImage]
    pinned: bool


class TextBlock(Schema):
    """Words of an answer, in Markdown."""

    type: Literal["text"] = "text"
    text: str


class ThinkingBlock(Schema):
    """What the model thought."""

    type: Literal["thinking"] = "thinking"
    text: str


class CallBlock(Schema):
    """A tool the model wanted run."""

    type: Literal["call"] = "call"
    id: str
    name: str
    arguments: dict[str, object]


Block = Annotated[TextBlock | ThinkingBlock | CallBlock, Field(discriminator="type")]


class TokenUse(Schema):
    """What one request used."""

    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    source: Literal["final", "partial", "estimated"]


class AnswerConfidence(Schema):
    """How sure an answer is, and how that is known."""

    value: float | None
    source: Literal["logprobs", "heuristic", "agreement", "unknown"]


class AnswerSource(Schema):
    """Where an answer comes from."""

    request_id: str
    prompt_hash: str
    template: str
    contexts: list[str]


class AnswerEntry(EntryFields):
    """An answer of a model, or what there is of it."""

    kind: Literal["assistant"] = "assistant"
    turn_id: str
    step: int
    model: str
    model_name: str
    blocks: list[Block]
    reason: str
    """end_turn, tool_use, max_tokens, refusal, error, …"""
    usage: TokenUse | None
    cost_micros: int | None
    confidence: AnswerConfidence
    source: AnswerSource
    seconds: float
    thinking_seconds: float


class CallResult(Schema):
    """A tool's answer."""

    call_id: str
    name: str
    text: str
    """What the model was told, as far as it is words."""
    images: list[AttachedImage]
    fact: str
    state: Literal["done", "error", "denied", "cancelled", "unknown"]
    seconds: float
    changed: list[str]
    """The paths it changed; undo is offered when there are any."""


class ResultsEntry(EntryFields):
    """The answers of a step's tools."""

    kind: Literal["tool_results"] = "tool_results"
    turn_id: str
    step: int
    results: list[CallResult]


class ErrorEntry(EntryFields):
    """A failure."""

    kind: Literal["error"] = "error"
    turn_id: str
    failure: str
    """auth, quota, budget, rate_limit, overloaded, context_length, network, …"""
    message: str
    remedy: str
    can_retry: bool


class NoticeEntry(EntryFields):
    """Something to know: a limit, a stop, an interruption, what was left out."""

    kind: Literal["notice"] = "notice"
    turn_id: str
    reason: str
    """steps, time, spend, repeat, max_tokens, refusal, cancelled, interrupted, left_out,
    instructions, undone"""
    words: str
    can_continue: bool
    entries: list[str]
    """The entries it is about: those left out of a request. Pinning puts them back."""


class TitleEntry(EntryFields):
    """The name a model gave the chat."""

    kind: Literal["title"] = "title"
    text: str
    model: str
    cost_micros: int | None


class MissingItems(Schema):
    """What the summary does not mention."""

    files: list[str]
    numbers: list[str]
    names: list[str]
    open_items: list[str]


class SummaryEntry(EntryFields):
    """A checkpoint: what came before is told by this text from now on."""

    kind: Literal["summary"] = "summary"
    text: str
    model: str
    cost_micros: int | None
    missing: MissingItems


class AccountingEntry(EntryFields):
    """Earlier messages no longer count; they stay readable."""

    kind: Literal["accounting"] = "accounting"
    reason: Literal["edit", "retry", "checkpoint_removed"]
    discarded: int
    from_seq: int
    """Entries from here up to this one no longer count: the page takes them away."""
    about: str
    """The summary that was taken off, when that is the reason."""
    cost_micros: int


Entry = Annotated[
    UserEntry
    | AnswerEntry
    | ResultsEntry
    | ErrorEntry
    | NoticeEntry
    | TitleEntry
    | SummaryEntry
    | AccountingEntry,
    Field(discriminator="kind"),
]


class EntryPage(Schema):
    """Some entries, in order."""

    items: list[Entry]
    has_earlier: bool


class ChatTotals(Schema):
    """What a chat has used, computed from what each request reported."""

    input: int
    cache_read: int
    cache_write: int
    output: int
    cost_micros: int
    unpriced: int
    context_tokens: int
    """How much of the window the latest request and its answer take."""


class Answer(Schema):
    """The answer to a tool that asks."""

    answer: Literal["once", "chat", "always", "deny"]


class EntryEdit(NewTurn):
    """Other words for an earlier message; what followed it no longer counts."""


class Pin(Schema):
    """Whether an entry is sent whole whatever happens."""

    pinned: bool


class Summarise(Schema):
    """Which model summarises; null is the chat's."""

    model: Annotated[Text, StringConstraints(max_length=300)] | None = None


class Retry(Schema):
    """Ask again for an answer, with the same model or another."""

    model: Annotated[Text, StringConstraints(max_length=300)] | None = None


class Estimate(Schema):
    """What the next request would take."""

    tokens: int
    window: int
    cost_micros: int | None


class ChatMatch(Schema):
    """A place in a chat that fits a search."""

    chat_id: ResourceId
    title: str
    entry_id: EntryId | None
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
