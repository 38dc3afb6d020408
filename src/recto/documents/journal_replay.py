"""A document as its journal knows it: the same steps again, with the same pieces in the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.documents.failures import BadJournal, BadUpdate
from recto.documents.file_format import FileFormat
from recto.documents.journal import (
    JournaledEdit,
    JournaledReview,
    JournalEntry,
    SaveMark,
    read_entry,
)
from recto.documents.shared_text import SharedText
from recto.documents.tracking.pieces import TrackedPieces, length_of
from recto.documents.tracking.stored_pieces import read_pieces
from recto.documents.tracking.tracker import Tracker
from recto.documents.words import Unit


@dataclass(frozen=True, slots=True)
class BaseContent:
    """The file's content that a text builds on."""

    text: str
    hash: str
    shape: FileFormat


@dataclass(frozen=True, slots=True)
class ReplayedDocument:
    """A document, and the content of the file that it builds on."""

    shared: SharedText
    tracker: Tracker
    base: BaseContent
    epoch: str
    last_seq: int
    rows: int


def replay(entries: Sequence[JournalEntry], disk_hash: str, unit: Unit) -> ReplayedDocument | None:
    """The document that a journal tells of; None when the file was never written.

    It builds on what was saved last, or what was being saved then, if that is what the file has
    now. Raises BadJournal.
    """
    said = [read_entry(entry) for entry in entries]
    base = base_of([item for item in said if isinstance(item, SaveMark)], disk_hash)
    if base is None:
        return None
    play = JournalReplay(unit)
    text = ""
    for entry, what in zip(entries, said, strict=True):
        play.take(entry, what)
        # What came after the last save is in the document, but not in the file.
        if entry.seq <= base.through:
            text = play.shared.text
    return ReplayedDocument(
        play.shared,
        play.tracker,
        BaseContent(text, base.hash, base.shape),
        base.epoch,
        entries[-1].seq,
        len(entries),
    )


def base_of(marks: Sequence[SaveMark], disk_hash: str) -> SaveMark | None:
    """The mark whose content the file has, or had last."""
    places = [index for index, mark in enumerate(marks) if mark.kind == "saved"]
    saved = marks[places[-1]] if places else None
    # Only marks since the last certain save: an older text on disk is somebody's change, not ours.
    after = marks[places[-1] :] if places else marks
    return next((mark for mark in reversed(after) if mark.hash == disk_hash), saved)


class JournalReplay:
    """A document while its entries are taken in."""

    def __init__(
        self, unit: Unit, shared: SharedText | None = None, tracker: Tracker | None = None
    ) -> None:
        """An empty document, or one as it is already."""
        self.shared = shared or SharedText()
        self.tracker = tracker or Tracker(TrackedPieces(()), "", unit)

    def take(self, entry: JournalEntry, said: JournaledEdit | JournaledReview | SaveMark) -> None:
        """One entry."""
        before = self.shared.text
        if entry.data:
            self._apply(entry)
        text = self.shared.text
        if said.pieces:
            self.tracker.put(self._pieces(entry, said.pieces, len(text)), text)
        elif isinstance(said, JournaledEdit):
            self.tracker.take(self.shared.changes, said.origin, before=before, after=text)
        elif entry.data:
            # A snapshot without pieces would silently make everything "before".
            raise BadJournal(entry.seq, "it does not say who wrote the text")

    def _apply(self, entry: JournalEntry) -> None:
        try:
            self.shared.apply(entry.data)
        except BadUpdate as failure:
            raise BadJournal(entry.seq, "its data is no edit") from failure

    def _pieces(self, entry: JournalEntry, kept: str, length: int) -> TrackedPieces:
        try:
            found = read_pieces(kept)
        except ValueError as error:
            raise BadJournal(entry.seq, str(error)) from error
        # Pieces that don't cover the text would shift every author and hunk behind the gap.
        if length_of(found.pieces) != length:
            raise BadJournal(entry.seq, "its pieces are those of another text")
        return found
