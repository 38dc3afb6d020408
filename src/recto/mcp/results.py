"""What a server's tool answered, as models and people read it: all of it is text of others."""

import base64
import binascii
import json
from collections.abc import Sequence

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from recto.messages import Image, Text, encodable
from recto.tools import OutputStore, ToolOutcome, picture_type

MAX_PICTURE = 5_000_000
MOST_PARTS = 100
MAX_FACT = 40
Part = Text | Image


async def outcome_of(
    result: CallToolResult, outputs: OutputStore, *, sees_images: bool
) -> ToolOutcome:
    """A result as our tools answer."""
    parts: list[Part] = []
    for block in result.content[:MOST_PARTS]:
        parts += await parts_of(block, outputs, sees_images=sees_images)
    if len(result.content) > MOST_PARTS:
        parts.append(Text(f"[{len(result.content) - MOST_PARTS} more parts are left out.]"))
    if result.structured_content is not None and not is_repeated(result.structured_content, parts):
        parts.append(Text(as_json(result.structured_content)))
    if not parts:
        parts = [Text("The tool answered nothing.")]
    fact = "failed" if result.is_error else fact_of(parts)
    return ToolOutcome(tuple(parts), is_error=bool(result.is_error), fact=fact)


async def parts_of(
    block: ContentBlock, outputs: OutputStore, *, sees_images: bool
) -> Sequence[Part]:
    """One part of a result."""
    match block:
        case TextContent():
            return [Text(encodable(block.text))]
        case ImageContent():
            return [await media(block.data, block.mime_type, "image", outputs, sees_images)]
        case AudioContent():
            return [await media(block.data, block.mime_type, "audio", outputs, sees_images)]
        case ResourceLink():
            return [Text(link_words(block))]
        case EmbeddedResource():
            return await embedded(block.resource, outputs, sees_images=sees_images)


async def embedded(
    resource: TextResourceContents | BlobResourceContents,
    outputs: OutputStore,
    *,
    sees_images: bool,
) -> Sequence[Part]:
    """A resource that came along."""
    kind = resource.mime_type or "application/octet-stream"
    heading = Text(encodable(f"[{resource.uri}, {kind}]"))
    if isinstance(resource, TextResourceContents):
        return [heading, Text(encodable(resource.text))]
    return [heading, await media(resource.blob, kind, "data", outputs, sees_images)]


async def media(data: str, kind: str, name: str, outputs: OutputStore, sees_images: bool) -> Part:
    """Bytes: a picture where the model sees, else kept whole and named."""
    try:
        content = base64.b64decode(data, validate=True)
    except (ValueError, binascii.Error):
        return Text(f"[{name}, {kind}: it is not base64 and can't be read.]")
    # By its bytes: a provider refuses a whole request for one picture that is none.
    found = picture_type(content)
    if found is not None and sees_images and len(content) <= MAX_PICTURE:
        return Image(found, content)
    handle = await outputs.keep(f"data:{kind};base64,{data}")
    why = " This model sees no pictures." if found is not None and not sees_images else ""
    return Text(f"[{name}, {kind}, {len(content):,} bytes, kept as {handle}.{why}]")


def link_words(link: ResourceLink) -> str:
    """A link to a resource, in words."""
    facts = [link.mime_type, f"{link.size:,} bytes" if link.size is not None else None]
    known = ", ".join(fact for fact in facts if fact)
    described = f": {link.description}" if link.description else ""
    return encodable(
        f"[{link.title or link.name} at {link.uri}{f' ({known})' if known else ''}{described}]"
    )


def is_repeated(structured: object, parts: Sequence[Part]) -> bool:
    """Whether a text says the same as the structured content, as servers should have it."""
    for part in parts:
        if isinstance(part, Text) and part.text[:1] in "{[":
            try:
                if json.loads(part.text) == structured:
                    return True
            except (ValueError, RecursionError):
                continue
    return False


def as_json(value: object) -> str:
    """Structured content as text."""
    return encodable(json.dumps(value, ensure_ascii=False, indent=1))


def fact_of(parts: Sequence[Part]) -> str:
    """The few words at the end of a call's line."""
    pictures = sum(isinstance(part, Image) for part in parts)
    texts = [part.text for part in parts if isinstance(part, Text)]
    if pictures:
        return "1 picture" if pictures == 1 else f"{pictures} pictures"
    line = texts[0].strip() if len(texts) == 1 else ""
    if line and "\n" not in line and len(line) <= MAX_FACT and line.isprintable():
        return line
    count = sum(text.count("\n") + 1 for text in texts)
    return "1 line" if count == 1 else f"{count:,} lines"
