"""What a prompt is built from: plain values, captured when they were sent.

Nothing here is gathered anew: what went along with a message is stored with it, so that building a
prompt again gives the same bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from recto.messages import Message, Origin, Part, ToolResult, ToolSpec

AttachmentOrigin = Literal["file", "selection", "skill", "names"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that went along with a message. `hash` tells one version of it from another."""

    path: str
    text: str
    hash: str
    cut: str | None = None
    """What is left out of it, in words; None when it is whole."""
    origin: AttachmentOrigin = "file"


@dataclass(frozen=True, slots=True)
class ConversationMessage:
    """One message of the conversation, with what went along. Pinned: sent whole, always."""

    entry_id: str
    message: Message
    attachments: tuple[Attachment, ...] = ()
    meta: str = ""
    """The state of the workspace when it was sent."""
    pinned: bool = False

    @property
    def is_request(self) -> bool:
        """Whether a person says something here: not only tools answer."""
        if self.message.role != "user":
            return False
        said = any(not isinstance(part, ToolResult) for part in self.message.parts)
        return said or bool(self.attachments)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A summary that stands for everything before it, but for the entries that are kept."""

    summary: str
    kept: tuple[str, ...] = ()
    """The ids of the entries that stay word for word."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything that decides a prompt, besides the model: what follows the last checkpoint."""

    system: str
    spoken: tuple[ConversationMessage, ...]
    summary: str | None = None
    kept: tuple[str, ...] = ()
    """Words from before the summary that stay as they are."""
    tools: tuple[ToolSpec, ...] = ()
    """The tools that are offered along: they take room too."""
    frozen_at: int | None = None
    """The message at which the last answer's request put its cache mark."""


@dataclass(frozen=True, slots=True)
class Window:
    """How many tokens a model takes in all, and how many of them are kept for its answer."""

    tokens: int
    reserve: int

    @property
    def room(self) -> int:
        """What a prompt may have."""
        return max(self.tokens - self.reserve, 0)


@dataclass(frozen=True, slots=True)
class CacheRates:
    """What a token costs that the provider remembers, as a share of one it does not."""

    read: float = 0.1
    write: float = 1.25


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What building a prompt has to know of the model it is for."""

    origin: Origin
    window: Window
    count: Callable[[Part], int]
    """The tokens of one part, as this model counts."""
    binds_prefix: bool = False
    sees_images: bool = True
    reads_documents: bool = True
    cache_marks: bool = False
    cache: CacheRates | None = field(default_factory=CacheRates)
    """None when nothing is remembered: then a changed past costs nothing extra."""


def since_checkpoint(
    system: str,
    history: Sequence[ConversationMessage | Checkpoint],
    *,
    tools: tuple[ToolSpec, ...] = (),
    frozen_at: int | None = None,
) -> Conversation:
    """The conversation as it goes on after its last checkpoint, however many there were."""
    at = max((n for n, item in enumerate(history) if isinstance(item, Checkpoint)), default=-1)
    last = history[at] if at >= 0 else None
    spoken = tuple(item for item in history[at + 1 :] if isinstance(item, ConversationMessage))
    if not isinstance(last, Checkpoint):
        return Conversation(system, spoken, tools=tools, frozen_at=frozen_at)
    before = (item for item in history[:at] if isinstance(item, ConversationMessage))
    kept = tuple(words_of(item) for item in before if item.entry_id in last.kept)
    return Conversation(system, spoken, last.summary, kept, tools, frozen_at)


def worth_keeping(history: Sequence[ConversationMessage | Checkpoint]) -> tuple[str, ...]:
    """The entries that a summary must not replace: pinned ones, and the last request."""
    spoken = [item for item in history if isinstance(item, ConversationMessage)]
    requests = [message.entry_id for message in spoken if message.is_request]
    last = requests[-1:]
    return tuple(
        message.entry_id for message in spoken if message.pinned or message.entry_id in last
    )


def words_of(spoken: ConversationMessage) -> str:
    """A message word for word; what went along is named, and can be read again."""
    who = "The user" if spoken.message.role == "user" else "The assistant"
    named = ", ".join(attachment.path for attachment in spoken.attachments)
    return f"{who} said{f' (with {named})' if named else ''}:\n{spoken.message.text}"
