"""Whole paragraphs added or removed as tracked changes, by the marks that end paragraphs."""

from copy import deepcopy

from recto.word.changes.runs import ChangeAuthor, text_run
from recto.word.changes.tracked_text import change_paragraph, check_letters
from recto.word.failures import EditRefused
from recto.word.ooxml.names import Element, child, kind, make
from recto.word.ooxml.segments import Segment
from recto.word.ooxml.shapes import shape
from recto.word.ooxml.story import Story
from recto.word.ooxml.styles import Styles

LIST_MARKS = ("- ", "* ", "1. ")
MARKED = ("ins", "del", "moveFrom", "moveTo")
# What may stand before rPr in pPr is everything else but these, which must follow it.
BEHIND_RUN_FORMAT = ("sectPr", "pPrChange")
MAX_LEVEL = 6


def add_paragraph(
    story: Story, before: Element, text: str, styles: Styles, author: ChangeAuthor
) -> Element:
    """Put a new paragraph behind one; answers it. A mark such as "# " chooses its style."""
    check_letters(text)
    properties, text = properties_for(before, text, styles)
    new = make(before, "p")
    new.append(properties)
    if text:
        mark = author.mark(new, "ins")
        mark.append(text_run(new, text, None))
        new.append(mark)
    following = before.getnext()
    ends = following is None or kind(following) != "p"
    if ends and child_of_format(before, "sectPr") is None:
        end_moved(story, before, properties, author)
    else:
        run_format(properties).insert(0, author.mark(new, "ins"))
    if not len(properties):
        new.remove(properties)
    story.add_after(before, new)
    return new


def end_moved(story: Story, before: Element, properties: Element, author: ChangeAuthor) -> None:
    """The last paragraph of its holder keeps its end: the new one gets it, and the old a new one.

    So rejecting joins the two under the end that was there; what it was, the new one remembers.
    """
    kept = child(before, "pPr")
    was = make(before, "pPr")
    for item in kept if kept is not None else ():
        if kind(item) not in ("rPr", "sectPr", "pPrChange"):
            was.append(deepcopy(item))
    marks = child(kept, "rPr") if kept is not None else None
    is_other = not same_properties(was, properties)
    if marks is not None:
        properties.append(deepcopy(marks))
    if is_other:
        change = author.mark(before, "pPrChange")
        change.append(was)
        properties.append(change)
    story.touch(before)
    if kept is None:
        kept = make(before, "pPr")
        before.insert(0, kept)
    run_format(kept).insert(0, author.mark(before, "ins"))


def same_properties(was: Element, now: Element) -> bool:
    """Whether a new paragraph's format is that of the one before it."""
    return [shape(item) for item in was] == [shape(item) for item in now]


def child_of_format(paragraph: Element, name: str) -> Element | None:
    """Something in a paragraph's properties."""
    properties = child(paragraph, "pPr")
    return child(properties, name) if properties is not None else None


def properties_for(before: Element, text: str, styles: Styles) -> tuple[Element, str]:
    """The properties of a new paragraph, and its text without the mark that chose them."""
    level = len(text) - len(text.lstrip("#"))
    if 0 < level <= MAX_LEVEL and text[level : level + 1] == " ":
        style = styles.named(f"heading {level}")
        if style is None:
            raise EditRefused(f"The document has no style for headings of level {level}.")
        made = make(before, "pPr")
        made.append(make(before, "pStyle", val=style))
        return made, text[level + 1 :]
    prefix = styles.prefix(before).strip()
    is_heading = prefix.startswith("#")
    mark = next((mark for mark in LIST_MARKS if text.lstrip(" ").startswith(mark)), "")
    if mark and (is_heading or not prefix):
        return list_properties(before, mark, styles), text.lstrip(" ")[len(mark) :]
    if mark:
        return copied_properties(before), text.lstrip(" ")[len(mark) :]
    # Behind a heading or a list, plain text is plain.
    return make(before, "pPr") if prefix else copied_properties(before), text


def list_properties(before: Element, mark: str, styles: Styles) -> Element:
    """A list where there was none before: by the document's own style for one."""
    style = styles.named("list number" if mark == "1. " else "list bullet")
    if style is None:
        raise EditRefused(
            "The document has no style for such a list. Put the item behind one of a list."
        )
    made = make(before, "pPr")
    made.append(make(before, "pStyle", val=style))
    return made


def copied_properties(before: Element) -> Element:
    """The format of a paragraph, without what is its own."""
    properties = child(before, "pPr")
    if properties is None:
        return make(before, "pPr")
    made = deepcopy(properties)
    made.tail = None
    for item in list(made):
        if kind(item) in ("rPr", "sectPr", "pPrChange"):
            made.remove(item)
    return made


def run_format(properties: Element) -> Element:
    """The format of a paragraph's mark, made at its place if there is none."""
    found = child(properties, "rPr")
    if found is None:
        found = make(properties, "rPr")
        behind = next((item for item in properties if kind(item) in BEHIND_RUN_FORMAT), None)
        if behind is None:
            properties.append(found)
        else:
            behind.addprevious(found)
    return found


def remove_paragraph(
    story: Story, paragraph: Element, segments: list[Segment], author: ChangeAuthor
) -> None:
    """Mark a paragraph deleted with all that is in it. Raises EditRefused."""
    if child_of_format(paragraph, "sectPr") is not None:
        raise EditRefused(
            "This paragraph ends a section, with its page size and margins, so it can't be "
            "deleted. Delete its words."
        )
    change_paragraph(story, paragraph, segments, "", author)
    story.touch(paragraph)
    properties = child(paragraph, "pPr")
    if properties is None:
        properties = make(paragraph, "pPr")
        paragraph.insert(0, properties)
    marks = run_format(properties)
    if not any(kind(item) == "del" for item in marks):
        at = sum(1 for item in marks if kind(item) == "ins")
        marks.insert(at, author.mark(paragraph, "del"))
