"""Messages as Gemini contents.

Roles alternate between `user` and `model`, except that tool answers stand in a user content of
their own: with text beside them Gemini takes them for the model's. Each call has exactly one
answer, in the order of the calls.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import msgspec

from recto.llm.encoding import convert, encode
from recto.llm.names import free_id, wire_id, wire_name
from recto.llm.protocols.gemini.body import (
    Blob,
    Content,
    FileData,
    FunctionCall,
    FunctionResponse,
    FunctionResponsePart,
    Part,
)
from recto.llm.traits import Traits
from recto.messages import (
    AssistantPart,
    Document,
    Image,
    Message,
    Native,
    Origin,
    ProviderData,
    ResultContent,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    folded,
)
from recto.messages import Part as NeutralPart

DUMMY_SIGNATURE = base64.b64encode(b"skip_thought_signature_validator").decode()
"""Stands for a signature we don't have; the API then doesn't check."""

IMAGES = frozenset(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"])
RESULT_FILES = frozenset(["image/png", "image/jpeg", "image/webp", "application/pdf"])
FETCHED = (
    "gs://",
    "https://generativelanguage.googleapis.com/",
    "https://www.youtube.com/",
    "https://youtu.be/",
)
NO_START = "[the conversation begins with the assistant]"
NO_END = "[go on]"
NO_RESULT = "No result was recorded for this call."


@dataclass(slots=True)
class Lowering:
    """What lowering a conversation needs to know, and the call ids it has given out."""

    traits: Traits
    origin: Origin
    ids: dict[str, int] = field(default_factory=dict[str, int])

    def signature(self, data: ProviderData | None) -> str | None:
        """A signature, if this very model made it with this account."""
        if data is None or data.origin != self.origin:
            return None
        found = data.payload.get("signature")
        return found if isinstance(found, str) and found else None


@dataclass(frozen=True, slots=True)
class UnansweredCall:
    """A call that still needs its answer."""

    own_id: str
    wire_id: str
    name: str


def continuation(messages: tuple[Message, ...], origin: Origin) -> str | None:
    """The token that the last message ends with, if its answer is to be continued."""
    parts = messages[-1].parts if messages and messages[-1].role == "assistant" else ()
    match parts[-1:]:
        case (Native(provider=data),) if data.origin == origin:
            token = data.payload.get("continuation")
            return token if isinstance(token, str) else None
        case _:
            return None


def without_answer(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages before the answer that is being continued."""
    end = len(messages)
    while end and messages[end - 1].role == "assistant":
        end -= 1
    return messages[:end]


def lower_contents(messages: Sequence[Message], traits: Traits, origin: Origin) -> list[Content]:
    """All contents. The first and the last are the user's, and none is empty."""
    written, done = folded(messages, ("gemini", traits, origin), lambda: History(traits, origin))
    for message in messages[done:]:
        written.take(message)
    return written.contents()


