"""Answers that go round in circles: a small model may say the same again until its room is full."""

import re

ROUNDS = 3
"""So many times the same, one right after the other, is no writing any more."""
LONGEST_ROUND = 500
"""Characters of the longest passage that is looked for."""
FEWEST_WORDS = 4
"""Different words of a passage: rows of a table, numbers and rules repeat with good reason."""
WORD = re.compile(r"[^\W\d_]{2,}")


def goes_round(text: str) -> bool:
    """Whether a text ends with the same passage several times, one right after the other."""
    longest = min(LONGEST_ROUND, len(text) // ROUNDS)
    # The passage that repeats ends in the text's last characters, wherever it is thought to begin.
    return any(
        text.endswith(text[-size:] * ROUNDS) and has_words(text[-size:])
        for size in range(1, longest + 1)
    )


def has_words(passage: str) -> bool:
    """Whether a passage is more than a pattern."""
    return len(set(WORD.findall(passage))) >= FEWEST_WORDS
