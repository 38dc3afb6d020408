"""One message as a model gets it, piece by piece: tool answers, attachments, meta, then the words.

A piece knows where it comes from, what it takes, and whether it may be cut.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from json import dumps
from typing import Literal

from recto.context.blocks import digest, mark_of, marked, quoted
from recto.context.conversation import Attachment, ConversationMessage, ModelFacts
from recto.context.repair import fits, own_part
from recto.context.truncation import cut_result, head_and_tail, largest_share
from recto.messages import Document, Image, Part, Text, Thinking, ToolCall, ToolResult

SliceOrigin = Literal[
    "system",
    "tools",
    "summary",
    "kept",
    "file",
    "selection",
    "skill",
    "names",
    "meta",
    "message",
    "thought",
    "call",
    "result",
    "note",
]
UNSEEN = "this model can't see images"
UNREAD = "this model can't read documents"


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """One part of a message, with its origin. `slot` is its place, the same in every build."""

    slot: int
    part: Part
    origin: SliceOrigin
    name: str
    tokens: int
    whole: int
    """The tokens it has when nothing is cut."""
    file: str | None = None
    """Which file it shows or refers to."""
    refers: bool = False
    """Whether it only says where the file stands."""
    lost: str = ""
    """Why something else stands here than what was said."""


@dataclass(slots=True)
class PriorContent:
    """What the model has before it at some point of the conversation."""

    files: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Each file's version and the mark of its text."""
    meta: str = ""
    blocks: "dict[tuple[int, int | None], AttachmentBlock]" = field(
        default_factory=dict[tuple[int, int | None], "AttachmentBlock"]
    )
    """Attachments that were put in their marks already, by identity and the most they may take."""

    def again(self) -> "PriorContent":
        """The beginning of the conversation; what was worked out stays known."""
        return PriorContent(blocks=self.blocks)


@dataclass(frozen=True, slots=True)
class AttachmentBlock:
    """An attachment in its marks, whole or cut."""

    part: Text
    mark: str
    tokens: int
    whole: int


@dataclass(frozen=True, slots=True)
class MessageCuts:
    """What was decided about one message: the pieces that are gone, the most others may take."""

    gone: Set[int]
    most: Mapping[int, int]


def file_of(attachment: Attachment) -> str:
    """What an attachment is a version of. Each selected passage is a thing of its own."""
    own = version_of(attachment) if attachment.origin == "selection" else ""
    return "\0".join((attachment.origin, attachment.path, own))


def version_of(attachment: Attachment) -> str:
    """What tells one version of an attachment from another."""
    return f"{attachment.hash}\0{attachment.cut or ''}"


def pieces_of(
    spoken: ConversationMessage, model: ModelFacts, seen: PriorContent, cuts: MessageCuts
) -> Iterator[PromptPiece]:
    """The pieces of a message in the order they are sent; `seen` takes in what they show."""
    first = len(spoken.attachments)
    own = list(enumerate(spoken.message.parts, first))
    results = [(slot, part) for slot, part in own if isinstance(part, ToolResult)]
    others = [(slot, part) for slot, part in own if not isinstance(part, ToolResult)]
    yield from part_pieces(results, spoken, model, cuts)
    if spoken.message.role == "user":
        for slot, attachment in enumerate(spoken.attachments):
            if slot not in cuts.gone:
                yield attachment_piece(slot, attachment, model, seen, cuts.most.get(slot))
        if spoken.meta and spoken.meta != seen.meta:
            seen.meta = spoken.meta
            part = Text(marked("workspace", spoken.meta))
            tokens = model.count(part)
            yield PromptPiece(first + len(own), part, "meta", "workspace", tokens, tokens)
    yield from part_pieces(others, spoken, model, cuts)


def attachment_piece(
    slot: int, attachment: Attachment, model: ModelFacts, seen: PriorContent, most: int | None
) -> PromptPiece:
    """An attachment's text, or a word on where it stands already."""
    origin, file, version = attachment.origin, file_of(attachment), version_of(attachment)
    known = seen.files.get(file)
    if known is not None and known[0] == version:
        part = Text(
            f"[The {origin} {quoted(attachment.path)} is unchanged: its text stands above, "
            f"mark={known[1]}.]"
        )
        tokens = model.count(part)
        return PromptPiece(slot, part, origin, attachment.path, tokens, tokens, file, refers=True)
    made = seen.blocks.get((id(attachment), most)) or block_of(attachment, model, most)
    seen.blocks[id(attachment), most] = made
    seen.files[file] = (version, made.mark)
    return PromptPiece(slot, made.part, origin, attachment.path, made.tokens, made.whole, file)


