"""Who wrote what, and what waits for review, after any edits: as a naive model says."""

import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.documents import Author, EditOrigin, Splice, WrittenSpan
from recto.documents.origins import BEFORE
from recto.documents.splices import spliced
from recto.documents.tracking.deleted_pieces import MAX_CHARACTERS, MAX_PIECES
from recto.documents.tracking.edits import edited
from recto.documents.tracking.pieces import TrackedPieces, begun, length_of, written
from recto.documents.tracking.review import ReviewChoice, accepted, rejected
from recto.documents.tracking.stored_pieces import read_pieces, write_pieces
from tests.documents.tracked_cells import Cells, cells_of
from tests.examples import examples

ANN = EditOrigin("person", way="typed")
TYPED = Author("person", "typed")
UNDO = EditOrigin("person", way="undone")
DISK = EditOrigin("disk")
FIRST = EditOrigin("run", "e1", pending=True)
SECOND = EditOrigin("run", "e2", pending=True)
DIRECT = EditOrigin("run", "e3")
ORIGINS = (ANN, DISK, FIRST, SECOND, DIRECT)


ALL = frozenset({"e1", "e2"})


@dataclass
class Desk:
    """A text in both models. No two characters of it are alike, so that each is known again."""

    letters: "itertools.count[int]" = field(default_factory=lambda: itertools.count(0x4E00))
    text: str = ""
    tracked: TrackedPieces = TrackedPieces(())
    cells: Cells = field(default_factory=lambda: Cells(""))
    removed: list[str] = field(default_factory=list[str])

    def begin(self, length: int) -> None:
        self.text = self.new(length)
        self.tracked, self.cells = begun(length), Cells(self.text)

    def new(self, length: int) -> str:
        return "".join(chr(next(self.letters)) for _ in range(length))

    def edit(self, share: float, length: int, count: int, origin: EditOrigin) -> None:
        start = round(share * len(self.text))
        end = min(start + length, len(self.text))
        splice = Splice(start, end, self.new(count))
        self.removed.append(self.text[start:end])
        self.tracked = edited(self.tracked, self.text, [splice], origin)
        self.cells.splice(splice, origin)
        self.text = spliced(self.text, [splice])

    def put_back(self) -> None:
        """Undo the last removal, wherever its characters are now."""
        words = set(self.removed.pop() if self.removed else "") - set(self.text)
        self.cells.revive("".join(words))
        splices = insertions(self.text, self.cells.text)
        self.tracked = edited(self.tracked, self.text, splices, UNDO)
        self.text = self.cells.text

    def review(self, *, accept: bool, edits: frozenset[str]) -> None:
        if accept:
            self.cells.accept(edits)
            self.tracked = accepted(self.tracked, ReviewChoice(edits))
        else:
            before = self.cells.text
            self.cells.reject(edits)
            self.removed.append("".join(item for item in before if item not in self.cells.text))
            self.tracked, splices = rejected(self.tracked, ReviewChoice(edits), self.text)
            self.text = spliced(self.text, splices)


def insertions(before: str, after: str) -> list[Splice]:
    """What was put into a text whose characters all differ."""
    splices: list[Splice] = []
    at = 0
    for is_old, group in itertools.groupby(after, key=set(before).__contains__):
        words = "".join(group)
        if is_old:
            at += len(words)
        else:
            splices.append(Splice(at, at, words))
    return splices


@dataclass(frozen=True)
class Edit:
    share: float
    length: int
    count: int
    origin: EditOrigin

    def play(self, desk: Desk) -> None:
        desk.edit(self.share, self.length, self.count, self.origin)


@dataclass(frozen=True)
class Review:
    accept: bool
    edits: frozenset[str]

    def play(self, desk: Desk) -> None:
        desk.review(accept=self.accept, edits=self.edits)


@dataclass(frozen=True)
class PutBack:
    def play(self, desk: Desk) -> None:
        desk.put_back()


STEPS = st.lists(
    st.builds(Edit, st.floats(0, 1), st.integers(0, 6), st.integers(0, 4), st.sampled_from(ORIGINS))
    | st.builds(Review, st.booleans(), st.sampled_from([ALL, ALL - {"e1"}, ALL - {"e2"}]))
    | st.builds(PutBack),
    max_size=30,
)


