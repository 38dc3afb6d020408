"""A foreign client's Chat Completions request as a neutral one: the inverse of `lower`."""

from dataclasses import dataclass, field

import msgspec

from recto.llm.data_urls import read_data_url
from recto.llm.names import own_name
from recto.llm.protocols.openai_chat.body import (
    AllowedChoice,
    AssistantMessage,
    Body,
    CallPart,
    Choice,
    DeveloperMessage,
    File,
    FilePart,
    FunctionTool,
    ImagePart,
    NamedTool,
    ObjectFormat,
    RefusalPart,
    SchemaFormat,
    SystemMessage,
    TextPart,
    ThinkingPart,
    ToolMessage,
    UserMessage,
    UserPart,
    WireEffort,
)
from recto.llm.protocols.openai_chat.body import Message as WireMessage
from recto.llm.tool_arguments import read_arguments
from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Image,
    Message,
    OutputSchema,
    Part,
    Request,
    Role,
    Text,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
)

DEFAULT_OUTPUT = 16_384
HOTTEST = 2
SAMPLING: dict[str, float | None] = {
    "top_p": 1,
    "seed": None,
    "presence_penalty": 0,
    "frequency_penalty": 0,
}
UNREADABLE = "unreadable_arguments"
"""Where the words of a call are kept that are no JSON object: the model sees what it wrote."""
ANY_OBJECT = {"type": "object"}
# Without these the answer would be another than the client asks for; other wishes are only hints.
NOT_SERVED = ("functions", "function_call", "audio", "web_search_options")
_TOP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_BODY = msgspec.json.Decoder(Body)


