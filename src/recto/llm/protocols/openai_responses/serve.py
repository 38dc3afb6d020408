"""Reads a foreign client's request: the inverse of `lower`.

The client keeps the conversation: a request that points to one kept here is refused with words.
Provider data that came from here brings its origin back; other data has no account yet: whoever
serves the client knows it.
"""

from dataclasses import replace
from typing import Any, cast

import msgspec
from msgspec import inspect

from recto.llm.carrier import carried, is_carrier
from recto.llm.data_urls import read_data_url
from recto.llm.encoding import known_only
from recto.llm.names import own_name
from recto.llm.protocols.openai_responses.body import (
    AllowedTools,
    Body,
    ForcedFunction,
    FunctionCall,
    FunctionCallOutput,
    FunctionTool,
    InputFile,
    InputImage,
    InputText,
    Item,
    Message,
    ObjectFormat,
    OutputText,
    Reasoning,
    Refusal,
    SchemaFormat,
)
from recto.llm.protocols.openai_responses.lower import LOGPROBS
from recto.llm.protocols.openai_responses.offered_tools import (
    as_plain_choice,
    as_plain_item,
    joined_name,
    listed,
    read_object,
    read_offered,
)
from recto.llm.protocols.openai_responses.read_failures import ID
from recto.llm.tool_arguments import read_arguments
from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Image,
    Native,
    Origin,
    OutputSchema,
    Part,
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
)
from recto.messages import Message as NeutralMessage

DEFAULT_OUTPUT = 16_384
ITEM_TYPES = frozenset({"message", "function_call", "function_call_output", "reasoning"})
BODY = inspect.type_info(Body)
ITEM = inspect.type_info(Item)
KEPT_ELSEWHERE = ("previous_response_id", "conversation", "prompt", "background")

Content = InputText | InputImage | InputFile | OutputText | Refusal


def serve(body: bytes, *, path: str = "") -> Request:
    """Read a request; the path says nothing here. Raises ValueError with words."""
    found = read_body(body)
    return Request(
        model=found.model,
        messages=(turns := serve_input(found)).messages,
        max_output=found.max_output_tokens or DEFAULT_OUTPUT,
        system="\n\n".join(turns.system),
        tools=tuple(map(serve_tool, allowed(found))),
        tool_choice=serve_choice(found),
        effort=serve_effort(found),
        output_schema=serve_schema(found),
        temperature=found.temperature,
        logprobs=LOGPROBS in (found.include or ()),
        cache=CacheMarks(turns.is_system_marked, tuple(turns.marks)),
        cache_key=found.prompt_cache_key,
        stream=bool(found.stream),
    )


def read_body(body: bytes) -> Body:
    """The body; fields that the API does not have are passed over."""
    found = read_strictly(read_object(body))
    for name in KEPT_ELSEWHERE:
        if getattr(found, name):
            raise ValueError(f"`{name}` is not supported: send the whole conversation in `input`.")
    return found


def read_strictly(raw: dict[str, Any]) -> Body:
    """The body with its items as the values of `body`, or as they came if nobody knows them."""
    offered = read_offered(raw)
    raw = {**raw, "tools": None, "tool_choice": as_plain_choice(raw.get("tool_choice"))}
    try:
        found = msgspec.convert(known_only(raw, BODY), Body)
        if not isinstance(found.input, str):
            found.input = [
                read_item(item)
                for item in listed(found.input)
                if item.get("type") != "additional_tools"
            ]
    except msgspec.ValidationError as error:
        raise ValueError(f"The request can't be read: {error}.") from error
    found.tools = [*offered.functions]
    return found


def read_item(raw: dict[str, Any]) -> Item | dict[str, Any]:
    """An item. A message needs no type; a kind that is not known here belongs to its provider."""
    item = as_plain_item(raw)
    kind = item.get("type") or "message"
    if kind == "item_reference":
        raise ValueError("`item_reference` is not supported: send the item itself.")
    if not isinstance(kind, str):
        raise ValueError("The `type` of an item must be text.")
    if kind not in ITEM_TYPES:
        return item
    return msgspec.convert(known_only({**item, "type": kind}, ITEM), Item)


class Turns:
    """The conversation while it is read."""

    def __init__(self, origin: Origin) -> None:
        self.system: list[str] = []
        self.is_system_marked = False
        self.marks: list[int] = []
        self._origin = origin
        self._turns: list[tuple[Role, list[Part]]] = []
        self._names: dict[str, str] = {}
        self._carried: dict[str, ProviderData] = {}
        """What other providers gave with calls, by the calls' ids."""

    @property
    def messages(self) -> tuple[NeutralMessage, ...]:
        """The messages so far."""
        return tuple(
            NeutralMessage(role, tuple(map(self._with_carried, parts)))
            for role, parts in self._turns
        )

    def _with_carried(self, part: Part) -> Part:
        if isinstance(part, ToolCall) and part.id in self._carried:
            return replace(part, provider=self._carried[part.id])
        return part

    def add(self, role: Role, *parts: Part) -> None:
        """More of a turn; items of one role in a row are one message."""
        if parts and (not self._turns or self._turns[-1][0] != role):
            self._turns.append((role, []))
        if parts:
            self._turns[-1][1].extend(parts)

    def add_item(self, item: Item | dict[str, Any]) -> None:
        """One item of the input."""
        match item:
            case Message(role="assistant"):
                self.add("assistant", *serve_said(item, self._origin))
            case Message(role="user"):
                self.add("user", *serve_content(item.content))
                self._mark(item.content)
            case Message():
                self._add_system(item)
            case FunctionCall():
                self._names[item.call_id] = own_name(item.name)
                self.add("assistant", serve_call(item))
            case FunctionCallOutput():
                name = self._names.get(item.call_id) or item.name or ""
                self.add("user", ToolResult(item.call_id, name, serve_content(item.output)))
                self._mark(item.output)
            case Reasoning():
                self._add_thinking(item)
            case _:
                self.add("assistant", Native(ProviderData(self._origin, item)))

    def _add_thinking(self, item: Reasoning) -> None:
        seal = item.encrypted_content or ""
        found = carried(seal) if is_carrier(seal) else None
        if found is not None and found.call_id is not None:
            self._carried[found.call_id] = found.data
        else:
            self.add("assistant", serve_thinking(item, self._origin))

    def _add_system(self, item: Message) -> None:
        """What the system says first is its prompt; what it says later is told by the user."""
        words = [one.text for one in serve_content(item.content) if isinstance(one, Text)]
        if self._turns:
            self.add("user", *map(Text, words))
        else:
            self.system += words
            self.is_system_marked |= is_marked(item.content)

    def _mark(self, content: object) -> None:
        index = len(self._turns) - 1
        if is_marked(content) and index >= 0 and index not in self.marks:
            self.marks.append(index)


