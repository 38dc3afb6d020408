"""What of a small model's continuation is offered."""

import pytest

from recto.context import CursorPlace, continued


@pytest.mark.parametrize(
    ("before", "read", "said", "left"),
    [
        ("The moon ", "The moon", " is round", " is round"),
        ("The moon ", "The moon", "'s orbit", ""),
        ("The moon", "The moon", "'s orbit", "'s orbit"),
        ("a\n", "a\n", "b", "b"),
        ("So ", "So", " it takes 27 days", " it takes [value] days"),
        ("So ", "So", " since 1987, at 3.5 m", " since [year], at [value] m"),
        ("In 1987 ", "In 1987", " and 1987", " and 1987"),
        ("So ", "So", " COVID-19, H2O, 3rd, [value]", " COVID-19, H2O, 3rd, [value]"),
        ("So\n\n", "So\n\n", "1.", ""),
        ("So ", "So", "", ""),
    ],
)
def test_a_new_word_is_taken_and_an_invented_number_is_not(
    before: str, read: str, said: str, left: str
) -> None:
    assert continued(said, CursorPlace("a.md", before, ""), read, is_cut=False) == left


def test_code_keeps_its_numbers() -> None:
    around = CursorPlace("a.py", "x = ", "", "Python")
    assert continued(" 27", around, "x =", is_cut=False) == " 27"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (" comes in. Then it go", " comes in."),
        (" comes in and go", " comes in and"),
        (" unfin", ""),
        ("", ""),
    ],
)
def test_an_answer_that_broke_off_ends_with_a_whole_word(said: str, left: str) -> None:
    assert continued(said, CursorPlace("a.md", "The tide", ""), "The tide", is_cut=True) == left
