"""Writes the messages of a conversation as input items.

Items are flat: calls, outputs and thoughts stand beside messages. Every call gets exactly one
output right after its turn, every output has a call, and no two calls share an id.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from recto.llm.data_urls import write_data_url
from recto.llm.names import free_id, wire_id, wire_name
from recto.llm.protocols.openai_responses.body import (
    Breakpoint,
    FunctionCall,
    FunctionCallOutput,
    InputContent,
    InputFile,
    InputImage,
    InputText,
    Message,
    Phase,
    Reasoning,
    ReasoningText,
    SummaryText,
)
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    Json,
    Native,
    Origin,
    Part,
    ProviderData,
    Request,
    ResultContent,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    encodable,
    encodable_json,
    folded,
)
from recto.messages import Message as TurnMessage

IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
PHASES: dict[object, Phase] = {"commentary": "commentary", "final_answer": "final_answer"}
ENCODER = msgspec.json.Encoder(order="deterministic")
NO_RESULT = "[no result: this call was not run to its end]"
MARK = Breakpoint(mode="explicit")

Marked = tuple[Part, bool]
"""A part, and whether the provider should remember the prompt up to it."""


def lower_messages(
    request: Request,
    marks: CacheMarks,
    traits: Traits,
    origin: Origin,
    spaces: Mapping[str, str],
) -> list[Any]:
    """All messages as items: `body.Item`, or a native item as it once came.

    `spaces` has the namespaces of tools, by their names on the wire.
    """
    messages = request.messages
    key = "openai-responses", traits, origin, tuple(sorted(spaces.items()))
    items, done = folded(messages, key, lambda: Items(traits, origin, spaces))
    if any(index < done for index in marks.messages):
        items, done = Items(traits, origin, spaces), 0
    for index, message in enumerate(messages[done:], done):
        items.take(message, is_marked=index in marks.messages)
    items.add_run()
    items.settle_calls()
    return items.all


class Items:
    """The input while it is written."""

    def __init__(self, traits: Traits, origin: Origin, spaces: Mapping[str, str]) -> None:
        self.all: list[Any] = []
        self._spaces = spaces
        self._traits = traits
        self._origin = origin
        self._used: dict[str, int] = {}
        self._item_ids: set[str] = set()
        self._waiting: list[tuple[str, str]] = []
        """The calls without an output: their own id and the one on the wire."""
        self._run: tuple[Role, list[Marked]] | None = None
        """What is not written yet: the next message may be of the same role."""
        self._encoded = 0
        """How many of the items are JSON already."""

    def take(self, message: TurnMessage, *, is_marked: bool = False) -> None:
        """Take in the next message: parts that say something, one role in a row as one."""
        parts = [part for part in message.parts if not isinstance(part, Text) or part.text.strip()]
        if not parts:
            return
        if self._run is None or self._run[0] != message.role:
            self.add_run()
            self._run = message.role, []
        turn = self._run[1]
        turn.extend((part, False) for part in parts[:-1])
        turn.append((parts[-1], is_marked))

    def add_run(self) -> None:
        """Write what waits for a message of the same role."""
        run, self._run = self._run, None
        if run is None:
            return
        role, parts = run
        if role == "assistant":
            self.add_answer(part for part, _ in parts)
        else:
            self.add_input(parts)

    def copy(self) -> "Items":
        """The same so far. What is copied is settled: all items but the last are made JSON once."""
        end = max(self._encoded, len(self.all) - 1)
        self.all[self._encoded : end] = [
            msgspec.Raw(ENCODER.encode(item)) for item in self.all[self._encoded : end]
        ]
        self._encoded = end
        made = Items(self._traits, self._origin, self._spaces)
        made.all, made._encoded = [*self.all], end
        if made.all and isinstance(last := made.all[-1], Message):
            content = last.content
            kept = [*content] if isinstance(content, list) else content
            made.all[-1] = msgspec.structs.replace(last, content=kept)
        made._used, made._item_ids = {**self._used}, {*self._item_ids}
        made._waiting = [*self._waiting]
        made._run = self._run and (self._run[0], [*self._run[1]])
        return made

    def add_answer(self, parts: Iterable[Part]) -> None:
        """A turn of the model."""
        for part in parts:
            match part:
                case Text():
                    self.all.append(lower_said(part, self._origin))
                case Thinking():
                    thoughts = lower_thinking(part, self._traits, self._origin)
                    self.all += [item for item in thoughts if self._is_new(item.id)]
                case ToolCall():
                    self.all.append(self._lower_call(part))
                case Native():
                    items = lower_native(part, self._origin)
                    self.all += [item for item in items if self._is_new(item.get("id"))]
                case Image() | Document() | ToolResult():
                    pass
        # Thoughts that led to nothing are refused.
        while self.all and isinstance(self.all[-1], Reasoning):
            self.all.pop()

    def add_input(self, parts: list[Marked]) -> None:
        """A turn of the user: outputs of the calls before it, then what the user says."""
        said: list[InputContent] = []
        for part, is_marked in parts:
            match part:
                case ToolResult():
                    said += self._lower_result(part, is_marked=is_marked)
                case Text() | Image() | Document():
                    said.append(with_mark(lower_content(part, self._traits), is_marked=is_marked))
                case Thinking() | ToolCall() | Native():
                    pass
        self.settle_calls()
        last = self.all[-1] if self.all else None
        match last:
            case Message(role="user", content=list() as before):
                before += said
            case _ if said:
                self.all.append(Message(role="user", content=[*said]))
            case _:
                pass

    def settle_calls(self) -> None:
        """Every call that got no output gets one that says so."""
        for _, call_id in self._waiting:
            self.all.append(FunctionCallOutput(call_id=call_id, output=NO_RESULT))
        self._waiting.clear()

    def _is_new(self, item_id: str | None) -> bool:
        """Whether no item before has this id: two that share one are refused."""
        if item_id is None:
            return True
        is_new = item_id not in self._item_ids
        self._item_ids.add(item_id)
        return is_new

    def _lower_call(self, call: ToolCall) -> FunctionCall:
        call_id = free_id(wire_id(call.id), self._used)
        self._waiting.append((call.id, call_id))
        return FunctionCall(
            call_id=call_id,
            name=wire_name(call.name),
            arguments=lower_arguments(call.arguments),
            namespace=self._spaces.get(wire_name(call.name)),
        )

    def _lower_result(self, result: ToolResult, *, is_marked: bool) -> list[InputContent]:
        """Add the output of a call; what can't stand in an output is left to the user to say."""
        waiting = next((pair for pair in self._waiting if pair[0] == result.call_id), None)
        if waiting is None:
            return [InputText(text=orphan_note(result)), *lower_output(result, self._traits)]
        self._waiting.remove(waiting)
        content, later = self._parted(result)
        if content and not later:
            content[-1] = with_mark(content[-1], is_marked=is_marked)
        elif later:
            later[-1] = with_mark(later[-1], is_marked=is_marked)
        self.all.append(FunctionCallOutput(call_id=waiting[1], output=short(content)))
        return later

    def _parted(self, result: ToolResult) -> tuple[list[InputContent], list[InputContent]]:
        content = lower_output(result, self._traits)
        if self._traits.result_images:
            return content, []
        images: list[InputContent] = [part for part in content if isinstance(part, InputImage)]
        note = InputText(text="[image: in the next message]")
        return [note if isinstance(part, InputImage) else part for part in content], images


