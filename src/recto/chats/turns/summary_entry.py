"""A summary as an entry: what stays word for word, and what the summary does not mention."""

import re
from collections.abc import Collection, Iterator, Sequence

from recto.chats.history.entries import (
    Assistant,
    ChatEntry,
    EntryContent,
    MissingFromSummary,
    Summary,
    User,
)
from recto.chats.history.statistics import visible
from recto.context import receipt
from recto.messages import Text, ToolCall, Usage

OPEN_HEADING = "Still open, word for word:"
DONE_ITEM = re.compile(r"^\s*[-*+]\s*\[[xX]\]\s*(.+?)\s*$", re.MULTILINE)


def summary_entry(
    entries: Sequence[ChatEntry],
    *,
    text: str,
    model: str,
    usage: Usage | None,
    cost_micros: int | None,
    pins: Collection[str] = (),
) -> Summary:
    """The checkpoint made of a model's answer, for the entries that it sums up.

    Open items that the answer forgot are added to it as they stand.
    """
    shown = visible(entries)
    before = "\n\n".join(words for entry in shown for words in _words(entry.content))
    # Models drop open items; a promise must not be lost because it was summed up.
    summary = _with_open_items(before, text.strip())
    lacking = receipt(before, summary)
    return Summary(
        text=summary,
        model=model,
        usage=usage,
        cost_micros=cost_micros,
        kept=kept_entries(shown, pins),
        missing=MissingFromSummary(
            lacking.files, lacking.numbers, lacking.names, lacking.open_items
        ),
    )


def kept_entries(entries: Sequence[ChatEntry], pins: Collection[str] = ()) -> tuple[str, ...]:
    """The ids of the entries that no summary replaces: the last request, and pinned messages."""
    requests = [entry.id for entry in entries if isinstance(entry.content, User)]
    wanted = {*requests[-1:], *pins}
    return tuple(
        entry.id
        for entry in entries
        if entry.id in wanted or (isinstance(entry.content, User) and entry.content.pinned)
    )


def _with_open_items(before: str, summary: str) -> str:
    # An item that was ticked later in the conversation is not open any more.
    done = {item.casefold() for item in DONE_ITEM.findall(before)}
    forgotten = [
        item for item in receipt(before, summary).open_items if item.casefold() not in done
    ]
    if not forgotten:
        return summary
    return "\n".join([summary, "", OPEN_HEADING, *(f"- [ ] {item}" for item in forgotten)])


def _words(content: EntryContent) -> Iterator[str]:
    """What was said and which files were touched; not what tools printed, nor whole files."""
    match content:
        case User():
            yield content.text
            yield from (attachment.path for attachment in content.attached)
        case Assistant():
            for part in content.parts:
                if isinstance(part, Text):
                    yield part.text
                elif isinstance(part, ToolCall) and isinstance(part.arguments.get("path"), str):
                    yield part.arguments["path"]
        case Summary():
            yield content.text
        case _:
            pass
