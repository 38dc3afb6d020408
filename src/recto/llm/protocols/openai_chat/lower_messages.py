"""A neutral history as Chat messages: each call answered by a tool message right after it.

A tool message holds only text, so that pictures and files of a result follow in the user's words.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any, cast

import msgspec

from recto.llm.data_urls import write_data_url
from recto.llm.encoding import encode
from recto.llm.names import free_id, wire_id, wire_name
from recto.llm.protocols.openai_chat.body import (
    AssistantMessage,
    Breakpoint,
    CallPart,
    File,
    FilePart,
    FunctionCall,
    ImagePart,
    ImageUrl,
    RefusalPart,
    SystemMessage,
    TextPart,
    ThinkingPart,
    ToolMessage,
    UserMessage,
    UserPart,
)
from recto.llm.protocols.openai_chat.body import Message as WireMessage
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    Json,
    Message,
    Native,
    Origin,
    Part,
    Request,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    folded,
)

IMAGE_TYPES = {"image/png", "image/jpeg", "image/gif", "image/webp"}
MOST_MARKS = 4
MARK = Breakpoint("explicit")
MARKABLE = TextPart | ImagePart | FilePart
# Servers behind this API make ids such as `functions.read:0`, and want their own back.
ECHOED = re.compile(r"[!-~]{1,64}")


@dataclass(slots=True)
class RoleRun:
    """Messages of one role in a row."""

    role: Role
    parts: list[Part]
    is_marked: bool


@dataclass(slots=True)
class History:
    """The messages written so far."""

    traits: Traits
    origin: Origin
    written: list[WireMessage | msgspec.Raw] = field(
        default_factory=list[WireMessage | msgspec.Raw]
    )
    taken: dict[str, int] = field(default_factory=dict[str, int])
    waiting: dict[str, list[tuple[str, str]]] = field(
        default_factory=dict[str, list[tuple[str, str]]]
    )
    """Calls without a result yet: by the id we know, the ids on the wire and the names."""
    run: RoleRun | None = None
    """What is not written yet: the next message may be of the same role."""
    encoded: int = 0
    """How many of the written messages are JSON already."""

    def take(self, message: Message, *, is_marked: bool = False) -> None:
        """Take in the next message. What says nothing is left out, one role in a row is one."""
        parts = [part for part in message.parts if belongs(part, message.role)]
        if all(isinstance(part, Thinking) for part in parts):
            return
        run = self.run
        if run is not None and run.role == message.role:
            run.parts += parts
            run.is_marked |= is_marked
            return
        self.write_run()
        self.run = RoleRun(message.role, parts, is_marked)

    def write_run(self) -> None:
        """Write what waits for a message of the same role."""
        run, self.run = self.run, None
        if run is None:
            return
        if run.role == "assistant":
            lower_assistant(run, self)
        else:
            lower_user(run, self)
        last = self.written[-1]
        if run.is_marked and not isinstance(last, msgspec.Raw):
            self.written[-1] = marked(last)

    def copy(self) -> "History":
        """The same so far. What is copied is settled, and made JSON once."""
        self.written[self.encoded :] = [
            item if isinstance(item, msgspec.Raw) else msgspec.Raw(encode(item))
            for item in self.written[self.encoded :]
        ]
        self.encoded = len(self.written)
        run = self.run and replace(self.run, parts=[*self.run.parts])
        # Calls wait only between an answer and its results: never at the end of what is settled.
        waiting = {name: [*calls] for name, calls in self.waiting.items()}
        return History(
            self.traits,
            self.origin,
            [*self.written],
            {**self.taken},
            waiting,
            run,
            self.encoded,
        )


def lower_messages(request: Request, traits: Traits, origin: Origin) -> list[WireMessage]:
    """The system prompt and the conversation."""
    marks = lower_marks(request.cache, traits)
    messages, key = request.messages, ("openai-chat", traits, origin)
    history, done = folded(messages, key, lambda: History(traits, origin))
    if any(index < done for index in marks.messages):
        history, done = History(traits, origin), 0
    for index, message in enumerate(messages[done:], done):
        history.take(message, is_marked=index in marks.messages)
    history.write_run()
    answer_the_rest(history)
    # What is JSON already is written as it is.
    written = cast(list[WireMessage], history.written)
    if not request.system.strip():
        return written
    text = TextPart(request.system, MARK)
    return [SystemMessage([text] if marks.system else request.system), *written]


def lower_marks(cache: CacheMarks, traits: Traits) -> CacheMarks:
    """The marks that are accepted: of too many, the oldest messages lose theirs."""
    if not traits.cache_marks:
        return CacheMarks()
    room = MOST_MARKS - cache.system
    return CacheMarks(cache.system, tuple(sorted(set(cache.messages))[-room:]))


def belongs(part: Part, role: Role) -> bool:
    """Whether a part says something in that role; no block of this protocol is its own kind."""
    match part:
        case Text():
            return not part.text.isspace() and part.text != ""
        case Image() | Document() | ToolResult():
            return role == "user"
        case Thinking() | ToolCall():
            return role == "assistant"
        case Native():
            return False


def lower_assistant(turn: RoleRun, history: History) -> None:
    """The model's words and calls, and what came with its thoughts."""
    answer_the_rest(history)
    said: list[TextPart | ThinkingPart] = []
    details: list[Any] = []
    calls: list[CallPart] = []
    for part in turn.parts:
        if isinstance(part, Text):
            said.append(TextPart(part.text))
        elif isinstance(part, Thinking):
            payload = own_payload(part, history.origin)
            details += payload.get("details", ())
            if "part" in payload:
                # Written as it came, which no type of ours could promise.
                said.append(cast(ThinkingPart, payload["part"]))
        elif isinstance(part, ToolCall) and history.traits.tools:
            calls.append(lower_call(part, history))
        elif isinstance(part, ToolCall):
            # Servers without tools refuse the field: the history is told in words.
            said.append(TextPart(f"[called {part.name} with {write_arguments(part.arguments)}]"))
    message = AssistantMessage(
        content=lower_said(said), reasoning_details=details or None, tool_calls=calls or None
    )
    if calls and history.traits.echoes_reasoning:
        # DeepSeek and others want their thoughts back within a chain of calls, and only there.
        message = with_reasoning(message, turn.parts, history.origin)
    history.written.append(message)


