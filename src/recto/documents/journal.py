"""What of a document survives a crash: every edit, and which text the file had when.

An entry is an edit, or a mark: "saving" says that the text up to entry `through` is about to be the
file's, "saved" that it is. A mark may carry the whole document up to there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, cast, get_args

from recto.documents.shape import Shape
from recto.documents.shared_text import SharedText
from recto.workspace import Encoding, LineEnding

Json = str | int | bool
Who = Literal["person", "disk", "run"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made an edit: a person, the disk, or the run of that name."""

    who: Who
    name: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a document's journal, numbered from 1."""

    seq: int
    data: bytes
    origin: Mapping[str, Json]


class Journal(Protocol):
    """Where entries are kept. Raises NotStored when they can't be."""

    async def read(self, document_id: str) -> Sequence[Entry]:
        """All entries of a document, in order."""
        ...

    async def append(self, document_id: str, entries: Sequence[Entry]) -> None:
        """Add entries after the last: all of them, on the disk, or none."""
        ...

    async def compact(self, document_id: str, entry: Entry) -> None:
        """Put one entry in the place of all up to its number."""
        ...


@dataclass(frozen=True, slots=True)
class Base:
    """The file's content that a text builds on."""

    text: str
    hash: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Replayed:
    """A document as its journal knows it."""

    shared: SharedText
    base: Base
    epoch: str
    last_seq: int
    rows: int


def edit_entry(seq: int, data: bytes, origin: Origin) -> Entry:
    """The entry for an edit."""
    return Entry(seq, data, {"kind": "edit", "who": origin.who, "name": origin.name})


def origin_of(entry: Entry) -> Origin | None:
    """Who made the edit of an entry; None for a mark."""
    if entry.origin["kind"] != "edit":
        return None
    return Origin(cast("Who", entry.origin["who"]), str(entry.origin["name"]))


@dataclass(frozen=True, slots=True)
class Mark:
    """That the text up to an entry is the file's, or is about to be."""

    kind: Literal["saving", "saved"]
    through: int
    hash: str
    shape: Shape
    epoch: str

    def entry(self, seq: int, data: bytes = b"") -> Entry:
        """The entry for this mark."""
        shape = self.shape
        return Entry(
            seq,
            data,
            {
                "kind": self.kind,
                "through": self.through,
                "hash": self.hash,
                "encoding": shape.encoding,
                "bom": shape.bom,
                "ending": shape.ending,
                "epoch": self.epoch,
            },
        )


def mark_of(entry: Entry) -> Mark | None:
    """The mark of an entry; None for an edit."""
    said = entry.origin
    if said["kind"] == "edit":
        return None
    kind, encoding, ending = said["kind"], said["encoding"], said["ending"]
    if encoding not in get_args(Encoding) or ending not in get_args(LineEnding):
        raise ValueError(f"entry {entry.seq} names no known encoding or ending: {said}")
    shape = Shape(cast("Encoding", encoding), bool(said["bom"]), cast("LineEnding", ending))
    return Mark(
        "saving" if kind == "saving" else "saved",
        int(said["through"]),
        str(said["hash"]),
        shape,
        str(said["epoch"]),
    )


def replay(entries: Sequence[Entry], disk_hash: str | None) -> Replayed:
    """The document, and the content of the file that it builds on.

    That is what was saved last, or what was being saved then, if that is what the file has now.
    """
    marks = [mark for entry in entries if (mark := mark_of(entry)) is not None]
    saved = [mark for mark in marks if mark.kind == "saved"][-1]
    after = marks[marks.index(saved) :]
    base = next((mark for mark in reversed(after) if mark.hash == disk_hash), saved)
    edits = [entry for entry in entries if entry.data]
    shared = SharedText(*(entry.data for entry in edits if entry.seq <= base.through))
    text = shared.text
    for entry in edits:
        if entry.seq > base.through:
            shared.apply(entry.data)
    found = Base(text, base.hash, base.shape)
    return Replayed(shared, found, base.epoch, entries[-1].seq, len(entries))
