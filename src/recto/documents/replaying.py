"""A document as its journal knows it: the same steps again, with the same pieces in the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.documents.failures import BadJournal, BadUpdate
from recto.documents.journal import Edit, Entry, Mark, Review, read_entry
from recto.documents.shape import Shape
from recto.documents.shared_text import SharedText
from recto.documents.tracking.kept import read_pieces
from recto.documents.tracking.pieces import Tracked, length_of
from recto.documents.tracking.tracker import Tracker
from recto.documents.words import Unit


@dataclass(frozen=True, slots=True)
class Base:
    """The file's content that a text builds on."""

    text: str
    hash: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Replayed:
    """A document, and the content of the file that it builds on."""

    shared: SharedText
    tracker: Tracker
    base: Base
    epoch: str
    last_seq: int
    rows: int


def replay(entries: Sequence[Entry], disk_hash: str, unit: Unit) -> Replayed | None:
    """The document that a journal tells of; None when the file was never written.

    It builds on what was saved last, or what was being saved then, if that is what the file has
    now. Raises BadJournal.
    """
    said = [read_entry(entry) for entry in entries]
    base = base_of([one for one in said if isinstance(one, Mark)], disk_hash)
    if base is None:
        return None
    play = Play(unit)
    text = ""
    for entry, what in zip(entries, said, strict=True):
        play.take(entry, what)
        if entry.seq <= base.through:
            text = play.shared.text
    return Replayed(
        play.shared,
        play.tracker,
        Base(text, base.hash, base.shape),
        base.epoch,
        entries[-1].seq,
        len(entries),
    )


def base_of(marks: Sequence[Mark], disk_hash: str) -> Mark | None:
    """The mark whose content the file has, or had last."""
    places = [index for index, mark in enumerate(marks) if mark.kind == "saved"]
    saved = marks[places[-1]] if places else None
    after = marks[places[-1] :] if places else marks
    return next((mark for mark in reversed(after) if mark.hash == disk_hash), saved)


class Play:
    """A document while its entries are taken in again."""

    def __init__(self, unit: Unit) -> None:
        self._unit: Unit = unit
        self.shared = SharedText()
        self.tracker = Tracker(Tracked(()), "", unit)

    def take(self, entry: Entry, said: Edit | Review | Mark) -> None:
        """One entry."""
        before = self.shared.text
        if entry.data:
            self._apply(entry)
        text = self.shared.text
        if said.pieces:
            self.tracker.put(self._pieces(entry, said.pieces, len(text)), text)
        elif isinstance(said, Edit):
            self.tracker.take(self.shared.changes, said.origin, before=before, after=text)
        elif entry.data:
            raise BadJournal(entry.seq, "it does not say who wrote the text")

    def _apply(self, entry: Entry) -> None:
        try:
            self.shared.apply(entry.data)
        except BadUpdate as failure:
            raise BadJournal(entry.seq, "its data is no edit") from failure

    def _pieces(self, entry: Entry, kept: str, length: int) -> Tracked:
        try:
            found = read_pieces(kept)
        except ValueError as error:
            raise BadJournal(entry.seq, str(error)) from error
        if length_of(found.pieces) != length:
            raise BadJournal(entry.seq, "its pieces are those of another text")
        return found