def lower_said(part: Text, origin: Origin) -> Message:
    """Words of the model, with the phase it gave them."""
    is_ours = part.provider is not None and part.provider.origin == origin
    phase = PHASES.get(part.provider.payload.get("phase")) if is_ours and part.provider else None
    return Message(role="assistant", content=encodable(part.text), phase=phase)


def lower_thinking(part: Thinking, traits: Traits, origin: Origin) -> list[Reasoning]:
    """Sealed thoughts, for the model and the account that made them and for nobody else."""
    data = part.provider
    if data is None or data.origin != origin or not traits.encrypted_reasoning:
        return []
    payload = data.payload
    if not payload.get("encrypted_content"):
        return []
    return [
        Reasoning(
            id=payload["id"],
            summary=[SummaryText(text=text) for text in payload["summary"]],
            encrypted_content=payload["encrypted_content"],
            content=[ReasoningText(text=text) for text in payload.get("content", ())] or None,
        )
    ]


def lower_native(part: Native, origin: Origin) -> list[Json]:
    """An item that only the provider knows, unchanged."""
    return [encodable_json(part.provider.payload)] if is_from(part.provider, origin) else []


def is_from(data: ProviderData, origin: Origin) -> bool:
    """Whether the data was made for this account, by any of its models."""
    return (data.origin.protocol, data.origin.account) == (origin.protocol, origin.account)


