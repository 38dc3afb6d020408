"""A chat as Markdown, for people and other programs to read on."""

import re
from collections.abc import Iterable, Iterator
from typing import assert_never

from recto.chats.history.entries import Totals
from recto.chats.transfer.exports.blocks import (
    Annotation,
    Block,
    CodeListing,
    Picture,
    Prose,
    SpeakerHeading,
    SummaryHeading,
    Thought,
    TypedText,
    plain,
    spent,
)

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
TICKS = re.compile("`{3,}")


def markdown_text(title: str, blocks: Iterable[Block], used: Totals) -> str:
    """The whole chat."""
    heading = " ".join(plain(title).split()) or "Chat"
    parts = [f"# {heading}", *(part for block in blocks for part in _parts(block))]
    return "\n\n".join([*parts, "---", f"*{spent(used)}*"]) + "\n"


def _parts(block: Block) -> Iterator[str]:
    match block:
        case SpeakerHeading(name=name, when=when):
            yield f"## {name}\n\n*{when}*"
        case TypedText(text=text) | Prose(text=text):
            yield closed(text)
        case Thought(text=text):
            yield quoted(f"*Thought process*\n\n{closed(text)}")
        case CodeListing(label=label, text=text, language=language):
            yield f"**{label}**"
            if text:
                yield fenced(text, language)
        case Picture(image=image):
            size = f", {len(image.data):,} bytes" if image.data else ""
            kind = plain(image.media_type)
            yield f"*A picture ({kind}{size}); the HTML and JSON exports hold it.*"
        case Annotation(text=text):
            yield quoted(text)
        case SummaryHeading(text=text):
            yield f"---\n\n**Summary of what came before**\n\n{closed(text)}"
        case _:
            assert_never(block)


def fenced(text: str, language: str) -> str:
    """Text in a fence that nothing in it can close."""
    longest = max((len(found) for found in TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def quoted(text: str) -> str:
    """Every line as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def closed(text: str) -> str:
    """The text with its last fence closed, so that it can't swallow what follows."""
    fence: str | None = None
    for line in text.splitlines():
        found = FENCE.match(line)
        if found is None:
            continue
        mark, rest = found.groups()
        if fence is None:
            # A backtick after the opening ones makes it a code span, not a fence.
            fence = None if mark[0] == "`" and "`" in rest else mark
        elif mark.startswith(fence) and not rest.strip():
            fence = None
    return text if fence is None else f"{text.rstrip()}\n{fence}"
