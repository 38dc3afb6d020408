"""How Word documents were last read, so that their paragraphs keep their numbers."""

from typing import Protocol

import msgspec

from recto.word import LetterChange, NumberedTexts, TextWriters, carried, found_again


class KnownDocument(msgspec.Struct, frozen=True):
    """A Word document as it was last read: the hash of its bytes, its text and its numbers."""

    hash: str
    text: str
    numbered: NumberedTexts
    writers: TextWriters = TextWriters()


def found_document(
    before: KnownDocument | None, digest: str, text: str, numbered: NumberedTexts
) -> KnownDocument:
    """A document as it is now, whoever changed it since it was last read."""
    if before is None:
        return KnownDocument(digest, text, numbered)
    was = before.numbered.texts
    now = found_again(before.writers, before.hash, was, digest, numbered.texts)
    return KnownDocument(digest, text, numbered, now)


def changed_document(
    before: KnownDocument | None,
    digest: str,
    text: str,
    numbered: NumberedTexts,
    change: LetterChange,
) -> KnownDocument:
    """What a change that Recto made leaves."""
    if before is None:
        return KnownDocument(digest, text, numbered)
    was = before.numbered.texts
    now = carried(before.writers, before.hash, was, numbered.texts, change)
    return KnownDocument(digest, text, numbered, now)


class KnownDocuments(Protocol):
    """Remembers how Word documents were last read, by their paths."""

    async def get(self, path: str) -> KnownDocument | None:
        """The document at a path."""
        ...

    async def put(self, path: str, document: KnownDocument) -> None:
        """Remember what one was made to be."""
        ...

    async def note(self, path: str, before: KnownDocument | None, document: KnownDocument) -> None:
        """Remember how one was read that was known so, unless it is known otherwise by now."""
        ...
