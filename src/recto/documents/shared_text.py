"""The text that all peers share: one pycrdt document with one text, and nothing else.

Positions are in characters here; pycrdt's own count does not leave this module.
"""

import hashlib
from collections.abc import Iterable

from pycrdt import Doc, Text, TextEvent, TransactionEvent

from recto.documents.deltas import Delta, change_of
from recto.documents.failures import BadUpdate, InvalidPosition
from recto.documents.offsets import many_to_utf8
from recto.documents.splices import Splice, difference, spliced
from recto.documents.update_check import check_state

NAME = "text"  # what the page calls it, too
CLIENT_BITS = 53  # the largest number a page can count to


class SharedText:
    """A text that merges the edits of all who have a copy."""

    def __init__(self, *updates: bytes) -> None:
        self._doc: Doc[Text] = Doc()
        self._shared = self._doc.get(NAME, type=Text)
        self._made: list[bytes] = []
        self._deltas: list[Delta] = []
        self._text = ""
        self._bytes = 0
        self.changes: tuple[Splice, ...] = ()
        """What the last edit changed, in characters of the text before it."""
        self._watching = (self._doc.observe(self._on_change), self._shared.observe(self._on_text))
        for update in updates:
            self.apply(update)

    @property
    def text(self) -> str:
        """The text as it is."""
        return self._text

    def apply(self, update: bytes) -> bool:
        """Take in a peer's edit; whether it changed anything. Raises BadUpdate."""
        self._begin()
        try:
            self._doc.apply_update(update)
        except ValueError as error:
            raise BadUpdate(str(error).partition(":")[0].lower()) from error
        finally:
            self._finish()
        return bool(self._made)

    def splice(self, splices: Iterable[Splice]) -> bytes:
        """Change the text here; the update that tells peers. Raises InvalidPosition."""
        changes = ordered(splices)
        edges = many_to_utf8(
            self._text, [at for change in changes for at in (change.start, change.end)]
        )
        self._begin()
        grown = 0
        # One transaction, one update: peers and the journal never see half of a change.
        with self._doc.transaction():
            for change, start, end in zip(changes, edges[::2], edges[1::2], strict=True):
                if end > start:
                    del self._shared[start + grown : end + grown]
                if change.new:
                    self._shared.insert(start + grown, change.new)
                grown += len(change.new.encode()) - (end - start)
        self._finish()
        return self._made[-1] if self._made else b""

    def would_splice(self, splices: Iterable[Splice]) -> bytes:
        """The update that would change the text; nothing is changed yet. Raises InvalidPosition."""
        return SharedText(self.updates_since()).splice(splices)

    def state(self) -> bytes:
        """Which edits are in it, so that a peer can tell what is missing."""
        return self._doc.get_state()

    def updates_since(self, state: bytes = b"\0") -> bytes:
        """All that a peer in that state has not seen. Raises BadUpdate."""
        check_state(state)
        try:
            return self._doc.get_update(state)
        except ValueError as error:
            raise BadUpdate("its state is not one") from error

    def _begin(self) -> None:
        self._made.clear()
        self._deltas.clear()

    def _finish(self) -> None:
        """Bring the text up to date, and say what changed in it."""
        before, self.changes = self._text, ()
        if not self._deltas:
            return
        change = change_of(self._deltas[-1], before)
        length = len(self._shared)
        if change is None or self._bytes + change.growth != length:
            # A peer put something in that is no text: only comparing tells what became of it.
            self._text = str(self._shared)
            self.changes = difference(before, self._text)
        else:
            self._text = spliced(before, change.splices)
            self.changes = change.splices
        # pycrdt counts bytes; the sum proves next time that the delta told everything.
        self._bytes = length

    def _on_change(self, event: TransactionEvent) -> None:
        self._made.append(event.update)

    def _on_text(self, event: TextEvent) -> None:
        self._deltas.append(event.delta)


def first_update(text: str, content_hash: str) -> bytes:
    """The update that puts a file's text into an empty document.

    The same file always gives the same update: a page that was away while the server restarted
    has the same beginning, and its edits fit.
    """
    # Two files must not begin as the same peer: equal ids for different text corrupt a merge.
    digest = hashlib.sha256(content_hash.encode() + text.encode()).digest()
    doc: Doc[Text] = Doc(client_id=int.from_bytes(digest[:8], "big") >> (64 - CLIENT_BITS) or 1)
    shared = doc.get(NAME, type=Text)
    if text:
        shared += text
    return doc.get_update()


def ordered(splices: Iterable[Splice]) -> list[Splice]:
    """Splices from front to back.

    Raises InvalidPosition when one runs into the next or backwards.
    """
    found = sorted(splices, key=lambda one: (one.start, one.end))
    at = 0
    for item in found:
        # Changes that overlap have no meaning: what one deletes, the other would count.
        if item.start < at or item.end < item.start:
            raise InvalidPosition(item.start)
        at = item.end
    return found
