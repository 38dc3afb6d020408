"""The body of a generateContent request, exactly as the API accepts it.

Field names are camelCase on the wire. A part is told apart by which of its fields is there.
Base64 stays text: the API takes both alphabets, and a signature must go back as it came.
"""

from typing import Any, Literal

from msgspec import Struct


class Shape(Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """What all of the body's objects share: nothing unknown comes in, no default goes out."""


class Blob(Shape):
    """Bytes, in place."""

    mime_type: str
    data: str
    display_name: str | None = None


class FileData(Shape):
    """Bytes the API holds or fetches by itself."""

    file_uri: str
    mime_type: str | None = None
    display_name: str | None = None


class FunctionCall(Shape):
    """A tool the model wants run."""

    name: str
    args: dict[str, Any] | None = None
    id: str | None = None


class FunctionResponsePart(Shape):
    """A file inside a tool's answer."""

    inline_data: Blob | None = None
    file_data: FileData | None = None


class FunctionResponse(Shape):
    """What a tool answered: an object with `output` or `error`."""

    name: str
    response: dict[str, Any]
    id: str | None = None
    parts: list[FunctionResponsePart] | None = None
    will_continue: bool | None = None
    scheduling: str | None = None


class Part(Shape):
    """One piece of a content; a signature stands beside its data, never inside."""

    text: str | None = None
    thought: bool = False
    inline_data: Blob | None = None
    file_data: FileData | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    executable_code: dict[str, Any] | None = None
    code_execution_result: dict[str, Any] | None = None
    tool_call: dict[str, Any] | None = None
    tool_response: dict[str, Any] | None = None
    thought_signature: str | None = None
    media_resolution: dict[str, Any] | None = None
    video_metadata: dict[str, Any] | None = None
    part_metadata: dict[str, Any] | None = None


class Content(Shape):
    """A turn. `function` is what older clients call the turn of tool answers."""

    parts: list[Part]
    role: Literal["user", "model", "function"] | None = None


class SystemInstruction(Shape):
    """The system prompt."""

    parts: list[Part]
    role: str | None = None


class FunctionDeclaration(Shape):
    """A tool; its parameters as a JSON schema, or in the older OpenAPI form, never both."""

    name: str
    description: str | None = None
    parameters_json_schema: dict[str, Any] | None = None
    parameters: dict[str, Any] | None = None
    response_json_schema: dict[str, Any] | None = None
    response: dict[str, Any] | None = None
    behavior: str | None = None


class Tool(Shape):
    """Tools of ours, or one of Google's own."""

    function_declarations: list[FunctionDeclaration] | None = None
    google_search: dict[str, Any] | None = None
    google_search_retrieval: dict[str, Any] | None = None
    google_maps: dict[str, Any] | None = None
    url_context: dict[str, Any] | None = None
    code_execution: dict[str, Any] | None = None
    computer_use: dict[str, Any] | None = None
    file_search: dict[str, Any] | None = None
    mcp_servers: list[dict[str, Any]] | None = None


class FunctionCallingConfig(Shape):
    """Whether tools may, must or must not be called."""

    mode: Literal["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"] | None = None
    allowed_function_names: list[str] | None = None


class ToolConfig(Shape):
    """How tools are used."""

    function_calling_config: FunctionCallingConfig | None = None
    include_server_side_tool_invocations: bool | None = None
    retrieval_config: dict[str, Any] | None = None


Level = Literal["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"]


class ThinkingConfig(Shape):
    """How hard to think: a level (Gemini 3 and later) or a budget (2.5), never both."""

    include_thoughts: bool | None = None
    thinking_level: Level | None = None
    thinking_budget: int | None = None


class GenerationConfig(Shape):
    """How the answer is made."""

    max_output_tokens: int | None = None
    stop_sequences: list[str] | None = None
    candidate_count: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: float | None = None
    seed: int | None = None
    response_mime_type: str | None = None
    response_json_schema: Any = None
    response_schema: dict[str, Any] | None = None
    response_modalities: list[str] | None = None
    media_resolution: str | None = None
    response_logprobs: bool | None = None
    logprobs: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    thinking_config: ThinkingConfig | None = None
    speech_config: dict[str, Any] | None = None
    image_config: dict[str, Any] | None = None
    enable_enhanced_civic_answers: bool | None = None


class Body(Shape):
    """The whole request. What stays the same from turn to turn comes first."""

    system_instruction: SystemInstruction | None = None
    tools: list[Tool] = []
    tool_config: ToolConfig | None = None
    contents: list[Content] = []
    generation_config: GenerationConfig | None = None
    safety_settings: list[dict[str, Any]] | None = None
    cached_content: str | None = None
    service_tier: str | None = None
    labels: dict[str, str] | None = None
    store: bool | None = None
    continuation_token: str | None = None
