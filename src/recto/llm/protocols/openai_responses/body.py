"""The request of the Responses API, field by field: what it accepts and nothing else.

Fields that never change in a conversation come before `input`, so that a conversation which grows
only changes the end of its bytes.
"""

from typing import Any, Literal

from msgspec import Struct, field

Status = Literal["in_progress", "completed", "incomplete"]
Phase = Literal["commentary", "final_answer"]
WireEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Ttl = Literal["30m", "12h"]


class Strict(Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """An object that has these fields and no others."""


class Breakpoint(Strict):
    """The end of a prompt that the provider should remember."""

    mode: Literal["explicit"]
    ttl: Ttl | None = None


class InputText(Strict, tag="input_text"):
    """Words of a user, a tool or the system."""

    text: str
    prompt_cache_breakpoint: Breakpoint | None = None


class InputImage(Strict, tag="input_image"):
    """A picture: an address, or a data URL."""

    detail: str | None = None
    image_url: str | None = None
    file_id: str | None = None
    prompt_cache_breakpoint: Breakpoint | None = None


class InputFile(Strict, tag="input_file"):
    """A file: its name and a data URL."""

    filename: str | None = None
    file_data: str | None = None
    file_url: str | None = None
    file_id: str | None = None
    detail: str | None = None
    prompt_cache_breakpoint: Breakpoint | None = None


class OutputText(Strict, tag="output_text"):
    """Words of the model, as it sent them."""

    text: str
    annotations: list[Any] = []
    logprobs: list[Any] | None = None


class Refusal(Strict, tag="refusal"):
    """The words in which the model declined."""

    refusal: str


class SummaryText(Strict, tag="summary_text"):
    """A piece of what the model shows of its thoughts."""

    text: str


class ReasoningText(Strict, tag="reasoning_text"):
    """Thoughts in the open, from servers that show them."""

    text: str


InputContent = InputText | InputImage | InputFile


class Message(Strict, tag="message"):
    """Something that was said."""

    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[InputText | InputImage | InputFile | OutputText | Refusal]
    phase: Phase | None = None
    id: str | None = None
    status: Status | None = None


class FunctionCall(Strict, tag="function_call"):
    """A call of a tool. `call_id` alone pairs it with its output."""

    call_id: str
    name: str
    arguments: str
    id: str | None = None
    status: Status | None = None
    namespace: str | None = None
    caller: dict[str, Any] | None = None
    is_async: bool | None = field(default=None, name="async")


class FunctionCallOutput(Strict, tag="function_call_output"):
    """What a tool answered."""

    call_id: str
    output: str | list[InputContent]
    id: str | None = None
    status: Status | None = None
    name: str | None = None
    namespace: str | None = None
    caller: dict[str, Any] | None = None


class Reasoning(Strict, tag="reasoning"):
    """What the model thought, sealed."""

    id: str
    summary: list[SummaryText]
    encrypted_content: str | None = None
    content: list[ReasoningText] | None = None
    status: Status | None = None


Item = Message | FunctionCall | FunctionCallOutput | Reasoning


class FunctionTool(Strict, tag="function"):
    """A tool the model may call. Without `strict` the server would rewrite the schema."""

    name: str
    parameters: dict[str, Any] | None
    strict: bool | None
    description: str | None = None
    defer_loading: bool | None = None
    allowed_callers: list[str] | None = None
    output_schema: dict[str, Any] | None = None
    is_async: bool | None = field(default=None, name="async")


class Namespace(Strict, tag="namespace"):
    """Functions of one origin: the model sees only what they are for until it searches them."""

    name: str
    description: str
    tools: list[FunctionTool]


class SearchTool(Strict, tag="tool_search"):
    """The provider's own search for functions that are deferred."""


class ForcedFunction(Strict, tag="function"):
    """The one tool that must be called."""

    name: str


class AllowedTools(Strict, tag="allowed_tools"):
    """The tools that may be called just now."""

    mode: Literal["auto", "required"]
    tools: list[dict[str, Any]]


Choice = Literal["auto", "none", "required"] | ForcedFunction | AllowedTools


class PlainFormat(Strict, tag="text"):
    """Free words."""


class ObjectFormat(Strict, tag="json_object"):
    """Some JSON object."""


class SchemaFormat(Strict, tag="json_schema"):
    """JSON of a schema."""

    name: str
    schema: dict[str, Any]
    strict: bool | None = None
    description: str | None = None


class TextOptions(Strict):
    """What the words of the answer must look like."""

    format: PlainFormat | ObjectFormat | SchemaFormat | None = None
    verbosity: Literal["low", "medium", "high"] | None = None


class ReasoningOptions(Strict):
    """How hard to think, and how much of it to show."""

    effort: WireEffort | None = None
    summary: Literal["auto", "concise", "detailed"] | None = None
    context: Literal["auto", "current_turn", "all_turns"] | None = None
    mode: str | None = None
    generate_summary: Literal["auto", "concise", "detailed"] | None = None


class StreamOptions(Strict):
    """Options of a streamed answer."""

    include_obfuscation: bool | None = None


class CacheOptions(Strict):
    """How the provider remembers prompts."""

    mode: Literal["implicit", "explicit"] | None = None
    ttl: Ttl | None = None
    prewarm: bool | None = None
    comparison_response_id: str | None = None


class Body(Strict):
    """A request. An item of `input` is an `Item`, or one of a kind only the provider knows."""

    model: str
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    store: bool | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_logprobs: int | None = None
    reasoning: ReasoningOptions | None = None
    include: list[str] | None = None
    text: TextOptions | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: CacheOptions | None = None
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    safety_identifier: str | None = None
    user: str | None = None
    metadata: dict[str, str] | None = None
    service_tier: str | None = None
    truncation: Literal["auto", "disabled"] | None = None
    background: bool | None = None
    max_tool_calls: int | None = None
    previous_response_id: str | None = None
    conversation: str | dict[str, Any] | None = None
    prompt: dict[str, Any] | None = None
    context_management: list[Any] | None = None
    moderation: dict[str, Any] | None = None
    access_programs: dict[str, Any] | None = None
    image: dict[str, Any] | None = None
    instructions: str | None = None
    tools: list[FunctionTool | Namespace | SearchTool] | None = None
    tool_choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    input: str | list[Any] = ""
