"""Where a note is: what a caller says, what is kept, and what is found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recto.documents import Anchor, Character, RelativePosition, relative_position
from recto.storage import JsonObject, Note


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A passage of a file, in characters of its live text, or in UTF-16 units as pages count.

    With its `words`, as whoever selected it saw them, it is found although the text has moved on
    since: another tab may have typed before it.
    """

    path: str
    start: int
    end: int
    is_utf16: bool = False
    words: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """A passage of an answer, as it is shown: the how manieth of its kind there."""

    chat_id: str
    entry_id: str
    text: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class StoredAnchor:
    """A passage of a live document by its first and last character."""

    epoch: str
    start: Anchor
    end: Anchor

    def as_json(self) -> JsonObject:
        """As it is stored."""
        return {
            "epoch": self.epoch,
            "start": written_anchor(self.start),
            "end": written_anchor(self.end),
        }


def written_anchor(anchor: Anchor) -> JsonObject:
    """An anchor beside a character, as it is stored."""
    character = anchor.character
    if character is None:
        raise ValueError("a passage begins and ends with characters")
    return {
        "side": anchor.side,
        "client": character.client,
        "clock": character.clock,
        "units": character.units,
    }


def read_stored_anchor(stored: JsonObject) -> StoredAnchor:
    """What was stored."""
    return StoredAnchor(stored["epoch"], read_anchor(stored["start"]), read_anchor(stored["end"]))


def read_anchor(stored: Mapping[str, Any]) -> Anchor:
    """An anchor that was stored."""
    character = Character(stored["client"], stored["clock"], stored["units"])
    return Anchor(stored["side"], character)


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A note, and where its passage is now, in characters and as a line from 1."""

    note: Note
    line: int | None = None
    start: int | None = None
    end: int | None = None
    is_detached: bool = False
    """Whether it belongs to a file, but its passage is not there."""

    @property
    def positions(self) -> tuple[str, RelativePosition, RelativePosition] | None:
        """The place as pages keep it: the document's epoch, the passage's begin and end."""
        if self.note.anchor is None or self.is_detached:
            return None
        kept = read_stored_anchor(self.note.anchor)
        return kept.epoch, relative_position(kept.start), relative_position(kept.end)