def own_payload(thinking: Thinking, origin: Origin) -> Json:
    """What came with thoughts of this very model; of any other, it says nothing here."""
    data = thinking.provider
    return data.payload if data is not None and data.origin == origin else {}


def lower_said(
    said: list[TextPart | ThinkingPart],
) -> str | list[TextPart | RefusalPart | ThinkingPart] | None:
    """The content: words are joined, for there is one place for them, unless thoughts are there."""
    words = [part.text for part in said if isinstance(part, TextPart)]
    return "\n\n".join(words) or None if len(words) == len(said) else [*said]


def with_reasoning(
    message: AssistantMessage, parts: list[Part], origin: Origin
) -> AssistantMessage:
    """The message with what this server thought, in the field it used; empty if not known."""
    name = "reasoning_content"
    text = ""
    for part in parts:
        if not isinstance(part, Thinking) or part.provider is None:
            continue
        made_by = part.provider.origin
        if (made_by.protocol, made_by.account) == (origin.protocol, origin.account):
            text += part.text
            name = part.provider.payload.get("field", name)
    if name == "reasoning":
        return msgspec.structs.replace(message, reasoning=text)
    return msgspec.structs.replace(message, reasoning_content=text)


def lower_call(call: ToolCall, history: History) -> CallPart:
    """A call, under an id of its own, with the signature it came with."""
    wanted = call.id if ECHOED.fullmatch(call.id) else wire_id(call.id)
    call_id = free_id(wanted, history.taken)
    history.waiting.setdefault(call.id, []).append((call_id, call.name))
    function = FunctionCall(wire_name(call.name), write_arguments(call.arguments))
    extra = None
    if call.provider is not None and call.provider.origin == history.origin:
        extra = call.provider.payload.get("extra_content")
    return CallPart(call_id, function, extra)


