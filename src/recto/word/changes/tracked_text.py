"""A paragraph's words changed as tracked changes.

What goes is marked deleted, what comes is marked inserted, in the format of what it replaces.
"""

import re
from collections.abc import Sequence
from copy import deepcopy

from recto.word.changes.hunks import WordHunk, hunks
from recto.word.changes.runs import (
    ChangeAuthor,
    cut_out,
    parent_of,
    split_before,
    split_run,
    text_run,
    wrap_deleted,
)
from recto.word.failures import EditRefused
from recto.word.ooxml.names import Element, child, kind
from recto.word.ooxml.segments import Segment
from recto.word.ooxml.story import Story

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
SHOWN = 60


def change_paragraph(
    story: Story, paragraph: Element, segments: Sequence[Segment], new: str, author: ChangeAuthor
) -> None:
    """Make a paragraph read so. Raises EditRefused before anything is changed."""
    check_letters(new)
    found = hunks(segments, new)
    for hunk in found:
        check_hunk(segments, hunk)
    if found:
        story.touch(paragraph)
    for hunk in found:
        apply(paragraph, segments, hunk, author)


def check_letters(text: str) -> None:
    """Refuse letters that no XML can hold."""
    found = ILLEGAL.search(text)
    if found is not None:
        raise EditRefused(f"The new text has a letter that Word can't hold: {found[0]!r}.")


def check_hunk(segments: Sequence[Segment], hunk: WordHunk) -> None:
    """Refuse to change what must stay."""
    covered = [segment for segment, start, end in within(segments, hunk) if start < end]
    for segment in covered:
        shown = segment.text[:SHOWN]
        if segment.locked:
            raise EditRefused(f'"{shown}" can\'t be changed: {segment.locked}.')
        if segment.is_mark and not has_both(segments, covered, segment):
            raise EditRefused(
                f'"{shown}" marks a link. Change its words, or delete it with its words.'
            )


def has_both(segments: Sequence[Segment], covered: Sequence[Segment], mark: Segment) -> bool:
    """Whether both marks of a link, and so all between them, go."""
    other = mark.opens or next((item for item in segments if item.opens is mark), None)
    return any(item is other for item in covered)


def within(segments: Sequence[Segment], hunk: WordHunk) -> list[tuple[Segment, int, int]]:
    """The segments that a hunk touches, with the places in each."""
    found: list[tuple[Segment, int, int]] = []
    at = 0
    for segment in segments:
        start, end = max(hunk.start - at, 0), min(hunk.end - at, len(segment.text))
        if start <= end and at <= hunk.end and at + len(segment.text) >= hunk.start:
            found.append((segment, start, end))
        at += len(segment.text)
    return found


def apply(
    paragraph: Element, segments: Sequence[Segment], hunk: WordHunk, author: ChangeAuthor
) -> None:
    """Make one change. Those behind it in the paragraph are made already."""
    if hunk.start == hunk.end:
        place, like = insertion_place(paragraph, segments, hunk.start)
    else:
        place, like = delete(segments, hunk, author)
    if not hunk.new:
        return
    mark = author.mark(paragraph, "ins")
    mark.append(text_run(paragraph, hunk.new, like))
    if place is None:
        paragraph.append(mark)
    else:
        put_behind(place, mark)


def delete(
    segments: Sequence[Segment], hunk: WordHunk, author: ChangeAuthor
) -> tuple[Element | None, Element | None]:
    """Mark letters as deleted; answers what new ones stand behind, and their format."""
    like: Element | None = None
    place: Element | None = None
    emptied: list[Element] = []
    for segment, start, end in reversed(within(segments, hunk)):
        if segment.is_mark and segment.around is not None and start < end:
            emptied.append(segment.around)
        if start == end or segment.is_mark:
            continue
        runs = cut_out(segment, start, end)
        if segment.node is not None:
            like = child(runs[0], "rPr")
        wrap_deleted(runs, author)
        # The first one counts: new words stand behind what they replace, in its format.
        place = runs[0].getparent()
    # What replaces a whole link is not a part of it.
    for link in emptied:
        if place is not None and any(item is link for item in place.iterancestors()):
            place = link
    return place, like


