"""Places that stay with their character, whatever is written around it.

An anchor names a character by its identity in the shared text, not by number. pycrdt's own sticky
positions count bytes where identities count UTF-16 units, so they are wrong after the first "é".
Here both ways go through a copy of the document that is thrown away: to learn who a character is,
it is deleted there, and the deletion names it; to find characters, marks are put behind them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pycrdt import Decoder, Doc, Encoder, Text, TextEvent, TransactionEvent

from recto.documents.failures import InvalidPosition
from recto.documents.offsets import many_from_utf8, many_to_utf8
from recto.documents.shared_text import NAME, SharedText

Side = Literal["left", "right"]
MARKER = 0  # a peer with the lowest number: what it writes stands right behind what it names
# All marks have one width: marks that stand at one place come as one string, and are cut apart.
MARK_WIDTH = 9
# Yjs update format: content type 4 (a string), and the flag for "an origin on the left follows".
STRING_WITH_LEFT_NEIGHBOUR = b"\x84"


@dataclass(frozen=True, slots=True)
class Character:
    """A character's identity: who wrote it, and its first number in what they wrote."""

    client: int
    clock: int
    units: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place beside a character; without one, the text's beginning (left) or end (right)."""

    side: Side
    character: Character | None


def anchors_at(shared: SharedText, places: Sequence[tuple[int, Side]]) -> tuple[Anchor, ...]:
    """Anchors for places in the text: to the character on that side. Raises InvalidPosition."""
    text = shared.text
    for index, _ in places:
        if not 0 <= index <= len(text):
            raise InvalidPosition(index)
    wanted = [index - 1 if side == "left" else index for index, side in places]
    known = identities(shared, {at for at in wanted if 0 <= at < len(text)})
    return tuple(Anchor(side, known.get(at)) for at, (_, side) in zip(wanted, places, strict=True))


def places_of(shared: SharedText, anchors: Sequence[Anchor]) -> tuple[int, ...]:
    """Where the anchors stand now, in characters.

    Raises InvalidPosition for one of another document.
    """
    characters = {anchor.character for anchor in anchors if anchor.character is not None}
    found = dict(zip(characters, find(shared, list(characters)), strict=True))
    end = len(shared.text)
    return tuple(place(anchor, found, end) for anchor in anchors)


RelativePosition = dict[str, dict[str, int] | str | int]
"""A position as Yjs writes it down: `createRelativePositionFromJSON` reads it."""


def positions_of(
    shared: SharedText, passages: Sequence[tuple[int, int]]
) -> tuple[tuple[RelativePosition, RelativePosition], ...]:
    """Where passages begin and end, as pages keep it: beside their first and last characters."""
    starts: list[tuple[int, Side]] = [(start, "right") for start, _ in passages]
    ends: list[tuple[int, Side]] = [(end, "left") for _, end in passages]
    found = [relative_position(anchor) for anchor in anchors_at(shared, [*starts, *ends])]
    return tuple(zip(found[: len(passages)], found[len(passages) :], strict=True))


def relative_position(anchor: Anchor) -> RelativePosition:
    """An anchor as pages keep it: the character before it is named by its last unit."""
    one = anchor.character
    assoc = -1 if anchor.side == "left" else 0
    if one is None:
        return {"tname": NAME, "assoc": assoc}
    # Yjs names single UTF-16 units, and an emoji is two of them.
    clock = one.clock + (one.units - 1 if anchor.side == "left" else 0)
    return {"item": {"client": one.client, "clock": clock}, "assoc": assoc}


def place(anchor: Anchor, found: dict[Character, tuple[int, int]], end: int) -> int:
    """Where one anchor stands, given the two sides of every character."""
    if anchor.character is None:
        return 0 if anchor.side == "left" else end
    before, behind = found[anchor.character]
    return behind if anchor.side == "left" else before


def identities(shared: SharedText, indexes: Iterable[int]) -> dict[int, Character]:
    """The identities of the characters at these places."""
    wanted = sorted(indexes)
    if not wanted:
        return {}
    edges = many_to_utf8(shared.text, [at for index in wanted for at in (index, index + 1)])
    doc, copy = copy_of(shared)
    said: list[bytes] = []

    def on_change(event: TransactionEvent) -> None:
        said.append(event.update)

    watching = doc.observe(on_change)
    found: dict[int, Character] = {}
    # From the end, so that the edges of those before stay right.
    for number in reversed(range(len(wanted))):
        del copy[edges[2 * number] : edges[2 * number + 1]]
        found[wanted[number]] = read_deletion(said[-1])
    doc.unobserve(watching)
    return found


