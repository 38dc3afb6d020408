"""The request body of POST /v1/messages: what the API accepts and nothing else.

An unknown field anywhere is refused by the API, so everything we send is written through these.
"""

from typing import Any, Literal

from msgspec import Struct

ImageType = Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
EffortLevel = Literal["low", "medium", "high", "xhigh", "max"]
Display = Literal["summarized", "omitted"]


class Strict(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An object with fixed fields; those with their default value are left out."""


class CacheControl(Strict, tag_field="type", tag="ephemeral"):
    """The prompt up to here is worth remembering."""

    ttl: Literal["5m", "1h"] | None = None


class Base64Source(Strict, tag_field="type", tag="base64"):
    """Bytes inside the request."""

    media_type: ImageType | Literal["application/pdf"]
    data: str


class UrlSource(Strict, tag_field="type", tag="url"):
    """Bytes the provider fetches."""

    url: str


class TextSource(Strict, tag_field="type", tag="text"):
    """A document that is plain text."""

    data: str
    media_type: Literal["text/plain"]


class TextBlock(Strict, tag_field="type", tag="text"):
    """Words: never empty, never only white space."""

    text: str
    citations: list[Any] | None = None
    cache_control: CacheControl | None = None


class ImageBlock(Strict, tag_field="type", tag="image"):
    """A picture."""

    source: Base64Source | UrlSource
    cache_control: CacheControl | None = None


class DocumentBlock(Strict, tag_field="type", tag="document"):
    """A PDF or a text file."""

    source: Base64Source | TextSource
    title: str | None = None
    cache_control: CacheControl | None = None


class ToolUseBlock(Strict, tag_field="type", tag="tool_use"):
    """A call the model made."""

    id: str
    name: str
    input: dict[str, Any]
    caller: dict[str, Any] | None = None
    toolset_name: str | None = None
    cache_control: CacheControl | None = None


class ToolResultBlock(Strict, tag_field="type", tag="tool_result"):
    """The answer to a call. No content is allowed, an empty list of it is not."""

    tool_use_id: str
    content: list[TextBlock | ImageBlock | DocumentBlock] = []
    is_error: bool = False
    cache_control: CacheControl | None = None


class ThinkingBlock(Strict, tag_field="type", tag="thinking"):
    """What the model thought, exactly as it came. It takes no cache mark."""

    thinking: str
    signature: str


class RedactedThinkingBlock(Strict, tag_field="type", tag="redacted_thinking"):
    """What the model thought, unreadable to us. It takes no cache mark."""

    data: str


MarkableBlock = TextBlock | ImageBlock | DocumentBlock | ToolUseBlock | ToolResultBlock
Block = MarkableBlock | ThinkingBlock | RedactedThinkingBlock


class Turn(Strict):
    """One turn. Blocks of a kind that only the provider knows go back as the objects they were."""

    role: Literal["user", "assistant"]
    content: list[Any]


class ToolDefinition(Strict):
    """A tool the model may call."""

    name: str
    input_schema: dict[str, Any]
    description: str = ""
    defer_loading: bool | None = None
    cache_control: CacheControl | None = None


class SearchTool(Strict):
    """The provider's own search for tools that are deferred."""

    type: str
    name: str
    cache_control: CacheControl | None = None


class AutoChoice(Strict, tag_field="type", tag="auto"):
    """The model decides."""

    disable_parallel_tool_use: bool = False


class AnyChoice(Strict, tag_field="type", tag="any"):
    """The model must call a tool."""

    disable_parallel_tool_use: bool = False


class NamedChoice(Strict, tag_field="type", tag="tool"):
    """The model must call this tool."""

    name: str
    disable_parallel_tool_use: bool = False


class NoChoice(Strict, tag_field="type", tag="none"):
    """The model must not call a tool."""


class AdaptiveThinking(Strict, tag_field="type", tag="adaptive"):
    """The model decides how much to think, guided by the effort."""

    display: Display | None = None


class ManualThinking(Strict, tag_field="type", tag="enabled"):
    """The model thinks up to a budget, which must stay below max_tokens."""

    budget_tokens: int
    display: Display | None = None


class NoThinking(Strict, tag_field="type", tag="disabled"):
    """The model does not think."""


class ThinkingBetweenTools(Strict, tag_field="type", tag="between_tools"):
    """The model thinks only between calls: the least that some models can be told to."""


class OutputFormat(Strict, tag_field="type", tag="json_schema"):
    """The answer is JSON of this schema."""

    schema: dict[str, Any]


class OutputConfig(Strict):
    """How hard to work and in which form to answer."""

    effort: EffortLevel | None = None
    format: OutputFormat | None = None


class Body(Strict, kw_only=True):
    """The whole request. `tools` holds definitions, and before them the provider's own search."""

    model: str
    max_tokens: int
    tools: list[Any] = []
    tool_choice: AutoChoice | AnyChoice | NamedChoice | NoChoice | None = None
    system: list[TextBlock] = []
    messages: list[Turn]
    thinking: AdaptiveThinking | ManualThinking | NoThinking | ThinkingBetweenTools | None = None
    output_config: OutputConfig | None = None
    stop_sequences: list[str] = []
    temperature: float | None = None
    stream: bool = False
