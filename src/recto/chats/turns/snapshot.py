"""What a turn stands on, as the record keeps it: the model's facts, the prompt, the tools, the limits.

The model's key is never part of it.
"""  # noqa: E501

import json
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from recto.access import Access
from recto.agent import TurnLimits
from recto.chats.prompts.base import PromptBase
from recto.chats.services import ChatServices
from recto.chats.turns.transcript import Transcript
from recto.storage import ChatEvent, Storage, WriteTransaction, record_of


@dataclass(frozen=True, slots=True)
class TurnSnapshot:
    """Everything that a turn found when it began."""

    access: Access
    ground: PromptBase
    limits: TurnLimits
    pins: tuple[str, ...]
    changing: tuple[str, ...]
    """The tools that may change something."""


async def store_snapshot(
    transcript: Transcript, services: ChatServices, snapshot: TurnSnapshot
) -> None:
    """Store what a turn found when it began, and where its history began."""
    data = json.dumps(plain(snapshot)).encode()
    from_seq = transcript.entries[-1].seq if transcript.entries else 0
    # Turns of a chat mostly find the same: only what is new is stored.
    packed = await services.sent.pack(transcript.chat_id, "setting", data)
    owner = record_of(transcript.turn)

    async def work(write: WriteTransaction) -> str:
        return await services.storage.blobs.put_packed(write, packed, data, owner)

    # Nothing of the answer is seen before it is stored: the request need not wait for the disk.
    await transcript.commit_beside(
        work, lambda digest: [transcript.event("setting", {"blob": digest, "from_seq": from_seq})]
    )


def plain(snapshot: TurnSnapshot) -> dict[str, Any]:
    """A snapshot as JSON, without what only the transport needs."""
    access = snapshot.access
    # Headers go, too: people put keys into them.
    bare = replace(access, key=None, provider=replace(access.provider, headers={}))
    return msgspec.to_builtins(replace(snapshot, access=bare))


async def read_snapshot(storage: Storage, event: ChatEvent) -> TurnSnapshot:
    """The snapshot that an event names."""
    return msgspec.convert(json.loads(await storage.blobs.get(event.body["blob"])), TurnSnapshot)
