"""A foreign client's POST /v1/messages to a neutral request: the inverse of `lower`.

Unknown fields are passed over. Thoughts and blocks of the API's own get the origin
`anthropic-messages`, no account, the model asked for: whoever knows the account puts it in.
"""

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from recto.llm.carrier import carried, is_carrier
from recto.llm.encoding import convert
from recto.llm.names import own_name
from recto.llm.protocols.anthropic_messages.asked import (
    AskedBlock,
    AskedChoice,
    AskedMessages,
    AskedOutput,
    AskedThinking,
    AskedTool,
    AskedTurn,
    Source,
)
from recto.llm.protocols.anthropic_messages.context_edits import edit_context
from recto.llm.protocols.anthropic_messages.lower import BUDGETS
from recto.llm.protocols.anthropic_messages.write_message import PROTOCOL_ID
from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Image,
    Message,
    Native,
    Origin,
    OutputSchema,
    Part,
    ProviderData,
    Request,
    ResultContent,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
)

SCHEMA_NAME = "answer"
TOOL_SEARCH = "tool_search_tool_"


def serve(body: bytes, *, path: str = "") -> Request:
    """Read a foreign client's request. Raises ValueError with words."""
    try:
        asked = msgspec.json.decode(body, type=AskedMessages)
        return serve_request(asked)
    except msgspec.DecodeError as error:
        raise ValueError(f"The body is no request of the Messages API: {error}.") from error


def serve_request(asked: AskedMessages) -> Request:
    """The request, once its fields are known."""
    if not asked.messages:
        raise ValueError("messages: at least one message is required.")
    turns = Turns(Origin(PROTOCOL_ID, "", asked.model))
    messages = tuple(turns.serve(index, turn) for index, turn in enumerate(asked.messages))
    if asked.cache_control is not None:
        turns.mark(len(messages) - 1, asked.cache_control)
    return Request(
        asked.model,
        edit_context(messages, asked.context_management),
        asked.max_tokens,
        system=serve_system(asked.system),
        tools=tuple(serve_tools(asked.tools, turns.loaded)),
        tool_choice=serve_choice(asked.tool_choice),
        effort=serve_effort(asked),
        output_schema=serve_schema(asked.output_config),
        stop=tuple(asked.stop_sequences or ()),
        temperature=asked.temperature,
        cache=serve_marks(asked, turns.marks),
        stream=bool(asked.stream),
    )


def serve_system(system: str | list[AskedBlock]) -> str:
    """The system prompt as one text."""
    return system if isinstance(system, str) else "\n\n".join(block.text for block in system)


def serve_marks(asked: AskedMessages, marks: Mapping[int, bool]) -> CacheMarks:
    """The cache marks, and which of them live longer."""
    blocks = [] if isinstance(asked.system, str) else asked.system
    before = [item.cache_control for item in (*blocks, *asked.tools)]
    system = [is_long(mark) for mark in before if mark is not None]
    return CacheMarks(
        bool(system),
        tuple(marks),
        long_system=any(system),
        long_messages=tuple(index for index in marks if marks[index]),
    )


def is_long(mark: Any) -> bool:
    """Whether a cache mark lives longer than usual."""
    match mark:
        case {"ttl": "1h"}:
            return True
        case _:
            return False


def serve_tools(tools: list[AskedTool], loaded: Collection[str]) -> Iterable[ToolSpec]:
    """The tools that we can offer to any model. Raises ValueError for one that runs at the API.

    A deferred tool is offered once the conversation refers to it. Where the API itself would search
    among them, all are offered at once instead.
    """
    is_searched = any((tool.type or "").startswith(TOOL_SEARCH) for tool in tools)
    for index, tool in enumerate(tools):
        if (tool.type or "").startswith(TOOL_SEARCH):
            continue
        if tool.defer_loading and not is_searched and tool.name not in loaded:
            continue
        if tool.input_schema is None:
            kind = tool.type or tool.name
            raise ValueError(f"tools.{index}: {kind} runs at Anthropic alone: leave it out.")
        yield ToolSpec(own_name(tool.name), tool.description, tool.input_schema)


def serve_choice(choice: AskedChoice | None) -> ToolChoice:
    """Which tool to call."""
    if choice is None:
        return ToolChoice()
    mode: Literal["auto", "none", "any", "one"] = "one" if choice.type == "tool" else choice.type
    if mode == "one" and not choice.name:
        raise ValueError("tool_choice.name: a forced tool needs a name.")
    name = own_name(choice.name) if mode == "one" and choice.name else None
    return ToolChoice(mode, name, single=choice.disable_parallel_tool_use)


def serve_effort(asked: AskedMessages) -> Effort | None:
    """How hard to think; a budget is the nearest level that has as much."""
    level: Effort | None = asked.output_config.effort if asked.output_config else None
    match asked.thinking:
        case AskedThinking(type="disabled" | "between_tools"):
            return "off"
        case AskedThinking(type="adaptive"):
            return level or "high"
        case AskedThinking(type="enabled", budget_tokens=budget):
            enough: list[Effort] = [name for name, size in BUDGETS.items() if size >= budget]
            return enough[0] if enough else "max"
        case _:
            return level


def serve_schema(output: AskedOutput | None) -> OutputSchema | None:
    """The schema of the answer; this API has no names for schemas."""
    if output is None or output.format is None or output.format.schema is None:
        return None
    return OutputSchema(SCHEMA_NAME, output.format.schema)


