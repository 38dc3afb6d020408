"""Differences are small, and they are the difference."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.documents import splices
from recto.documents.merging import MergeConflict, merge_texts
from recto.documents.splices import Splice, difference, spliced

LINES = st.lists(st.sampled_from(["a\n", "b\n", "long line é\n", "😀\n", "\n", "end"])).map("".join)
TEXTS = LINES | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize(
    ("old", "new", "splices"),
    [
        ("same", "same", ()),
        ("", "new", (Splice(0, 0, "new"),)),
        ("a\nb\nc\n", "a\nx\nc\n", (Splice(2, 3, "x"),)),
        ("a\nb\nc\nd\n", "A\nb\nc\nD\n", (Splice(0, 1, "A"), Splice(6, 7, "D"))),
        ("aaa", "aa", (Splice(2, 3, ""),)),
        ("one two\nthree\n", "one 2\nthree\nfour\n", (Splice(4, 7, "2"), Splice(14, 14, "four\n"))),
    ],
)
def test_only_what_differs_is_in_a_difference(
    old: str, new: str, splices: tuple[Splice, ...]
) -> None:
    assert difference(old, new) == splices


@given(TEXTS, TEXTS)
def test_a_difference_turns_one_text_into_the_other(old: str, new: str) -> None:
    assert spliced(old, difference(old, new)) == new


@given(LINES, LINES)
def test_a_long_text_is_cut_at_lines_that_stand_alone(old: str, new: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splices, "MAX_LINE_PAIRS", 4)
        found = difference(old, new)

    assert spliced(old, found) == new
    assert all(item.end < two.start for item, two in pairwise(found))


def test_words_changed_all_over_a_long_text_are_small_changes() -> None:
    lines = [f"Line {number} of the record.\n\n" for number in range(20_000)]
    places = range(50, 20_000, 100)
    new = list(lines)
    for place in places:
        new[place] = new[place].replace("record", "tide")

    found = difference("".join(lines), "".join(new))

    assert [item.new for item in found] == ["tide"] * len(places)
    assert spliced("".join(lines), found) == "".join(new)


def test_a_change_in_a_text_of_ten_megabytes_is_found_at_once() -> None:
    text = "A line of a long text.\n" * 400_000
    new = text[:5_000_000] + "typed" + text[5_000_000:]
    assert difference(text, new) == (Splice(5_000_000, 5_000_000, "typed"),)


BASE = "one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        ("ONE\ntwo\nthree\nfour\n", "one\ntwo\nthree\nFOUR\n", "ONE\ntwo\nthree\nFOUR\n"),
        ("one\ntwo\nthree\nfour\nme\n", "zero\n" + BASE, "zero\n" + BASE + "me\n"),
        ("one\nthree\nfour\n", "one\ntwo\nthree\n4\n", "one\nthree\n4\n"),
        ("one\n2\nthree\nfour\n", "one\n2\nthree\nfour\n", "one\n2\nthree\nfour\n"),
        ("one\n2\nthree\nfour\n", "one\nnew\ntwo\nthree\nfour\n", "one\nnew\n2\nthree\nfour\n"),
        (
            "one\n- two\nthree\nfour\n",
            "one\nnew\ntwo\nthree\nfour\n",
            "one\nnew\n- two\nthree\nfour\n",
        ),
        (
            "one\nnew\ntwo\nthree\nfour\n",
            "one\n- two\nthree\nfour\n",
            "one\nnew\n- two\nthree\nfour\n",
        ),
    ],
)
def test_changes_in_different_lines_go_together(mine: str, theirs: str, merged: str) -> None:
    splices = merge_texts(BASE, mine, theirs)
    assert not isinstance(splices, MergeConflict)
    assert spliced(mine, splices) == merged


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("one\n2\nthree\nfour\n", "one\nTWO\nthree\nfour\n"),
        ("one\ntwo!\nthree\nfour\n", "one\n?two\nthree\nfour\n"),
        (BASE + "mine\n", BASE + "theirs\n"),
        ("one\nthree\nfour\n", "one\ntwo!\nthree\nfour\n"),
        (BASE[:-1], BASE + "theirs\n"),
        (BASE + "mine\n", "zero\none\ntwo\nthree\n4\nmore"),
    ],
)
def test_two_changes_of_one_line_clash(mine: str, theirs: str) -> None:
    assert merge_texts(BASE, mine, theirs) == MergeConflict()


@given(LINES, LINES, LINES)
def test_merging_keeps_all_that_either_added(base: str, mine: str, theirs: str) -> None:
    added = [item.new for item in difference(base, theirs) if item not in difference(base, mine)]
    splices = merge_texts(base, mine, theirs)
    if not isinstance(splices, MergeConflict):
        assert [splice.new for splice in splices] == added
        assert merge_texts(base, theirs, mine) != MergeConflict()


@given(LINES, LINES)
def test_who_changed_nothing_gets_what_the_other_did(base: str, theirs: str) -> None:
    splices = merge_texts(base, base, theirs)
    assert not isinstance(splices, MergeConflict)
    assert spliced(base, splices) == theirs
    assert merge_texts(base, theirs, base) == ()
    assert merge_texts(base, theirs, theirs) == ()