@dataclass(slots=True)
class ServedConversation:
    """The messages read so far."""

    system: list[str] = field(default_factory=list[str])
    messages: list[tuple[Role, list[Part]]] = field(default_factory=list[tuple[Role, list[Part]]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """Which tool each call is of, by its id: results don't say it."""
    system_mark: bool = False
    marks: list[int] = field(default_factory=list[int])

    def add(self, role: Role, parts: list[Part]) -> None:
        """Add to the last message if it is of the same role."""
        if self.messages and self.messages[-1][0] == role:
            self.messages[-1][1].extend(parts)
        else:
            self.messages.append((role, parts))


def serve(body: bytes, *, path: str = "") -> Request:
    """Read a foreign client's request. Raises ValueError with words."""
    found = decode(body)
    check_wishes(found)
    conversation = ServedConversation()
    for message in found.messages:
        serve_message(message, conversation)
    if not conversation.messages:
        raise ValueError("`messages` has nothing to answer: send at least one message of a user.")
    return Request(
        model=found.model,
        messages=tuple(Message(role, tuple(parts)) for role, parts in conversation.messages),
        max_output=found.max_completion_tokens or found.max_tokens or DEFAULT_OUTPUT,
        system="\n\n".join(conversation.system),
        tools=serve_tools(found.tools or [], found.tool_choice),
        tool_choice=serve_choice(found.tool_choice, single=found.parallel_tool_calls is False),
        effort=serve_effort(found.reasoning_effort),
        output_schema=serve_format(found),
        stop=(found.stop,) if isinstance(found.stop, str) else tuple(found.stop or ()),
        temperature=found.temperature,
        logprobs=bool(found.logprobs),
        cache=CacheMarks(conversation.system_mark, tuple(dict.fromkeys(conversation.marks))),
        cache_key=found.prompt_cache_key,
        stream=bool(found.stream),
    )


def check_wishes(body: Body) -> None:
    """Refuse what would be answered as if it had not been asked for. Raises ValueError."""
    if body.n is not None and body.n > 1:
        raise ValueError("One answer at a time is served: leave out `n`.")
    if body.temperature is not None and not 0 <= body.temperature <= HOTTEST:
        raise ValueError(f"`temperature` must be from 0 to {HOTTEST}.")
    # Clients send these with the values that change nothing; others no model here is told of.
    for name, neutral in SAMPLING.items():
        if getattr(body, name) not in (None, neutral):
            raise ValueError(f"`{name}` is not served here: leave it out.")


def decode(body: bytes) -> Body:
    """The body. What we don't know is passed over: clients add fields of their own."""
    try:
        fields = _TOP.decode(body)
        for name in NOT_SERVED:
            if bytes(fields.get(name, b"null")) != b"null":
                raise ValueError(f"`{name}` is not served here.")
        return _BODY.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"The request can't be read: {error}.") from error


def wants_usage(body: bytes) -> bool:
    """Whether a client asks for the usage at the end of its stream."""
    options = decode(body).stream_options
    return options is not None and options.include_usage is True


def serve_message(message: WireMessage, conversation: ServedConversation) -> None:
    """Read one message into the conversation."""
    match message:
        case SystemMessage() | DeveloperMessage():
            serve_system(message, conversation)
        case UserMessage() if message.content is not None:
            conversation.add(
                "user", [serve_content(as_part) for as_part in as_parts(message.content)]
            )
        case UserMessage():
            pass  # null says nothing
        case AssistantMessage():
            conversation.add("assistant", serve_assistant(message, conversation))
        case ToolMessage():
            conversation.add("user", [serve_result(message, conversation)])
    content = message.content
    if isinstance(content, list) and any(is_marked(part) for part in content):
        if conversation.messages:
            conversation.marks.append(len(conversation.messages) - 1)
        else:
            conversation.system_mark = True


def is_marked(part: UserPart | RefusalPart | ThinkingPart) -> bool:
    """Whether the prompt up to here should be remembered."""
    if isinstance(part, RefusalPart | ThinkingPart):
        return False
    return part.prompt_cache_breakpoint is not None or part.cache_control is not None


def serve_system(
    message: SystemMessage | DeveloperMessage, conversation: ServedConversation
) -> None:
    """Instructions; in the middle of a conversation only the user can give them."""
    texts = [part.text for part in as_parts(message.content) if isinstance(part, TextPart)]
    if conversation.messages:
        conversation.add("user", [Text(text) for text in texts])
    else:
        conversation.system.extend(texts)


def as_parts(content: str | list[TextPart] | list[UserPart] | None) -> list[UserPart]:
    """Content as parts, in whichever way it was written."""
    if content is None:
        return []
    return [TextPart(content)] if isinstance(content, str) else [*content]


def serve_content(part: UserPart) -> Text | Image | Document:
    """A part of what the user says."""
    match part:
        case TextPart():
            return Text(part.text)
        case ImagePart():
            return serve_image(part.image_url.url)
        case FilePart():
            return serve_file(part.file)


def serve_image(url: str) -> Image:
    """A picture: its data, or the address of one."""
    if not url.startswith("data:"):
        return Image("image/*", url=url)
    media_type, data = read_data_url(url)
    return Image(media_type, data)


def serve_file(file: File) -> Document:
    """A file, if its data came along."""
    if file.file_data is None:
        raise ValueError("A file is served only with its `file_data`: there are no uploads here.")
    if not file.file_data.startswith("data:"):
        file = msgspec.structs.replace(file, file_data=f"data:;base64,{file.file_data}")
    media_type, data = read_data_url(file.file_data or "")
    return Document(media_type or "application/pdf", data, file.filename or "file")


def serve_assistant(message: AssistantMessage, conversation: ServedConversation) -> list[Part]:
    """What the model said and called. Its thoughts are not of use without their origin."""
    parts: list[Part] = []
    if isinstance(message.content, str):
        parts.append(Text(message.content))
    elif isinstance(message.content, list):
        for part in message.content:
            if not isinstance(part, ThinkingPart):
                parts.append(Text(part.text if isinstance(part, TextPart) else part.refusal))
    if message.refusal:
        parts.append(Text(message.refusal))
    for call in message.tool_calls or ():
        parts.append(serve_call(call))
        conversation.names[call.id] = own_name(call.function.name)
    return parts


def serve_call(call: CallPart) -> ToolCall:
    """A call of an earlier answer."""
    words = call.function.arguments or ""
    arguments = read_arguments(words)
    if arguments is None:
        arguments = {UNREADABLE: words}
    return ToolCall(call.id, own_name(call.function.name), arguments)


def serve_result(message: ToolMessage, conversation: ServedConversation) -> ToolResult:
    """What a tool answered."""
    texts = [part.text for part in as_parts(message.content) if isinstance(part, TextPart)]
    name = conversation.names.get(message.tool_call_id, "")
    return ToolResult(message.tool_call_id, name, tuple(Text(text) for text in texts))


def serve_tools(tools: list[FunctionTool], choice: Choice | None) -> tuple[ToolSpec, ...]:
    """The tools, or those of them that the choice leaves."""
    if isinstance(choice, AllowedChoice):
        left = {tool.function.name for tool in choice.allowed_tools.tools}
        tools = [tool for tool in tools if tool.function.name in left]
    return tuple(serve_tool(tool) for tool in tools)


def serve_tool(tool: FunctionTool) -> ToolSpec:
    """A tool; one without parameters takes an empty object."""
    found = tool.function
    parameters = found.parameters or {"type": "object", "properties": {}}
    return ToolSpec(own_name(found.name), found.description or "", parameters)


def serve_choice(choice: Choice | None, *, single: bool) -> ToolChoice:
    """Whether tools may, must or must not be called."""
    match choice:
        case None | "auto":
            return ToolChoice(single=single)
        case "none":
            return ToolChoice("none", single=single)
        case "required":
            return ToolChoice("any", single=single)
        case NamedTool():
            return ToolChoice("one", own_name(choice.function.name), single=single)
        case AllowedChoice():
            is_forced = choice.allowed_tools.mode == "required"
            return ToolChoice("any" if is_forced else "auto", single=single)


def serve_effort(effort: WireEffort | None) -> Effort | None:
    """How hard to think."""
    return "off" if effort == "none" else effort


def serve_format(body: Body) -> OutputSchema | None:
    """The schema the answer must have; JSON without one is any object."""
    match body.response_format:
        case SchemaFormat(json_schema=found):
            return OutputSchema(own_name(found.name), found.schema or ANY_OBJECT)
        case ObjectFormat():
            return OutputSchema("answer", ANY_OBJECT)
        case _:
            return None
