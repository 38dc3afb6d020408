"""Words or thoughts of one item, told in pieces, which come again whole when they are done.

A piece that was lost on the way is told late if it was the last, and else put in its place: then
the complete answer has it, though it was not shown while the answer came.
"""

from dataclasses import dataclass, field

from recto.llm.assembly import Assembly
from recto.llm.open_parts import Pieces
from recto.messages import encodable

Place = tuple[Pieces, int]


@dataclass(slots=True)
class StreamedText:
    """What was told of one item, by the index of its content."""

    between: str = ""
    """What stands between two contents."""
    places: dict[int, list[Place]] = field(default_factory=dict[int, list[Place]])
    home: Pieces | None = None
    """Where the item began, if that was told."""

    @property
    def last(self) -> Pieces | None:
        """Where the last piece stands, or the first one would."""
        told = [place for places in self.places.values() for place in places[-1:]]
        return told[-1][0] if told else self.home

    def is_left(self, assembly: Assembly) -> bool:
        """Whether something else was told since the item began."""
        return self.home is not None and self.home is not assembly.open_pieces

    def put(self, index: int, text: str) -> None:
        """Put a content where the item began, which nothing was told of."""
        text = encodable(self.begin(index) + text)
        if self.home is not None and text:
            self.home.parts.append(text)
            self.note(index, self.home)

    def begin(self, index: int) -> str:
        """Note that a content begins; returns what stands before it."""
        if index in self.places:
            return ""
        before = self.between if self.places else ""
        self.places[index] = []
        return before

    def note(self, index: int, pieces: Pieces | None) -> None:
        """Note that the last of these pieces is of a content."""
        if pieces is not None:
            self.places[index].append((pieces, len(pieces.parts) - 1))

    def complete(self, index: int, whole: str, assembly: Assembly) -> str:
        """Put one content right; returns what is still to be told of it."""
        if not whole:
            return ""
        is_first = next(iter(self.places)) == index
        text = encodable(whole) if is_first else self.between + encodable(whole)
        return complete(self.places[index], text, assembly)

    def complete_all(self, wholes: list[str], assembly: Assembly) -> str:
        """Put all contents right; returns what is still to be told of them."""
        whole = self.between.join(map(encodable, wholes))
        if not whole:
            return ""
        places = [place for places in self.places.values() for place in places]
        rest = complete(places, whole, assembly)
        first, *others = self.places
        self.places = {first: places, **{index: [] for index in others}}
        return rest


def complete(places: list[Place], whole: str, assembly: Assembly) -> str:
    """What is missing at the end of what was told. What is missing before is put in its place."""
    known = "".join(pieces.parts[at] for pieces, at in places)
    if known == whole:
        return ""
    if whole.startswith(known) and is_last(places, assembly):
        if places:
            # It is in what follows.
            places[-1][0].half = ""
        return whole[len(known) :]
    first, _ = places[0]
    first.replace([at for pieces, at in places if pieces is first], whole)
    for pieces, at in places:
        if pieces is not first:
            pieces.parts[at] = ""
    # What is empty now need not be looked at again.
    del places[1:]
    return ""


def is_last(places: list[Place], assembly: Assembly) -> bool:
    """Whether what is told next stands right behind these places."""
    if not places:
        return True
    pieces, at = places[-1]
    return pieces is assembly.open_pieces and at == len(pieces.parts) - 1
