"""The body of a Chat Completions request: what the API accepts, as far as Recto knows it.

Field order is the order on the wire. Fields that a client may echo from an answer are known, too.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Schema = dict[str, Any]


class BodyPart(Struct, omit_defaults=True):
    """A piece of the body. Clients add fields of their own, which are passed over."""


class Breakpoint(BodyPart):
    """The prompt up to here is worth remembering."""

    mode: Literal["explicit"]
    ttl: Literal["30m", "12h"] | None = None


class TextPart(BodyPart, tag_field="type", tag="text"):
    text: str
    prompt_cache_breakpoint: Breakpoint | None = None
    cache_control: Schema | None = None
    """Anthropic's way to say the same, as many clients write it whoever answers."""


class ImageUrl(BodyPart):
    url: str
    detail: str | None = None


class ImagePart(BodyPart, tag_field="type", tag="image_url"):
    image_url: ImageUrl
    prompt_cache_breakpoint: Breakpoint | None = None
    cache_control: Schema | None = None


class File(BodyPart):
    file_data: str | None = None
    filename: str | None = None
    file_id: str | None = None


class FilePart(BodyPart, tag_field="type", tag="file"):
    file: File
    prompt_cache_breakpoint: Breakpoint | None = None
    cache_control: Schema | None = None


class RefusalPart(BodyPart, tag_field="type", tag="refusal"):
    refusal: str


class ThinkingPart(BodyPart, tag_field="type", tag="thinking"):
    """What Mistral thought. It goes back as it came, whatever is in it."""


UserPart = TextPart | ImagePart | FilePart


class SystemMessage(BodyPart, tag_field="role", tag="system"):
    content: str | list[TextPart] | None = None
    name: str | None = None


class DeveloperMessage(BodyPart, tag_field="role", tag="developer"):
    content: str | list[TextPart] | None = None
    name: str | None = None


class UserMessage(BodyPart, tag_field="role", tag="user"):
    content: str | list[UserPart] | None = None
    name: str | None = None


class FunctionCall(BodyPart):
    name: str
    arguments: str | None = None


class CallPart(BodyPart, tag_field="type", tag="function"):
    id: str
    function: FunctionCall
    extra_content: Schema | None = None
    """Gemini's signatures, behind its compatible address."""


class AssistantMessage(BodyPart, tag_field="role", tag="assistant"):
    content: str | list[TextPart | RefusalPart | ThinkingPart] | None | UnsetType = UNSET
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[Any] | None = None
    """OpenRouter's thoughts, as they came."""
    tool_calls: list[CallPart] | None = None
    refusal: str | None = None
    name: str | None = None
    annotations: list[Any] | None = None
    audio: None = None
    function_call: None = None


class ToolMessage(BodyPart, tag_field="role", tag="tool"):
    tool_call_id: str
    content: str | list[TextPart] | None = None


Message = SystemMessage | DeveloperMessage | UserMessage | AssistantMessage | ToolMessage


class Function(BodyPart):
    name: str
    description: str | None = None
    parameters: Schema | None = None
    strict: bool | None = None


class FunctionTool(BodyPart, tag_field="type", tag="function"):
    function: Function


class FunctionName(BodyPart):
    name: str


class NamedTool(BodyPart, tag_field="type", tag="function"):
    function: FunctionName


class AllowedTools(BodyPart):
    mode: Literal["auto", "required"]
    tools: list[NamedTool]


class AllowedChoice(BodyPart, tag_field="type", tag="allowed_tools"):
    allowed_tools: AllowedTools


Choice = Literal["none", "auto", "required"] | NamedTool | AllowedChoice


class JsonSchema(BodyPart):
    name: str
    schema: Schema | None = None
    strict: bool | None = None
    description: str | None = None


class TextFormat(BodyPart, tag_field="type", tag="text"):
    pass


class ObjectFormat(BodyPart, tag_field="type", tag="json_object"):
    pass


class SchemaFormat(BodyPart, tag_field="type", tag="json_schema"):
    json_schema: JsonSchema


class StreamOptions(BodyPart):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


WireEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Body(BodyPart):
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
    top_p: float | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    n: int | None = None
    prompt_cache_key: str | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