def serve_input(body: Body) -> Turns:
    """The conversation of a request."""
    turns = Turns(Origin(ID, "", body.model))
    if body.instructions:
        turns.system.append(body.instructions)
    items: list[Item | dict[str, Any]] = (
        [Message(role="user", content=body.input)] if isinstance(body.input, str) else body.input
    )
    for item in items:
        turns.add_item(item)
    return turns


def is_marked(content: object) -> bool:
    """Whether a cache mark stands in the content."""
    if not isinstance(content, list):
        return False
    parts = cast(list[Content], content)
    return any(getattr(part, "prompt_cache_breakpoint", None) is not None for part in parts)


def serve_said(item: Message, origin: Origin) -> tuple[Text, ...]:
    """Words of the model, with the phase it gave them."""
    data = None if item.phase is None else ProviderData(origin, {"phase": item.phase})
    words = [one.text for one in serve_content(item.content) if isinstance(one, Text)]
    return tuple(Text(text, data) for text in words)


def serve_content(content: str | list[Any]) -> tuple[ResultContent, ...]:
    """Words, pictures and files; empty words are nothing."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    parts = [serve_part(item) for item in cast(list[Content], content)]
    return tuple(part for part in parts if not isinstance(part, Text) or part.text)


def serve_part(part: Content) -> ResultContent:
    """One piece of content."""
    match part:
        case InputText() | OutputText():
            return Text(part.text)
        case Refusal():
            return Text(part.refusal)
        case InputImage():
            return serve_image(part)
        case InputFile():
            return serve_file(part)


def serve_image(part: InputImage) -> Image:
    """A picture; of an address nobody knows what kind it is."""
    if not part.image_url:
        raise ValueError("An `input_image` needs an `image_url`; uploaded files are not supported.")
    if not part.image_url.startswith("data:"):
        return Image("image/*", url=part.image_url)
    return Image(*read_data_url(part.image_url))


def serve_file(part: InputFile) -> Document:
    """A file with its bytes."""
    if not part.file_data:
        raise ValueError("An `input_file` needs `file_data`; uploaded files are not supported.")
    return Document(*read_data_url(part.file_data), part.filename or "file")


def serve_call(item: FunctionCall) -> ToolCall:
    """A call with its arguments."""
    arguments = read_arguments(item.arguments)
    if arguments is None:
        raise ValueError(f"The arguments of call {item.call_id} are no JSON object.")
    return ToolCall(item.call_id, own_name(item.name), arguments)


def serve_thinking(item: Reasoning, origin: Origin) -> Thinking:
    """Thoughts, with their seal if they have one."""
    summary = [piece.text for piece in item.summary]
    content = [piece.text for piece in item.content or ()]
    text = "\n\n".join((*summary, *content))
    if not item.encrypted_content:
        return Thinking(text)
    if is_carrier(item.encrypted_content):
        found = carried(item.encrypted_content)
        return Thinking(text, found.data if found else None)
    seal = {"id": item.id, "encrypted_content": item.encrypted_content, "summary": summary}
    payload = {**seal, "content": content} if content else seal
    return Thinking(text, ProviderData(origin, payload))


def allowed(body: Body) -> list[FunctionTool]:
    """The tools that may be called."""
    tools = [tool for tool in body.tools or () if isinstance(tool, FunctionTool)]
    if not isinstance(body.tool_choice, AllowedTools):
        return tools
    names = {
        joined_name(str(tool.get("name")), tool.get("namespace")) for tool in body.tool_choice.tools
    }
    return [tool for tool in tools if tool.name in names]


def serve_tool(tool: FunctionTool) -> ToolSpec:
    """A tool."""
    return ToolSpec(own_name(tool.name), tool.description or "", tool.parameters or {})


def serve_choice(body: Body) -> ToolChoice:
    """Which tools may or must be called."""
    single = body.parallel_tool_calls is False
    match body.tool_choice:
        case ForcedFunction(name=name):
            return ToolChoice("one", own_name(name), single)
        case "required" | AllowedTools(mode="required"):
            return ToolChoice("any", None, single)
        case "none":
            return ToolChoice("none", None, single)
        case _:
            return ToolChoice("auto", None, single)


def serve_effort(body: Body) -> Effort | None:
    """How hard to think."""
    effort = body.reasoning.effort if body.reasoning else None
    return "off" if effort == "none" else effort


def serve_schema(body: Body) -> OutputSchema | None:
    """What the answer must look like."""
    match body.text.format if body.text else None:
        case SchemaFormat(name=name, schema=schema):
            return OutputSchema(own_name(name), schema)
        case ObjectFormat():
            return OutputSchema("answer", {"type": "object"})
        case _:
            return None
