"""Who wrote which letters of a document, as far as its text tells: carried over each change of it.

Letters are those that AI reads, paragraph by paragraph. What stays keeps its writer; what comes is
of whoever made the change; what was taken away and comes back is of whoever wrote it before.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Literal

import msgspec

from recto.alike import same_end, same_start

WORDS = re.compile(r"\w+|[^\w\s]")
MOST_WORDS = 4000
"""Words on each side of a changed passage that are compared; in a longer one all are new."""
MOST_GONE = 200
MOST_GONE_LETTERS = 50_000
MOST_PAST = 12
MOST_SPANS = 4000
UNMISTAKABLE = 12
"""So many letters are what somebody else wrote, and not the same words once more."""
WriterKind = Literal["before", "typed", "pasted", "outside", "ghost", "ai"]
BY_PEOPLE = ("typed", "pasted", "outside", "ghost")


class LetterWriter(msgspec.Struct, frozen=True):
    """Somebody who wrote letters; of an AI the id of the call, of a suggestion its id."""

    kind: WriterKind
    name: str = ""


class TakenLetters(msgspec.Struct, frozen=True):
    """Letters that were taken away, and the writer of each; whether that was an edit of AI's."""

    text: str
    writers: tuple[int, ...]
    counted: bool


class PastWriters(msgspec.Struct, frozen=True):
    """Who wrote a document as it was: it may be put back to the last byte."""

    hash: str
    spans: tuple[tuple[int, int], ...]
    edited_since: int


class TextWriters(msgspec.Struct, frozen=True):
    """The writers of a document's letters: so many letters by which of them, in order."""

    known: tuple[LetterWriter, ...] = (LetterWriter("before"),)
    spans: tuple[tuple[int, int], ...] = ()
    edited_since: int = 0
    """How many letters of AI's people, or other programs, changed or removed."""
    taken: tuple[TakenLetters, ...] = ()
    past: tuple[PastWriters, ...] = ()


class LetterChange(msgspec.Struct, frozen=True):
    """Who made a change; and what of it a person took from elsewhere."""

    by: LetterWriter
    parts: tuple[tuple[LetterWriter, str], ...] = ()
    returns: bool = False
    """Whether it only takes changes back, or accepts them: then nobody wrote anything."""


