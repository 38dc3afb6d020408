"""Cutting what is too long: its beginning and its end stay, and the cut says what it took."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from recto.messages import Text, ToolResult

SMALLEST_SHARE = 0.001
LARGEST_FILE = 50_000
"""Bytes. Of a longer file the beginning is sent, and says so."""


def level(sizes: Sequence[int], room: int) -> int:
    """The most that each may have, so that all together fit: only the largest are cut."""
    for taken, size in enumerate(sorted(sizes)):
        share = max(room, 0) // (len(sizes) - taken)
        if size > share:
            return share
        room -= size
    return max(sizes, default=0)


def head_and_tail(text: str, share: float) -> str:
    """About this share of a text: two thirds of it from the beginning, one from the end."""
    kept = int(len(text) * share)
    head, tail = kept * 2 // 3, kept - kept * 2 // 3
    left_out = len(text) - kept
    if left_out <= 0:
        return text
    return (
        f"{text[:head]}\n[{left_out:,} characters are left out here.]\n{text[len(text) - tail :]}"
    )


def beginning(text: str) -> tuple[str, str | None]:
    """What is sent of a file that somebody attached, and in words what is not."""
    if text.isascii() and len(text) <= LARGEST_FILE:
        return text, None
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= LARGEST_FILE:
        return text, None
    head = raw[:LARGEST_FILE].decode("utf-8", "ignore")
    return head, f"only the first {len(head):,} of {len(text):,} characters"


def largest_share(cost: Callable[[float], int], most: int, whole: int) -> float:
    """The share of something to keep so that it costs at most `most`, found by trying."""
    share = most / max(whole, 1)
    while share > SMALLEST_SHARE and cost(share) > most:
        share *= 0.8
    return share


def cut_result(result: ToolResult, share: float) -> ToolResult:
    """A tool's answer with each of its texts cut."""
    content = tuple(
        Text(head_and_tail(part.text, share)) if isinstance(part, Text) else part
        for part in result.content
    )
    return replace(result, content=content)
