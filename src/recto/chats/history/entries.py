"""What a chat's history is made of: one frozen value for each kind of entry.

Entries are only ever added. An accounting entry says which earlier ones no longer count; what they
cost and said stays. How each is stored as JSON is in `codec.py`.
"""

from dataclasses import dataclass, field
from typing import Literal

from recto.messages import AssistantPart, Failure, Image, ToolResult, Usage
from recto.tools import Artifact, ShortenedOutput


@dataclass(frozen=True, slots=True)
class AttachedText:
    """A text that went along with a message, as it was when it was sent."""

    path: str
    text: str
    hash: str
    origin: Literal["file", "selection", "skill", "names"] = "file"
    cut: str | None = None
    """What was left out of it, in words; None when it is whole."""


@dataclass(frozen=True, slots=True)
class Switched:
    """A context or a skill that was on, as it was called then."""

    id: str
    name: str
    color: str


@dataclass(frozen=True, slots=True)
class User:
    """Something a person said."""

    text: str
    turn: str
    attached: tuple[AttachedText, ...] = ()
    images: tuple[Image, ...] = ()
    meta: str = ""
    """The state of the workspace then, as the model was told."""
    contexts: tuple[Switched, ...] = ()
    """The contexts that were on; their files are among what is attached."""
    skills: tuple[Switched, ...] = ()
    """The skills that were on; their texts are attached, in this order."""
    pinned: bool = False
    kind: Literal["user"] = "user"

    @property
    def additional_prompt(self) -> str:
        """What was to be followed besides skills: the last of the texts that are no skill's own."""
        prompts = [attachment.text for attachment in self.attached if attachment.origin == "skill"]
        return prompts[-1] if len(prompts) > len(self.skills) else ""


@dataclass(frozen=True, slots=True)
class EntryConfidence:
    """How sure an answer is, and how that is known."""

    value: float | None
    source: Literal["logprobs", "heuristic", "unknown"]
    why: str = ""
    """Why it is unknown."""


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Where an answer comes from."""

    request_id: str
    prompt_hash: str
    template: str
    contexts: tuple[str, ...] = ()
    answer_model: str = ""
    """The model as its provider named it in the answer."""
    temperature: float | None = None
    """What was really sent; None when nothing was."""
    max_output: int | None = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Assistant:
    """An answer, or what there is of it."""

    parts: tuple[AssistantPart, ...]
    turn: str
    step: int
    model: str
    model_name: str
    reason: str
    usage: Usage | None
    cost_micros: int | None
    sureness: EntryConfidence
    source: AnswerSource
    seconds: float = 0.0
    thinking_seconds: float = 0.0
    kind: Literal["assistant"] = "assistant"


CallState = Literal["done", "error", "denied", "cancelled", "unknown"]


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's answer, with what its line shows."""

    result: ToolResult
    fact: str
    state: CallState
    seconds: float = 0.0
    changed: tuple[str, ...] = ()
    """The paths it changed."""
    artifact: Artifact | None = None
    shortened: ShortenedOutput | None = None


@dataclass(frozen=True, slots=True)
class ToolResults:
    """The answers of a step's tools, in the order of the calls."""

    results: tuple[Result, ...]
    turn: str
    step: int
    kind: Literal["tool_results"] = "tool_results"


@dataclass(frozen=True, slots=True)
class System:
    """The system prompt in force from here on."""

    text: str
    hash: str
    kind: Literal["system"] = "system"


@dataclass(frozen=True, slots=True)
class Error:
    """A failure that people must see. Never sent."""

    failure: Failure
    turn: str
    kind: Literal["error"] = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something people must know: a limit, a stop, what was left out. Never sent."""

    reason: str
    words: str
    turn: str
    entries: tuple[str, ...] = ()
    """The entries it is about, such as those left out of a request."""
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True)
class SideQuestion:
    """A side question of ours, for a title or a summary. Never sent as part of the conversation."""

    text: str
    kind: Literal["title_request", "summary_request"]


@dataclass(frozen=True, slots=True)
class Title:
    """The name a model gave the chat."""

    text: str
    model: str
    usage: Usage | None
    cost_micros: int | None
    kind: Literal["title"] = "title"


@dataclass(frozen=True, slots=True)
class MissingFromSummary:
    """What was in the conversation and is not in its summary."""

    files: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A checkpoint: what came before is told by this text from now on."""

    text: str
    model: str
    usage: Usage | None
    cost_micros: int | None
    kept: tuple[str, ...] = ()
    """The ids of entries that stay word for word: the last request, pinned messages."""
    missing: MissingFromSummary = field(default_factory=MissingFromSummary)
    kind: Literal["summary"] = "summary"


@dataclass(frozen=True, slots=True)
class Totals:
    """Cumulative counts of a chat."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cost_micros: int = 0
    unpriced: int = 0
    """How many requests have no known price."""


Discard = Literal["edit", "retry", "checkpoint_removed"]


@dataclass(frozen=True, slots=True)
class Accounting:
    """Earlier entries no longer count; what all of them used is kept here."""

    reason: Discard
    from_seq: int
    """The first entry that no longer counts; all from there up to this one don't.

    For a checkpoint that is taken off: only the summary, named in `about`, no longer counts.
    """
    discarded: int
    totals: Totals
    about: str = ""
    kind: Literal["accounting"] = "accounting"


EntryContent = (
    User
    | Assistant
    | ToolResults
    | System
    | Error
    | Notice
    | SideQuestion
    | Title
    | Summary
    | Accounting
)


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """One entry of a chat's history, with its place in it."""

    id: str
    seq: int
    created_ms: int
    content: EntryContent
