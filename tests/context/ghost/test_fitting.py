"""A suggestion fits its place: nothing said twice, the white space right, a few lines at most."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recto.context.ghost import fitted, is_same
from recto.context.ghost.fit import MOST_CHARACTERS, MOST_LINES
from tests.examples import examples

PROSE = "The tide comes in twice a day"


@pytest.mark.parametrize(
    ("suggestion", "before", "after", "left"),
    [
        (" and goes out again.", PROSE, "", " and goes out again."),
        ("and goes out again.", f"{PROSE} ", "", "and goes out again."),
        (" and goes out again.", f"{PROSE} ", "", "and goes out again."),
        ("twice a day and goes out.", PROSE, "", " and goes out."),
        ("twice a day and goes out.", f"{PROSE} ", "", "and goes out."),
        ("Twice  a\tday, at most", PROSE, "", ", at most"),
        (f"{PROSE}.", PROSE, "", "."),
        (PROSE, PROSE, "", ""),
        ("example of it", "This is an exa", "", "mple of it"),
        ("mple of it", "This is an exa", "", "mple of it"),
        (" banana", "a", "", " banana"),
        ("in short, we go", "In short,", "", " we go"),
        ("she said", "well,", "", " she said"),
        ("She said", "Well.", "", " She said"),
        ("org is it", "example.", "", "org is it"),
        ("30 in the morning", "At 10:", "", "30 in the morning"),
        (" and goes out again.", PROSE, " out again.", " and goes"),
        (" comes in.", "The tide", ".\nNext", " comes in"),
        (" comes", "The tide", " comes in.", ""),
        ("old ", "the ", "house", "old "),
        ("old   \n", "the ", "house", "old "),
        ("old", "the ", " house", "old"),
        ("m", "exa", "ple", "m"),
        ("x, y)", "foo(", ")", "x, y"),
        ("f(x)", "foo(", ")", "f(x)"),
        ("one\ntwo", "a ", " b", "one"),
        ("one\ntwo", "a ", "\nb", "one\ntwo"),
        ("\n\nNext.", "Done.\n\n", "", "Next."),
        ("\nNext.", "Done.\n", "", "\nNext."),
        ("<cursor/>it goes</suffix-1>", "so ", "", "it goes"),
        ("a\r\nb\x00\x1b[0mc", "so ", "", "a\nb[0mc"),
        ("   \n\t ", "so", "", ""),
        ("", "so", "", ""),
        ("Hello", "", "", "Hello"),
        ("  Hello ", "", "", "Hello"),
    ],
)
def test_a_suggestion_is_made_to_fit(suggestion: str, before: str, after: str, left: str) -> None:
    assert fitted(suggestion, before, after) == left


@pytest.mark.parametrize(
    ("suggestion", "before", "after", "left"),
    [
        ("end", "  if x then\n    y()\n  end\n", "", "end"),
        ("    return x", "def f(x):\n", "", "    return x"),
        ("    return x", "def f(x):\n    ", "", "return x"),
        ("name", "self.", "", "name"),
        ("Name", "self.", "", "Name"),
        ("b)", "f(a, ", ")", "b"),
        ("))", "f(g(x", "", "))"),
    ],
)
def test_code_keeps_its_shape(suggestion: str, before: str, after: str, left: str) -> None:
    assert fitted(suggestion, before, after, is_prose=False) == left


def test_only_a_few_lines_are_shown() -> None:
    lines = "\n".join(f"Line {number}." for number in range(20))
    assert fitted(lines, "", "").split("\n") == [f"Line {number}." for number in range(MOST_LINES)]


def test_one_that_is_too_long_ends_with_a_sentence_or_a_word() -> None:
    sentences = fitted("This is a sentence. " * 100, "", "")
    assert sentences.endswith("sentence.")
    words = fitted("word " * 1000, "", "")
    assert words.endswith("word")
    assert fitted("x" * 5000, "", "") == "x" * MOST_CHARACTERS
    assert max(len(sentences), len(words)) <= MOST_CHARACTERS


NEW = st.lists(st.sampled_from(["flood", "ebb", "wave", "moon"]), min_size=1, max_size=4)
OLD = st.lists(st.sampled_from(["the", "tide", "comes", "in", "a"]), min_size=1, max_size=8)


@given(OLD, st.data(), NEW, st.sampled_from([" ", "  ", "\t", ""]))
def test_whole_words_of_the_end_before_are_never_said_again(
    old: list[str], data: st.DataObject, new: list[str], end: str
) -> None:
    repeated = old[-data.draw(st.integers(1, len(old))) :]
    before = " ".join(old) + end
    said = " ".join([*repeated, *new])
    assert fitted(said, before, "").split() == new


@given(OLD, st.data(), NEW)
def test_whole_words_of_the_start_after_are_never_said_before_it(
    old: list[str], data: st.DataObject, new: list[str]
) -> None:
    repeated = old[: data.draw(st.integers(1, len(old)))]
    said = " ".join([*new, *repeated])
    assert fitted(said, "So ", " " + " ".join(old)).split() == new


TEXTS = st.text(st.sampled_from("ab A.,()[]\n\t 1_é🙂"), max_size=40)


@settings(max_examples=examples(150))
@given(TEXTS | st.text(max_size=30), TEXTS, TEXTS, st.booleans())
@example("ab ab ab", "ab ab", "ab", True)
def test_whatever_comes_it_repeats_nothing_and_fits(
    suggestion: str, before: str, after: str, is_prose: bool
) -> None:
    text = fitted(suggestion, before, after, is_prose=is_prose)

    assert fitted(text, before, after, is_prose=is_prose) == text
    assert text == "" or text.strip()
    assert text.count("\n") < MOST_LINES
    assert text == text.rstrip() or text == f"{text.rstrip()} "
    assert not (before.endswith((" ", "\t")) and text.startswith((" ", "\t")))
    whole = [part for part in before.split() if any(item.isalnum() for item in part)]
    if whole and before.endswith(whole[-1]) and text.startswith(whole[-1]):
        raise AssertionError("the last word is said again")
    assert len(text) <= len(suggestion) + 1


def test_suggestions_that_differ_in_blanks_and_case_only_are_the_same() -> None:
    assert is_same("The  tide\ncomes", "the tide comes")
    assert not is_same("the tide", "the tides")
