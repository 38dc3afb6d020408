"""Every view of a history, computed from its entries: the same, live and loaded.

Entries come in the order of their `seq`. Nothing is ever taken out of a history: an accounting
entry says what no longer counts. What a chat used is computed from the ledger, wherever it is
shown: it has the requests, too, that left no entry.
"""

from collections.abc import Sequence

from recto.chats.history.entries import Accounting, Assistant, ChatEntry, Summary, Totals
from recto.messages import Usage
from recto.storage import Storage, WriteTransaction


async def totals_of(
    storage: Storage, chat_id: str, *, within: WriteTransaction | None = None
) -> Totals:
    """What all requests of a chat used: answered or stopped, titles and failed summaries, too."""
    used = await storage.ledger.of_chat(chat_id, within=within)
    return Totals(
        used.input_tokens,
        used.cache_read_tokens,
        used.cache_write_tokens,
        used.output_tokens,
        used.cost_micros,
        used.unpriced_rows,
    )


def visible(entries: Sequence[ChatEntry]) -> tuple[ChatEntry, ...]:
    """The entries that count: without those that an accounting entry discards.

    An accounting entry that is itself discarded has no say: the chat went back to before it.
    """
    shown: list[ChatEntry] = []
    removed: set[str] = set()
    from_seq: int | None = None
    # From the end: an accounting that is itself discarded must not discard anything.
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


def context_tokens(entries: Sequence[ChatEntry]) -> int | None:
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


def checkpoint(entries: Sequence[ChatEntry]) -> ChatEntry | None:
    """The entry of the last summary in force; one that was taken off does not count."""
    shown = reversed(visible(entries))
    return next((entry for entry in shown if isinstance(entry.content, Summary)), None)


def after_checkpoint(entries: Sequence[ChatEntry]) -> tuple[ChatEntry, ...]:
    """The entries that count and follow the last summary in force; all when there is none."""
    last = checkpoint(entries)
    first = 0 if last is None else last.seq + 1
    return tuple(entry for entry in visible(entries) if entry.seq >= first)
