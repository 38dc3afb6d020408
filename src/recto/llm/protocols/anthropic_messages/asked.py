"""What a foreign client asks, as far as we read it. Everything else in it is passed over."""

from typing import Any, Literal

import msgspec


class Source(msgspec.Struct):
    """Where the bytes of a picture or a document are."""

    type: str
    media_type: str = ""
    data: str = ""
    url: str = ""


class AskedBlock(msgspec.Struct):
    """Every kind of block in one."""

    type: str
    text: str = ""
    thinking: str = ""
    signature: str = ""
    data: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] | None = None
    tool_use_id: str = ""
    content: Any = None
    is_error: bool | None = None
    source: Any = None
    title: str | None = None
    citations: Any = None
    caller: dict[str, Any] | None = None
    toolset_name: str | None = None
    tool_name: str = ""
    cache_control: Any = None


class AskedTurn(msgspec.Struct):
    """One turn."""

    role: Literal["user", "assistant", "system"]
    content: str | list[dict[str, Any]]


class AskedTool(msgspec.Struct):
    """A tool; those of a type of their own run at the API and have no schema."""

    name: str = ""
    type: str | None = None
    description: str = ""
    input_schema: dict[str, Any] | None = None
    cache_control: Any = None
    defer_loading: bool | None = None


class AskedChoice(msgspec.Struct):
    """Which tool to call."""

    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool = False


class AskedThinking(msgspec.Struct):
    """How to think."""

    type: str
    budget_tokens: int = 0


class AskedFormat(msgspec.Struct):
    """The schema of the answer."""

    type: str
    schema: dict[str, Any] | None = None


class AskedOutput(msgspec.Struct):
    """How hard to work and in which form to answer."""

    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: AskedFormat | None = None


class AskedMessages(msgspec.Struct):
    """The whole request, as far as we read it."""

    model: str
    max_tokens: int
    messages: list[AskedTurn]
    system: str | list[AskedBlock] = ""
    tools: list[AskedTool] = []
    tool_choice: AskedChoice | None = None
    thinking: AskedThinking | None = None
    output_config: AskedOutput | None = None
    stop_sequences: list[str] | None = None
    temperature: float | None = None
    cache_control: Any = None
    context_management: Any = None
    stream: bool | None = None
