"""Lists for paragraphs that were in none: the one before, one of the document's kind, or new."""

import re
from typing import Literal

from recto.word.changes.commenting import PartKind, add_part
from recto.word.ooxml.document import WordDocument, with_row
from recto.word.ooxml.names import WORD, Element, attribute, child, children, kind, parse, value
from recto.word.ooxml.styles import whole

NUMBERING_PART = PartKind(
    "numbering",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml",
    "numbering.xml",
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    f'<w:numbering xmlns:w="{WORD}"></w:numbering>',
)
FIRST_LIST = re.compile(rb"<(?:[\w.-]+:)?num[\s>]")
BULLETS = "\N{BULLET}\N{WHITE BULLET}\N{BLACK SMALL SQUARE}"
LEVELS = 9
ListKind = Literal["bullet", "number"]


def list_number(document: WordDocument, paragraph: Element, wanted: ListKind) -> str:
    """The number of the list that a paragraph shall be in."""
    before = paragraph.getprevious()
    if before is not None and kind(before) == "p":
        properties = child(before, "pPr")
        style = value(properties, "pStyle") if properties is not None else ""
        name, depth = document.styles.number_of(properties, style)
        if name and is_kind(document.styles.formats.get((name, depth), ""), wanted):
            return name
    part = document.part_of("numbering") or add_part(document, NUMBERING_PART)
    root = parse(document.part(part), part)
    numbers = [whole(attribute(item, "numId")) for item in children(root, "num")]
    number = str(max([0, *numbers]) + 1)
    shared = kind_of_list(root, wanted) or new_kind(document, part, root, wanted)
    start = (
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
        if wanted == "number"
        else ""
    )
    row = (
        f'<w:num xmlns:w="{WORD}" w:numId="{number}"><w:abstractNumId w:val="{shared}"/>'
        f"{start}</w:num>"
    )
    document.put(part, with_row(document.part(part), row, part))
    document.styles.add_numbering(parse(document.part(part), part))
    return number


def is_kind(form: str, wanted: ListKind) -> bool:
    """Whether a list's format is of a kind."""
    return bool(form) and form != "none" and (form == "bullet") is (wanted == "bullet")


def kind_of_list(root: Element, wanted: ListKind) -> str | None:
    """A definition of such a list that the document has."""
    for item in children(root, "abstractNum"):
        levels = {
            attribute(level, "ilvl"): value(level, "numFmt") for level in children(item, "lvl")
        }
        if child(item, "numStyleLink") is None and is_kind(levels.get("0", ""), wanted):
            return attribute(item, "abstractNumId")
    return None


def new_kind(document: WordDocument, part: str, root: Element, wanted: ListKind) -> str:
    """Define a list; answers the definition's number."""
    known = [whole(attribute(item, "abstractNumId")) for item in children(root, "abstractNum")]
    name = str(max([-1, *known]) + 1)
    levels = "".join(level_row(depth, wanted) for depth in range(LEVELS))
    row = (
        f'<w:abstractNum xmlns:w="{WORD}" w:abstractNumId="{name}">'
        f'<w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>'
    )
    data = document.part(part)
    first = FIRST_LIST.search(data)
    if first is None:
        document.put(part, with_row(data, row, part))
    else:
        document.put(part, data[: first.start()] + row.encode() + data[first.start() :])
    return name


def level_row(depth: int, wanted: ListKind) -> str:
    """One level of a new list."""
    is_bullet = wanted == "bullet"
    form = "bullet" if is_bullet else ("decimal", "lowerLetter", "lowerRoman")[depth % 3]
    text = BULLETS[depth % 3] if is_bullet else f"%{depth + 1}."
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
        f'<w:pPr><w:ind w:left="{720 * (depth + 1)}" w:hanging="360"/></w:pPr></w:lvl>'
    )
