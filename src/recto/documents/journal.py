"""What of a document survives a crash: every edit, and which text the file had when.

An entry is an edit, a review, or a mark: "saving" says that the text up to entry `through` is about
to be the file's, "saved" that it is. A mark may carry the whole document up to there. Who wrote
what follows from the edits; a review, and a whole document, say it outright.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from recto.documents.failures import BadJournal
from recto.documents.origins import Origin, Way, Who
from recto.documents.shape import Shape
from recto.documents.tracking.kept import write_pieces
from recto.documents.tracking.pieces import Tracked
from recto.workspace import Encoding, LineEnding

Json = str | int | bool


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


class Said(BaseModel):
    """What an entry says besides its data."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Edit(Said):
    """An edit. One that is no more than its update says leaves the pieces out."""

    kind: Literal["edit"] = "edit"
    who: Who
    name: str
    way: Way
    pending: bool
    undoable: bool
    pieces: str = ""

    @property
    def origin(self) -> Origin:
        """Who made it."""
        return Origin(self.who, self.name, self.way, self.pending)


class Review(Said):
    """Edits were accepted: the text stays, its pieces change."""

    kind: Literal["review"] = "review"
    pieces: str


class Mark(Said):
    """That the text up to an entry is the file's, or is about to be."""

    kind: Literal["saving", "saved"]
    through: int
    hash: str
    encoding: Encoding
    bom: bool
    ending: LineEnding
    epoch: str
    pieces: str = ""

    @property
    def shape(self) -> Shape:
        """How the file's bytes relate to the text."""
        return Shape(self.encoding, self.bom, self.ending)


SAID: TypeAdapter[Edit | Review | Mark] = TypeAdapter(
    Annotated[Edit | Review | Mark, Field(discriminator="kind")]
)


def read_entry(entry: Entry) -> Edit | Review | Mark:
    """What an entry says. Raises BadJournal."""
    try:
        return SAID.validate_python(dict(entry.origin))
    except ValidationError as error:
        raise BadJournal(entry.seq, error.errors()[0]["msg"].lower()) from error


def edit_entry(
    seq: int,
    data: bytes,
    origin: Origin,
    *,
    undoable: bool = False,
    pieces: Tracked | None = None,
) -> Entry:
    """The entry for an edit."""
    said = Edit(
        who=origin.who,
        name=origin.name,
        way=origin.way,
        pending=origin.pending,
        undoable=undoable,
        pieces="" if pieces is None else write_pieces(pieces),
    )
    return written(seq, said, data)


def review_entry(seq: int, pieces: Tracked) -> Entry:
    """The entry for an acceptance."""
    return written(seq, Review(pieces=write_pieces(pieces)))


def mark_entry(seq: int, mark: Mark, data: bytes = b"", pieces: Tracked | None = None) -> Entry:
    """The entry for a mark, with the whole document if there is data."""
    kept = "" if pieces is None else write_pieces(pieces)
    return written(seq, mark.model_copy(update={"pieces": kept}), data)


def written(seq: int, said: Said, data: bytes = b"") -> Entry:
    """What is said as an entry."""
    return Entry(seq, data, said.model_dump(exclude_defaults=False))


def mark(
    kind: Literal["saving", "saved"], through: int, content: str, shape: Shape, epoch: str
) -> Mark:
    """A mark about a content's hash."""
    return Mark(
        kind=kind,
        through=through,
        hash=content,
        encoding=shape.encoding,
        bom=shape.bom,
        ending=shape.ending,
        epoch=epoch,
    )
