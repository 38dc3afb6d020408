"""How sure an answer is: from the model's own probabilities, or unknown. Never from its looks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Confidence:
    """A number from 0 to 1 and what it rests on; None when nobody can say."""

    value: float | None
    source: Literal["logprobs", "unknown"]


UNKNOWN = Confidence(None, "unknown")


def confidence_of(logprobs: Sequence[float]) -> Confidence:
    """The geometric mean of the tokens' probabilities: how sure the model was, word for word."""
    sound = [one for one in logprobs if math.isfinite(one)]
    if not sound:
        return UNKNOWN
    return Confidence(round(math.exp(min(0.0, sum(sound) / len(sound))), 4), "logprobs")
