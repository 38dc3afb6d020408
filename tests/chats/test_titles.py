import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.chats.history.title_text import first_words, title_of

ODD_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Budget of the survey", "Budget of the survey"),
        ('\n"Budget of the survey."\n', "Budget of the survey"),
        ("**Budget**\n\nBecause you asked about it.", "Budget"),
        ("Bud\0get \ud83d", "Bud get �"),
        ("", ""),
        ('""', ""),
    ],
)
def test_a_title_is_one_plain_line(answer: str, title: str) -> None:
    assert title_of(answer) == title


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("Shorten the abstract", "Shorten the abstract"),
        ("  Shorten\n\n the\tabstract ", "Shorten the abstract"),
        ("", "New chat"),
        ("\0\n", "New chat"),
        (
            "Please look at the third chapter, and tell me whether the argument holds.",
            "Please look at the third chapter, and tell me whether the…",
        ),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_without_a_title_the_first_words_name_the_chat(request_text: str, title: str) -> None:
    assert first_words(request_text) == title


@given(ODD_TEXT)
def test_every_title_can_be_stored_and_shown(text: str) -> None:
    for title in (title_of(text), first_words(text)):
        assert len(title) <= 60
        assert title.isprintable()
        assert title.encode().decode() == title
    assert first_words(text)
