"""The text that all peers share: one pycrdt document with one text, and nothing else.

Positions are in characters here; pycrdt's own count does not leave this module.
"""

import hashlib
from collections.abc import Iterable

from pycrdt import Doc, Text, TransactionEvent

from recto.documents.failures import BadUpdate, Misplaced
from recto.documents.offsets import to_utf8
from recto.documents.splices import Splice

NAME = "text"  # what the page calls it, too
CLIENT_BITS = 53  # the largest number a page can count to


class SharedText:
    """A text that merges the edits of all who have a copy."""

    def __init__(self, *updates: bytes) -> None:
        self._doc: Doc[Text] = Doc()
        self._shared = self._doc.get(NAME, type=Text)
        self._made: list[bytes] = []
        self._text: str | None = None
        self._watching = self._doc.observe(self._on_change)
        for update in updates:
            self.apply(update)

    @property
    def text(self) -> str:
        """The text as it is."""
        if self._text is None:
            self._text = str(self._shared)
        return self._text

    def apply(self, update: bytes) -> bool:
        """Take in a peer's edit; whether it changed anything. Raises BadUpdate."""
        self._made.clear()
        try:
            self._doc.apply_update(update)
        except ValueError as error:
            raise BadUpdate(str(error).partition(":")[0].lower()) from error
        return bool(self._made)

    def splice(self, splices: Iterable[Splice]) -> bytes:
        """Change the text here; the update that tells peers. Raises Misplaced."""
        before = self.text
        places = [
            (to_utf8(before, one.start), to_utf8(before, one.end), one.new)
            for one in ordered(splices)
        ]
        self._made.clear()
        with self._doc.transaction():
            for start, end, new in reversed(places):
                if end > start:
                    del self._shared[start:end]
                if new:
                    self._shared.insert(start, new)
        return self._made[-1] if self._made else b""

    def state(self) -> bytes:
        """Which edits are in it, so that a peer can tell what is missing."""
        return self._doc.get_state()

    def updates_since(self, state: bytes = b"\0") -> bytes:
        """All that a peer in that state has not seen. Raises BadUpdate."""
        try:
            return self._doc.get_update(state)
        except ValueError as error:
            raise BadUpdate("its state is not one") from error

    def _on_change(self, event: TransactionEvent) -> None:
        self._made.append(event.update)
        self._text = None


def first_update(text: str, content_hash: str) -> bytes:
    """The update that puts a file's text into an empty document.

    The same file always gives the same update: a page that was away while the server restarted
    has the same beginning, and its edits fit.
    """
    digest = hashlib.sha256(content_hash.encode() + text.encode()).digest()
    doc: Doc[Text] = Doc(client_id=int.from_bytes(digest[:8], "big") >> (64 - CLIENT_BITS) or 1)
    shared = doc.get(NAME, type=Text)
    if text:
        shared += text
    return doc.get_update()


def ordered(splices: Iterable[Splice]) -> list[Splice]:
    """Splices from front to back. Raises Misplaced when one runs into the next or backwards."""
    found = sorted(splices, key=lambda one: (one.start, one.end))
    at = 0
    for one in found:
        if one.start < at or one.end < one.start:
            raise Misplaced(one.start)
        at = one.end
    return found
