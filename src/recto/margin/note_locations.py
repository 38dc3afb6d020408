"""Where the notes of one document are in its text as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recto.documents import InvalidPosition, LiveDocument, Side
from recto.margin.passage_search import find_again
from recto.margin.places import PlacedNote, StoredAnchor, read_stored_anchor
from recto.storage import Note

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LocatedNotes:
    """The notes with their places, and those of them that are anchored anew."""

    placed: tuple[PlacedNote, ...]
    anew: tuple[Note, ...]


def locate(live: LiveDocument, notes: Sequence[Note]) -> LocatedNotes:
    """Find every note by its characters, else by what an AI wrote instead, else by its words."""
    known = spans_of(live, notes)
    spans = {note_id: span for note_id, span in known.items() if span[0] < span[1]}
    lost = [note for note in notes if note.id not in spans]
    again: dict[str, Span] = {}
    for note in lost:
        found = rewritten(live, known.get(note.id)) or search(live.text, note)
        if found is not None:
            again[note.id] = found
    anew = anchored_anew(live, [note for note in lost if note.id in again], again)
    now = {note.id: note for note in (*notes, *anew)}
    return LocatedNotes(placed_at(live.text, [now[note.id] for note in notes], spans | again), anew)


def spans_of(live: LiveDocument, notes: Sequence[Note]) -> dict[str, Span]:
    """Where the characters of passages are; where they were, if they are gone."""
    kept = {
        note.id: found
        for note in notes
        if note.anchor is not None
        and (found := read_stored_anchor(note.anchor)).epoch == live.epoch
    }
    try:
        places = live.find(*(end for item in kept.values() for end in (item.start, item.end)))
    except InvalidPosition:
        # A crash took characters that a note was made at: its words must do.
        return {} if len(kept) < 2 else spans_one_by_one(live, notes)
    spans = zip(places[::2], places[1::2], strict=True)
    return dict(zip(kept, spans, strict=True))


def spans_one_by_one(live: LiveDocument, notes: Sequence[Note]) -> dict[str, Span]:
    """The same, when some of the characters were never heard of."""
    found: dict[str, Span] = {}
    for note in notes:
        found |= spans_of(live, [note])
    return found


def rewritten(live: LiveDocument, gone: Span | None) -> Span | None:
    """What an edit that waits for review has put where the characters of a passage were."""
    if gone is None:
        return None
    here = (hunk for hunk in live.hunks() if hunk.start <= gone[0] <= hunk.end)
    return next(((item.start, item.end) for item in here if item.old and item.new), None)


def search(text: str, note: Note) -> Span | None:
    """A passage by its words."""
    return find_again(text, note.text, note.before, note.after)


def anchored_anew(
    live: LiveDocument, notes: Sequence[Note], spans: dict[str, Span]
) -> tuple[Note, ...]:
    """Notes with anchors at other characters."""
    kept = anchors_for(live, [spans[note.id] for note in notes])
    return tuple(
        replace(note, anchor=item.as_json()) for note, item in zip(notes, kept, strict=True)
    )


def anchors_for(live: LiveDocument, spans: Sequence[Span]) -> list[StoredAnchor]:
    """Anchors beside the first and the last character of passages. Raises InvalidPosition."""
    starts: list[tuple[int, Side]] = [(start, "right") for start, _ in spans]
    ends: list[tuple[int, Side]] = [(end, "left") for _, end in spans]
    found = live.anchor(*starts, *ends)
    pairs = zip(found[: len(spans)], found[len(spans) :], strict=True)
    return [StoredAnchor(live.epoch, start, end) for start, end in pairs]


def placed_at(text: str, notes: Sequence[Note], spans: dict[str, Span]) -> tuple[PlacedNote, ...]:
    """The notes with their places and lines."""
    lines: dict[int, int] = {}
    line, at = 1, 0
    for start in sorted({start for start, _ in spans.values()}):
        line += text.count("\n", at, start)
        lines[start], at = line, start
    return tuple(
        PlacedNote(note, is_detached=True)
        if (span := spans.get(note.id)) is None
        else PlacedNote(note, lines[span[0]], *span)
        for note in notes
    )
