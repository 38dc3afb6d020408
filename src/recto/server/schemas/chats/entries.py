"""The JSON of a chat's history: its entries, and what it has used."""

from typing import Annotated, Literal

from pydantic import Field

from recto.server.schemas.base import ResourceId, Schema

EntryId = ResourceId


class AttachedFile(Schema):
    """A text that went along with a message."""

    path: str
    origin: Literal["file", "selection", "skill", "names"]
    size: int
    cut: str | None


class Switched(Schema):
    """A context or a skill that was on when a message was sent."""

    id: str
    name: str
    color: str


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
    contexts: list[Switched]
    skills: list[Switched]
    additional_prompt: str
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
    source: Literal["logprobs", "heuristic", "unknown"]
    why: str
    """Why it is unknown."""


class AnswerSource(Schema):
    """Where an answer comes from."""

    request_id: str
    prompt_hash: str
    template: str
    contexts: list[str]
    answer_model: str
    """The model as its provider named it."""
    temperature: float | None
    """What was really sent; null when nothing was."""
    max_output: int | None
    effort: str | None


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


class CallArtifact(Schema):
    """What a tool answered besides, kept whole."""

    handle: str
    has_app: bool


class ShortenedOutput(Schema):
    """That an answer is not shown whole, and where all of it is."""

    handle: str
    characters: int
    summarised_by: str
    """The name of the model; empty when its beginning and end are shown."""
    cost_micros: int | None


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
    artifact: CallArtifact | None = None
    shortened: ShortenedOutput | None = None


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
    """What a chat has used, computed from what was booked for each of its requests."""

    input: int
    cache_read: int
    cache_write: int
    output: int
    cost_micros: int
    unpriced: int
    context_tokens: int
    """How much of the window the latest request and its answer take."""
