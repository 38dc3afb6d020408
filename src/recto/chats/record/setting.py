"""What a turn stands on, as the record keeps it: the model's facts, the prompt, the tools, the limits.

The model's key is never part of it.
"""  # noqa: E501

import json
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from recto.access import Access
from recto.agent import Limits
from recto.chats.ground import Ground
from recto.chats.minutes import Minutes
from recto.storage import ChatEvent, Storage, Write


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that a turn found when it began."""

    access: Access
    ground: Ground
    limits: Limits
    pins: tuple[str, ...]
    changing: tuple[str, ...]
    """The tools that may change something."""


async def keep_setting(minutes: Minutes, storage: Storage, setting: Setting) -> None:
    """Write down what a turn stands on, and where its history began."""
    data = json.dumps(plain(setting)).encode()
    from_seq = minutes.entries[-1].seq if minutes.entries else 0

    async def work(write: Write) -> str:
        return await storage.blobs.put(write, data)

    await minutes.journal.commit_with(
        work, lambda digest: [minutes.event("setting", {"blob": digest, "from_seq": from_seq})]
    )


def plain(setting: Setting) -> dict[str, Any]:
    """A setting as JSON, without what only the transport needs."""
    access = setting.access
    bare = replace(access, key=None, provider=replace(access.provider, headers={}))
    return msgspec.to_builtins(replace(setting, access=bare))


async def read_setting(storage: Storage, event: ChatEvent) -> Setting:
    """The setting that an event names."""
    return msgspec.convert(json.loads(await storage.blobs.get(event.body["blob"])), Setting)