def find(shared: SharedText, characters: Sequence[Character]) -> list[tuple[int, int]]:
    """Where each character begins and ends now; where it was, when it is gone."""
    known = clocks(shared.state())
    for character in characters:
        # pycrdt would keep a mark on an unknown character waiting, and the delta would never come.
        if character.clock + character.units > known.get(character.client, 0):
            raise InvalidPosition(character.clock)
    if not characters:
        return []
    doc, copy = copy_of(shared)
    deltas: list[list[dict[str, object]]] = []

    def on_change(event: TextEvent) -> None:
        deltas.append(event.delta)

    watching = copy.observe(on_change)
    doc.apply_update(write_marks(characters))
    copy.unobserve(watching)
    behind = many_from_utf8(shared.text, read_marks(deltas[-1], len(characters)))
    deleted = deletions(shared)
    return [
        (end if is_in(deleted, item) else end - 1, end)
        for item, end in zip(characters, behind, strict=True)
    ]


def copy_of(shared: SharedText) -> tuple[Doc[Text], Text]:
    """The same document once more, to be thrown away."""
    doc: Doc[Text] = Doc()
    text = doc.get(NAME, type=Text)
    doc.apply_update(shared.updates_since())
    return doc, text


def write_marks(characters: Sequence[Character]) -> bytes:
    """An update that puts a mark behind each character: its number."""
    pieces = [numbers_as_bytes(1, len(characters), MARKER, 0)]
    for number, character in enumerate(characters):
        last = character.clock + character.units - 1
        place = numbers_as_bytes(character.client, last, MARK_WIDTH)
        pieces += (STRING_WITH_LEFT_NEIGHBOUR, place, f"{number:0{MARK_WIDTH}d}".encode())
    return b"".join((*pieces, numbers_as_bytes(0)))


def read_marks(delta: list[dict[str, object]], count: int) -> list[int]:
    """How many bytes of the text stand before each mark."""
    found = [0] * count
    at = 0
    for change in delta:
        kept, marks = change.get("retain"), change.get("insert")
        at += kept if isinstance(kept, int) else 0
        if isinstance(marks, str):
            for start in range(0, len(marks), MARK_WIDTH):
                found[int(marks[start : start + MARK_WIDTH])] = at
    return found


def deletions(shared: SharedText) -> dict[int, list[tuple[int, int]]]:
    """What of each peer's writing is gone, as numbers from and up to, in order."""
    # An update since one's own state has no writing in it, but always every deletion.
    numbers = Decoder(shared.updates_since(shared.state()))
    _written, peers = numbers.read_var_uint(), numbers.read_var_uint()
    found: dict[int, list[tuple[int, int]]] = {}
    for _ in range(peers):
        client, ranges = numbers.read_var_uint(), numbers.read_var_uint()
        pairs = [(numbers.read_var_uint(), numbers.read_var_uint()) for _ in range(ranges)]
        found[client] = sorted((start, start + length) for start, length in pairs)
    return found


def is_in(ranges: dict[int, list[tuple[int, int]]], one: Character) -> bool:
    """Whether a character is within one of the ranges."""
    own = ranges.get(one.client, [])
    at = bisect_right(own, one.clock, key=lambda pair: pair[0])
    return at > 0 and one.clock < own[at - 1][1]


def read_deletion(update: bytes) -> Character:
    """The one character that an update deletes."""
    numbers = Decoder(update)
    _written, _peers, client, _ranges, clock, units = (numbers.read_var_uint() for _ in range(6))
    return Character(client, clock, units)


def numbers_as_bytes(*numbers: int) -> bytes:
    """Numbers as updates hold them."""
    encoder = Encoder()
    for number in numbers:
        encoder.write_var_uint(number)
    return encoder.to_bytes()


def clocks(state: bytes) -> dict[int, int]:
    """How much of each peer's writing a state says is there."""
    numbers = Decoder(state)
    return {
        numbers.read_var_uint(): numbers.read_var_uint() for _ in range(numbers.read_var_uint())
    }
