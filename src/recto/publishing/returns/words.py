"""What differs between two paragraphs, word by word."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from recto.word import OBJECT, ContentLook, ContentParagraph

TOKEN = re.compile(r"\w+|\s|[^\w\s]")


class ParagraphHunk(NamedTuple):
    """Letters of a paragraph that was sent, and those that stand there now."""

    start: int
    end: int
    new_start: int
    new_end: int


class Token(NamedTuple):
    """A word, a space or a sign; what is no text is one of them, by what it is."""

    text: str
    look: str
    start: int


def tokens(item: ContentParagraph) -> list[Token]:
    """A paragraph cut in words, each with the look that it begins with."""
    objects = iter(item.objects)
    looks = looks_of(item.looks)
    return [
        Token(
            OBJECT + next(objects) if found[0] == OBJECT else found[0],
            "" if found[0].isspace() else looks[found.start()],
            found.start(),
        )
        for found in TOKEN.finditer(item.text)
    ]


def looks_of(looks: Sequence[ContentLook]) -> list[str]:
    """The look of each letter."""
    return [look.marks for look in looks for _ in range(look.length)]


def words_of(item: ContentParagraph) -> list[str]:
    """The words alone, without spaces."""
    return [token.text for token in tokens(item) if not token.text.isspace()]


def differences(sent: ContentParagraph, back: ContentParagraph) -> list[ParagraphHunk]:
    """What differs, from front to back; letters that only look otherwise are no difference."""
    ours, theirs = tokens(sent), tokens(back)
    plain = hunks_between([item.text for item in ours], [item.text for item in theirs])
    found = [placed(ours, theirs, sent, back, *item) for item in plain]
    if not found or other_looks(sent, back, found) == 0:
        return found
    # The same word elsewhere in another look is by chance, if fewer things differ without it.
    exact = hunks_between([item[:2] for item in ours], [item[:2] for item in theirs])
    other = [placed(ours, theirs, sent, back, *item) for item in exact]
    return other if len(other) <= len(found) else found


def other_looks(
    sent: ContentParagraph, back: ContentParagraph, hunks: Sequence[ParagraphHunk]
) -> int:
    """How many letters between the differences look otherwise."""
    before, after = looks_of(sent.looks), looks_of(back.looks)
    at = to = count = 0
    for hunk in [*hunks, ParagraphHunk(len(sent.text), 0, len(back.text), 0)]:
        ours, theirs = before[at : hunk.start], after[to : hunk.new_start]
        words = sent.text[at : hunk.start]
        count += sum(
            one != other and not letter.isspace()
            for one, other, letter in zip(ours, theirs, words, strict=True)
        )
        at, to = hunk.end, hunk.new_end
    return count


def hunks_between(
    ours: Sequence[object], theirs: Sequence[object]
) -> Iterator[tuple[int, int, int, int]]:
    """The tokens that differ; what was only added begins as early as it can."""
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    last: tuple[int, int, int, int] | None = None
    for tag, first, to, new_first, new_to in matcher.get_opcodes():
        if tag == "equal":
            continue
        if tag == "insert":
            least = last[1] if last is not None else 0
            while first > least and ours[first - 1] == theirs[new_to - 1]:
                first, new_first, new_to = first - 1, new_first - 1, new_to - 1
            to = first
        if last is not None and first - last[1] <= 1 and is_gap(ours, last[1], first):
            # A space in common between two changed words is by chance.
            last = (last[0], to, last[2], new_to)
            continue
        if last is not None:
            yield last
        last = (first, to, new_first, new_to)
    if last is not None:
        yield last


def is_gap(ours: Sequence[object], start: int, end: int) -> bool:
    """Whether one space stands between two places, or nothing."""
    between = ours[start:end]
    return all(item in (" ", (" ", "")) for item in between)


def placed(
    ours: Sequence[Token],
    theirs: Sequence[Token],
    sent: ContentParagraph,
    back: ContentParagraph,
    first: int,
    to: int,
    new_first: int,
    new_to: int,
) -> ParagraphHunk:
    """Tokens as letters."""
    return ParagraphHunk(
        ours[first].start if first < len(ours) else len(sent.text),
        ours[to].start if to < len(ours) else len(sent.text),
        theirs[new_first].start if new_first < len(theirs) else len(back.text),
        theirs[new_to].start if new_to < len(theirs) else len(back.text),
    )