class History:
    """The contents written so far."""

    def __init__(self, traits: Traits, origin: Origin) -> None:
        self._lowering = Lowering(traits, origin)
        self._contents: list[Content | msgspec.Raw] = []
        self._encoded = 0
        """How many of the contents are JSON already."""
        self._last: str | None = None
        """Whose the last content is."""
        self._open_calls: list[UnansweredCall] = []
        self._run: tuple[Role, list[NeutralPart]] | None = None
        """What is not written yet: the next message may be of the same role."""

    def take(self, message: Message) -> None:
        """Take in the next message: what there is to send of it, one role in a row as one."""
        parts = [part for part in message.parts if is_sent(part, message.role, self._lowering)]
        if not parts:
            return
        if self._run is not None and self._run[0] == message.role:
            self._run[1].extend(parts)
            return
        self._add_run()
        self._run = message.role, parts

    def copy(self) -> "History":
        """The same so far. What is copied is settled, and made JSON once."""
        self._contents[self._encoded :] = [
            item if isinstance(item, msgspec.Raw) else msgspec.Raw(encode(item))
            for item in self._contents[self._encoded :]
        ]
        self._encoded = len(self._contents)
        made = History(self._lowering.traits, self._lowering.origin)
        made._lowering.ids = {**self._lowering.ids}
        made._contents, made._encoded, made._last = [*self._contents], self._encoded, self._last
        made._open_calls = [*self._open_calls]
        made._run = self._run and (self._run[0], [*self._run[1]])
        return made

    def contents(self) -> list[Content]:
        """All of them, to the end."""
        self._add_run()
        if self._open_calls:
            self._add(lower_user([], self._open_calls, self._lowering.traits))
        if self._last is None or self._last == "model":
            text = NO_START if self._last is None else NO_END
            self._add([Content(role="user", parts=[Part(text=text)])])
        # What is JSON already is written as it is.
        return cast(list[Content], self._contents)

    def _add_run(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        role, parts = run
        if role == "assistant":
            self._add([lower_model(parts, self._lowering, self._open_calls)])
        else:
            self._add(lower_user(parts, self._open_calls, self._lowering.traits))
            self._open_calls = []

    def _add(self, contents: list[Content]) -> None:
        if contents and self._last is None and contents[0].role == "model":
            self._contents.append(Content(role="user", parts=[Part(text=NO_START)]))
        self._contents += contents
        self._last = contents[-1].role if contents else self._last


def is_sent(part: NeutralPart, role: Role, lowering: Lowering) -> bool:
    """Whether a part says anything to this model."""
    match part:
        case Text():
            signed = role == "assistant" and lowering.signature(part.provider) is not None
            return signed or bool(part.text.strip())
        case Thinking():
            return role == "assistant" and lowering.signature(part.provider) is not None
        case Native():
            return role == "assistant" and lower_native(part, lowering) is not None
        case ToolCall():
            return role == "assistant"
        case Image() | Document() | ToolResult():
            return role == "user"


def lower_model(
    parts: list[NeutralPart], lowering: Lowering, open_calls: list[UnansweredCall]
) -> Content:
    """A step of the model, of parts that `is_sent`; its calls join those that need an answer."""
    found: list[Part] = []
    for part in cast(list[AssistantPart], parts):
        match part:
            case Text():
                signature = lowering.signature(part.provider)
                found.append(Part(text=part.text, thought_signature=signature))
            case Thinking():
                signature = lowering.signature(part.provider)
                found.append(Part(text=part.text, thought=True, thought_signature=signature))
            case ToolCall():
                is_first = not open_calls
                call_id = free_id(wire_id(part.id), lowering.ids)
                call = UnansweredCall(part.id, call_id, wire_name(part.name))
                open_calls.append(call)
                found.append(lower_call(part, call, lowering, is_first=is_first))
            case Native():
                native = lower_native(part, lowering)
                found += [native] if native is not None else []
    return Content(role="model", parts=found)


def lower_call(part: ToolCall, call: UnansweredCall, lowering: Lowering, *, is_first: bool) -> Part:
    """A call. Where signatures are needed, the first of a step carries one in any case."""
    signature = lowering.signature(part.provider)
    if signature is None and is_first and lowering.traits.needs_signatures:
        # Calls of another model have none, and Gemini 3 refuses a step without one.
        signature = DUMMY_SIGNATURE
    function = FunctionCall(id=call.wire_id, name=call.name, args=dict(part.arguments))
    return Part(function_call=function, thought_signature=signature)


def lower_native(part: Native, lowering: Lowering) -> Part | None:
    """A part of a kind that only Gemini knows, for the model that made it."""
    raw = part.provider.payload.get("part")
    if part.provider.origin != lowering.origin or raw is None:
        return None
    try:
        found = convert(raw, Part)
    except msgspec.ValidationError:
        # A kind this API version doesn't take back.
        return None
    return found if found != Part(thought_signature=found.thought_signature) else None


def lower_user(
    parts: list[NeutralPart], open_calls: list[UnansweredCall], traits: Traits
) -> list[Content]:
    """The answers to the open calls, then whatever else the user said."""
    left = [part for part in parts if isinstance(part, ToolResult)]
    answers: list[Part] = []
    rest: list[Part] = []
    for call in open_calls:
        result = take_result(left, call.own_id)
        answers.append(lower_result(result, call, traits))
        if result is not None and not traits.result_images:
            rest += result_files(result, traits)
    rest += [Part(text=f"[{item.name} answered] {result_text(item, traits)}") for item in left]
    spoken = (part for part in parts if isinstance(part, ResultContent))
    rest += [lower_user_part(part, traits) for part in spoken]
    return [Content(role="user", parts=found) for found in (answers, rest) if found]


def take_result(left: list[ToolResult], call_id: str) -> ToolResult | None:
    """The first result for a call, taken out of those that are left."""
    for index, result in enumerate(left):
        if result.call_id == call_id:
            return left.pop(index)
    return None


def lower_result(result: ToolResult | None, call: UnansweredCall, traits: Traits) -> Part:
    """The answer to a call; a call without one is answered by an error."""
    if result is None:
        response = FunctionResponse(id=call.wire_id, name=call.name, response={"error": NO_RESULT})
        return Part(function_response=response)
    files = result_files(result, traits) if traits.result_images else []
    response = FunctionResponse(
        id=call.wire_id,
        name=call.name,
        response={"error" if result.is_error else "output": result_text(result, traits)},
        parts=[FunctionResponsePart(inline_data=file.inline_data) for file in files] or None,
    )
    return Part(function_response=response)


def result_files(result: ToolResult, traits: Traits) -> list[Part]:
    """The files of a tool's answer that the model can see."""
    lowered = [lower_user_part(part, traits) for part in result.content]
    return [part for part in lowered if is_result_file(part)]


def result_text(result: ToolResult, traits: Traits) -> str:
    """The words of a tool's answer, with a note for each file the model can't see."""
    lowered = [lower_user_part(part, traits) for part in result.content]
    return "\n".join(
        part.text if part.text is not None else "[file left out: tools can't show it]"
        for part in lowered
        if not is_result_file(part)
    )


def is_result_file(part: Part) -> bool:
    """Whether this is a file that may stand in a tool's answer."""
    return part.inline_data is not None and part.inline_data.mime_type in RESULT_FILES


def lower_user_part(part: ResultContent, traits: Traits) -> Part:
    """Something the user said or showed."""
    match part:
        case Text():
            return Part(text=part.text)
        case Image():
            return lower_image(part, traits)
        case Document():
            return lower_document(part, traits)


def lower_image(image: Image, traits: Traits) -> Part:
    """A picture, or a note where the model can't see it."""
    if not traits.images:
        return Part(text="[image left out: this model does not read images]")
    if image.media_type not in IMAGES:
        return Part(text=f"[image left out: Gemini does not read {image.media_type}]")
    if image.url is None and not image.data:
        return Part(text="[image left out: it is empty]")
    if image.url is None:
        return Part(inline_data=blob(image.media_type, image.data))
    if image.url.startswith(FETCHED):
        return Part(file_data=FileData(file_uri=image.url, mime_type=image.media_type))
    return Part(text="[image left out: Gemini does not fetch web addresses]")


def lower_document(document: Document, traits: Traits) -> Part:
    """A file: words as words, PDF as it is, a note for anything else."""
    if document.media_type.startswith("text/") or document.media_type == "application/json":
        return Part(text=f"{document.name}:\n{document.data.decode('utf-8', 'replace')}")
    if not traits.documents:
        return Part(text=f"[{document.name} left out: this model does not read documents]")
    if document.media_type != "application/pdf":
        return Part(text=f"[{document.name} left out: Gemini does not read {document.media_type}]")
    if not document.data:
        return Part(text=f"[{document.name} left out: it is empty]")
    return Part(inline_data=blob(document.media_type, document.data))


def blob(media_type: str, data: bytes) -> Blob:
    """Bytes as base64."""
    return Blob(mime_type=media_type, data=base64.b64encode(data).decode())
