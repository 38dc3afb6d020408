"""Histories that go another way: what is put aside, and what a branch begins with."""

import json
import re
from dataclasses import replace

from recto.chats.history.codec import encode
from recto.chats.history.entries import (
    Accounting,
    Discard,
    EntryContent,
    Notice,
    SideQuestion,
    Summary,
    System,
)
from recto.chats.history.statistics import totals_of
from recto.chats.library.pinned import pinned_of
from recto.chats.library.repository import MODEL
from recto.chats.services import ChatServices
from recto.storage import Chat

OUTPUT = re.compile(r"\boutput:([0-9a-f]{16})\b")
"""The name by which a text tells of a long output that is kept whole."""


async def put_aside(
    services: ChatServices, chat_id: str, reason: Discard, from_seq: int
) -> Accounting:
    """The entry that says what no longer counts, and what everything so far has used."""
    count = 0
    async for entry in services.archive.backwards(chat_id):
        if entry.seq < from_seq:
            break
        count += not isinstance(entry.content, System | SideQuestion)
    return Accounting(reason, from_seq, count, await totals_of(services.storage, chat_id))


async def branch_off(services: ChatServices, chat: Chat, entry_id: str) -> Chat:
    """A new chat beside another, that begins with everything up to an entry."""
    last = (await services.archive.get(chat.id, entry_id)).seq + 1
    entries = [backward async for backward in services.archive.backwards(chat.id, before=last)]
    async with services.storage.write() as write:
        branch = await services.storage.chats.add(
            write,
            id=services.ids.new(),
            project_id=chat.project_id,
            title=f"{chat.title} (branch)" if chat.title else "",
            meta={MODEL: chat.meta.get(MODEL), **pinned_of(chat).meta()},
            group_id=chat.group_id,
            is_global=chat.is_global,
        )
        names: dict[str, str] = {}
        for entry in reversed(entries):
            content = copied(entry.content, names)
            if content is not None:
                names[entry.id] = (await services.archive.append(write, branch.id, content)).id
                # Long outputs stay readable here when the other chat is deleted.
                for start in sorted(set(OUTPUT.findall(json.dumps(encode(content).body)))):
                    await services.storage.blobs.use(write, start, branch.id)
    return branch


def copied(content: EntryContent, names: dict[str, str]) -> EntryContent | None:
    """An entry as a branch has it; None for what belongs to the other chat alone."""
    match content:
        case Accounting() | Notice():
            return None
        case Summary():
            ids = (names.get(item) for item in content.kept)
            return replace(content, kept=tuple(item for item in ids if item is not None))
        case _:
            return content
