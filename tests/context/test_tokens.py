import pytest

from recto.context import Calibration, TokenCounter, mark_cache
from recto.messages import (
    CacheMarks,
    Image,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    user,
)

PROSE = "A tide gauge records two things at once: the tide, and everything else. " * 20


def test_texts_are_counted_as_the_real_vocabulary_cuts_them() -> None:
    counter = TokenCounter(Calibration())
    assert counter.text("hello world") == 2
    assert counter.text("") == 0


def test_everything_a_request_sends_is_counted() -> None:
    counter = TokenCounter(Calibration())
    small = Request("m", (user("x"),), 10)
    parts = [
        Request("m", (user("x"),), 10, system=PROSE),
        Request("m", (user("x", Image("image/png", b"x")),), 10),
        Request("m", (user("x"),), 10, tools=(Tool("read", PROSE, {}),)),
        Request("m", (user("x"), assistant(ToolCall("c", "read", {"a": PROSE}))), 10),
        Request("m", (user("x", ToolResult("c", "read", (Text(PROSE),))),), 10),
    ]
    assert all(counter.request(one) > counter.request(small) + 100 for one in parts)


def test_a_model_that_counts_more_is_learned_from_its_reports() -> None:
    calibration = Calibration()
    counter = TokenCounter(calibration)
    counted = counter.text(PROSE)
    for _ in range(20):
        calibration.learn("claude", counted=counted, reported=round(counted * 1.3))
    assert counter.text(PROSE, "claude") == pytest.approx(counted * 1.3, rel=0.01)
    assert counter.text(PROSE, "other") == counted


@pytest.mark.parametrize(("counted", "reported"), [(10, 500), (500, 0), (500, -3)])
def test_a_report_that_says_little_or_nonsense_is_left_out(counted: int, reported: int) -> None:
    calibration = Calibration()
    calibration.learn("m", counted=counted, reported=reported)
    assert calibration.factor("m") == 1.0


def test_one_wild_report_cannot_carry_the_count_away() -> None:
    calibration = Calibration({"m": 1.2})
    calibration.learn("m", counted=100, reported=100_000)
    assert calibration.factor("m") < 2


def test_the_cache_is_marked_after_the_system_and_at_the_end() -> None:
    request = Request("m", (user("a"), assistant("b"), user("c")), 10, system="s")
    assert mark_cache(request).cache == CacheMarks(system=True, messages=(2,))
    assert mark_cache(request, frozen_at=0).cache == CacheMarks(system=True, messages=(0,))