class Turns:
    """Reads turns, remembering which call has which name and where cache marks stand."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._names: dict[str, str] = {}
        self._carried: dict[str, ProviderData] = {}
        self.marks: dict[int, bool] = {}
        self.loaded: set[str] = set()
        """Deferred tools that the conversation refers to."""

    def serve(self, index: int, turn: AskedTurn) -> Message:
        """One turn; words of the system in the middle become words of the user."""
        role = "assistant" if turn.role == "assistant" else "user"
        if isinstance(turn.content, str):
            return Message(role, (Text(turn.content),))
        parts: list[Part] = []
        for number, raw in enumerate(turn.content):
            try:
                block = convert(raw, AskedBlock)
                parts += self._serve_block(block, raw)
            except (msgspec.ValidationError, Base64Error, NotPassedOn) as error:
                place = f"messages.{index}.content.{number}"
                raise ValueError(f"{place}: {error}") from error
            if block.cache_control is not None:
                self.mark(index, block.cache_control)
        return Message(role, tuple(self._with_carried(part) for part in parts))

    def mark(self, index: int, mark: Any) -> None:
        """Take note of a cache mark; of two after one message, the longer life counts."""
        self.marks[index] = self.marks.get(index, False) or is_long(mark)

    def _with_carried(self, part: Part) -> Part:
        """A call gets back what another provider gave with it."""
        if isinstance(part, ToolCall) and part.id in self._carried:
            return replace(part, provider=self._carried[part.id])
        return part

    def _serve_block(self, block: AskedBlock, raw: dict[str, Any]) -> list[Part]:
        match block.type:
            case "text" | "image" | "document" | "search_result":
                return list(self._serve_content([block]))
            case "tool_use":
                name = self._names[block.id] = own_name(block.name)
                known = {"caller": block.caller, "toolset_name": block.toolset_name}
                payload = {key: value for key, value in known.items() if value is not None}
                data = self._data(payload) if payload else None
                return [ToolCall(block.id, name, block.input or {}, data)]
            case "tool_result":
                return [self._serve_result(block)]
            case "thinking" | "redacted_thinking":
                return self._serve_thinking(block)
            case _:
                whole = {key: value for key, value in raw.items() if key != "cache_control"}
                return [Native(self._data({"block": whole}))]

    def _serve_result(self, block: AskedBlock) -> ToolResult:
        content: Any = block.content
        if isinstance(content, str):
            parts = (Text(content),) if content else ()
        else:
            parts = tuple(self._serve_content(convert(content or [], list[AskedBlock])))
        name = self._names.get(block.tool_use_id, "")
        return ToolResult(block.tool_use_id, name, parts, is_error=bool(block.is_error))

    def _serve_content(self, blocks: Iterable[AskedBlock]) -> Iterable[ResultContent]:
        for block in blocks:
            match block.type:
                case "text":
                    data = self._data({"citations": block.citations}) if block.citations else None
                    yield Text(block.text, data)
                case "image":
                    yield serve_image(convert(block.source, Source))
                case "document":
                    refuse_citations(block.citations)
                    source = convert(block.source, Source)
                    yield serve_document(source, block.title or "")
                case "tool_reference":
                    self.loaded.add(block.tool_name)
                    yield Text(f"[the tool {own_name(block.tool_name)} can be called now]")
                case "search_result":
                    yield from self._serve_content(convert(block.content or [], list[AskedBlock]))
                case _:
                    yield Text(f"[{block.type} left out: it can't be passed on]")

    def _serve_thinking(self, block: AskedBlock) -> list[Part]:
        proof = block.signature or block.data
        if is_carrier(proof):
            found = carried(proof)
            if found is None:
                return []
            if found.call_id is not None:
                self._carried[found.call_id] = found.data
                return []
            is_native = block.type == "redacted_thinking"
            return [Native(found.data) if is_native else Thinking(block.thinking, found.data)]
        if block.type == "redacted_thinking":
            return [Thinking("", self._data({"redacted": proof}))]
        return [Thinking(block.thinking, self._data({"signature": proof}) if proof else None)]

    def _data(self, payload: dict[str, Any]) -> ProviderData:
        return ProviderData(self._origin, payload)


class NotPassedOn(ValueError):
    """Something that only the API itself has."""


def refuse_citations(wish: Any) -> None:
    """Raise NotPassedOn when a document is to be cited: only the API's own models do that."""
    match wish:
        case {"enabled": True}:
            raise NotPassedOn("citations are made at Anthropic alone: leave them out.")
        case _:
            pass


def serve_image(source: Source) -> Image:
    """A picture. Raises NotPassedOn for one that lies in the API's own store."""
    match source.type:
        case "base64":
            return Image(source.media_type, b64decode(source.data, validate=True))
        case "url":
            return Image("", url=source.url)
        case _:
            raise NotPassedOn(f"an image by {source.type} can't be passed on: send its bytes.")


def serve_document(source: Source, name: str) -> Document:
    """A document. Raises NotPassedOn for one that must be fetched."""
    match source.type:
        case "base64":
            return Document(source.media_type, b64decode(source.data, validate=True), name)
        case "text":
            return Document("text/plain", source.data.encode(), name)
        case _:
            raise NotPassedOn(f"a document by {source.type} can't be passed on: send its bytes.")
