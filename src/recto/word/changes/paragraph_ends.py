"""Paragraphs cut in two and joined, by the marks that end them."""

from collections.abc import Sequence
from copy import deepcopy

from recto.word.changes.revisions import INSERTED, RANGES, join_paragraphs
from recto.word.changes.runs import ChangeAuthor
from recto.word.changes.tracked_paragraphs import MARKED, run_format
from recto.word.changes.tracked_text import behind, inside_text
from recto.word.failures import EditRefused
from recto.word.ooxml.names import Element, attribute, child, kind, make
from recto.word.ooxml.segments import Segment
from recto.word.ooxml.story import Story

CUT = ("hyperlink", "ins", "moveTo", "smartTag")
PASSED = ("bookmarkStart", "bookmarkEnd", "proofErr", "commentRangeStart", "commentRangeEnd", "")


def split_paragraph(
    story: Story, paragraph: Element, segments: Sequence[Segment], at: int, author: ChangeAuthor
) -> Element:
    """Cut a paragraph; answers the new one behind it, which has the old one's end."""
    if kind(paragraph.getparent()) in ("footnote", "endnote"):  # pyright: ignore[reportArgumentType]
        raise EditRefused("A note has one paragraph here. Change its words.")
    place = place_before(segments, at)
    story.touch(paragraph)
    new = make(paragraph, "p")
    properties = child(paragraph, "pPr")
    if properties is not None:
        new.append(deepcopy(properties))
        for item in list(properties):
            if kind(item) in ("sectPr", "pPrChange"):
                properties.remove(item)
    else:
        properties = make(paragraph, "pPr")
        paragraph.insert(0, properties)
    for item in rest_behind(paragraph, place):
        new.append(item)
    marks = run_format(properties)
    for item in list(marks):
        if kind(item) in MARKED:
            marks.remove(item)
    marks.insert(0, author.mark(paragraph, "ins"))
    story.add_after(paragraph, new)
    return new


def place_before(segments: Sequence[Segment], at: int) -> Element | None:
    """What lies right before a place; None at the beginning. Raises EditRefused."""
    done = 0
    for segment in segments:
        if done < at < done + len(segment.text):
            return inside_text(segment, at - done)[0]
        done += len(segment.text)
        if segment.text and done == at:
            return behind(segment)[0]
    return None


def rest_behind(paragraph: Element, place: Element | None) -> list[Element]:
    """What follows a place, taken out of its paragraph; what it is inside of is cut in two."""
    if place is None:
        return [item for item in paragraph if kind(item) != "pPr"]
    while (parent := place.getparent()) is not None and parent is not paragraph:
        following = list(place.itersiblings())
        if kind(parent) not in CUT:
            raise EditRefused("The paragraph can't be cut here: a field or a control is around it.")
        if following:
            rest = parent.makeelement(parent.tag, dict(parent.attrib), parent.nsmap)
            for item in following:
                rest.append(item)
            rest.tail, parent.tail = parent.tail, None
            parent.addnext(rest)
        place = parent
    return list(place.itersiblings())


def join_with_next(
    story: Story, paragraph: Element, following: Element, author: ChangeAuthor
) -> None:
    """Take the end of a paragraph away, so that the following one goes on in it."""
    if child_of(paragraph, "sectPr") is not None:
        raise EditRefused(
            "This paragraph ends a section, with its page size and margins. It can't be joined "
            "with the next one."
        )
    between = next_paragraph(paragraph)
    while between is not None and between is not following and end_goes(between):
        between = next_paragraph(between)
    if between is not following:
        raise EditRefused("Only paragraphs that follow each other can be joined.")
    story.touch(paragraph)
    properties = child(paragraph, "pPr")
    if properties is None:
        properties = make(paragraph, "pPr")
        paragraph.insert(0, properties)
    marks = run_format(properties)
    mine = [item for item in marks if kind(item) in INSERTED and is_by(item, author.name)]
    if mine and next_paragraph(paragraph) is following:
        # Its end was never anybody else's: nothing is left of it.
        marks.remove(mine[0])
        join_paragraphs(story, paragraph, following)
    elif not any(kind(item) == "del" for item in marks):
        at = sum(1 for item in marks if kind(item) in INSERTED)
        marks.insert(at, author.mark(paragraph, "del"))


def next_paragraph(paragraph: Element) -> Element | None:
    """The paragraph that follows, with nothing but marks between."""
    for item in paragraph.itersiblings():
        if kind(item) == "p":
            return item
        if kind(item) not in (*RANGES, *PASSED):
            return None
    return None


def end_goes(paragraph: Element) -> bool:
    """Whether the end of a paragraph is deleted already."""
    marks = child_of(paragraph, "rPr")
    return marks is not None and child(marks, "del") is not None


def child_of(paragraph: Element, name: str) -> Element | None:
    """Something of a paragraph's properties."""
    properties = child(paragraph, "pPr")
    return child(properties, name) if properties is not None else None


def is_by(mark: Element, name: str) -> bool:
    """Whether somebody made a tracked change."""
    return attribute(mark, "author") == name
