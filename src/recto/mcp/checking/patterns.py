"""Patterns of servers' schemas: how long matching could take, before it is tried.

A pattern may try each choice with each other one, and nothing can interrupt it meanwhile.
"""

import re
from functools import lru_cache

MOST_TRIED = 10_000_000
"""What a pattern may have to try; a tenth of a second at most."""
LONGEST_PATTERN = 2000
REPEATED_GROUP = re.compile(r"\)[*+{]|\\[1-9]|\(\?P=")
"""What multiplies itself: a group that is repeated, and what refers to one."""
WIDE = re.compile(r"[*+]|\{\d*,\d*\}")
NARROW = re.compile(r"[?|]")


@lru_cache(maxsize=1000)
def compiled(pattern: str) -> re.Pattern[str] | None:
    """A pattern that can be matched; None for one of another dialect, or without a bound."""
    if len(pattern) > LONGEST_PATTERN or REPEATED_GROUP.search(pattern):
        return None
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def tried(pattern: str, length: int) -> int:
    """The most that is tried to match it in a text of a length. Too many rather than too few."""
    starts = 0 if pattern.startswith("^") and "|" not in pattern else 1
    wide, narrow = len(WIDE.findall(pattern)) + starts, len(NARROW.findall(pattern))
    # Never a number that takes long to work out itself.
    return max(length, 2) ** min(wide, 40) * 2 ** min(narrow, 100)


def is_quick(pattern: str, length: int) -> bool:
    """Whether matching it in a text of a length surely ends soon."""
    return compiled(pattern) is not None and tried(pattern, length) <= MOST_TRIED
