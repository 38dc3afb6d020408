"""How the Word documents of a project were last read, in the store."""

import zlib
from collections import OrderedDict
from threading import Lock

import anyio.to_thread
import msgspec

from recto.storage import Storage
from recto.tools import KnownDocument

MOST_RECENT = 4


class StoredDocuments:
    """Remembers a project's documents, so that their paragraphs keep their numbers."""

    def __init__(self, storage: Storage, project_id: str) -> None:
        self._storage = storage
        self._project_id = project_id

    async def get(self, path: str) -> KnownDocument | None:
        """The document at a path, as it was last read."""
        packed = await self._storage.word_documents.get(self._project_id, path)
        return None if packed is None else await anyio.to_thread.run_sync(unpacked, packed)

    async def put(self, path: str, document: KnownDocument) -> None:
        """Remember what one was made to be."""
        data = await anyio.to_thread.run_sync(packed, document)
        async with self._storage.write() as write:
            await self._storage.word_documents.put(write, self._project_id, path, data)

    async def note(self, path: str, before: KnownDocument | None, document: KnownDocument) -> None:
        """Remember how one was read that was known so, unless it is known otherwise by now."""
        data = await anyio.to_thread.run_sync(packed, document)
        async with self._storage.write() as write:
            stored = await self._storage.word_documents.get(self._project_id, path, write)
            known = None if stored is None else await anyio.to_thread.run_sync(unpacked, stored)
            if (known and known.hash) == (before and before.hash):
                await self._storage.word_documents.put(write, self._project_id, path, data)


class RecentDocuments:
    """What was packed or unpacked last: a long document is asked for again with every change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, KnownDocument] = OrderedDict()
        self._lock = Lock()  # packing is done by threads

    def get(self, data: bytes) -> KnownDocument | None:
        """The document that is packed so."""
        with self._lock:
            return self._kept.get(data)

    def keep(self, data: bytes, document: KnownDocument) -> None:
        """Keep one, and no more than a few."""
        with self._lock:
            self._kept[data] = document
            while len(self._kept) > MOST_RECENT:
                self._kept.popitem(last=False)


RECENT = RecentDocuments()


def packed(document: KnownDocument) -> bytes:
    """What is stored of a document: read often and written often, so fast rather than small."""
    data = zlib.compress(msgspec.msgpack.encode(document), 1)
    RECENT.keep(data, document)
    return data


def unpacked(data: bytes) -> KnownDocument:
    """What was stored of a document."""
    known = RECENT.get(data)
    if known is None:
        known = msgspec.msgpack.decode(zlib.decompress(data), type=KnownDocument)
        RECENT.keep(data, known)
    return known
