"""The pieces of a text as the journal keeps them: one line of JSON, authors and edits by number."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from recto.documents.origins import Author, Way
from recto.documents.tracking.pieces import Piece, Tracked

KeptAuthor = tuple[Literal["before", "person", "disk", "run"], Way, str]
KeptPiece = tuple[
    NonNegativeInt | str, NonNegativeInt, NonNegativeInt, NonNegativeInt, NonNegativeInt, int
]
"""Length or words, author, the edits that added it, removed it, were put back, and its number."""


class Kept(BaseModel):
    """Pieces, with what they have in common said once."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    serial: int
    authors: tuple[KeptAuthor, ...]
    edits: tuple[str, ...]
    pieces: tuple[KeptPiece, ...]


def write_pieces(tracked: Tracked) -> str:
    """The pieces as text."""
    authors: dict[Author, int] = {}
    edits: dict[str, int] = {"": 0}
    pieces: list[KeptPiece] = [
        (
            one.words or one.length,
            authors.setdefault(one.author, len(authors)),
            edits.setdefault(one.added_by, len(edits)),
            edits.setdefault(one.removed_by, len(edits)),
            edits.setdefault(one.put_back, len(edits)),
            one.serial,
        )
        for one in tracked.pieces
    ]
    return Kept(
        serial=tracked.serial,
        authors=tuple((one.who, one.way, one.name) for one in authors),
        edits=tuple(edits),
        pieces=tuple(pieces),
    ).model_dump_json()


def read_pieces(kept: str) -> Tracked:
    """The pieces of a text that was written by `write_pieces`. Raises ValueError."""
    try:
        found = Kept.model_validate_json(kept)
        authors = [Author(*one) for one in found.authors]
        pieces = tuple(piece_of(one, authors, found.edits) for one in found.pieces)
    except (ValidationError, IndexError) as error:
        raise ValueError("its pieces are not those of a text") from error
    return Tracked(pieces, found.serial)


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
