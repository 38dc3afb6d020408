"""The inverse: a Gemini client's request as a neutral one, and neutral events as Gemini's answer.

Provider data a client brings has no account: its origin is this protocol, no account, the model
that is asked.
"""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from msgspec import inspect

from recto.llm.carrier import CarriedData, carried
from recto.llm.encoding import convert
from recto.llm.names import own_name
from recto.llm.protocols.gemini.body import (
    Blob,
    Body,
    Content,
    FunctionCall,
    FunctionDeclaration,
    FunctionResponse,
    GenerationConfig,
    Part,
    ThinkingConfig,
)
from recto.llm.protocols.gemini.lower import BUDGETS
from recto.llm.protocols.gemini.lower_messages import DUMMY_SIGNATURE
from recto.messages import (
    AssistantPart,
    Document,
    Effort,
    Image,
    Json,
    Message,
    Native,
    Origin,
    OutputSchema,
    ProviderData,
    Request,
    ResultContent,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    UserPart,
)
from recto.messages import Part as NeutralPart

PATH = re.compile(r"(?:.*/)?models/(?P<model>[^/:?]+):(?P<method>\w+)(?:\?.*)?")
BODY = inspect.type_info(Body)
METHODS = {"streamGenerateContent": True, "generateContent": False}
DEFAULT_OUTPUT = 8192
NO_PARAMETERS: Json = {"type": "object", "properties": {}}
EFFORTS: dict[str, Effort] = {
    "MINIMAL": "minimal",
    "LOW": "low",
    "MEDIUM": "medium",
    "HIGH": "high",
}
SCHEMA_NAME = "answer"
CARRIED = base64.b64encode(b"gw1.xx").decode()[:5]
"""How a signature begins that carries another provider's data: in base64, like every signature."""
FILE_NAMES = {"application/pdf": "document.pdf"}


