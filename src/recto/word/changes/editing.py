"""Lines of a document as they shall be, made true by tracked changes to its paragraphs.

A line keeps its paragraph by its number (¶12), or by being most like it; a line without one is a
new paragraph, and a paragraph without a line goes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from recto.word.changes.runs import ChangeAuthor
from recto.word.changes.tracked_paragraphs import add_paragraph, remove_paragraph
from recto.word.changes.tracked_text import change_paragraph
from recto.word.failures import EditRefused
from recto.word.ooxml.names import Element, kind
from recto.word.view import PILCROW, DocumentView, Line, ShownParagraph

NUMBER = re.compile(rf"{PILCROW}(\d+)(?: |$)")
CELLS = re.compile(rf"(?:\|\s?|<br>){PILCROW}(\d+)(?: |(?=\s*\||<br>|$))")
LIKE_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class LineChange:
    """The lines from one to another, both included and counted from 0, and what they become."""

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WantedLine:
    """A line as it shall be: of a known paragraph, or of a new one."""

    number: int | None
    text: str


def change_lines(view: DocumentView, changes: Sequence[LineChange], author: ChangeAuthor) -> None:
    """Make the changes. Raises EditRefused."""
    view.document.check_editable("edit")
    for change in sorted(changes, key=lambda item: item.first, reverse=True):
        if not 0 <= change.first <= change.last < len(view.lines):
            raise EditRefused("The document has other lines by now. Read it again.")
        old = view.lines[change.first : change.last + 1]
        rows = [line for line in old if is_row(line)]
        if rows:
            change_rows(old, change.lines, author)
        else:
            change_block(view, old, change.lines, author)


def is_row(line: Line) -> bool:
    """Whether a line is a row of a table."""
    return isinstance(line.pieces[0], str) and line.pieces[0] == "|"


def change_rows(old: Sequence[Line], new: Sequence[str], author: ChangeAuthor) -> None:
    """Change cells. Rows stay."""
    lines = [line for line in new if line.strip()]
    if len(lines) != len([line for line in old if line.text.strip()]):
        raise EditRefused(
            "Only the words in a table's cells can be changed: keep its rows, and the lines around "
            "it, one by one."
        )
    for line, wanted in zip([line for line in old if line.text.strip()], lines, strict=True):
        if line.text == wanted.rstrip(" "):
            continue
        if is_row(line):
            change_row(line, wanted, author)
        elif len(line.paragraphs) == 1:
            change_one(line.paragraphs[0], wanted_line(line, wanted).text, author)
        else:
            raise EditRefused(f'"{line.text.strip()[:60]}" is not text of the document.')


def change_row(line: Line, wanted: str, author: ChangeAuthor) -> None:
    """Change the cells of a row, told apart by their numbers."""
    if not line.paragraphs:
        raise EditRefused("The line below a table's first row is not text of the document.")
    found = list(CELLS.finditer(wanted))
    numbers = [int(match[1]) for match in found]
    if numbers != [item.number for item in line.paragraphs]:
        raise EditRefused(
            f"A row's cells keep their numbers ({PILCROW}) and their order: {line.text[:200]}"
        )
    ends = [match.start() for match in found[1:]] + [len(wanted)]
    for item, match, end in zip(line.paragraphs, found, ends, strict=True):
        text = wanted[match.end() : end].rstrip(" ")
        text = text.removesuffix("|").rstrip(" ") if end == len(wanted) else text
        change_one(item, text, author)


def change_one(paragraph: ShownParagraph, text: str, author: ChangeAuthor) -> None:
    """Change the words of a paragraph; white space that a line's end hides stays."""
    old = paragraph.text
    hidden = old[len(old.rstrip(" ")) :]
    if text == old.rstrip(" "):
        return
    wanted = text + hidden if old.rstrip(" ") and not text.endswith(" ") else text
    change_paragraph(paragraph.story, paragraph.element, paragraph.segments, wanted, author)


def change_block(
    view: DocumentView, old: Sequence[Line], new: Sequence[str], author: ChangeAuthor
) -> None:
    """Change, add and remove paragraphs."""
    # Lines of ours, such as comments, may be left out, and come back by themselves.
    ours = {line.text for line in old if not line.paragraphs}
    paragraphs = [line.paragraphs[0] for line in old if line.paragraphs]
    if not paragraphs:
        raise EditRefused("This is not text of the document, but what is told about it.")
    lines = [line for line in new if line.rstrip(" ") and line.rstrip(" ") not in ours]
    wanted = paired(paragraphs, [wanted_of(line, paragraphs) for line in lines])
    last = before_first(view, paragraphs[0])
    at = 0
    for item, text in wanted:
        if item is None:
            last = add_behind(view, last, paragraphs[at:], text, author)
            continue
        remove_all(paragraphs[at : paragraphs.index(item)], author)
        at = paragraphs.index(item) + 1
        if text != item.text.rstrip(" ") and not text.strip(" "):
            remove_or_empty(item, author)
        else:
            change_one(item, text, author)
        last = item.element, item
    remove_all(paragraphs[at:], author)


