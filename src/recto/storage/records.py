"""The stored records, as plain values. Fields stand in the order of their table's columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

JsonObject = Mapping[str, Any]

Action = Literal["created", "updated", "deleted"]
RunEnd = Literal["finished", "failed", "cancelled", "interrupted", "joined", "removed"]
RunState = Literal["queued", "running"] | RunEnd
EditKind = Literal["edited", "created", "deleted", "moved", "replaced"]
EditStatus = Literal["writing", "pending", "accepted", "rejected", "undone", "not_written"]
ReservationState = Literal["held", "settled", "released"]
NoteAuthor = Literal["person", "run"]
ProposalStatus = Literal["open", "applied", "dismissed"]
SuggestionOutcome = Literal["pending", "accepted", "partly", "dismissed"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, and where the next ones start (None: there are no more)."""

    items: tuple[T, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """A folder that somebody works in."""

    id: str
    name: str
    path: str
    created_ms: int
    last_accessed_ms: int
    settings: JsonObject
    version: int


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation without its entries. A tombstone when `deleted_ms` is set."""

    id: str
    project_id: str
    title: str
    group_id: str | None
    meta: JsonObject
    is_global: bool
    created_ms: int
    last_active_ms: int
    version: int
    deleted_ms: int | None
    is_thread: bool = False
    """Whether it is the conversation of a note, which no list of chats shows."""


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """One thing in a chat's history; `seq` counts from 1 in each chat."""

    chat_id: str
    seq: int
    id: str
    kind: str
    body: JsonObject
    created_ms: int


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A place in a chat where something was found."""

    chat_id: str
    title: str
    """The title of the chat."""
    seq: int
    entry_id: str | None
    """None when it is the chat's title itself."""
    kind: str | None
    snippet: str
    ranges: tuple[tuple[int, int], ...]
    """Where the words stand in the snippet, in characters: from the first up to the second."""
    is_thread: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One stretch of work of a model in a chat. `body` says what was asked for."""

    id: str
    chat_id: str
    state: RunState
    body: JsonObject
    created_ms: int
    ended_ms: int | None
    worker: int | None = None
    """Which process has it; None while it only waits."""


@dataclass(frozen=True, slots=True)
class ChatEvent:
    """One event of a chat; `seq` counts from 1 in each chat. Most belong to a run."""

    chat_id: str
    seq: int
    run_id: str | None
    kind: str
    body: JsonObject
    created_ms: int


@dataclass(frozen=True, slots=True)
class Reservation:
    """Money set aside for a request before it starts, in micro-dollars."""

    id: str
    created_ms: int
    amount_micros: int
    state: ReservationState
    request: JsonObject


@dataclass(frozen=True, slots=True)
class RequestUsage:
    """What one request to a model used. `cost_micros` is None when the price is unknown."""

    id: str
    feature: str
    chat_id: str | None
    project_id: str | None
    provider: str
    model: str
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_micros: int | None
    outcome: str
    body: JsonObject
    turn_id: str | None = None
    """The run of a chat that it was part of."""
    markup_micros: int = 0
    """What a gateway asks for on top; it is no part of the cost."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A spend as it was booked. Never changed, never deleted."""

    created_ms: int
    reservation_id: str | None
    spend: RequestUsage


@dataclass(frozen=True, slots=True)
class ScopeSpending:
    """How much of one scope is booked, and how much is set aside."""

    settled_micros: int = 0
    held_micros: int = 0
    unpriced_rows: int = 0
    """How many of the booked requests have no known price."""
    leased_micros: int = 0
    """What workers may set aside without asking."""
    markup_micros: int = 0

    @property
    def charged_micros(self) -> int:
        """What was booked, with the mark-up."""
        return self.settled_micros + self.markup_micros

    @property
    def total_micros(self) -> int:
        """What a limit on the scope must not be passed by."""
        return self.settled_micros + self.held_micros + self.leased_micros


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What the requests to one model used, all together."""

    provider: str
    model: str
    requests: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced_rows: int


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """What the requests of one chat used, all together."""

    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced_rows: int


@dataclass(frozen=True, slots=True)
class DocumentUpdate:
    """One update of a live document; `seq` counts from 1 in each document."""

    document_id: str
    seq: int
    origin: JsonObject
    data: bytes
    created_ms: int


@dataclass(frozen=True, slots=True)
class Edit:
    """What one call of a tool did to one path; there before it was done."""

    id: str
    project_id: str
    path: str
    """Where the file is now; a move takes its edits along."""
    from_path: str | None
    """Where it came from, if it was moved."""
    kind: EditKind
    """`replaced` is a file whose text is not followed: only the file as a whole can go back."""
    status: EditStatus
    before: JsonObject
    """The state of the path: kind, mode and blob; empty when nothing was there."""
    after: JsonObject
    chat_id: str
    run_id: str
    call_id: str
    tool: str
    model: str
    model_name: str
    prompt_hash: str
    at_ms: int
    characters: int
    """How many it wrote, without those that an AI or a review took away again."""
    added: int
    """Of the whole review that it waits in: words or lines, and in how many hunks."""
    removed: int
    hunks: int


@dataclass(frozen=True, slots=True)
class Note:
    """A passage that somebody talks about (a thread) or said something to (a comment)."""

    id: str
    project_id: str
    path: str
    """The file; empty for a passage of an answer."""
    text: str
    """The passage when the note was made, with what stood before and after it."""
    before: str
    after: str
    anchor: JsonObject | None
    """Where it is in the live document: `epoch`, `start` and `end`."""
    answer: JsonObject | None
    """Where it is in an answer: `chatId`, `entryId` and `occurrence`."""
    body: str
    """The words of a comment."""
    author: NoteAuthor
    run_id: str | None
    chat_id: str | None
    """Its own conversation."""
    sent: JsonObject | None
    """The turn that it was sent with, together with others: `chatId`, `turnId` and `number`."""
    resolved_ms: int | None
    created_ms: int
    updated_ms: int
    version: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit, or a choice of several, that a model offers; nothing changes until it is taken."""

    id: str
    project_id: str
    chat_id: str
    run_id: str
    call_id: str
    note_id: str | None
    question: str
    options: Sequence[JsonObject]
    """Each with `title`, `detail`, `path` (or none), `old` and `new`."""
    status: ProposalStatus
    chosen: int | None
    edit_id: str | None
    model: str
    model_name: str
    request_id: str
    prompt_hash: str
    confidence: float | None
    source: str
    """How the confidence was come by."""
    at_ms: int
    decided_ms: int | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Ghost texts that were shown at one place, and what became of them."""

    id: str
    project_id: str
    path: str
    at_ms: int
    model: str
    model_name: str
    request_id: str
    prompt_hash: str
    template: str
    temperature: float | None
    items: Sequence[JsonObject]
    """One for each text, in order: `confidence` (or none) and its `source`."""
    outcome: SuggestionOutcome
    chosen: int | None
    characters: int
    """How many of the chosen text were taken."""
    decided_ms: int | None


@dataclass(frozen=True, slots=True)
class Context:
    """A named group of files. They may be gone by now."""

    id: str
    project_id: str
    name: str
    files: tuple[str, ...]
    color: str
    created_ms: int
    last_used_ms: int | None
    version: int


@dataclass(frozen=True, slots=True)
class SkillRecord:
    """A prompt that somebody wrote to be switched on, with what it brings along."""

    id: str
    project_id: str
    name: str
    description: str
    prompt: str
    color: str
    files: tuple[str, ...]
    tools: tuple[str, ...]
    model: str | None
    created_ms: int
    last_used_ms: int | None
    version: int


@dataclass(frozen=True, slots=True)
class ChatGroup:
    """A folder of chats. A tombstone when `deleted_ms` is set."""

    id: str
    project_id: str
    parent_id: str | None
    name: str
    color: str
    position: int
    """Where it stands among all groups of the project."""
    default_context_ids: tuple[str, ...]
    default_skill_ids: tuple[str, ...]
    created_ms: int
    updated_ms: int
    version: int
    deleted_ms: int | None


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """That a resource was changed: what every open page follows, in commit order.

    `version` is the resource's version after the change; for an entry, its `seq`.
    """

    seq: int
    created_ms: int
    kind: str
    resource_id: str
    project_id: str | None
    action: Action
    version: int