def write_arguments(arguments: Json) -> str:
    """A call's arguments as JSON text."""
    return encode(dict(arguments)).decode()


def lower_user(turn: RoleRun, history: History) -> None:
    """Results first, each as a message of its own, then everything else as one."""
    rest: list[UserPart] = []
    for part in turn.parts:
        if isinstance(part, ToolResult):
            rest += lower_result(part, history)
    answer_the_rest(history)
    for part in turn.parts:
        if isinstance(part, Text | Image | Document):
            rest.append(lower_content(part, history.traits))
    if rest:
        history.written.append(UserMessage(simplest(rest)))


def lower_result(result: ToolResult, history: History) -> list[UserPart]:
    """A result as a tool message; returns what can't stand there, or what answers no call."""
    traits = history.traits
    parts = [lower_content(item, traits) for item in result.content if belongs(item, "user")]
    texts = [part.text for part in parts if isinstance(part, TextPart)]
    shown = [part for part in parts if not isinstance(part, TextPart)]
    name = result.name or "a tool"
    text = "\n\n".join(texts) or ("[shown below]" if shown else "[no output]")
    if result.is_error:
        text = f"Error: {text}"
    rest: list[UserPart] = [TextPart(f"[shown by {name}]"), *shown] if shown else []
    waiting = history.waiting.get(result.call_id)
    if not waiting:
        return [TextPart(f"[result of {name}] {text}"), *rest]
    call_id, _ = waiting.pop(0)
    history.written.append(ToolMessage(call_id, text))
    return rest


def answer_the_rest(history: History) -> None:
    """A call without a result is refused: say that there is none."""
    for calls in history.waiting.values():
        for call_id, name in calls:
            text = f"Error: {name} gave no result."
            history.written.append(ToolMessage(call_id, text))
    history.waiting.clear()


def lower_content(part: Text | Image | Document, traits: Traits) -> UserPart:
    """Words, a picture or a file; a note in the place of what the model can't read."""
    match part:
        case Text():
            return TextPart(part.text)
        case Image():
            return lower_image(part, traits)
        case Document():
            return lower_document(part, traits)


def lower_image(image: Image, traits: Traits) -> TextPart | ImagePart:
    """A picture as an address that may hold it whole."""
    if not traits.images:
        return TextPart("[image left out: this model does not read images]")
    if image.url is not None:
        return ImagePart(ImageUrl(image.url))
    if image.media_type not in IMAGE_TYPES or not image.data:
        return TextPart(f"[image left out: {image.media_type} can't be sent]")
    return ImagePart(ImageUrl(write_data_url(image.media_type, image.data)))


def lower_document(document: Document, traits: Traits) -> TextPart | FilePart:
    """A file; one of plain text is written out, which every model reads."""
    if document.media_type.startswith("text/"):
        return TextPart(f"[{document.name}]\n{document.data.decode('utf-8', 'replace')}")
    if not traits.documents:
        return TextPart(f"[{document.name} left out: this model does not read such files]")
    if not document.data:
        return TextPart(f"[{document.name} left out: it is empty]")
    url = write_data_url(document.media_type, document.data)
    return FilePart(File(file_data=url, filename=document.name))


def simplest(parts: list[UserPart]) -> str | list[UserPart]:
    """A single text as a plain string, which every server understands."""
    match parts:
        case [TextPart(text=text, prompt_cache_breakpoint=None)]:
            return text
        case _:
            return parts


def marked(message: WireMessage) -> WireMessage:
    """The message with a cache mark at its end; calls can't carry one."""
    content = message.content
    if isinstance(content, str):
        return msgspec.structs.replace(message, content=[TextPart(content, MARK)])
    if not isinstance(content, list) or not content or not isinstance(content[-1], MARKABLE):
        return message
    last = msgspec.structs.replace(content[-1], prompt_cache_breakpoint=MARK)
    return msgspec.structs.replace(message, content=[*content[:-1], last])
