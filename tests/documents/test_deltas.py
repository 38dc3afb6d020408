"""Every edit says what it changed, in characters, whatever the text is made of."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycrdt import Doc, Text, merge_updates

from recto.documents import Splice
from recto.documents.deltas import change_of
from recto.documents.shared_text import NAME, SharedText, first_update
from recto.documents.splices import difference, spliced
from tests.examples import examples

LETTERS = "aé漢😀\u0301 \n"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=8)
EDITS = st.lists(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), TEXTS), max_size=4), max_size=6
)


def splices_for(text: str, wanted: list[tuple[float, int, str]]) -> list[Splice]:
    """Splices from front to back that do not run into each other."""
    found: list[Splice] = []
    at = 0
    for share, length, new in sorted(wanted):
        start = max(round(share * len(text)), at)
        at = min(start + length, len(text))
        found.append(Splice(start, at, new))
    return found


@given(TEXTS, EDITS, st.booleans())
@settings(max_examples=examples(50), deadline=None)
def test_the_changes_turn_the_text_before_into_the_text_behind(
    text: str, edits: list[list[tuple[float, int, str]]], at_once: bool
) -> None:
    here, there = SharedText(first_update(text, "0")), SharedText(first_update(text, "0"))
    updates: list[bytes] = []
    for edit in edits:
        before = here.text
        update = here.splice(splices_for(before, edit))
        assert spliced(before, here.changes) == here.text
        updates += [update] if update else []
    for update in [merge_updates(*updates)] if at_once and updates else updates:
        before = there.text
        there.apply(update)
        assert spliced(before, there.changes) == there.text
    assert there.text == here.text


def test_an_edit_that_is_known_already_changes_nothing() -> None:
    shared = SharedText(first_update("one", "0"))
    update = SharedText(first_update("one", "0")).splice([Splice(3, 3, " two")])
    shared.apply(update)
    assert shared.changes == (Splice(3, 3, " two"),)
    shared.apply(update)
    assert shared.changes == ()


def test_what_is_no_text_does_not_lead_astray() -> None:
    shared = SharedText(first_update("é one two", "0"))
    doc: Doc[Text] = Doc()
    text = doc.get(NAME, type=Text)
    doc.apply_update(shared.updates_since())
    text.format(0, 2, {"bold": True})
    text.insert_embed(6, {"picture": "x"})
    text.insert(0, "zero ")
    before = shared.text
    shared.apply(doc.get_update(shared.state()))
    assert shared.text == "zero é one two"
    assert spliced(before, shared.changes) == shared.text


@pytest.mark.parametrize("delta", [[{"retain": 1}, {"insert": "x"}], [{"insert": {"a": 1}}]])
def test_a_change_inside_a_character_or_of_no_text_is_none(delta: list[dict[str, object]]) -> None:
    assert change_of(delta, "漢") is None


LONG = "It was a bright cold day in April, and the clocks were striking thirteen. " * 40


@pytest.mark.parametrize(
    ("old", "new", "splices"),
    [
        (
            "one two three four five\n",
            "one 2 three four 5\n",
            (Splice(4, 7, "2"), Splice(19, 23, "5")),
        ),
        ("a, b\nc, d\n", "x, y\nz, w\n", (Splice(0, 9, "x, y\nz, w"),)),
        ("漢字の文を書く", "漢語の文章を書く", (Splice(1, 2, "語"), Splice(4, 4, "章"))),
        (LONG, LONG.replace("cold", "warm", 1), (Splice(16, 20, "warm"),)),
        (
            "Wrapped here\nand there.\n",
            "Wrapped here and there.\n",
            (Splice(12, 13, " "),),
        ),
    ],
)
def test_changed_words_in_a_line_are_changes_of_their_own(
    old: str, new: str, splices: tuple[Splice, ...]
) -> None:
    assert difference(old, new) == splices


def test_two_long_texts_without_lines_are_compared_in_no_time() -> None:
    old, new = "a b " * 100_000, "b c a " * 100_000
    assert spliced(old, difference(old, new)) == new
