"""Formats of letters and paragraphs changed, tracked or at once."""

from collections.abc import Sequence
from copy import deepcopy

from recto.word.changes.hunks import WordHunk
from recto.word.changes.runs import ChangeAuthor, cut_out
from recto.word.changes.tracked_text import within
from recto.word.failures import EditRefused
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.names import Element, child, kind, make, value
from recto.word.ooxml.segments import Segment
from recto.word.page.edits import FormatSpan, StyleParagraph
from recto.word.page.list_making import list_number
from recto.word.page.styles import switch, underlined
from recto.word.view import ShownParagraph

RUN_ORDER = (
    "rStyle", "rFonts", "b", "bCs", "i", "iCs", "caps", "smallCaps", "strike", "dstrike",
    "outline", "shadow", "emboss", "imprint", "noProof", "snapToGrid", "vanish", "webHidden",
    "color", "spacing", "w", "kern", "position", "sz", "szCs", "highlight", "u", "effect", "bdr",
    "shd", "fitText", "vertAlign", "rtl", "cs", "em", "lang", "eastAsianLayout", "specVanish",
    "oMath", "rPrChange",
)  # fmt: skip
BEFORE_LIST = ("pStyle", "keepNext", "keepLines", "pageBreakBefore", "framePr", "widowControl")
OWN = ("rPr", "sectPr", "pPrChange")
SCRIPTS = {"super": "superscript", "sub": "subscript"}


def format_runs(
    item: ShownParagraph,
    segments: Sequence[Segment],
    place: tuple[int, int],
    wanted: FormatSpan,
    author: ChangeAuthor | None,
) -> None:
    """Make letters look so; without an author the change is not tracked."""
    start, end = place
    for segment, first, last in reversed(within(segments, WordHunk(start, end, ""))):
        if first == last or not segment.is_text or segment.node is None:
            continue
        run = segment.node.getparent()
        if run is None or looks_so(child(run, "rPr"), wanted):
            continue
        item.story.touch(item.element)
        for found in cut_out(segment, first, last):
            change_run(found, wanted, author)


def looks_so(properties: Element | None, wanted: FormatSpan) -> bool:
    """Whether a run has this format already."""
    script = value(properties, "vertAlign") if properties is not None else ""
    return (
        switch(properties, "b") == wanted.bold
        and switch(properties, "i") == wanted.italic
        and switch(properties, "strike") == wanted.strike
        and underlined(properties) == wanted.underline
        and (script if script in SCRIPTS.values() else "") == SCRIPTS.get(wanted.script, "")
    )


def change_run(run: Element, wanted: FormatSpan, author: ChangeAuthor | None) -> None:
    """Give a run the format."""
    properties = child(run, "rPr")
    if properties is None:
        properties = make(run, "rPr")
        run.insert(0, properties)
    was = make(run, "rPr")
    for item in properties:
        if kind(item) != "rPrChange":
            was.append(deepcopy(item))
    for name, on in (("b", wanted.bold), ("i", wanted.italic), ("strike", wanted.strike)):
        if switch(properties, name) != on:
            put(properties, name, None if on is None else {} if on else {"val": "0"})
    if underlined(properties) != wanted.underline:
        line = None if wanted.underline is None else "single" if wanted.underline else "none"
        put(properties, "u", None if line is None else {"val": line})
    script = SCRIPTS.get(wanted.script)
    if value(properties, "vertAlign") != (script or ""):
        put(properties, "vertAlign", None if script is None else {"val": script})
    if author is not None and child(properties, "rPrChange") is None:
        change = author.mark(run, "rPrChange")
        change.append(was)
        properties.append(change)
    if not len(properties):
        run.remove(properties)


def put(properties: Element, name: str, attributes: dict[str, str] | None) -> None:
    """Put an element of a run's format at its place, or take it out."""
    old = child(properties, name)
    if old is not None:
        properties.remove(old)
    if attributes is None:
        return
    new = make(properties, name, **attributes)
    order = RUN_ORDER.index(name)
    behind = next(
        (item for item in properties
         if kind(item) in RUN_ORDER and RUN_ORDER.index(kind(item)) > order), None,
    )  # fmt: skip
    if behind is None:
        properties.append(new)
    else:
        behind.addprevious(new)


def style_paragraph(
    document: WordDocument,
    item: ShownParagraph,
    wanted: StyleParagraph,
    author: ChangeAuthor | None,
) -> None:
    """Give a paragraph a style, and put it into a list or out of it."""
    styles = document.styles
    if wanted.style and wanted.style not in styles.names:
        raise EditRefused("The document has no such style any more. Choose another one.")
    item.story.touch(item.element)
    properties = child(item.element, "pPr")
    if properties is None:
        properties = make(item.element, "pPr")
        item.element.insert(0, properties)
    was = make(item.element, "pPr")
    for part in properties:
        if kind(part) not in OWN:
            was.append(deepcopy(part))
    old = child(properties, "pStyle")
    if old is not None:
        properties.remove(old)
    if wanted.style and wanted.style != styles.default:
        properties.insert(0, make(properties, "pStyle", val=wanted.style))
    if wanted.list != "keep":
        put_list(document, item.element, properties, wanted)
    if author is not None and child(properties, "pPrChange") is None:
        change = author.mark(properties, "pPrChange")
        change.append(was)
        properties.append(change)
    if not len(properties):
        item.element.remove(properties)


def put_list(
    document: WordDocument, paragraph: Element, properties: Element, wanted: StyleParagraph
) -> None:
    """Put a paragraph into a list, or out of any."""
    old = child(properties, "numPr")
    if old is not None:
        properties.remove(old)
    number = "0"
    if wanted.list in ("bullet", "number"):
        number = list_number(document, paragraph, wanted.list)
    elif not document.styles.number_of(None, wanted.style)[0]:
        return
    new = make(properties, "numPr")
    new.append(make(properties, "ilvl", val=str(max(0, min(wanted.level, 8)))))
    new.append(make(properties, "numId", val=number))
    before = [item for item in properties if kind(item) in BEFORE_LIST]
    if before:
        before[-1].addnext(new)
    else:
        properties.insert(0, new)
