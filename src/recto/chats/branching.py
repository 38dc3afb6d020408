"""Histories that go another way: what is put aside, and what a branch begins with."""

from dataclasses import replace

from recto.chats.entries import (
    Accounting,
    Asked,
    Content,
    Discard,
    Notice,
    Summary,
    System,
    Totals,
)
from recto.chats.keeping import MODEL
from recto.chats.means import Means
from recto.chats.pinned import pinned_of
from recto.storage import Chat


async def put_aside(means: Means, chat_id: str, reason: Discard, from_seq: int) -> Accounting:
    """The entry that says what no longer counts, and what everything so far has used."""
    count = 0
    async for entry in means.archive.backwards(chat_id):
        if entry.seq < from_seq:
            break
        count += not isinstance(entry.content, System | Asked)
    used = await means.storage.ledger.of_chat(chat_id)
    totals = Totals(
        used.input_tokens,
        used.cache_read_tokens,
        used.cache_write_tokens,
        used.output_tokens,
        used.cost_micros,
        used.unpriced_rows,
    )
    return Accounting(reason, from_seq, count, totals)


async def branch_off(means: Means, chat: Chat, entry_id: str) -> Chat:
    """A new chat beside another, that begins with everything up to an entry."""
    last = (await means.archive.get(chat.id, entry_id)).seq + 1
    entries = [one async for one in means.archive.backwards(chat.id, before=last)]
    async with means.storage.write() as write:
        branch = await means.storage.chats.add(
            write,
            id=means.ids.new(),
            project_id=chat.project_id,
            title=f"{chat.title} (branch)" if chat.title else "",
            meta={MODEL: chat.meta.get(MODEL), **pinned_of(chat).meta()},
            group_id=chat.group_id,
            is_global=chat.is_global,
        )
        names: dict[str, str] = {}
        for one in reversed(entries):
            content = copied(one.content, names)
            if content is not None:
                names[one.id] = (await means.archive.append(write, branch.id, content)).id
    return branch


def copied(content: Content, names: dict[str, str]) -> Content | None:
    """An entry as a branch has it; None for what belongs to the other chat alone."""
    match content:
        case Accounting() | Notice():
            return None
        case Summary():
            ids = (names.get(one) for one in content.kept)
            return replace(content, kept=tuple(one for one in ids if one is not None))
        case _:
            return content
