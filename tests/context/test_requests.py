import pytest

from recto.context import read_title, summary_request, title_request
from recto.context.blocks import marked
from recto.messages import user


def test_a_title_is_asked_for_with_the_first_words_as_material() -> None:
    assert title_request("What are tides?", "Bulges.") == user(
        marked("user", "What are tides?"),
        marked("assistant", "Bulges."),
        "Name this conversation.",
    )


def test_of_long_words_a_sample_is_enough() -> None:
    assert len(title_request("x" * 100_000, "y" * 100_000).text) < 5000


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Tides in the North Sea", "Tides in the North Sea"),
        ('  "Tides."\n\nI chose this because', "Tides"),
        ("**Title: Tides**", "Tides"),
        ("# Gezeiten\n", "Gezeiten"),
        ("\n \n", ""),
        ("word " * 40, "word word word word word word word word word word word…"),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_a_title_is_one_short_line_without_decoration(answer: str, title: str) -> None:
    assert read_title(answer) == title


def test_a_summary_is_asked_for_with_what_must_be_kept() -> None:
    told = summary_request().text
    for kept in ("decided", "exact path", "numbers", "open", "last request"):
        assert kept in told
