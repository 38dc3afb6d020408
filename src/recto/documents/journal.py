"""What of a document survives a crash: every edit, and which text the file had when.

An entry is an edit, a review, or a mark: "saving" says that the text up to entry `through` is about
to be the file's, "saved" that it is. A mark may carry the whole document up to there. Who wrote
what follows from the edits; a review, and a whole document, say it outright.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from recto.documents.failures import BadJournal
from recto.documents.file_format import FileFormat
from recto.documents.origins import EditOrigin, Way, Who
from recto.documents.tracking.pieces import TrackedPieces
from recto.documents.tracking.stored_pieces import write_pieces
from recto.workspace import Encoding, LineEnding

Json = str | int | bool


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of a document's journal, numbered from 1."""

    seq: int
    data: bytes
    origin: Mapping[str, Json]


class DocumentJournal(Protocol):
    """Where entries are kept, and who else works on the documents. Raises NotStored."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes may write, too."""
        ...

    async def read(self, document_id: str, *, after: int = 0) -> Sequence[JournalEntry]:
        """The entries of a document after a number, in order."""
        ...

    async def append(
        self, document_id: str, entries: Sequence[JournalEntry]
    ) -> Sequence[JournalEntry]:
        """Add entries: all of them, on the disk, or none.

        Answers those that others wrote from the first one's number on; then none is added.
        """
        ...

    async def compact(self, document_id: str, entry: JournalEntry) -> None:
        """Put one entry in the place of all up to its number."""
        ...

    def lock(self, document_id: str) -> AbstractAsyncContextManager[None]:
        """Have a document's file to oneself, among all processes that live."""
        ...

    async def open(self, document_id: str) -> None:
        """Let other processes know that a document is in use here."""
        ...

    async def close(self, document_id: str) -> None:
        """Let them know that it is not any more."""
        ...

    async def is_open_elsewhere(self, document_id: str) -> bool:
        """Whether another process that lives has a document in use."""
        ...

    async def unsaved(self) -> Sequence[str]:
        """The documents whose last entry does not say that they are saved."""
        ...


class EntryDetails(BaseModel):
    """What an entry says besides its data."""

    # An entry of a newer version is refused as a whole: half understood, it would ruin the text.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class JournaledEdit(EntryDetails):
    """An edit. One that is no more than its update says leaves the pieces out."""

    kind: Literal["edit"] = "edit"
    who: Who
    name: str
    way: Way
    pending: bool
    undoable: bool
    pieces: str = ""

    @property
    def origin(self) -> EditOrigin:
        """Who made it."""
        return EditOrigin(self.who, self.name, self.way, self.pending)


class JournaledReview(EntryDetails):
    """Edits were accepted: the text stays, its pieces change."""

    kind: Literal["review"] = "review"
    pieces: str


class SaveMark(EntryDetails):
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
    def shape(self) -> FileFormat:
        """How the file's bytes relate to the text."""
        return FileFormat(self.encoding, self.bom, self.ending)


SAID: TypeAdapter[JournaledEdit | JournaledReview | SaveMark] = TypeAdapter(
    Annotated[JournaledEdit | JournaledReview | SaveMark, Field(discriminator="kind")]
)


def read_entry(entry: JournalEntry) -> JournaledEdit | JournaledReview | SaveMark:
    """What an entry says. Raises BadJournal."""
    try:
        return SAID.validate_python(dict(entry.origin))
    except ValidationError as error:
        raise BadJournal(entry.seq, error.errors()[0]["msg"].lower()) from error


def changes_document(entry: JournalEntry) -> bool:
    """Whether an entry changes the text or its pieces; most marks don't."""
    return bool(entry.data or entry.origin.get("pieces"))


def edit_entry(
    seq: int,
    data: bytes,
    origin: EditOrigin,
    *,
    undoable: bool = False,
    pieces: TrackedPieces | None = None,
) -> JournalEntry:
    """The entry for an edit."""
    said = JournaledEdit(
        who=origin.who,
        name=origin.name,
        way=origin.way,
        pending=origin.pending,
        undoable=undoable,
        pieces="" if pieces is None else write_pieces(pieces),
    )
    return written(seq, said, data)


def review_entry(seq: int, pieces: TrackedPieces) -> JournalEntry:
    """The entry for an acceptance."""
    return written(seq, JournaledReview(pieces=write_pieces(pieces)))


def mark_entry(
    seq: int, mark: SaveMark, data: bytes = b"", pieces: TrackedPieces | None = None
) -> JournalEntry:
    """The entry for a mark, with the whole document if there is data."""
    kept = "" if pieces is None else write_pieces(pieces)
    return written(seq, mark.model_copy(update={"pieces": kept}), data)


def written(seq: int, said: EntryDetails, data: bytes = b"") -> JournalEntry:
    """What is said as an entry."""
    # Defaults are written out: a default that changes later must not change old entries.
    return JournalEntry(seq, data, said.model_dump(exclude_defaults=False))


def mark(
    kind: Literal["saving", "saved"], through: int, content: str, shape: FileFormat, epoch: str
) -> SaveMark:
    """A mark about a content's hash."""
    return SaveMark(
        kind=kind,
        through=through,
        hash=content,
        encoding=shape.encoding,
        bom=shape.bom,
        ending=shape.ending,
        epoch=epoch,
    )