class WriterCarrier:
    """Carries the writers of a text over one change of it."""

    def __init__(self, before: TextWriters, was: Sequence[str], change: LetterChange) -> None:
        self._before = before
        self._change = change
        self._known = list(before.known)
        self._was = expanded(before)
        self._new = self._number(change.by)
        self._first_number = self._number(LetterWriter("before"))
        self._taken = list(before.taken)
        self._since = before.edited_since
        self._came: list[tuple[int, int]] = []

    def carried(self, was: Sequence[str], now: Sequence[str]) -> TextWriters:
        """The writers of the text as it reads now."""
        found: list[int] = []
        old = joined(was)
        for start, end, new in passages(was, now):
            if new is None:
                found += self._was[start:end]
            else:
                self._replace(found, self._was[start:end], old[start:end], new)
        self._mark_parts(found, joined(now))
        return TextWriters(
            tuple(self._known), packed(found), max(self._since, 0), bounded_taken(self._taken)
        )

    def _number(self, writer: LetterWriter) -> int:
        if writer not in self._known:
            self._known.append(writer)
        return self._known.index(writer)

    def _replace(self, found: list[int], writers: Sequence[int], old: str, new: str) -> None:
        """One passage with another in its place."""
        same = same_start(old, new)
        behind = same_end(old, new, min(len(old), len(new)) - same)
        gone, come = old[same : len(old) - behind], new[same : len(new) - behind]
        found += writers[:same]
        # Looked for first: words that only change their place within a passage are there, too.
        back = self._returned(come)
        if gone.strip():
            self._take(gone, writers[same : len(old) - behind])
        self._came.append((len(found), len(found) + len(come)))
        found += [self._first_number if self._change.returns else self._new] * len(come)
        if back is not None:
            lead = len(come) - len(come.lstrip())
            found[len(found) - len(come) + lead : len(found) - len(come) + lead + len(back)] = back
        found += writers[len(old) - behind :]

    def _take(self, gone: str, writers: Sequence[int]) -> None:
        counted = not self._change.returns and self._change.by.kind in BY_PEOPLE
        lead = len(gone) - len(gone.lstrip())
        text = gone.strip()
        mine = tuple(writers[lead : lead + len(text)])
        self._taken.append(TakenLetters(text, mine, counted))
        if counted:
            self._since += self._by_ai(writers)

    def _returned(self, come: str) -> tuple[int, ...] | None:
        """The writers of what comes back."""
        text = come.strip()
        if not text or (not self._change.returns and len(text) < UNMISTAKABLE):
            return None
        for item in reversed(self._taken):
            if item.text == text:
                self._taken.remove(item)
                if item.counted:
                    self._since -= self._by_ai(item.writers)
                return item.writers
        return None

    def _by_ai(self, writers: Sequence[int]) -> int:
        return sum(self._known[number].kind == "ai" for number in writers)

    def _mark_parts(self, found: list[int], text: str) -> None:
        """What a person took over from a suggestion, or pasted, where it came to stand."""
        for writer, part in self._change.parts:
            number = self._number(writer)
            for start, end in self._came:
                at = text.find(part, max(0, start - len(part)), end + len(part)) if part else -1
                if at < 0:
                    continue
                mine = [place for place in range(at, at + len(part)) if found[place] == self._new]
                for place in mine:
                    found[place] = number
                if mine:
                    break


def joined(texts: Sequence[str]) -> str:
    """Paragraphs as one text, each with its end."""
    return "".join(f"{text}\n" for text in texts)


def carried(
    before: TextWriters,
    old_hash: str,
    was: Sequence[str],
    now: Sequence[str],
    change: LetterChange,
) -> TextWriters:
    """The writers of a document's letters after a change of it."""
    # Letter by letter only where it reads otherwise: documents are long, and edits are short.
    first, behind = alike(was, now)
    spans = whole_spans(before, len(joined(was)))
    start = len(joined(was[:first]))
    end = len(joined(was[: len(was) - behind]))
    inside = msgspec.structs.replace(before, spans=cut(spans, start, end))
    carrier = WriterCarrier(inside, was[first : len(was) - behind], change)
    made = carrier.carried(was[first : len(was) - behind], now[first : len(now) - behind])
    left = PastWriters(old_hash, before.spans, before.edited_since)
    known = [item for item in before.past if item.hash != old_hash]
    past = [*known, left] if len(left.spans) <= MOST_SPANS else known
    return msgspec.structs.replace(
        made,
        spans=joined_spans(cut(spans, 0, start), made.spans, cut(spans, end)),
        past=tuple(past[-MOST_PAST:]),
    )


def alike(was: Sequence[str], now: Sequence[str]) -> tuple[int, int]:
    """How many paragraphs two texts begin with alike, and how many they end with."""
    most = min(len(was), len(now))
    start = next((at for at in range(most) if was[at] != now[at]), most)
    rest = most - start
    return start, next((at for at in range(rest) if was[-1 - at] != now[-1 - at]), rest)


def found_again(
    before: TextWriters, old_hash: str, was: Sequence[str], new_hash: str, now: Sequence[str]
) -> TextWriters:
    """The writers of a document that was changed elsewhere, or put back as it was."""
    known = next((item for item in before.past if item.hash == new_hash), None)
    if known is not None:
        return msgspec.structs.replace(before, spans=known.spans, edited_since=known.edited_since)
    return carried(before, old_hash, was, now, LetterChange(LetterWriter("outside")))


