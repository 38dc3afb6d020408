"""One difference of a paragraph as a change of the Markdown that it comes from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from recto.publishing.returns.source_map import SIGNS, SourceMap
from recto.publishing.returns.words import ParagraphHunk
from recto.publishing.returns.writing import MarkdownWriter, NoPlace, WordLook, look_at, word_look
from recto.word import ContentParagraph

MADE = "a part that is made when the draft is published, such as a citation or a number"
Side = Literal["left", "right"]
SIGN_ENDS = re.compile(r"(?:\*+|_+|~~?|\^|`+|\[)$")


class SourceEdit(NamedTuple):
    """Markdown that takes the place of some."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class ChangedParagraph:
    """A paragraph as it was sent and as it came back, with the source of its letters."""

    sent: ContentParagraph
    back: ContentParagraph
    map: SourceMap
    source: str

    def edit(self, hunk: ParagraphHunk, writer: MarkdownWriter, side: Side) -> SourceEdit:
        """A difference as a change of the Markdown. Raises NoPlace."""
        if not self.map.spans and self.sent.text:
            raise NoPlace(MADE)
        self._check(hunk)
        if hunk.start < hunk.end:
            return self._replacement(hunk, writer)
        return self._insertion(hunk, writer, side)

    def _check(self, hunk: ParagraphHunk) -> None:
        """Nothing that is made may be changed in part. Raises NoPlace."""
        spans = self.map.spans
        for at in {hunk.start, hunk.end}:
            if 0 < at < len(spans) and spans[at].made and spans[at].made == spans[at - 1].made:
                raise NoPlace(MADE)
        taken = spans[hunk.start : hunk.end]
        if any(span.made and span.start == span.end for span in taken):
            raise NoPlace(MADE)

    def _replacement(self, hunk: ParagraphHunk, writer: MarkdownWriter) -> SourceEdit:
        spans = self.map.spans
        start = min(span.start for span in spans[hunk.start : hunk.end])
        end = max(span.end for span in spans[hunk.start : hunk.end])
        around = word_look(self.sent, hunk.start)
        opens = hunk.start == 0
        new = writer.write(self.back, hunk.new_start, hunk.new_end, around, opens=opens)
        closers, openers = self._left_over(hunk)
        if not new and not closers and not openers:
            start, end = with_empty_signs(self.source, start, end)
        if closers and not new and self.source[start - 1 : start] == " ":
            start, closers = start - 1, f"{closers} "
        if openers and self.source[end : end + 1] == " ":
            end, openers = end + 1, f" {openers}"
        return SourceEdit(start, end, new + closers + openers)

    def _left_over(self, hunk: ParagraphHunk) -> tuple[str, str]:
        """Signs whose other half stays, and raw parts: what ends before, and what begins."""
        spans = self.map.spans
        open_signs: list[tuple[str, bool]] = []
        for at in range(hunk.start, hunk.end - 1):
            between = self.source[spans[at].end : spans[at + 1].start]
            if not between or spans[at + 1].start < spans[at].end:
                continue
            closes = len(look_at(self.sent, at)) > len(look_at(self.sent, at + 1))
            for sign in signs_in(between):
                other = open_signs[-1][0] if open_signs else ""
                if other and (sign == other or (other == "[" and sign.startswith("]"))):
                    open_signs.pop()
                else:
                    open_signs.append((sign, closes or sign.startswith("]")))
        closers = "".join(sign for sign, closes in open_signs if closes)
        return closers, "".join(sign for sign, closes in open_signs if not closes)

    def _insertion(self, hunk: ParagraphHunk, writer: MarkdownWriter, side: Side) -> SourceEdit:
        spans, at = self.map.spans, hunk.start
        if at == len(spans):  # the space before a raw part that is not shown stays at the end
            at = len(self.sent.text.rstrip())
        look = word_look(self.back, first_word(self.back, hunk))
        left = word_look(self.sent, at - 1) if at else None
        right = word_look(self.sent, at) if at < len(spans) else WordLook()
        less = left is not None and (right.marks < left.marks or (left.link and not right.link))
        takes_right = left is None or (look != left and (look == right or bool(less)))
        if side == "right":
            takes_right = not takes_right
        if at and spans[at - 1].made and spans[at - 1].start == spans[at - 1].end:
            takes_right = True  # behind a number that stands in no Markdown
        place, around = self._place(at, takes_right=takes_right)
        new = writer.write(self.back, hunk.new_start, hunk.new_end, around, opens=at == 0)
        return SourceEdit(place, place, new)

    def _place(self, at: int, *, takes_right: bool) -> tuple[int, WordLook]:
        """Where new words go, and how words look there."""
        spans = self.map.spans
        if not spans:
            return self.map.start, WordLook()
        if takes_right and at < len(spans):
            return spans[at].start, word_look(self.sent, at)
        if at == 0:
            return spans[0].start, word_look(self.sent, 0)
        place = spans[at - 1].end
        if takes_right:
            while sign := SIGNS.match(self.source, place):
                place = sign.end()
            return place, WordLook()
        return place, word_look(self.sent, at - 1)


def first_word(item: ContentParagraph, hunk: ParagraphHunk) -> int:
    """Where the first word of new letters is: how spaces look means nothing."""
    new = item.text[hunk.new_start : hunk.new_end]
    return hunk.new_start + (len(new) - len(new.lstrip()) if new.strip() else 0)


def signs_in(text: str) -> Iterator[str]:
    """Signs of Markdown, and what lies between them as it is."""
    at = 0
    while at < len(text):
        sign = SIGNS.match(text, at)
        if sign:
            yield sign[0]
            at = sign.end()
            continue
        following = SIGNS.search(text, at)
        end = following.start() if following else len(text)
        yield text[at:end]
        at = end


def with_empty_signs(source: str, start: int, end: int) -> tuple[int, int]:
    """A passage that goes, with the signs around it that would have nothing between them."""
    while True:
        opening = SIGN_ENDS.search(source, max(start - 4, 0), start)
        closing = SIGNS.match(source, end)
        if opening is None or closing is None:
            return start, end
        fits = closing[0].startswith("]") if opening[0] == "[" else opening[0] == closing[0]
        if not fits:
            return start, end
        start, end = opening.start(), closing.end()
