import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.access import RetryPolicy
from recto.messages import Failure, FailureKind

POLICY = RetryPolicy()
BUSY = Failure("overloaded", "Busy.")


def asking(seconds: float) -> Failure:
    return Failure("rate_limit", "Slow down.", retry_after_s=seconds)


def test_each_wait_is_longer_and_after_three_there_is_none() -> None:
    waits = [POLICY.wait_s(BUSY, made, 1.0) for made in range(5)]
    assert waits == [0.5, 1.0, 2.0, None, None]


def test_chance_shortens_a_wait_by_up_to_half() -> None:
    assert [POLICY.wait_s(BUSY, 1, chance) for chance in (0.0, 0.5, 1.0)] == [0.5, 0.75, 1.0]


def test_a_pause_that_is_asked_for_is_kept() -> None:
    assert POLICY.wait_s(asking(30), 0, 0.0) == 30
    assert POLICY.wait_s(asking(120), 0, 1.0) == 120


def test_a_pause_that_is_too_long_is_not_waited_for() -> None:
    assert POLICY.wait_s(asking(121), 0, 0.5) is None


@pytest.mark.parametrize(
    "kind", ["auth", "quota", "budget", "context_length", "invalid_request", "cancelled"]
)
def test_what_would_fail_again_is_not_tried_again(kind: FailureKind) -> None:
    assert POLICY.wait_s(Failure(kind, "No."), 0, 0.5) is None


def test_the_providers_own_word_on_trying_again_counts() -> None:
    assert POLICY.wait_s(Failure("overloaded", "No.", may_retry=False), 0, 0.5) is None
    assert POLICY.wait_s(Failure("auth", "Yes.", may_retry=True), 0, 1.0) == 0.5


@given(
    st.floats(allow_nan=False, max_value=120),
    st.integers(0, 2),
    st.floats(min_value=0, max_value=1),
)
def test_no_wait_is_shorter_than_asked_or_longer_than_two_minutes(
    seconds: float, made: int, chance: float
) -> None:
    wait = POLICY.wait_s(asking(seconds), made, chance)

    assert wait is not None
    assert max(0.0, seconds) <= wait <= 120