def serve(body: bytes, *, path: str = "") -> Request:
    """Read a client's request. Raises ValueError with words."""
    asked = PATH.fullmatch(path)
    if asked is None or asked["method"] not in METHODS:
        raise ValueError("The address must be /models/MODEL:generateContent or the like.")
    try:
        found = convert(renamed(json.loads(body), BODY), Body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The request is not what generateContent takes: {error}") from error
    return serve_body(found, unquote(asked["model"]), stream=METHODS[asked["method"]])


def renamed(value: Any, kind: inspect.Type) -> Any:
    """The same with camelCase names: the API reads snake_case too, and Google's client mixes.

    Fields that the API does not have are passed over: clients add some of their own.
    """
    match kind:
        case inspect.StructType() if isinstance(value, dict):
            fields = {field.name: field for field in kind.fields}
            fields |= {field.encode_name: field for field in kind.fields}
            return {
                fields[key].encode_name: renamed(item, fields[key].type)
                for key, item in cast(dict[str, Any], value).items()
                if key in fields
            }
        case inspect.ListType() if isinstance(value, list):
            return [renamed(item, kind.item_type) for item in cast(list[Any], value)]
        case inspect.UnionType():
            nested = (inspect.StructType, inspect.ListType)
            inner = next((item for item in kind.types if isinstance(item, nested)), None)
            return value if inner is None else renamed(value, inner)
        case _:
            return value


def serve_body(body: Body, model: str, *, stream: bool) -> Request:
    """A request's body, without what no other provider could be told."""
    if body.cached_content is not None:
        raise ValueError("cachedContent is not kept here; send the contents themselves.")
    config = body.generation_config or GenerationConfig()
    if (config.candidate_count or 1) != 1:
        raise ValueError("Only one candidate is answered; leave candidateCount out.")
    others = {item.upper() for item in config.response_modalities or ()} - {"TEXT"}
    if others or config.speech_config is not None or config.image_config is not None:
        raise ValueError("Only words are answered; leave other modalities out.")
    system = body.system_instruction.parts if body.system_instruction else []
    tools, choice = serve_tools(body)
    return Request(
        model=model,
        messages=serve_contents(body, Origin("gemini", "", model)),
        max_output=config.max_output_tokens or DEFAULT_OUTPUT,
        system="\n\n".join(part.text for part in system if part.text),
        tools=tools,
        tool_choice=choice,
        effort=serve_effort(config.thinking_config),
        output_schema=serve_schema(config),
        stop=tuple(config.stop_sequences or ()),
        temperature=config.temperature,
        logprobs=bool(config.response_logprobs),
        stream=stream,
    )


def serve_tools(body: Body) -> tuple[tuple[ToolSpec, ...], ToolChoice]:
    """The tools, and whether they must be called."""
    for tool in body.tools:
        if tool.function_declarations is None:
            name = next(iter(msgspec.to_builtins(tool)), "without a kind")
            raise ValueError(f"The tool {name} is not offered here, only functionDeclarations.")
    tools = [
        serve_tool(function_declaration)
        for tool in body.tools
        for function_declaration in tool.function_declarations or ()
    ]
    config = body.tool_config.function_calling_config if body.tool_config else None
    allowed = [own_name(name) for name in (config.allowed_function_names or ())] if config else []
    if allowed:
        tools = [tool for tool in tools if tool.name in allowed or len(allowed) == 1]
    match config.mode if config else None:
        case "NONE":
            return tuple(tools), ToolChoice("none")
        case "ANY" if len(allowed) == 1:
            return tuple(tools), ToolChoice("one", allowed[0])
        case "ANY":
            return tuple(tools), ToolChoice("any")
        case _:
            return tuple(tools), ToolChoice()


def serve_tool(tool: FunctionDeclaration) -> ToolSpec:
    """A tool. Gemini leaves out the parameters of one that has none."""
    schema = tool.parameters_json_schema or openapi(tool.parameters or {})
    return ToolSpec(own_name(tool.name), tool.description or "", schema or NO_PARAMETERS)


def openapi(schema: Any) -> Any:
    """A schema of the older form, whose types are upper case, as JSON schema."""
    if isinstance(schema, list):
        return [openapi(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    found = {key: openapi(value) for key, value in cast(dict[str, Any], schema).items()}
    if isinstance(found.get("type"), str):
        kind = found["type"].lower()
        found["type"] = [kind, "null"] if found.pop("nullable", False) is True else kind
    return found


def serve_effort(config: ThinkingConfig | None) -> Effort | None:
    """How hard to think: the level, or the least that has such a budget."""
    if config is None:
        return None
    if config.thinking_level is not None:
        return EFFORTS.get(config.thinking_level)
    budget = config.thinking_budget
    if budget is None or budget < 0:
        return None
    for effort, tokens in BUDGETS.items():
        if budget <= tokens:
            return effort
    return "max"


def serve_schema(config: GenerationConfig) -> OutputSchema | None:
    """The schema of the answer; JSON without a schema is any object."""
    if config.response_mime_type != "application/json":
        return None
    schema = config.response_json_schema or openapi(config.response_schema or {"type": "OBJECT"})
    return OutputSchema(SCHEMA_NAME, cast(Json, schema))


@dataclass(slots=True)
class Serving:
    """The calls of the last step, which the answers that follow are for."""

    origin: Origin
    step: int = 0
    calls: list[tuple[str, str]] | None = None

    def data(self, signature: str | None) -> CarriedData | None:
        """A signature as provider data, Gemini's or another's; the dummy is none."""
        if not signature or signature == DUMMY_SIGNATURE:
            return None
        if signature.startswith(CARRIED):
            return carried(decoded(signature))
        return CarriedData(ProviderData(self.origin, {"signature": signature}), None)


def decoded(signature: str) -> str:
    """A signature's bytes as text; of both base64 alphabets. What is none is nothing."""
    try:
        return base64.b64decode(signature.replace("-", "+").replace("_", "/")).decode()
    except ValueError:
        return ""


def serve_contents(body: Body, origin: Origin) -> tuple[Message, ...]:
    """The messages; contents of one role in a row are one."""
    serving = Serving(origin)
    found: list[tuple[Role, list[NeutralPart]]] = []
    for content in body.contents:
        role: Role = "assistant" if content.role == "model" else "user"
        parts = serve_content(content, role, serving)
        if found and found[-1][0] == role:
            found[-1][1].extend(parts)
        else:
            found.append((role, parts))
    if body.continuation_token is not None:
        token = ProviderData(origin, {"continuation": body.continuation_token})
        found.append(("assistant", [Native(token)]))
    return tuple(Message(role, tuple(parts)) for role, parts in found if parts)


def serve_content(content: Content, role: Role, serving: Serving) -> list[NeutralPart]:
    """The parts of a turn."""
    if role == "user":
        return [serve_user_part(part, serving) for part in content.parts]
    serving.step += 1
    serving.calls = []
    parts = [serve_model_part(part, serving) for part in content.parts]
    return without_pieces([part for part in parts if part is not None])


def without_pieces(parts: list[AssistantPart]) -> list[NeutralPart]:
    """The parts without pieces of thoughts that follow whole, as another provider had them."""
    found: list[NeutralPart] = []
    for part in parts:
        if isinstance(part, Thinking) and is_foreign(part.provider):
            while found and isinstance(found[-1], Thinking) and found[-1].provider is None:
                found.pop()
        found.append(part)
    return found


def is_foreign(data: ProviderData | None) -> bool:
    """Whether provider data is another provider's."""
    return data is not None and data.origin.protocol != "gemini"


def serve_model_part(part: Part, serving: Serving) -> AssistantPart | None:
    """Something the model said; a signature alone is nothing."""
    found = serving.data(part.thought_signature)
    data = found.data if found else None
    if part.function_call is not None:
        return serve_call(part.function_call, data, serving)
    if part.text is not None and part.thought:
        return Thinking(part.text if not found or found.text is None else found.text, data)
    if part.text is not None:
        return Text(part.text, data)
    raw = msgspec.to_builtins(part)
    if not raw.keys() - {"thought", "thoughtSignature"}:
        return None
    return Native(ProviderData(serving.origin, {"part": raw}))


def serve_call(call: FunctionCall, data: ProviderData | None, serving: Serving) -> ToolCall:
    """A call; one without an id gets one by its place."""
    calls = serving.calls if serving.calls is not None else []
    call_id = call.id or f"gem_{serving.step}_{len(calls)}"
    calls.append((call_id, call.name))
    return ToolCall(call_id, own_name(call.name), call.args or {}, data)


def serve_user_part(part: Part, serving: Serving) -> UserPart:
    """Something the user said, showed or let a tool answer."""
    if part.function_response is not None:
        return serve_result(part.function_response, serving)
    if part.text is not None:
        return Text(part.text)
    if part.inline_data is not None:
        return serve_blob(part.inline_data)
    if part.file_data is not None:
        return Image(part.file_data.mime_type or "image/jpeg", url=part.file_data.file_uri)
    kind = next(iter(msgspec.to_builtins(part)), "nothing")
    raise ValueError(f"A user can't say {kind}.")


def serve_result(response: FunctionResponse, serving: Serving) -> ToolResult:
    """A tool's answer; one without an id is for the first open call of its name."""
    calls = serving.calls or []
    found = next(
        (
            call
            for call in calls
            if call[0] == response.id or (not response.id and call[1] == response.name)
        ),
        (response.id or f"gem_{serving.step}_{response.name}", response.name),
    )
    if found in calls:
        calls.remove(found)
    words, is_error = serve_response(response.response)
    files = [serve_blob(part.inline_data) for part in response.parts or () if part.inline_data]
    content: list[ResultContent] = [Text(words)] if words else []
    return ToolResult(found[0], own_name(response.name), (*content, *files), is_error)


def serve_response(response: dict[str, Any]) -> tuple[str, bool]:
    """The words of a tool's answer, and whether it is an error."""
    for key in ("output", "error"):
        if response.keys() == {key}:
            value = response[key]
            return value if isinstance(value, str) else json.dumps(value), key == "error"
    return json.dumps(response), False


def serve_blob(blob: Blob) -> Image | Document:
    """A file; both base64 alphabets are read."""
    try:
        data = base64.b64decode(blob.data.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error as error:
        raise ValueError(f"The data of a {blob.mime_type} is not base64: {error}") from error
    if blob.mime_type.startswith("image/"):
        return Image(blob.mime_type, data)
    return Document(blob.mime_type, data, FILE_NAMES.get(blob.mime_type, "file"))
