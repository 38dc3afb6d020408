from hypothesis import given
from hypothesis import strategies as st

from recto.context import Receipt, receipt
from tests.growth import is_linear

TALK = """\
Please shorten chapters/intro.md to 1,200 words, as Maria Keller asked on 2026-11-03.
I compared it with data/tides.csv, e.g. the mean of 3.75 m, up 12%.
- [ ] Ask the library about the scans
Open: decide on the title of the third chapter
See https://example.org/page.html for more.
"""


def test_what_the_summary_does_not_name_is_listed() -> None:
    assert receipt(TALK, "We shortened the introduction.") == Receipt(
        files=("chapters/intro.md", "data/tides.csv"),
        numbers=("1,200", "2026", "3.75", "12%"),
        names=("Maria Keller",),
        open_items=(
            "Ask the library about the scans",
            "decide on the title of the third chapter",
        ),
    )


def test_what_the_summary_names_is_not_listed() -> None:
    summary = (
        "chapters/intro.md is to have 1200 words (maria keller, 2026). data/tides.csv: 3.75 m, "
        "12%. To do: ask the library for the scans; decide the title of the third chapter."
    )
    assert receipt(TALK, summary) == Receipt()


def test_a_receipt_says_what_it_proves() -> None:
    assert "not whether it is right" in Receipt().note


def test_each_is_listed_once_and_not_without_end() -> None:
    talk = "a.md a.md " + " ".join(f"file{number}.txt" for number in range(1000))
    found = receipt(talk, "").files
    assert found[:2] == ("a.md", "file0.txt")
    assert len(found) == 200


def test_a_long_conversation_costs_no_more_per_letter_than_a_short_one() -> None:
    def compare(size: int) -> None:
        hostile = "a/" * size + " " + "a." * size + " " + "1," * size + " x Aa" * size
        receipt(hostile, hostile)

    assert is_linear(compare, 2_000)


@given(st.text(), st.text())
def test_a_text_names_everything_that_is_in_it(one: str, two: str) -> None:
    assert receipt(one, one).files == ()
    assert receipt(one, two) == receipt(one, two)
