from hypothesis import given, settings
from hypothesis import strategies as st

from recto.margin.passage_search import find_again
from tests.examples import examples

AROUND = "The water rises and falls here, {} says the keeper of the lighthouse."
WORDS = st.text("ab .\n", max_size=12)


def test_a_long_passage_is_found_wherever_it_stands() -> None:
    passage = "twice a day, as long as anybody can remember"

    assert find_again(f"Other words: {passage}", passage, "gone", "gone") == (13, 57)


def test_a_word_is_found_with_what_stood_around_it() -> None:
    before, after = AROUND.split("{}")
    text = "\n".join(("now", AROUND.format("now"), "now"))

    assert find_again(text, "now", before, after) == (36, 39)


def test_a_word_alone_is_not_found() -> None:
    assert find_again("It is now.", "now", "Long before ", " and after") is None


def test_what_stands_there_twice_is_nowhere() -> None:
    text = "\n".join([AROUND.format("now")] * 2)

    assert find_again(text, "now", "falls here, ", " says") is None


def test_all_of_a_short_text_is_enough() -> None:
    assert find_again("now", "now", "", "") == (0, 3)
    assert find_again("", "now", "", "") is None
    assert find_again("now", "", "", "") is None


def test_a_letter_that_stands_everywhere_is_not_looked_at_for_long() -> None:
    assert find_again("a" * 1_000_000, "a", "b", "c") is None


@settings(max_examples=examples(50), deadline=None)
@given(WORDS, st.text("ab .\n", min_size=1, max_size=6), WORDS, WORDS)
def test_what_is_found_is_the_passage(text: str, passage: str, before: str, after: str) -> None:
    found = find_again(text, passage, before, after)

    assert found is None or text[found[0] : found[1]] == passage
    whole = before + passage + after
    if whole.count(passage) == 1:
        assert find_again(whole, passage, before, after) == (
            len(before),
            len(before) + len(passage),
        )
