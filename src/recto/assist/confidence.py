"""How sure an answer is: from the model's own probabilities, or unknown. Never from its looks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recto.access import Access

Source = Literal["logprobs", "unknown"]

NOT_TOLD = "This model does not tell how likely its words were."
NO_WORDS = "There are no words whose probabilities were told."
NOT_IN_A_CALL = "The suggestions came as a tool call, and of those no probabilities are told."
TOO_SMALL = (
    "This model is too small: how sure it is of its words does not say whether they are right."
)


@dataclass(frozen=True, slots=True)
class Confidence:
    """A number from 0 to 1 and what it rests on; None when nobody can say, and why not."""

    value: float | None
    source: Source
    why: str = ""


def unknown(why: str) -> Confidence:
    """Nobody can say."""
    return Confidence(None, "unknown", why)


def confidence_of(access: Access, logprobs: Sequence[float]) -> Confidence:
    """The geometric mean of the tokens' probabilities: how sure the model was, word for word."""
    if not access.traits.calibrated:
        return unknown(TOO_SMALL)
    sound = [logprob for logprob in logprobs if math.isfinite(logprob)]
    if sound:
        return Confidence(round(math.exp(min(0.0, sum(sound) / len(sound))), 4), "logprobs")
    return unknown(NO_WORDS if access.traits.logprobs else NOT_TOLD)
