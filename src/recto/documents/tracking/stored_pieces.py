"""The pieces of a text as the journal keeps them: one line of JSON, authors and edits by number."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from recto.documents.origins import Author, Way
from recto.documents.tracking.pieces import Piece, TrackedPieces

KeptAuthor = tuple[Literal["before", "person", "disk", "run"], Way, str]
KeptPiece = tuple[
    NonNegativeInt | str, NonNegativeInt, NonNegativeInt, NonNegativeInt, NonNegativeInt, int
]
"""Length or words, author, the edits that added it, removed it, were put back, and its number."""


class StoredPieces(BaseModel):
    """Pieces, with what they have in common said once."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    serial: int
    authors: tuple[KeptAuthor, ...]
    edits: tuple[str, ...]
    pieces: tuple[KeptPiece, ...]


def write_pieces(tracked: TrackedPieces) -> str:
    """The pieces as text."""
    authors: dict[Author, int] = {}
    # 0 stands for no edit.
    edits: dict[str, int] = {"": 0}
    pieces: list[KeptPiece] = [
        (
            # Words say their length themselves; a number stands for what is in the text.
            piece.words or piece.length,
            authors.setdefault(piece.author, len(authors)),
            edits.setdefault(piece.added_by, len(edits)),
            edits.setdefault(piece.removed_by, len(edits)),
            edits.setdefault(piece.put_back, len(edits)),
            piece.serial,
        )
        for piece in tracked.pieces
    ]
    return StoredPieces(
        serial=tracked.serial,
        authors=tuple((author.who, author.way, author.name) for author in authors),
        edits=tuple(edits),
        pieces=tuple(pieces),
    ).model_dump_json()


def read_pieces(kept: str) -> TrackedPieces:
    """The pieces of a text that was written by `write_pieces`. Raises ValueError."""
    try:
        found = StoredPieces.model_validate_json(kept)
        authors = [Author(*author) for author in found.authors]
        pieces = tuple(piece_of(piece, authors, found.edits) for piece in found.pieces)
    except (ValidationError, IndexError) as error:
        raise ValueError("its pieces are not those of a text") from error
    return TrackedPieces(pieces, found.serial)


def piece_of(kept: KeptPiece, authors: list[Author], edits: tuple[str, ...]) -> Piece:
    """One piece again."""
    what, author, added, removed, back, serial = kept
    return Piece(
        length=len(what) if isinstance(what, str) else what,
        author=authors[author],
        words=what if isinstance(what, str) else "",
        added_by=edits[added],
        removed_by=edits[removed],
        put_back=edits[back],
        serial=serial,
    )
