"""Thoughts and signatures that a client's protocol has no field for, kept under a call's id.

Chat Completions has none, and without them a provider refuses the next step or thinks anew. They
are kept for an hour, sealed with the provider's own key: whoever may send them back can open them,
and nobody who reads the database.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from recto.access import Access, ProtocolId
from recto.clock import Clock, Ids
from recto.messages import (
    Finished,
    Message,
    Origin,
    Part,
    ProviderData,
    Request,
    Thinking,
    ToolCall,
)
from recto.storage import Storage

KEPT_MS = 60 * 60 * 1000
NONCE_BYTES = 12
WITHOUT_A_FIELD: frozenset[ProtocolId] = frozenset({"openai-chat"})


class KeptThoughts(Protocol):
    """Keeps what a client can't bring back."""

    async def keep(
        self, account_id: str, protocol: ProtocolId, access: Access, end: Finished
    ) -> None:
        """Keep what belongs to the calls of an answer, if the client's protocol has no field."""
        ...

    async def restore(self, account_id: str, access: Access, request: Request) -> Request:
        """The request with what was kept for its calls, as far as this deployment made it."""
        ...


class _Thought(msgspec.Struct, array_like=True):
    text: str
    payload: dict[str, object]


class _Kept(msgspec.Struct, array_like=True):
    """What stood before a call in its message, and what came with the call itself."""

    model: str
    thoughts: list[_Thought]
    signature: dict[str, object] | None


def calls_to_restore(access: Access, request: Request) -> list[str]:
    """The ids of the calls that something may be kept for."""
    if access.key is None:
        return []
    calls = [call for message in request.messages for call in message.calls]
    return [call.id for call in calls if call.provider is None]


class StoredThoughts:
    """Keeps them in the database, where every worker finds them."""

    def __init__(self, storage: Storage, *, clock: Clock, ids: Ids) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids

    async def keep(
        self, account_id: str, protocol: ProtocolId, access: Access, end: Finished
    ) -> None:
        """Keep what belongs to the calls of an answer, if the client's protocol has no field."""
        if protocol not in WITHOUT_A_FIELD or access.key is None or not end.message.calls:
            return
        kept = {
            call_id: self._sealed(access, account_id, call_id, found)
            for call_id, found in _worth_keeping(end.message, access.origin)
        }
        if kept:
            until_ms = self._clock.now_ms() + KEPT_MS
            async with self._storage.write() as write:
                await self._storage.kept_thoughts.put(write, account_id, kept, until_ms=until_ms)

    async def restore(self, account_id: str, access: Access, request: Request) -> Request:
        """The request with what was kept for its calls, as far as this deployment made it."""
        bare = calls_to_restore(access, request)
        if not bare:
            return request
        found = await self._storage.kept_thoughts.get_many(
            account_id, bare, now_ms=self._clock.now_ms()
        )
        opened = {
            call_id: kept
            for call_id, sealed in found.items()
            if (kept := self._opened(access, account_id, call_id, sealed)) is not None
        }
        if not opened:
            return request
        messages = tuple(_restored(message, opened, access.origin) for message in request.messages)
        return replace(request, messages=messages)

    def _sealed(self, access: Access, account_id: str, call_id: str, kept: _Kept) -> bytes:
        nonce = bytes.fromhex(self._ids.secret())[:NONCE_BYTES]
        whose = f"{account_id}\0{call_id}".encode()
        return nonce + AESGCM(_key(access)).encrypt(nonce, msgspec.msgpack.encode(kept), whose)

    def _opened(self, access: Access, account_id: str, call_id: str, sealed: bytes) -> _Kept | None:
        """What was kept; None: another key sealed it, so it is nothing for this one."""
        whose = f"{account_id}\0{call_id}".encode()
        try:
            plain = AESGCM(_key(access)).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], whose)
        except InvalidTag:
            return None
        kept = msgspec.msgpack.decode(plain, type=_Kept)
        return kept if kept.model == access.model else None


def _key(access: Access) -> bytes:
    """A key that follows from the one the provider is called with."""
    assert access.key is not None
    secret = f"{access.provider.url}\0{access.key.reveal()}".encode()
    return hashlib.blake2b(secret, digest_size=32, person=b"kept thoughts").digest()


def _worth_keeping(message: Message, origin: Origin) -> Iterator[tuple[str, _Kept]]:
    """What belongs to each call: the thoughts since the call before, and its signature."""
    thoughts: list[_Thought] = []
    for part in message.parts:
        if isinstance(part, Thinking) and part.provider is not None:
            thoughts.append(_Thought(part.text, dict(part.provider.payload)))
        elif isinstance(part, ToolCall):
            signature = dict(part.provider.payload) if part.provider else None
            if thoughts or signature:
                yield part.id, _Kept(origin.model, thoughts, signature)
            thoughts = []


def _restored(message: Message, kept: dict[str, _Kept], origin: Origin) -> Message:
    """The message with thoughts before its calls, and the calls with their signatures."""
    thoughts: list[Part] = []
    parts: list[Part] = []
    for part in message.parts:
        found = kept.get(part.id) if isinstance(part, ToolCall) else None
        if isinstance(part, ToolCall) and found is not None:
            back = [
                Thinking(item.text, ProviderData(origin, item.payload)) for item in found.thoughts
            ]
            if any(isinstance(item, ToolCall) for item in parts):
                parts += back
            else:
                # Words follow the thoughts they came from.
                thoughts += back
            if found.signature is not None:
                part = replace(part, provider=ProviderData(origin, found.signature))
        parts.append(part)
    return replace(message, parts=(*thoughts, *parts))
