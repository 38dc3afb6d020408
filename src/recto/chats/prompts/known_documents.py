"""How the Word documents of a project were last read, in the store."""

import zlib

import msgspec

from recto.storage import Storage
from recto.tools import KnownDocument


class StoredDocuments:
    """Remembers a project's documents, so that their paragraphs keep their numbers."""

    def __init__(self, storage: Storage, project_id: str) -> None:
        self._storage = storage
        self._project_id = project_id

    async def get(self, path: str) -> KnownDocument | None:
        """The document at a path, as it was last read."""
        packed = await self._storage.word_documents.get(self._project_id, path)
        return None if packed is None else unpacked(packed)

    async def put(self, path: str, document: KnownDocument) -> None:
        """Remember what one was made to be."""
        packed = zlib.compress(msgspec.msgpack.encode(document))
        async with self._storage.write() as write:
            await self._storage.word_documents.put(write, self._project_id, path, packed)

    async def note(self, path: str, document: KnownDocument) -> None:
        """Remember how one was read, unless whoever changed it has told more of it by now."""
        packed = zlib.compress(msgspec.msgpack.encode(document))
        async with self._storage.write() as write:
            known = await self._storage.word_documents.get(self._project_id, path, write)
            if known is None or unpacked(known).hash != document.hash:
                await self._storage.word_documents.put(write, self._project_id, path, packed)


def unpacked(packed: bytes) -> KnownDocument:
    """What is stored of a document."""
    return msgspec.msgpack.decode(zlib.decompress(packed), type=KnownDocument)
