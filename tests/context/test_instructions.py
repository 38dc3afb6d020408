import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context import Instructions, clean_instructions
from recto.context.instructions import MAX_CHARACTERS


def test_plain_instructions_stay_as_they_are() -> None:
    assert clean_instructions("# Rules\n\nWrite British English.\n") == Instructions(
        "# Rules\n\nWrite British English."
    )


def test_comments_are_for_people() -> None:
    text = "One <!-- not this --> two.\n<!--\nnor\nthis -->\nThree.<!-- a --><!-- b -->\n"
    assert clean_instructions(text).text == "One  two.\nThree."


def test_a_comment_in_a_code_fence_is_code() -> None:
    text = "```html\n<!-- kept -->\n```\n<!-- gone -->\n~~~\n``` <!-- kept too -->\n~~~\nEnd"
    assert clean_instructions(text).text == (
        "```html\n<!-- kept -->\n```\n~~~\n``` <!-- kept too -->\n~~~\nEnd"
    )


def test_a_fence_inside_a_comment_is_comment() -> None:
    assert clean_instructions("<!--\n```\n-->\nText <!-- x -->").text == "Text"


def test_a_comment_without_an_end_is_refused_by_its_line() -> None:
    answer = clean_instructions("One\n\n<!-- two\nthree", name="AGENTS.md")
    assert answer == Instructions(
        "",
        refused="AGENTS.md is not used: the comment that begins in line 3 is never closed. "
        "Close it with -->.",
    )


def test_letters_that_nobody_sees_are_refused_by_their_place() -> None:
    answer = clean_instructions("Fine.\nHi\U000e0041!")
    assert answer.text == ""
    assert answer.refused == (
        "_instructions.md is not used: line 2, character 3 is invisible "
        "(U+E0041, tag latin capital letter a). Remove it, for example by typing the place anew."
    )


@pytest.mark.parametrize(
    "letter",
    [
        "\U000e0001",
        "\U000e007f",
        "\u202a",
        "\u202e",
        "\u2066",
        "\u2069",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u200e",
        "\u2060",
        "\u2063",
        "\ufeff",
        "\u00ad",
        "\u3164",
        "\x1b",
        "\ufe0f\ufe0f",
        "\U000e0100",
        "\ue000",
    ],
)
def test_each_kind_of_invisible_letter_is_refused_among_plain_letters(letter: str) -> None:
    assert clean_instructions(f"ab{letter}cd").refused is not None
    assert clean_instructions(f"<!-- ab{letter}cd -->").refused is not None


@pytest.mark.parametrize(
    "text",
    [
        "A family: 👨‍👩‍👧 and a flag: 🏳️‍🌈, a heart ❤️, a hand 👍🏽",
        "می‌خواهم",
        "क्‍ष",
        "עברית\u200f!",
        "葛\U000e0100城市",
        "Tab\there\r\nand there",
        "\ufeffAt the very beginning",
    ],
)
def test_letters_that_a_script_needs_are_fine(text: str) -> None:
    assert clean_instructions(text).refused is None


@pytest.mark.parametrize("text", ["\u200e", "\u200eword", "word\u200e"])
def test_a_direction_mark_at_the_edge_of_a_line_is_refused(text: str) -> None:
    assert "U+200E" in str(clean_instructions(text))


def test_what_is_too_long_is_cut_at_a_line_and_said() -> None:
    answer = clean_instructions("0123456789\n" * 5000)
    assert answer.refused is None
    assert answer.text.endswith("\n[The rest of _instructions.md is left out: it is too long.]")
    assert len(answer.text) < MAX_CHARACTERS + 100
    assert answer.cut == (
        "_instructions.md has 54,999 characters and only the first 39,995 are used. Shorten it."
    )


@given(st.text(max_size=200))
def test_any_text_is_cleaned_or_refused(text: str) -> None:
    answer = clean_instructions(text)
    assert (answer.refused is None) or answer.text == ""
    assert "\U000e0041" not in answer.text


@given(st.lists(st.sampled_from(["<!--", "-->", "```", "~~~", "\n", "a", " ", "-", ">"])))
def test_outside_fences_nothing_of_a_comment_is_left(pieces: list[str]) -> None:
    answer = clean_instructions("".join(pieces))
    if "```" not in pieces and "~~~" not in pieces:
        assert "<!--" not in answer.text
