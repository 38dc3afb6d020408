"""Every number and view of a history, computed from its entries: the same, live and loaded.

Entries come in the order of their `seq`. Nothing is ever taken out of a history: an accounting
entry says what no longer counts, and carries what all of it used.
"""

from collections.abc import Sequence
from dataclasses import replace

from recto.chats.entries import (
    Accounting,
    Assistant,
    Content,
    Entry,
    Summary,
    Title,
    Totals,
)
from recto.messages import Usage


def visible(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that count: without those that an accounting entry discards.

    An accounting entry that is itself discarded has no say: the chat went back to before it.
    """
    shown: list[Entry] = []
    removed: set[str] = set()
    from_seq: int | None = None
    for entry in reversed(entries):
        if entry.id in removed or (from_seq is not None and entry.seq >= from_seq):
            continue
        shown.append(entry)
        match entry.content:
            case Accounting(reason="checkpoint_removed", about=about):
                removed.add(about)
            case Accounting(from_seq=first):
                from_seq = first
            case _:
                pass
    return tuple(reversed(shown))


def totals(entries: Sequence[Entry]) -> Totals:
    """What the chat used in all: the last accounting entry, and every request after it."""
    since: list[Content] = []
    start = Totals()
    for entry in reversed(entries):
        if isinstance(entry.content, Accounting):
            start = entry.content.totals
            break
        since.append(entry.content)
    for content in reversed(since):
        start = counted(start, content)
    return start


def counted(so_far: Totals, content: Content) -> Totals:
    """The totals after one more entry. A request without a price is counted, never free."""
    match content:
        case Accounting(totals=known):
            return known
        case Assistant() | Title() | Summary():
            usage = content.usage or Usage()
            cost = content.cost_micros
            return replace(
                so_far,
                input=so_far.input + usage.input,
                cache_read=so_far.cache_read + usage.cache_read,
                cache_write=so_far.cache_write + usage.cache_write,
                output=so_far.output + usage.output,
                cost_micros=so_far.cost_micros + (cost or 0),
                unpriced=so_far.unpriced + (cost is None),
            )
        case _:
            return so_far


def context_tokens(entries: Sequence[Entry]) -> int | None:
    """How much of the window the chat takes, by the latest request; None while none has told.

    Titles leave it as it is, and so does asking for a summary. A summary's answer takes the place
    of everything before it, so that its own output is all there is; None when it was not counted.
    """
    for entry in reversed(visible(entries)):
        match entry.content:
            case Assistant(usage=Usage() as usage):
                return usage.context
            case Summary(usage=usage):
                return usage.output if usage is not None else None
            case _:
                pass
    return None


def checkpoint(entries: Sequence[Entry]) -> Entry | None:
    """The entry of the last summary in force; one that was taken off does not count."""
    shown = reversed(visible(entries))
    return next((entry for entry in shown if isinstance(entry.content, Summary)), None)


def after_checkpoint(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that count and follow the last summary in force; all when there is none."""
    last = checkpoint(entries)
    first = 0 if last is None else last.seq + 1
    return tuple(entry for entry in visible(entries) if entry.seq >= first)
