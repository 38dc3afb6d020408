import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.assist import Confidence, agreement_of, confidence_of


def test_nothing_known_is_unknown() -> None:
    assert confidence_of([]) == Confidence(None, "unknown")
    assert confidence_of([math.nan, -math.inf]) == Confidence(None, "unknown")


def test_it_is_the_mean_probability_of_the_tokens() -> None:
    assert confidence_of([math.log(0.5), math.log(0.5)]) == Confidence(0.5, "logprobs")
    assert confidence_of([0.0]) == Confidence(1.0, "logprobs")


@given(st.lists(st.floats(max_value=5), min_size=1))
def test_it_is_never_outside_zero_and_one(logprobs: list[float]) -> None:
    value = confidence_of(logprobs).value
    assert value is None or value == pytest.approx(min(1.0, max(0.0, value)))


def test_suggestions_that_agree_are_surer_than_one_that_does_not() -> None:
    first, second, third = agreement_of([" a day.", " a Day.", " in a lunar month."])
    assert first == second == Confidence(round((1 + 2 / 6) / 2, 4), "agreement")
    assert third == Confidence(round(2 / 6, 4), "agreement")


def test_one_suggestion_alone_agrees_with_nobody() -> None:
    assert agreement_of(["a day"]) == (Confidence(None, "unknown"),)
    assert agreement_of([]) == ()