def whole_spans(writers: TextWriters, length: int) -> tuple[tuple[int, int], ...]:
    """Who wrote which of so many letters; where nobody is known, whoever was before."""
    if sum(size for size, _ in writers.spans) == length:
        return writers.spans
    return ((length, writers.known.index(LetterWriter("before"))),)


def cut(
    spans: Sequence[tuple[int, int]], start: int, end: int | None = None
) -> tuple[tuple[int, int], ...]:
    """The spans of the letters from one to another."""
    found: list[tuple[int, int]] = []
    at = 0
    for size, number in spans:
        last = at + size if end is None else min(at + size, end)
        if last > max(at, start):
            found.append((last - max(at, start), number))
        at += size
    return tuple(found)


def joined_spans(*parts: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans that follow each other, neighbours of one writer as one."""
    made: list[tuple[int, int]] = []
    for size, number in (span for part in parts for span in part):
        if made and made[-1][1] == number:
            made[-1] = (made[-1][0] + size, number)
        else:
            made.append((size, number))
    return tuple(made)


def expanded(writers: TextWriters) -> list[int]:
    """The writer of each letter."""
    return [number for size, number in writers.spans for _ in range(size)]


def packed(found: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """So many letters by which writer."""
    made: list[tuple[int, int]] = []
    for number in found:
        if made and made[-1][1] == number:
            made[-1] = (made[-1][0] + 1, number)
        else:
            made.append((1, number))
    return tuple(made)


def bounded_taken(taken: Sequence[TakenLetters]) -> tuple[TakenLetters, ...]:
    """The newest that find room."""
    found: list[TakenLetters] = []
    left = MOST_GONE_LETTERS
    for item in reversed(taken):
        left -= len(item.text)
        if left < 0 or len(found) == MOST_GONE:
            break
        found.append(item)
    return tuple(reversed(found))


def passages(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[int, int, str | None]]:
    """Where a text stays and where it reads otherwise: places in the old one, the new words."""
    places = [0, *accumulate(len(text) + 1 for text in was)]
    for first, last, new_first, new_last, is_same in paragraph_codes(was, now):
        if is_same:
            yield places[first], places[last], None
        else:
            yield from inside(
                joined(was[first:last]), joined(now[new_first:new_last]), places[first]
            )


def paragraph_codes(
    was: Sequence[str], now: Sequence[str]
) -> Iterator[tuple[int, int, int, int, bool]]:
    """The paragraphs that stay, and those that are others."""
    start, behind = alike(was, now)
    if start:
        yield 0, start, 0, start, True
    old, new = was[start : len(was) - behind], now[start : len(now) - behind]
    # What is there again and again, empty cells say, tells no place: thousands of them would be
    # compared with each other.
    for tag, first, last, new_first, new_last in SequenceMatcher(None, old, new).get_opcodes():
        yield start + first, start + last, start + new_first, start + new_last, tag == "equal"
    if behind:
        yield len(was) - behind, len(was), len(now) - behind, len(now), True


def inside(old: str, new: str, at: int) -> Iterator[tuple[int, int, str | None]]:
    """The same of the words of a passage; blanks alone are nothing to know it again by."""
    one, other = list(WORDS.finditer(old)), list(WORDS.finditer(new))
    done = new_done = 0
    if max(len(one), len(other)) <= MOST_WORDS:
        matcher = SequenceMatcher(
            None, [word[0] for word in one], [word[0] for word in other], autojunk=False
        )
        for first, new_first, count in matcher.get_matching_blocks():
            for word, same in zip(
                one[first : first + count], other[new_first : new_first + count], strict=True
            ):
                gap, new_gap = old[done : word.start()], new[new_done : same.start()]
                if gap != new_gap:
                    yield at + done, at + word.start(), new_gap
                    done = word.start()
                yield at + done, at + word.end(), None
                done, new_done = word.end(), same.end()
    if old[done:] != new[new_done:]:
        yield at + done, at + len(old), new[new_done:]
    elif old[done:]:
        yield at + done, at + len(old), None
