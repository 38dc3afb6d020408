"""Parts to content blocks, each with exactly the fields the API takes."""

from base64 import b64encode
from collections.abc import Iterable
from typing import cast, get_args

from recto.llm.names import wire_name
from recto.llm.protocols.anthropic_messages.body import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    ImageType,
    RedactedThinkingBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UrlSource,
)
from recto.llm.traits import Traits
from recto.messages import (
    Document,
    Image,
    Json,
    Native,
    Origin,
    ProviderData,
    ResultContent,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

IMAGE_TYPES: tuple[ImageType, ...] = get_args(ImageType)
ContentBlock = TextBlock | ImageBlock | DocumentBlock


def lower_text(part: Text, origin: Origin) -> TextBlock | None:
    """Words, if there are any, with the sources the model named for them."""
    if not part.text.strip():
        return None
    payload = same_account(part.provider, origin)
    return TextBlock(part.text, citations=payload.get("citations"))


def lower_thinking(part: Thinking, origin: Origin) -> ThinkingBlock | RedactedThinkingBlock | None:
    """Thoughts, if this very model signed them."""
    # Signatures hold for one model of one account; Anthropic refuses all others.
    if part.provider is None or part.provider.origin != origin:
        return None
    redacted = part.provider.payload.get("redacted")
    signature = part.provider.payload.get("signature")
    if isinstance(redacted, str) and redacted:
        return RedactedThinkingBlock(redacted)
    if isinstance(signature, str) and signature:
        return ThinkingBlock(part.text, signature)
    return None


def lower_call(wire_id: str, part: ToolCall, origin: Origin) -> ToolUseBlock:
    """A call, under the id it has on the wire."""
    payload = same_account(part.provider, origin)
    return ToolUseBlock(
        wire_id,
        wire_name(part.name),
        dict(part.arguments),
        caller=payload.get("caller"),
        toolset_name=payload.get("toolset_name"),
    )


def native_block(part: Native, origin: Origin) -> Json | None:
    """A block that came from this account, as it came."""
    block = same_account(part.provider, origin).get("block")
    return cast(Json, block) if isinstance(block, dict) else None


def lower_result(
    wire_id: str, part: ToolResult, traits: Traits
) -> tuple[ToolResultBlock, list[ContentBlock]]:
    """A result, and the pictures that must follow it because they may not stand in it."""
    blocks = lower_content(part.content, traits)
    inside = [
        block for block in blocks if traits.result_images or not isinstance(block, ImageBlock)
    ]
    moved = [block for block in blocks if block not in inside]
    return ToolResultBlock(wire_id, inside, is_error=part.is_error), moved


def lower_content(parts: Iterable[ResultContent], traits: Traits) -> list[ContentBlock]:
    """Words, pictures and documents; what the model can't read becomes a note that says so."""
    blocks: list[ContentBlock] = []
    for part in parts:
        match part:
            case Text():
                blocks += [TextBlock(part.text)] if part.text.strip() else []
            case Image():
                blocks.append(lower_image(part, traits))
            case Document():
                blocks.append(lower_document(part, traits))
    return blocks


def lower_image(part: Image, traits: Traits) -> ImageBlock | TextBlock:
    """A picture of a kind the API reads, or a note."""
    if not traits.images:
        return TextBlock("[image left out: this model does not read images]")
    if part.data:
        if part.media_type not in IMAGE_TYPES:
            return TextBlock(f"[image left out: this model does not read {part.media_type}]")
        return ImageBlock(Base64Source(part.media_type, b64encode(part.data).decode()))
    if part.url and part.url.startswith(("https://", "http://")):
        return ImageBlock(UrlSource(part.url))
    return TextBlock("[image left out: it is empty]")


def lower_document(part: Document, traits: Traits) -> DocumentBlock | TextBlock:
    """A PDF or a text as a document, a text as words where documents aren't read, or a note."""
    title = part.name or None
    if part.media_type == "application/pdf" and traits.documents and part.data:
        source = Base64Source("application/pdf", b64encode(part.data).decode())
        return DocumentBlock(source, title)
    if part.media_type.startswith("text/"):
        text = part.data.decode("utf-8", "replace")
        if not text.strip():
            return TextBlock(f"[document left out: {part.name} is empty]")
        if traits.documents:
            return DocumentBlock(TextSource(text, "text/plain"), title)
        return TextBlock(f"{part.name}:\n{text}" if part.name else text)
    return TextBlock(f"[document left out: this model does not read {part.media_type}]")


def same_account(data: ProviderData | None, origin: Origin) -> Json:
    """The payload, if it was made for this account over this protocol; else nothing."""
    if data is None:
        return {}
    made = data.origin
    return (
        data.payload if (made.protocol, made.account) == (origin.protocol, origin.account) else {}
    )
