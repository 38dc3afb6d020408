"""How sure an answer is: from the model's own probabilities, or unknown. Never from its looks.

Where several answers were asked for, how far they agree is a check that anybody can make.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Source = Literal["logprobs", "agreement", "unknown"]


@dataclass(frozen=True, slots=True)
class Confidence:
    """A number from 0 to 1 and what it rests on; None when nobody can say."""

    value: float | None
    source: Source


UNKNOWN = Confidence(None, "unknown")


def confidence_of(logprobs: Sequence[float]) -> Confidence:
    """The geometric mean of the tokens' probabilities: how sure the model was, word for word."""
    sound = [one for one in logprobs if math.isfinite(one)]
    if not sound:
        return UNKNOWN
    return Confidence(round(math.exp(min(0.0, sum(sound) / len(sound))), 4), "logprobs")


def agreement_of(texts: Sequence[str]) -> tuple[Confidence, ...]:
    """How much of its words each text has in common with the others, on average."""
    if len(texts) < 2:
        return (UNKNOWN,) * len(texts)
    words = [Counter(text.casefold().split()) for text in texts]
    return tuple(
        Confidence(round(mean_share(one, [*words[:at], *words[at + 1 :]]), 4), "agreement")
        for at, one in enumerate(words)
    )


def mean_share(words: Counter[str], others: Sequence[Counter[str]]) -> float:
    """The share of words in common, from 0 to 1, over some texts."""
    shares = [
        2 * (words & other).total() / max(1, words.total() + other.total()) for other in others
    ]
    return sum(shares) / len(shares)