@given(st.integers(0, 12), STEPS)
@settings(max_examples=examples(40), deadline=None)
def test_every_character_has_the_author_and_the_state_that_a_naive_model_says(
    length: int, steps: list[Edit | Review | PutBack]
) -> None:
    desk = Desk()
    desk.begin(length)
    for step in steps:
        step.play(desk)
        assert desk.text == desk.cells.text
        assert cells_of(desk.tracked, desk.text) == desk.cells.shown
        assert length_of(desk.tracked.pieces) == len(desk.text)
        assert read_pieces(write_pieces(desk.tracked)) == desk.tracked


def test_the_oldest_deleted_words_are_forgotten_and_come_back_as_nobody_s() -> None:
    text = "".join(f"{number:04} " for number in range(MAX_PIECES + 1))
    tracked = begun(len(text))
    for number in range(MAX_PIECES + 1):
        tracked = edited(tracked, text, [Splice(number, number + 4, "")], ANN)
        text = text[:number] + text[number + 4 :]
    assert sum(piece.is_gone for piece in tracked.pieces) == MAX_PIECES
    tracked = edited(tracked, text, [Splice(MAX_PIECES, MAX_PIECES, "1000")], UNDO)
    tracked = edited(tracked, f"{text[:-1]}1000{text[-1:]}", [Splice(0, 0, "0000")], UNDO)
    assert written(tracked.pieces) == (
        WrittenSpan(0, 4, Author("person", "undone")),
        WrittenSpan(4, 4 + len(text) + 4, BEFORE),
    )


def test_a_reject_of_very_many_places_leaves_no_marks_for_ever() -> None:
    text = "a b " * (MAX_PIECES + 1)
    splices = [Splice(at, at + 2, "") for at in range(0, len(text), 4)]
    tracked = edited(begun(len(text)), text, splices, FIRST)
    tracked, back = rejected(tracked, ReviewChoice(), spliced(text, splices))
    assert spliced(spliced(text, splices), back) == text
    tracked = edited(tracked, text, [Splice(0, 0, "x")], ANN)
    assert [piece.length for piece in tracked.pieces] == [1, len(text)]


def test_a_long_deletion_is_remembered_whole_until_the_next() -> None:
    text = "word " * (MAX_CHARACTERS // 4)
    tracked = edited(begun(len(text)), text, [Splice(0, len(text), "")], ANN)
    assert edited(tracked, "", [Splice(0, 0, text)], UNDO).pieces == begun(len(text)).pieces


def test_an_undo_finds_its_words_where_others_wrote_meanwhile() -> None:
    text = "one two three"
    tracked = edited(begun(len(text)), text, [Splice(4, 8, "")], FIRST)
    tracked = edited(tracked, "one three", [Splice(4, 4, "new ")], ANN)
    text = "one new three"
    for place in (4, 8):
        undone = edited(tracked, text, [Splice(place, place, "two ")], UNDO)
        assert [item.author for item in written(undone.pieces)] == [BEFORE, TYPED, BEFORE]
        assert not any(piece.is_pending for piece in undone.pieces)


def test_who_deletes_what_was_put_back_by_hand_removes_it_for_good() -> None:
    text = "one two"
    tracked = edited(begun(len(text)), text, [Splice(3, 7, "")], FIRST)
    tracked = edited(tracked, "one", [Splice(3, 3, " two")], UNDO)
    again = edited(tracked, text, [Splice(3, 7, "")], UNDO)
    by_hand = edited(tracked, text, [Splice(3, 7, "")], ANN)
    assert [piece.removed_by for piece in again.pieces] == ["", "e1"]
    assert [piece.removed_by for piece in by_hand.pieces] == ["", ""]


@pytest.mark.parametrize("kept", ["", "{}", '{"serial": 1}', write_pieces(begun(3))[:-4] + ",9]]}"])
def test_pieces_that_are_none_are_refused(kept: str) -> None:
    with pytest.raises(ValueError, match="its pieces are not those of a text"):
        read_pieces(kept)
