"""What was recorded last of each chat: the next request is stored as what is new in it."""

from collections import OrderedDict
from typing import Literal

from recto.storage import ChatEvent, PackBase, PackedBytes, RecordNotFound, Storage, pack_beside

MOST_BYTES = 32_000_000
"""How much of what was recorded stays in memory; what does not is read again when it is needed."""

RecordKind = Literal["exchange", "setting"]


class SentBytes:
    """Packs what turns record, each beside the one before it in its chat.

    A chat's requests repeat everything before them: stored whole, a long chat would grow with the
    square of its length.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._last: OrderedDict[tuple[str, RecordKind], PackBase] = OrderedDict()
        self._bytes = 0

    async def pack(self, chat_id: str, kind: RecordKind, whole: bytes) -> PackedBytes:
        """Bytes ready to be stored, with what they are a change of."""
        key = chat_id, kind
        last = self._forget(key) or await self._read(chat_id, kind)
        packed = await pack_beside(whole, last)
        # The same bytes again: they are stored as they were stored before.
        same = last is not None and last.digest == packed.digest
        self._remember(key, last if same and last is not None else packed.as_base(whole))
        return packed

    def _remember(self, key: tuple[str, RecordKind], base: PackBase) -> None:
        self._forget(key)
        self._last[key] = base
        self._bytes += len(base.data)
        while self._bytes > MOST_BYTES:
            self._forget(next(iter(self._last)))

    def _forget(self, key: tuple[str, RecordKind]) -> PackBase | None:
        base = self._last.pop(key, None)
        if base is not None:
            self._bytes -= len(base.data)
        return base

    async def _read(self, chat_id: str, kind: RecordKind) -> PackBase | None:
        """What the chat's last record says, after a start or when too much was remembered."""
        event = await self._storage.events.last(chat_id, kind)
        digest = None if event is None else digest_in(event, kind)
        if digest is None:
            return None
        try:
            return await self._storage.blobs.base(digest)
        except RecordNotFound:
            # Records of long ago were taken away: this one is stored whole.
            return None


def digest_in(event: ChatEvent, kind: RecordKind) -> str | None:
    """The bytes that an event names last."""
    if kind == "setting":
        return str(event.body["blob"])
    tries = event.body["tries"]
    return str(tries[-1]["request"]) if tries else None
