import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.assist import Confidence, confidence_of
from recto.assist.confidence import NO_WORDS, NOT_TOLD, TOO_SMALL, unknown
from recto.llm import Traits
from recto.llm.builtin import TRAITS
from tests.access.world import access

SILENT = access()
TELLS = replace(SILENT, traits=Traits(logprobs=True))
BUILT_IN = replace(SILENT, traits=TRAITS)


def test_nothing_known_is_unknown_and_says_why() -> None:
    assert confidence_of(SILENT, []) == unknown(NOT_TOLD)
    assert confidence_of(TELLS, []) == unknown(NO_WORDS)
    assert confidence_of(TELLS, [math.nan, -math.inf]) == unknown(NO_WORDS)


def test_it_is_the_mean_probability_of_the_tokens() -> None:
    assert confidence_of(TELLS, [math.log(0.5), math.log(0.5)]) == Confidence(0.5, "logprobs")
    assert confidence_of(TELLS, [0.0]) == Confidence(1.0, "logprobs")


def test_the_babble_of_the_built_in_model_is_not_sure() -> None:
    assert confidence_of(BUILT_IN, [math.log(0.87)] * 20) == unknown(TOO_SMALL)


@given(st.lists(st.floats(max_value=5), min_size=1))
def test_it_is_never_outside_zero_and_one(logprobs: list[float]) -> None:
    value = confidence_of(TELLS, logprobs).value
    assert value is None or value == pytest.approx(min(1.0, max(0.0, value)))