def before_first(
    view: DocumentView, first: ShownParagraph
) -> tuple[Element, ShownParagraph] | None:
    """The paragraph before a passage, if it lies right before it."""
    at = view.paragraphs.index(first)
    before = view.paragraphs[at - 1] if at else None
    if before is None or first.element.getprevious() is not before.element:
        return None
    return before.element, before


def add_behind(
    view: DocumentView,
    last: tuple[Element, ShownParagraph] | None,
    following: Sequence[ShownParagraph],
    text: str,
    author: ChangeAuthor,
) -> tuple[Element, ShownParagraph]:
    """Add a paragraph behind the last one."""
    if last is None:
        shown = f" {PILCROW}{following[0].number}" if following else ""
        raise EditRefused(
            f"A paragraph can't be put before{shown}, where the document, a table or a cell "
            "begins. Put it behind a paragraph."
        )
    element, like = last
    if like.prefix.startswith("[^"):
        raise EditRefused("A note has one paragraph here. Change its words.")
    made = add_paragraph(like.story, element, text, view.document.styles, author)
    return made, like


def remove_all(paragraphs: Sequence[ShownParagraph], author: ChangeAuthor) -> None:
    """Remove paragraphs that no line is left of."""
    for item in paragraphs:
        remove_or_empty(item, author)


def remove_or_empty(item: ShownParagraph, author: ChangeAuthor) -> None:
    """Remove a paragraph; what must have one, such as a note, is emptied."""
    if item.in_cell or item.prefix.startswith("[^") or is_only_block(item.element):
        change_paragraph(item.story, item.element, item.segments, "", author)
    else:
        remove_paragraph(item.story, item.element, item.segments, author)


def is_only_block(paragraph: Element) -> bool:
    """Whether nothing else is in what holds a paragraph."""
    parent = paragraph.getparent()
    return parent is None or sum(1 for item in parent if kind(item) in ("p", "tbl")) < 2


def wanted_of(line: str, paragraphs: Sequence[ShownParagraph]) -> WantedLine:
    """What a line shall be. Raises EditRefused for a number from elsewhere."""
    match = NUMBER.match(line)
    if match is None:
        return WantedLine(None, line.rstrip(" "))
    number = int(match[1])
    item = next((item for item in paragraphs if item.number == number), None)
    if item is None:
        raise EditRefused(
            f"{PILCROW}{number} is not in the passage that is replaced. A new paragraph has no "
            f"{PILCROW}."
        )
    return WantedLine(number, without_prefix(line[match.end() :], item))


def wanted_line(line: Line, text: str) -> WantedLine:
    """The same, of a line with one paragraph."""
    return wanted_of(text, line.paragraphs)


def without_prefix(text: str, item: ShownParagraph) -> str:
    """A line's own words. Raises EditRefused for another prefix: that is no change of words."""
    if item.prefix and not text.startswith(item.prefix.rstrip(" ")):
        raise EditRefused(
            f'{PILCROW}{item.number} begins with "{item.prefix.strip()}", which its style makes. '
            "Leave it; styles are changed in Word."
        )
    return text[len(item.prefix) :] if item.prefix else text


def paired(
    paragraphs: Sequence[ShownParagraph], lines: Sequence[WantedLine]
) -> list[tuple[ShownParagraph | None, str]]:
    """Each line with its paragraph, in order; None with those that are new."""
    numbers = [item.number for item in paragraphs]
    named = [line.number for line in lines if line.number is not None]
    if named != [number for number in numbers if number in named]:
        raise EditRefused(
            "Paragraphs keep their order in an edit. To move one, delete it and add it elsewhere."
        )
    found: list[tuple[ShownParagraph | None, str]] = []
    free: list[WantedLine] = []
    at = 0
    for line in [*lines, None]:
        if line is not None and line.number is None:
            free.append(line)
            continue
        to = len(paragraphs) if line is None else numbers.index(line.number or 0)
        found += by_likeness(paragraphs[at:to], free)
        free = []
        if line is not None:
            found.append((paragraphs[to], line.text))
            at = to + 1
    return found


def by_likeness(
    paragraphs: Sequence[ShownParagraph], lines: Sequence[WantedLine]
) -> list[tuple[ShownParagraph | None, str]]:
    """Lines without numbers with the paragraphs they are most like, in order."""
    found: list[tuple[ShownParagraph | None, str]] = []
    at = 0
    for number, line in enumerate(lines):
        left = len(lines) - number - 1
        scores = [
            (SequenceMatcher(None, bare(item, line.text), item.text).ratio(), -place)
            for place, item in enumerate(paragraphs[at:])
            if place == 0 or len(paragraphs) - at - place > left
        ]
        best = max(scores, default=(0.0, 0))
        if scores and best[0] >= LIKE_ENOUGH:
            item = paragraphs[at - best[1]]
            at += 1 - best[1]
            found.append((item, bare(item, line.text)))
        else:
            found.append((None, line.text))
    return found


def bare(item: ShownParagraph, text: str) -> str:
    """A line without a paragraph's prefix, if it begins with it."""
    return text.removeprefix(item.prefix) if item.prefix else text
