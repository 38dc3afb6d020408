"""A folder's instructions, made fit to be followed: what people can't see, a model doesn't get.

Comments are for people and go. Letters that nobody sees could tell a model something that whoever
reviews the file does not read, so a file that has them is not used at all, and the place is named.
"""

import re
from dataclasses import dataclass

from recto.messages import invisible

MAX_CHARACTERS = 40_000
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
OPEN, CLOSE = "<!--", "-->"


@dataclass(frozen=True, slots=True)
class Instructions:
    """The text to follow; `refused` says why there is none, `cut` what is missing at its end."""

    text: str
    refused: str | None = None
    cut: str | None = None


class UnclosedComment(Exception):
    """A comment that has no end: everything after it would vanish."""

    def __init__(self, line: int) -> None:
        super().__init__(f"the comment that begins in line {line} is never closed")


def clean_instructions(text: str, *, name: str = "_instructions.md") -> Instructions:
    """A file's text without its comments, cut where it is too long, or the reason to refuse it."""
    text = text.removeprefix("\ufeff")
    found = next(invisible(text), None)
    if found is not None:
        return refused(name, f"{found}. Remove it, for example by typing the place anew")
    try:
        kept = without_comments(text).strip()
    except UnclosedComment as reason:
        return refused(name, f"{reason}. Close it with {CLOSE}")
    if len(kept) <= MAX_CHARACTERS:
        return Instructions(kept)
    head = kept[:MAX_CHARACTERS].rpartition("\n")[0] or kept[:MAX_CHARACTERS]
    cut = (
        f"{name} has {len(kept):,} characters and only the first {len(head):,} are used. Shorten it"
    )
    return Instructions(f"{head}\n[The rest of {name} is left out: it is too long.]", cut=f"{cut}.")


def refused(name: str, why: str) -> Instructions:
    """Nothing to follow, and why."""
    return Instructions("", refused=f"{name} is not used: {why}.")


def without_comments(text: str) -> str:
    """The text without its HTML comments; those in code fences are code. Raises UnclosedComment."""
    kept: list[str] = []
    fence = ""
    opened = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not opened:
            was, fence = fence, fence_after(fence, line)
            if was or fence:
                kept.append(line)
                continue
        rest, is_open = outside(line, is_open=bool(opened))
        opened = (opened or number) if is_open else 0
        if rest.strip() or rest == line:
            kept.append(rest)
    if opened:
        raise UnclosedComment(opened)
    return "\n".join(kept)


def fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line; empty when none is."""
    found = FENCE.fullmatch(line)
    if found is None:
        return fence
    marks, rest = found.groups()
    if not fence:
        return "" if marks[0] == "`" and "`" in rest else marks
    return "" if marks.startswith(fence) and not rest.strip() else fence


def outside(line: str, *, is_open: bool) -> tuple[str, bool]:
    """What of a line is outside comments, and whether one is open at its end."""
    kept = ""
    while line:
        mark = CLOSE if is_open else OPEN
        before, found, line = line.partition(mark)
        kept += "" if is_open else before
        if found:
            is_open = not is_open
    return kept, is_open
