"""Counting in characters, bytes and UTF-16 units gives the same places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.documents import InvalidPosition
from recto.documents.offsets import from_utf16, many_from_utf8, to_utf8, to_utf16

KINDS = {
    "ascii": "a",
    "two bytes": "é",
    "three bytes": "漢",
    "four bytes": "😀",
    "combining": "e\u0301",
    "joined": "👩\u200d👩\u200d👧",
    "flag": "🇫🇷",
    "right to left": "שלום",
    "zero width": "\u200b\ufeff",
    "last of the basic plane": "\uffff",
    "first beyond it": "\U00010000",
    "last of all": "\U0010ffff",
    "line ends": "\r\n\u2028",
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("text", KINDS.values(), ids=KINDS.keys())
def test_every_kind_of_character_is_counted_as_its_encoding_does(text: str) -> None:
    whole = f"x{text}y{text}"
    for index in range(len(whole) + 1):
        utf8, utf16 = len(whole[:index].encode()), len(whole[:index].encode("utf-16-le")) // 2
        assert (to_utf8(whole, index), to_utf16(whole, index)) == (utf8, utf16)
        assert (many_from_utf8(whole, [utf8]), from_utf16(whole, utf16)) == ([index], index)


@given(TEXTS, st.integers(-3, 200))
def test_a_place_inside_a_character_or_outside_the_text_is_refused(text: str, offset: int) -> None:
    inside = {len(text[:index].encode()) for index in range(len(text) + 1)}
    if offset in inside:
        assert [to_utf8(text, at) for at in many_from_utf8(text, [offset, 0])] == [offset, 0]
    else:
        with pytest.raises(InvalidPosition):
            many_from_utf8(text, [offset])


def test_half_of_a_pair_is_no_place() -> None:
    with pytest.raises(InvalidPosition):
        from_utf16("😀", 1)
    with pytest.raises(InvalidPosition):
        to_utf16("😀", 2)