def lower_arguments(arguments: Json) -> str:
    """A call's arguments as JSON text, always the same text for the same arguments."""
    return msgspec.json.encode(encodable_json(arguments), order="deterministic").decode()


def lower_output(result: ToolResult, traits: Traits) -> list[InputContent]:
    """What a tool answered; the API has no flag for a failure, so the words say it."""
    kept = [part for part in result.content if not isinstance(part, Text) or part.text]
    content: list[InputContent] = [lower_content(item, traits) for item in kept]
    if not result.is_error:
        return content
    match content:
        case [InputText(text=text), *rest]:
            return [InputText(text=f"Error: {text}"), *rest]
        case _:
            return [InputText(text="Error: the tool failed."), *content]


def short(content: list[InputContent]) -> str | list[InputContent]:
    """Plain words as plain text."""
    match content:
        case []:
            return ""
        case [InputText(text=text, prompt_cache_breakpoint=None)]:
            return text
        case _:
            return content


def lower_content(part: ResultContent, traits: Traits) -> InputContent:
    """Words, a picture or a file; in words if the model can't read it."""
    match part:
        case Text():
            return InputText(text=encodable(part.text))
        case Image():
            return lower_image(part, traits)
        case Document():
            return lower_document(part, traits)


def lower_image(image: Image, traits: Traits) -> InputContent:
    """A picture by its address or its bytes."""
    if not traits.images:
        return InputText(text="[image left out: this model does not read images]")
    if image.url is not None:
        return InputImage(detail="auto", image_url=image.url)
    if not image.data:
        return InputText(text="[image left out: it is empty]")
    if image.media_type not in IMAGE_TYPES:
        return InputText(text=f"[image left out: this model does not read {image.media_type}]")
    return InputImage(detail="auto", image_url=write_data_url(image.media_type, image.data))


def lower_document(document: Document, traits: Traits) -> InputContent:
    """A file: plain text as words, others whole."""
    if document.media_type.startswith("text/"):
        words = document.data.decode("utf-8", "replace")
        return InputText(text=f"{encodable(document.name)}:\n{words}")
    if not traits.documents:
        note = f"[{document.name} left out: this model does not read documents]"
        return InputText(text=encodable(note))
    if not document.data:
        return InputText(text=encodable(f"[{document.name} left out: it is empty]"))
    url = write_data_url(document.media_type, document.data)
    return InputFile(filename=encodable(document.name), file_data=url)


def with_mark(content: InputContent, *, is_marked: bool) -> InputContent:
    """Content up to which the provider should remember the prompt."""
    if not is_marked:
        return content
    return msgspec.structs.replace(content, prompt_cache_breakpoint=MARK)


def orphan_note(result: ToolResult) -> str:
    """What stands before a result whose call is not in the conversation."""
    return f"[result of {result.name or 'a tool'}; its call is no longer shown]"
