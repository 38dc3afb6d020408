"""Rows of tables added and removed."""

from copy import deepcopy

from recto.word.changes.paragraph_ends import is_by
from recto.word.changes.runs import ChangeAuthor
from recto.word.failures import EditRefused
from recto.word.ooxml.names import Element, child, kind, make
from recto.word.ooxml.story import Story

LEFT_OUT = ("tblHeader", "ins", "del", "trPrChange", "cnfStyle")
BEFORE_CELLS = ("tblPrEx", "trPr")


def add_row(story: Story, paragraph: Element, author: ChangeAuthor) -> Element:
    """A row like the one that a paragraph is in, below it, with empty cells; answers it."""
    row = row_of(paragraph)
    new = make(row, "tr")
    properties = child(row, "trPr")
    kept = deepcopy(properties) if properties is not None else make(row, "trPr")
    for item in list(kept):
        if kind(item) in LEFT_OUT:
            kept.remove(item)
    kept.append(author.mark(row, "ins"))
    new.append(kept)
    for item in row:
        if kind(item) == "tc":
            new.append(empty_cell(item))
        elif kind(item) not in ("", *BEFORE_CELLS):
            raise EditRefused("The row has content controls. Add rows to it in Word.")
    story.add_after(row, new)
    return new


def empty_cell(cell: Element) -> Element:
    """A cell like another, with one empty paragraph of its first one's format."""
    made = make(cell, "tc")
    properties = child(cell, "tcPr")
    if properties is not None:
        kept = deepcopy(properties)
        for item in list(kept):
            if kind(item) in ("vMerge", "cellIns", "cellDel", "cellMerge", "tcPrChange"):
                kept.remove(item)
        made.append(kept)
    paragraph = make(cell, "p")
    first = child(cell, "p")
    like = child(first, "pPr") if first is not None else None
    if like is not None:
        form = deepcopy(like)
        for item in list(form):
            if kind(item) in ("rPr", "sectPr", "pPrChange"):
                form.remove(item)
        paragraph.append(form)
    made.append(paragraph)
    return made


def remove_row(story: Story, paragraph: Element, author: ChangeAuthor) -> None:
    """Mark a row deleted; one that the same person added just goes."""
    row = row_of(paragraph)
    properties = child(row, "trPr")
    if properties is None:
        properties = make(row, "trPr")
        at = 1 if len(row) and kind(row[0]) == "tblPrEx" else 0
        row.insert(at, properties)
    if any(kind(item) == "ins" and is_by(item, author.name) for item in properties):
        story.remove(row)
        return
    story.touch(row)
    properties.append(author.mark(row, "del"))


def row_of(paragraph: Element) -> Element:
    """The row that a paragraph is in. Raises EditRefused."""
    found = next((item for item in paragraph.iterancestors() if kind(item) == "tr"), None)
    if found is None:
        raise EditRefused("This paragraph is in no table.")
    return found
