"""What a message is made of. Every part is a frozen value with a literal `type`.

`provider` is data that only the model which made it can read: a signature, an encrypted thought,
a block of a kind we don't know. It goes back unchanged to the same origin and to nobody else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made a piece of provider data: the wire protocol, the account, the model."""

    protocol: str
    account: str
    model: str


@dataclass(frozen=True, slots=True)
class ProviderData:
    """A provider's own data, and where it came from."""

    origin: Origin
    payload: Json


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str
    provider: ProviderData | None = None
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes, or an address the provider fetches."""

    media_type: str
    data: bytes = b""
    url: str | None = None
    type: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class Document:
    """A file that a model reads by itself, such as a PDF."""

    media_type: str
    data: bytes
    name: str
    type: Literal["document"] = "document"


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a model thought. The words may be empty while `provider` still must go back."""

    text: str
    provider: ProviderData | None = None
    type: Literal["thinking"] = "thinking"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants run, with complete arguments. Incomplete calls are never parts."""

    id: str
    name: str
    arguments: Json
    provider: ProviderData | None = None
    type: Literal["tool_call"] = "tool_call"


ResultContent = Text | Image | Document


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered."""

    call_id: str
    name: str
    content: tuple[ResultContent, ...]
    is_error: bool = False
    type: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True, slots=True)
class Native:
    """A block of a kind that only its provider knows, kept whole."""

    provider: ProviderData
    type: Literal["native"] = "native"


UserPart = Text | Image | Document | ToolResult
AssistantPart = Text | Thinking | ToolCall | Native
Part = UserPart | AssistantPart
