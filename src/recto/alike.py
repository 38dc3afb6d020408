"""How far two rows of things are the same, from their beginning and from their end."""

from collections.abc import Sequence
from typing import Any


def same_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many bytes, letters or things two rows of them begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def same_end(one: Sequence[Any], other: Sequence[Any], most: int) -> int:
    """How many they end with alike, at most so many."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
