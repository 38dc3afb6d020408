"""A chat as a file to keep or hand on: Markdown, one HTML page, or JSON with everything in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from recto.chats.history.entries import ChatEntry, Totals
from recto.chats.history.statistics import visible
from recto.chats.transfer.exports.blocks import blocks_of
from recto.chats.transfer.exports.json import json_document
from recto.chats.transfer.exports.markdown import markdown_text
from recto.messages import encodable

ExportFormat = Literal["markdown", "html", "json"]
MAX_NAME = 80
# Windows gives these to devices, whatever the ending.
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Exported:
    """A file: its bytes, what they are, and a name for them."""

    data: bytes
    media_type: str
    name: str


def export(
    title: str, entries: Sequence[ChatEntry], used: Totals, format: ExportFormat
) -> Exported:
    """A chat as a file. Markdown and HTML show what counts, JSON holds every entry whole."""
    name = file_name(title)
    match format:
        case "json":
            data = json_document(title, entries).encode()
            return Exported(data, "application/json", f"{name}.json")
        case "markdown":
            text = markdown_text(title, blocks_of(visible(entries)), used)
            return Exported(text.encode(), "text/markdown; charset=utf-8", f"{name}.md")
        case "html":
            # Loaded here, because reading Markdown would cost every start.
            from recto.chats.transfer.exports.html import html_page

            text = html_page(title, blocks_of(visible(entries)), used)
            return Exported(text.encode(), "text/html; charset=utf-8", f"{name}.html")
        case _:
            assert_never(format)


def file_name(title: str) -> str:
    """A title as a file name without its ending, good on every system."""
    name = " ".join(re.sub(r"[^\w-]+", " ", encodable(title)).split())[:MAX_NAME].strip(" -")
    return f"chat {name}".strip() if not name or DEVICES.fullmatch(name) else name


__all__ = ["ExportFormat", "Exported", "export", "file_name"]
