"""What somebody wants of chats and their folders, and what came of it: plain values."""

from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from recto.chats.library.pinned import PinnedItems

T = TypeVar("T")
SyncResult = Literal["taken", "kept", "refused"]


@dataclass(frozen=True, slots=True)
class NewChatOptions:
    """What a new chat has besides its title and model."""

    id: str | None = None
    """None is a new one."""
    group_id: str | None = None
    context_ids: tuple[str, ...] | None = None
    """None is what its folder begins chats with, else what the project does."""
    skill_ids: tuple[str, ...] | None = None
    additional_files: tuple[str, ...] = ()
    additional_prompt: str = ""
    is_global: bool = False


@dataclass(frozen=True, slots=True)
class ChatChange:
    """A chat as it is to be."""

    title: str
    model: str | None
    group_id: str | None
    pinned: PinnedItems
    is_global: bool
    project_id: str
    """Where it is to be; another project's than now moves it."""


@dataclass(frozen=True, slots=True)
class GroupChange:
    """A folder as it is to be."""

    name: str
    color: str | None = None
    """None is the one that belongs to the name."""
    parent_id: str | None = None
    default_context_ids: tuple[str, ...] = ()
    default_skill_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainMessage:
    """Something that a person or a model said."""

    id: str
    role: Literal["user", "assistant"]
    text: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class ClientChat:
    """A chat as a client has it."""

    id: str
    title: str
    created_ms: int
    last_active_ms: int
    version: int | None = None
    """None: the later activity decides alone."""
    group_id: str | None = None
    pinned: PinnedItems = field(default_factory=PinnedItems)
    is_global: bool = False
    model: str | None = None
    """None leaves the chosen one as it is."""
    messages: tuple[PlainMessage, ...] | None = None
    """The whole history; None leaves it as it is."""


@dataclass(frozen=True, slots=True)
class ClientGroup:
    """A folder as a client has it."""

    id: str
    wanted: GroupChange
    created_ms: int
    position: int | None = None
    """None: where it stands; for a new one, the end."""
    version: int | None = None
    """None: what the server has stays."""


@dataclass(frozen=True, slots=True)
class SyncOutcome(Generic[T]):
    """What became of a row: taken, kept (the server's is as new or newer) or refused."""

    id: str
    outcome: SyncResult
    row: T | None = None
    """As it is now; None when there is none that the caller may see."""
    reason: str | None = None