def block_of(attachment: Attachment, model: ModelFacts, most: int | None) -> AttachmentBlock:
    """An attachment in its marks, cut if it may not take all that it needs."""
    part = shown(attachment, 1.0)
    whole = tokens = model.count(part)
    text = attachment.text
    if most is not None and whole > most:
        share = largest_share(lambda one: model.count(shown(attachment, one)), most, whole)
        part, text = shown(attachment, share), head_and_tail(attachment.text, share)
        tokens = model.count(part)
    return AttachmentBlock(part, mark_of(attachment.origin, attachment.path, text), tokens, whole)


def shown(attachment: Attachment, share: float) -> Text:
    """An attachment in its marks, whole or cut to a share of it."""
    text = head_and_tail(attachment.text, share)
    return Text(marked(attachment.origin, text, name=attachment.path, note=attachment.cut or ""))


def part_pieces(
    parts: Sequence[tuple[int, Part]],
    spoken: ConversationMessage,
    model: ModelFacts,
    cuts: MessageCuts,
) -> Iterator[PromptPiece]:
    """The parts of the message itself, without what another model made for itself."""
    for slot, given in parts:
        if not fits(given, spoken.message.role):
            continue
        part, lost = visible(given, model)
        part = own_part(part, model.origin)
        if part is None:
            continue
        whole = tokens = model.count(part)
        most = cuts.most.get(slot)
        if most is not None and whole > most:
            part = cut_part(part, model, most, whole)
            tokens = model.count(part)
        yield PromptPiece(slot, part, *named(given, spoken), tokens, whole, lost=lost)


def cut_part(part: Part, model: ModelFacts, most: int, whole: int) -> Part:
    """Words or a tool's answer cut to so many tokens; other parts can't be."""
    if isinstance(part, ToolResult):
        share = largest_share(lambda one: model.count(cut_result(part, one)), most, whole)
        return cut_result(part, share)
    if isinstance(part, Text) and part.provider is None:
        text = part.text
        share = largest_share(lambda one: model.count(Text(head_and_tail(text, one))), most, whole)
        return Text(head_and_tail(text, share))
    return part


def visible(part: Part, model: ModelFacts) -> tuple[Part, str]:
    """A part as the model can take it, and why it is not the part itself."""
    if isinstance(part, ToolResult):
        content = [visible_content(item, model) for item in part.content]
        lost = next((why for _, why in content if why), "")
        return replace(part, content=tuple(item for item, _ in content)), lost
    if isinstance(part, Image | Document):
        return visible_content(part, model)
    return part, ""


def visible_content(
    part: Text | Image | Document, model: ModelFacts
) -> tuple[Text | Image | Document, str]:
    """Words instead of a picture or a document that the model can't take."""
    if isinstance(part, Image) and not model.sees_images:
        return Text(f"[A picture is left out: {UNSEEN}.]"), UNSEEN
    if isinstance(part, Document) and not reads(part, model):
        return Text(f"[The document {quoted(part.name)} is left out: {UNREAD}.]"), UNREAD
    return part, ""


def reads(document: Document, model: ModelFacts) -> bool:
    """Whether a model can take a document; plain text goes to every one."""
    return model.reads_documents or document.media_type.startswith("text/")


def named(part: Part, spoken: ConversationMessage) -> tuple[SliceOrigin, str]:
    """Where a part of a message comes from, and what people call it."""
    match part:
        case ToolResult():
            return "result", f"the result of {part.name or 'a tool'}"
        case ToolCall():
            return "call", f"the call of {part.name}"
        case Thinking():
            return "thought", "a thought"
        case Image():
            return "message", "a picture"
        case Document():
            return "message", part.name
        case _:
            return "message", "your message" if spoken.message.role == "user" else "the answer"


def hash_of(part: Part) -> str:
    """The SHA-256 of what a piece says; ids, which may be given anew, don't count."""
    match part:
        case Text() | Thinking():
            return digest(part.text)
        case Image() | Document():
            return hashlib.sha256(part.data).hexdigest()
        case ToolCall():
            return digest(f"{part.name} {dumps(dict(part.arguments), default=str)}")
        case ToolResult():
            return digest(" ".join(hash_of(item) for item in part.content))
        case _:
            return digest(repr(part))
