"""What waits for review is shown in whole words or lines, and says old and new exactly."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.documents import EditOrigin, NoSuchHunk, Splice, Unit, unit_of
from recto.documents.splices import difference, spliced
from recto.documents.tracking.edits import edited as take_in
from recto.documents.tracking.hunks import groups
from recto.documents.tracking.pieces import begun
from recto.documents.tracking.tracker import Tracker
from recto.documents.words import is_within
from tests.documents.tracked_cells import Cells
from tests.examples import examples

ANN = EditOrigin("person", way="typed")
FIRST = EditOrigin("run", "e1", pending=True)
SECOND = EditOrigin("run", "e2", pending=True)
WORDS = ["one", "two", " ", "  ", "\n", "Größe", "漢字", "e\u0301", "😀", ".", ", ", "_x", "\n\n"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5), TEXTS, st.sampled_from([ANN, FIRST, SECOND])),
    max_size=8,
)


def tracked_by(text: str, unit: Unit = "word") -> Tracker:
    return Tracker(begun(len(text)), text, unit)


def edited(tracker: Tracker, text: str, new: str, origin: EditOrigin) -> str:
    """The text after a whole new one, taken in as its smallest difference."""
    tracker.take(difference(text, new), origin, before=text, after=new)
    return new


def seen(tracker: Tracker) -> list[tuple[int, int, str, str, tuple[str, ...]]]:
    return [(hunk.start, hunk.end, hunk.old, hunk.new, hunk.edits) for hunk in tracker.hunks]


@given(TEXTS, EDITS, st.sampled_from(["word", "line"]))
@settings(max_examples=examples(50), deadline=None)
def test_old_and_new_put_into_the_text_give_it_without_and_with_the_edits(
    text: str, edits: list[tuple[float, int, str, EditOrigin]], unit: Unit
) -> None:
    tracker, cells = Tracker(begun(len(text)), text, unit), Cells(text)
    for share, length, new, origin in edits:
        start = round(share * len(text))
        splice = Splice(start, min(start + length, len(text)), new)
        after = spliced(text, [splice])
        tracker.put(take_in(tracker.tracked, text, [splice], origin), after)
        cells.splice(splice, origin)
        text = after
        if tracker.pending != cells.pending:
            return  # it has ended by itself: another test
        found = groups(tracker.tracked.pieces, text, unit)
        hunks = [item.hunk for item in found]
        assert [text[hunk.start : hunk.end] for hunk in hunks] == [hunk.new for hunk in hunks]
        assert tracker.reviewed(text) == cells.reviewed
        assert all(item.end < other.start for item, other in pairwise(hunks))
        assert len({hunk.id for hunk in hunks}) == len(hunks)
        for hunk in hunks:
            assert_whole(text, hunk.start, hunk.end, unit)


def assert_whole(text: str, start: int, end: int, unit: Unit) -> None:
    if unit == "line":
        assert text[start - 1 : start] in ("", "\n")
        assert start == end or end == len(text) or text[end - 1] == "\n"
    else:
        assert not (start < end and is_within(text, start))
        assert not (start < end and is_within(text, end))


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("The colour is red.", "The color is red.", [(4, 9, "colour", "color")]),
        ("A big dog.", "A dog.", [(2, 2, "big ", "")]),
        ("A dog.", "A big dog.", [(2, 6, "", "big ")]),
        ("the quick fox jumps", "a slow fox jumps", [(0, 6, "the quick", "a slow")]),
        (
            "one two three four",
            "ONE two three FOUR",
            [(0, 3, "one", "ONE"), (14, 18, "four", "FOUR")],
        ),
        (
            "She walked slowly to the old house.",
            "She hurried to a ruined house.",
            [(4, 23, "walked slowly to the old", "hurried to a ruined")],
        ),
        ("a b", "a  b", [(2, 3, "", " ")]),
        ("漢字の文", "漢語の文", [(1, 2, "字", "語")]),
        ("first\nsecond\n", "first\nnew\nsecond\n", [(6, 10, "", "new\n")]),
        ("cafe\u0301 noir", "cafe noir", [(0, 4, "cafe\u0301", "cafe")]),
    ],
)
def test_prose_is_compared_by_words(
    old: str, new: str, hunks: list[tuple[int, int, str, str]]
) -> None:
    tracker = tracked_by(old)
    edited(tracker, old, new, FIRST)
    assert seen(tracker) == [(*hunk, ("e1",)) for hunk in hunks]


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("a = 1\nb = 2\n", "a = 1\nb = 3\n", [(6, 12, "b = 2\n", "b = 3\n")]),
        ("a\nb\nc\n", "a\nc\n", [(2, 2, "b\n", "")]),
        ("a\nb\n", "a\nx\nb\n", [(2, 4, "", "x\n")]),
        ("a\nb", "a\nb\nc", [(2, 5, "b", "b\nc")]),
        ("a\nb\nc\nd\n", "A\nb\nc\nD\n", [(0, 2, "a\n", "A\n"), (6, 8, "d\n", "D\n")]),
        ("a\nb\n", "A\nB\n", [(0, 4, "a\nb\n", "A\nB\n")]),
        ("  a\n", "a\n", [(0, 2, "  a\n", "a\n")]),
    ],
)
def test_code_is_compared_by_lines(
    old: str, new: str, hunks: list[tuple[int, int, str, str]]
) -> None:
    tracker = tracked_by(old, "line")
    edited(tracker, old, new, FIRST)
    assert seen(tracker) == [(*hunk, ("e1",)) for hunk in hunks]


def test_a_person_s_words_in_a_proposal_are_in_both_its_sides() -> None:
    tracker = tracked_by("Start. End.")
    text = edited(tracker, "Start. End.", "Start. A new sentence. End.", FIRST)
    text = edited(tracker, text, "Start. A short new sentence. End.", ANN)
    assert tracker.reviewed(text) == "Start. short End."
    assert tracker.pending == {"e1"}


def test_an_id_stays_while_the_hunk_does_and_no_two_are_alike() -> None:
    tracker = tracked_by("teh cat, teh dog")
    text = edited(tracker, "teh cat, teh dog", "the cat, the dog", FIRST)
    ids = [hunk.id for hunk in tracker.hunks]
    assert len(set(ids)) == 2
    text = edited(tracker, text, "Look: the cat, the dog", ANN)
    assert [hunk.id for hunk in tracker.hunks] == ids
    tracker.put(tracker.accepted(tracker.choose([ids[0]], None)), text)
    assert [hunk.id for hunk in tracker.hunks] == ids[1:]
    with pytest.raises(NoSuchHunk):
        tracker.choose([ids[0]], None)


def test_edits_that_together_change_nothing_end_by_themselves() -> None:
    tracker = tracked_by("one two\n")
    text = edited(tracker, "one two\n", "one 2\n", FIRST)
    text = edited(tracker, text, "one two\n", SECOND)
    assert (tracker.hunks, tracker.pending, len(tracker.written())) == ((), frozenset(), 1)
    text = edited(tracker, text, "zero one two\n", FIRST)
    edited(tracker, text, "one two\n", SECOND)
    assert (tracker.hunks, tracker.pending) == ((), frozenset())


@pytest.mark.parametrize("steps", [["bright"], ["b", "br", "bri", "brigh", "bright"]])
def test_who_types_the_old_words_again_ends_the_review(steps: list[str]) -> None:
    tracker = tracked_by("a bright day\n")
    text = edited(tracker, "a bright day\n", "a dim day\n", FIRST)
    text = edited(tracker, text, "a  day\n", ANN)
    assert tracker.pending == {"e1"}
    for step in steps:
        text = edited(tracker, text, f"a {step} day\n", ANN)
    assert (tracker.hunks, tracker.reviewed(text)) == ((), text)
    assert [item.author.who for item in tracker.written()] == ["before", "person", "before"]


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.md", "word"),
        ("deep.d/README", "word"),
        ("PAPER.TEX", "word"),
        ("a.py", "line"),
        ("a.md/b.json", "line"),
        (".gitignore", "line"),
    ],
)
def test_files_of_prose_are_known_by_their_names(path: str, unit: Unit) -> None:
    assert unit_of(path) == unit
