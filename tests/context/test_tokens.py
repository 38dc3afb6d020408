import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context import TokenCalibration, TokenCounter, beginning, mark_cache
from recto.context.truncation import LARGEST_FILE
from recto.messages import (
    CacheMarks,
    Image,
    Request,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from recto.tokenizer import Count, encoding, tokenize

PROSE = "A tide gauge records two things at once: the tide, and everything else. " * 20


def test_texts_are_counted_as_the_real_vocabulary_cuts_them() -> None:
    counter = TokenCounter(TokenCalibration())
    assert counter.text("hello world") == 2
    assert counter.text("") == 0


def test_everything_a_request_sends_is_counted() -> None:
    counter = TokenCounter(TokenCalibration())
    small = Request("m", (user("x"),), 10)
    parts = [
        Request("m", (user("x"),), 10, system=PROSE),
        Request("m", (user("x", Image("image/png", b"x")),), 10),
        Request("m", (user("x"),), 10, tools=(ToolSpec("read", PROSE, {}),)),
        Request("m", (user("x"), assistant(ToolCall("c", "read", {"a": PROSE}))), 10),
        Request("m", (user("x", ToolResult("c", "read", (Text(PROSE),))),), 10),
    ]
    assert all(counter.request(part) > counter.request(small) + 100 for part in parts)


def test_a_model_that_counts_more_is_learned_from_its_reports() -> None:
    counter = TokenCounter(TokenCalibration())
    request = Request("m", (user(PROSE),), 10)
    counted = counter.request(request)
    for _ in range(20):
        counter.learn("claude", request, round(counted * 1.3))
    assert counter.request(request, "claude") == pytest.approx(counted * 1.3, rel=0.01)
    assert counter.request(request, "other") == counted


def test_other_scripts_are_learned_apart_from_plain_text() -> None:
    counter = TokenCounter(TokenCalibration())
    plain = Request("m", (user(PROSE),), 10)
    other = Request("m", (user("潮位計は潮汐を記録する。" * 40),), 10)
    true = {plain: counter.request(plain), other: counter.request(other) * 2}
    for _ in range(30):
        for request, report in true.items():
            counter.learn("m", request, report)
    for request, report in true.items():
        assert counter.request(request, "m") == pytest.approx(report, rel=0.03)


@pytest.mark.parametrize(("text", "reported"), [("short", 500), (PROSE, 0), (PROSE, -3)])
def test_a_report_that_says_little_or_nonsense_is_left_out(text: str, reported: int) -> None:
    calibration = TokenCalibration()
    TokenCounter(calibration).learn("m", Request("m", (user(text),), 10), reported)
    assert calibration.factors == {}


def test_one_wild_report_cannot_carry_the_count_away() -> None:
    calibration = TokenCalibration({"m": (1.2, 1.2)})
    TokenCounter(calibration).learn("m", Request("m", (user(PROSE),), 10), 10_000_000)
    assert calibration.factors["m"][0] < 2.1


def test_the_cache_is_marked_after_the_system_and_at_the_end() -> None:
    request = Request("m", (user("a"), assistant("b"), user("c")), 10, system="s")
    assert mark_cache(request).cache == CacheMarks(system=True, messages=(2,))
    assert mark_cache(request, frozen_at=0).cache == CacheMarks(system=True, messages=(0,))


def test_a_part_counts_as_in_its_request_and_lone_surrogates_count_too() -> None:
    counter = TokenCounter(TokenCalibration())
    one, two = Request("m", (user("x"),), 10), Request("m", (user("x", PROSE),), 10)
    assert counter.part(Text(PROSE)) == counter.request(two) - counter.request(one)
    assert counter.part(Text("a\ud83d")) > 0


@given(st.text())
def test_tokens_are_told_apart_by_the_letters_they_stand_for(text: str) -> None:
    whole = encoding().count(text)
    other = encoding().count("".join(letter for letter in text if not letter.isascii()))
    assert tokenize(text) == Count(whole - min(whole, other), min(whole, other))


@given(st.text(alphabet="aé潮🌊\n", min_size=0, max_size=400), st.integers(0, 200))
def test_the_beginning_of_a_file_is_whole_letters_and_as_long_as_it_may_be(
    text: str, repeats: int
) -> None:
    long = text * repeats
    head, cut = beginning(long)
    size = len(head.encode())
    assert long.startswith(head)
    assert size <= LARGEST_FILE
    assert (cut is None) == (head == long)
    assert cut is None or size > LARGEST_FILE - 4
