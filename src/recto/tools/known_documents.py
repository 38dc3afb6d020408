"""How Word documents were last read, so that their paragraphs keep their numbers."""

from typing import Protocol

import msgspec

from recto.word import NumberedTexts


class KnownDocument(msgspec.Struct, frozen=True):
    """A Word document as it was last read: the hash of its bytes, its text and its numbers."""

    hash: str
    text: str
    numbered: NumberedTexts


class KnownDocuments(Protocol):
    """Remembers how Word documents were last read, by their paths."""

    async def get(self, path: str) -> KnownDocument | None:
        """The document at a path."""
        ...

    async def put(self, path: str, document: KnownDocument) -> None:
        """Remember how one was read."""
        ...
