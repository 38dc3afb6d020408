"""The body of a Chat Completions request: what the API accepts, as far as Recto knows it.

Field order is the order on the wire. Fields that a client may echo from an answer are known, too.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Schema = dict[str, Any]


class Strict(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A piece of the body. A field it doesn't name is an error."""


class Breakpoint(Strict):
    """The prompt up to here is worth remembering."""

    mode: Literal["explicit"]
    ttl: Literal["30m", "12h"] | None = None


class TextPart(Strict, tag_field="type", tag="text"):
    text: str
    prompt_cache_breakpoint: Breakpoint | None = None


class ImageUrl(Strict):
    url: str
    detail: str | None = None


class ImagePart(Strict, tag_field="type", tag="image_url"):
    image_url: ImageUrl
    prompt_cache_breakpoint: Breakpoint | None = None


class File(Strict):
    file_data: str | None = None
    filename: str | None = None
    file_id: str | None = None


class FilePart(Strict, tag_field="type", tag="file"):
    file: File
    prompt_cache_breakpoint: Breakpoint | None = None


class RefusalPart(Strict, tag_field="type", tag="refusal"):
    refusal: str


UserPart = TextPart | ImagePart | FilePart


class SystemMessage(Strict, tag_field="role", tag="system"):
    content: str | list[TextPart]
    name: str | None = None


class DeveloperMessage(Strict, tag_field="role", tag="developer"):
    content: str | list[TextPart]
    name: str | None = None


class UserMessage(Strict, tag_field="role", tag="user"):
    content: str | list[UserPart]
    name: str | None = None


class FunctionCall(Strict):
    name: str
    arguments: str


class CallPart(Strict, tag_field="type", tag="function"):
    id: str
    function: FunctionCall
    extra_content: Schema | None = None
    """Gemini's signatures, behind its compatible address."""


class AssistantMessage(Strict, tag_field="role", tag="assistant"):
    content: str | list[TextPart | RefusalPart] | None | UnsetType = UNSET
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[CallPart] | None = None
    refusal: str | None = None
    name: str | None = None
    annotations: list[Any] | None = None
    audio: None = None
    function_call: None = None


class ToolMessage(Strict, tag_field="role", tag="tool"):
    tool_call_id: str
    content: str | list[TextPart]


Message = SystemMessage | DeveloperMessage | UserMessage | AssistantMessage | ToolMessage


class Function(Strict):
    name: str
    description: str | None = None
    parameters: Schema | None = None
    strict: bool | None = None


class FunctionTool(Strict, tag_field="type", tag="function"):
    function: Function


class FunctionName(Strict):
    name: str


class NamedTool(Strict, tag_field="type", tag="function"):
    function: FunctionName


class AllowedTools(Strict):
    mode: Literal["auto", "required"]
    tools: list[NamedTool]


class AllowedChoice(Strict, tag_field="type", tag="allowed_tools"):
    allowed_tools: AllowedTools


Choice = Literal["none", "auto", "required"] | NamedTool | AllowedChoice


class JsonSchema(Strict):
    name: str
    schema: Schema | None = None
    strict: bool | None = None
    description: str | None = None


class TextFormat(Strict, tag_field="type", tag="text"):
    pass


class ObjectFormat(Strict, tag_field="type", tag="json_object"):
    pass


class SchemaFormat(Strict, tag_field="type", tag="json_schema"):
    json_schema: JsonSchema


class StreamOptions(Strict):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


WireEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Body(Strict):
    """The whole request."""

    model: str
    messages: list[Message]
    tools: list[FunctionTool] | None = None
    tool_choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    reasoning_effort: WireEffort | None = None
    response_format: TextFormat | ObjectFormat | SchemaFormat | None = None
    stop: str | list[str] | None = None
    temperature: float | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    n: int | None = None
    prompt_cache_key: str | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
