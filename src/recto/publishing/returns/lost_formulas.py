"""Formulas that the program which saved a document did not keep, put back where they were.

LibreOffice without its part for formulas drops all of them when it saves. Nobody took them away,
and nobody could have changed them there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import msgspec

from recto.publishing.returns.alignment import paired
from recto.word import OBJECT, ContentComment, ContentLook, ContentParagraph, DocumentContents

DROPPED_BY = "LibreOffice"
FORMULA = "formula:"


def with_lost_formulas(
    sent: Sequence[ContentParagraph], contents: DocumentContents
) -> DocumentContents:
    """What came back, with the formulas of what was sent if the program dropped them all."""
    back = contents.paragraphs
    is_lost = contents.program.startswith(DROPPED_BY) and has_formulas(sent)
    if not is_lost or has_formulas(back):
        return contents
    restored = RestoredParagraphs(list(back))
    # Both without their empty ones: a formula alone leaves an empty paragraph behind.
    ours = [at for at, item in enumerate(sent) if words_of(item)]
    theirs = [at for at, item in enumerate(back) if words_of(item) or item.where == "cell"]
    cells = [at for at, item in enumerate(sent) if not words_of(item) and item.where == "cell"]
    ours = sorted({*ours, *cells})
    pairs = paired([bare(sent[at]) for at in ours], [back[at] for at in theirs])
    partner = {ours[one]: theirs[other] for one, other in pairs}
    above = -1
    for at, item in enumerate(sent):
        if at in partner:
            above = partner[at]
            restored.fill(above, item)
        elif FORMULA in "".join(item.objects) and not words_of(item):
            above = restored.place(above, item)
    return restored.contents(contents)


def has_formulas(paragraphs: Sequence[ContentParagraph]) -> bool:
    """Whether there is a formula in any of them."""
    return any(name.startswith(FORMULA) for item in paragraphs for name in item.objects)


def words_of(item: ContentParagraph) -> str:
    """What a paragraph says without its formulas."""
    return bare(item).text.strip()


def bare(item: ContentParagraph) -> ContentParagraph:
    """A paragraph without its formulas."""
    places = set(formulas_of(item))
    text = "".join(letter for at, letter in enumerate(item.text) if at not in places)
    kept = tuple(name for name in item.objects if not name.startswith(FORMULA))
    return msgspec.structs.replace(item, text=text, objects=kept)


def formulas_of(item: ContentParagraph) -> dict[int, str]:
    """Where the formulas of a paragraph are, and their names."""
    names = iter(item.objects)
    found = {at: next(names) for at, letter in enumerate(item.text) if letter == OBJECT}
    return {at: name for at, name in found.items() if name.startswith(FORMULA)}


@dataclass(slots=True)
class RestoredParagraphs:
    """The paragraphs that came back, and what was put into them."""

    paragraphs: list[ContentParagraph]
    _inside: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """By paragraph, the places at which a formula was put, in the letters that came back."""
    _added: list[tuple[int, ContentParagraph]] = field(
        default_factory=list[tuple[int, ContentParagraph]]
    )
    """Paragraphs that are put below one."""
    _taken: set[int] = field(default_factory=set[int])

    def fill(self, at: int, sent: ContentParagraph) -> None:
        """Put the formulas of a paragraph back into what it became."""
        found = formulas_of(sent)
        if not found:
            return
        item = self.paragraphs[at]
        places = places_in(bare(sent).text, item.text, [p - n for n, p in enumerate(found)])
        self._inside[at] = places
        for place, (was, name) in reversed(list(zip(places, found.items(), strict=True))):
            item = with_object(item, place, name, look_at(sent, was))
        self.paragraphs[at] = item

    def place(self, above: int, sent: ContentParagraph) -> int:
        """Put a formula alone where it left an empty paragraph, else below the one above it."""
        following = above + 1
        while following < len(self.paragraphs) and not self.paragraphs[following].text.strip():
            if following not in self._taken and self.paragraphs[following].where == sent.where:
                self._taken.add(following)
                self.paragraphs[following] = sent
                return following
            following += 1
        self._added.append((above, sent))
        return above

    def contents(self, contents: DocumentContents) -> DocumentContents:
        """All of it, with comments at the same words."""
        made: list[ContentParagraph] = []
        now: list[int] = []
        made += [item for above, item in self._added if above < 0]
        for at, paragraph in enumerate(self.paragraphs):
            now.append(len(made))
            made.append(paragraph)
            made += [item for above, item in self._added if above == at]
        comments = tuple(self._moved(item, now) for item in contents.comments)
        return msgspec.structs.replace(contents, paragraphs=tuple(made), comments=comments)

    def _moved(self, comment: ContentComment, now: Sequence[int]) -> ContentComment:
        if comment.paragraph < 0 or comment.last < 0:
            return comment
        first, last = self._inside.get(comment.paragraph, []), self._inside.get(comment.last, [])
        return msgspec.structs.replace(
            comment,
            paragraph=now[comment.paragraph],
            start=comment.start + bisect_right(first, comment.start),
            last=now[comment.last],
            end=comment.end + bisect_left(last, comment.end),
        )


def places_in(was: str, now: str, places: Sequence[int]) -> list[int]:
    """Where places of a text are in what it became."""
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    found: list[int] = []
    for place in places:
        at = 0
        for tag, first, last, new_first, new_last in matcher.get_opcodes():
            if first <= place and tag == "equal" and place <= last:
                at = new_first + place - first
                break
            if first < place:
                at = new_last
        found.append(at)
    return found


def look_at(item: ContentParagraph, place: int) -> ContentLook:
    """How a letter looks."""
    for look in item.looks:
        if place < look.length:
            return look
        place -= look.length
    return ContentLook(1)


def with_object(
    item: ContentParagraph, place: int, name: str, look: ContentLook
) -> ContentParagraph:
    """A paragraph with one thing more."""
    before = item.text[:place].count(OBJECT)
    looks: list[ContentLook] = []
    left = place
    for one in item.looks:
        if 0 <= left < one.length or (left == one.length and one is item.looks[-1]):
            looks += [
                msgspec.structs.replace(one, length=left),
                msgspec.structs.replace(look, length=1),
                msgspec.structs.replace(one, length=one.length - left),
            ]
            left = -1
        else:
            looks.append(one)
            left -= one.length if left >= 0 else 0
    return msgspec.structs.replace(
        item,
        text=item.text[:place] + OBJECT + item.text[place:],
        objects=(*item.objects[:before], name, *item.objects[before:]),
        looks=joined(looks) or (msgspec.structs.replace(look, length=1),),
    )


def joined(looks: Sequence[ContentLook]) -> tuple[ContentLook, ...]:
    """Neighbours of one look together, as a document is read."""
    found: list[ContentLook] = []
    for look in looks:
        if not look.length:
            continue
        last = found[-1] if found else None
        if last is not None and (last.marks, last.link) == (look.marks, look.link):
            found[-1] = msgspec.structs.replace(last, length=last.length + look.length)
        else:
            found.append(look)
    return tuple(found)