def insertion_place(
    paragraph: Element, segments: Sequence[Segment], at: int
) -> tuple[Element | None, Element | None]:
    """What new letters stand behind at a place where nothing goes, and their format."""
    touched = [item for item in within(segments, WordHunk(at, at, "")) if item[0].text]
    inside = next((item for item in touched if 0 < item[1] < len(item[0].text)), None)
    if inside is not None:
        return inside_text(inside[0], inside[1])
    left = next((item[0] for item in touched if item[1] == len(item[0].text)), None)
    right = next((item[0] for item in touched if item[1] == 0 and item[0] is not left), None)
    for segment in (left, right):
        if segment is not None and segment.is_text:
            return behind(segment) if segment is left else before(segment)
    if left is not None and left.is_mark and left.opens is not None and left.around is not None:
        return left.around, None
    for segment in (left, right):
        if segment is not None and not segment.is_mark and not segment.locked:
            return behind(segment) if segment is left else before(segment)
    if left is None and right is None:
        return None, mark_format(paragraph)
    if right is not None and right.is_mark and right.opens is None and right.around is not None:
        return before_element(right.around), None
    raise EditRefused("Nothing can be inserted at this place: what is there is kept as it is.")


def mark_format(paragraph: Element) -> Element | None:
    """The format of a paragraph's mark, which text in an empty one gets."""
    properties = child(paragraph, "pPr")
    return child(properties, "rPr") if properties is not None else None


def inside_text(segment: Segment, at: int) -> tuple[Element, Element | None]:
    """Cut a text in two."""
    if not segment.is_text or segment.node is None:
        raise EditRefused(f'"{segment.text[:SHOWN]}" can\'t be changed inside.')
    run = parent_of(segment.node)
    split_run(run, segment.node, at, segment.text)
    segment.text = segment.text[:at]
    return run, child(run, "rPr")


def behind(segment: Segment) -> tuple[Element, Element | None]:
    """Behind a segment."""
    node = segment.node if segment.node is not None else segment.elements[-1]
    run = isolated_end(node)
    return run, child(run, "rPr") if kind(run) == "r" else None


def isolated_end(node: Element) -> Element:
    """The run that ends with a node; what follows in it gets one of its own."""
    run = parent_of(node)
    if kind(run) != "r":
        return node
    following = node.getnext()
    if following is not None:
        split_before(run, following)
    return run


def before(segment: Segment) -> tuple[Element, Element | None]:
    """Before a segment: behind an empty run that is put there, which saves a second way."""
    node = segment.node if segment.node is not None else segment.elements[0]
    run = parent_of(node)
    run = split_before(run, node) if kind(run) == "r" else node
    like = child(run, "rPr") if kind(run) == "r" else None
    return before_element(run), deepcopy(like) if like is not None else None


def before_element(element: Element) -> Element:
    """A place before an element."""
    place = element.makeelement("place", None, None)
    element.addprevious(place)
    return place


def put_behind(place: Element, mark: Element) -> None:
    """Put an insertion behind something; one that it would lie in is cut in two."""
    parent = place.getparent()
    while parent is not None and kind(parent) in ("ins", "moveTo", "del", "moveFrom"):
        following = list(place.itersiblings())
        if following:
            rest = parent.makeelement(parent.tag, dict(parent.attrib), parent.nsmap)
            for item in following:
                rest.append(item)
            rest.tail, parent.tail = parent.tail, None
            parent.addnext(rest)
        if place.tag == "place":
            parent.remove(place)
            parent.addnext(place)
            if not len(parent):
                outer = parent.getparent()
                if outer is not None:
                    outer.remove(parent)
        else:
            place = parent
        parent = place.getparent()
    mark.tail, place.tail = place.tail, None
    place.addnext(mark)
    if place.tag == "place" and parent is not None:
        parent.remove(place)
