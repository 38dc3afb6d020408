"""Tracked changes accepted or rejected, one by one or all.

Insertions, deletions, moves, paragraphs split or joined, rows and cells, and changes of format.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from recto.word.changes.runs import UNWRAPPED, rename
from recto.word.changes.seams import join_runs
from recto.word.ooxml.names import Element, attribute, child, kind, within
from recto.word.ooxml.story import Story

INSERTED, DELETED = ("ins", "moveTo"), ("del", "moveFrom")
FORMATS = (
    "rPrChange", "pPrChange", "sectPrChange", "tblPrChange", "tblGridChange", "trPrChange",
    "tcPrChange", "tblPrExChange",
)  # fmt: skip
CELLS = ("cellIns", "cellDel", "cellMerge")
REVISIONS = frozenset((*INSERTED, *DELETED, *FORMATS, *CELLS))
RANGES = ("moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd")
KEPT_BY_FORMAT = {
    "pPr": ("rPr", "sectPr"),
    "rPr": (*INSERTED, *DELETED),
    "sectPr": ("headerReference", "footerReference"),
    "trPr": (*INSERTED, *DELETED),
    "tcPr": CELLS,
}
Chosen = Callable[[Element], bool]
RevisionKind = Literal["inserted", "deleted", "replaced", "moved", "format"]


@dataclass(frozen=True, slots=True)
class Revision:
    """One tracked change: the marks that make it, as they follow each other in its part."""

    marks: tuple[Element, ...]
    what: RevisionKind
    author: str
    date: str
    text: str


def is_revision(element: Element) -> bool:
    """Whether an element is the mark of a tracked change, in or around something of Word's."""
    name = kind(element)
    if name not in REVISIONS:
        return False
    parent = element.getparent()
    return parent is not None and bool(kind(parent) or name not in INSERTED + DELETED)


def revisions_in(story: Story) -> list[Revision]:
    """Every tracked change of a part; a deletion and what was inserted for it are one."""
    return revisions_below(story.root)


def revisions_below(element: Element) -> list[Revision]:
    """Those of an element and all in it."""
    found: list[Revision] = []
    for mark in within(element, *REVISIONS):
        if is_revision(mark):
            add_revisions(found, [Revision((mark,), what_of(mark), *signed(mark), text_of(mark))])
    return found


def add_revisions(found: list[Revision], new: Sequence[Revision]) -> None:
    """Put changes behind others; the first may go on with the last."""
    if found and new and belongs(found[-1], new[0]):
        found[-1] = joined_revision(found[-1], new[0])
        new = new[1:]
    found += new


def belongs(last: Revision, new: Revision) -> bool:
    """Whether a mark goes on with the change before it."""
    if (last.author, last.date) != (new.author, new.date) or "format" in (last.what, new.what):
        return False
    before, mark = last.marks[-1], new.marks[0]
    # A paragraph's own mark comes first in it, and what is in the paragraph follows.
    own = is_paragraph_mark(before) and mark.getparent() is paragraph_of(before)
    return own or mark.getprevious() is before


def joined_revision(last: Revision, new: Revision) -> Revision:
    """Two marks as one change."""
    kinds = {last.what, new.what}
    what = last.what if len(kinds) == 1 else "replaced"
    arrow = " \N{RIGHTWARDS ARROW} " if last.text and new.text and len(kinds) > 1 else ""
    return Revision(
        (*last.marks, *new.marks), what, last.author, last.date, last.text + arrow + new.text
    )


def signed(mark: Element) -> tuple[str, str]:
    """Who made a change, and when."""
    return attribute(mark, "author"), attribute(mark, "date")


def what_of(mark: Element) -> RevisionKind:
    """What kind of change a mark is of."""
    name = kind(mark)
    if name in ("moveFrom", "moveTo"):
        return "moved"
    if name in ("ins", "cellIns"):
        return "inserted"
    return "deleted" if name in ("del", "cellDel") else "format"


def text_of(mark: Element) -> str:
    """The words that a mark is about."""
    if kind(mark) in FORMATS:
        return ""
    return "".join(item.text or "" for item in within(mark, "t", "delText"))


def is_paragraph_mark(mark: Element) -> bool:
    """Whether it is the end of a paragraph that was inserted, deleted or moved."""
    parent = mark.getparent()
    above = parent.getparent() if parent is not None else None
    return (
        parent is not None and above is not None and kind(parent) == "rPr" and kind(above) == "pPr"
    )


def paragraph_of(mark: Element) -> Element | None:
    """The paragraph that something is in."""
    return next((item for item in mark.iterancestors() if kind(item) == "p"), None)


def resolve(story: Story, *, accept: bool, chosen: Chosen = lambda _: True) -> int:
    """Accept or reject tracked changes; answers how many marks went."""
    there = [item for item in within(story.root, *REVISIONS) if is_revision(item)]
    marks = [item for item in there if chosen(item)]
    everything = len(marks) == len(there)
    for mark in marks:
        if kind(mark) in FORMATS:
            resolve_format(story, mark, accept=accept)
    places = [(mark, kind(parent) if (parent := mark.getparent()) is not None else "")
              for mark in marks]  # fmt: skip
    for mark, place in places:
        if kind(mark) in INSERTED + DELETED and place not in ("rPr", "trPr", "numPr"):
            resolve_content(story, mark, accept=accept)
    for mark, place in places:
        if place in ("trPr", "tcPr", "numPr") and kind(mark) not in FORMATS:
            resolve_holder(story, mark, accept=accept)
    for mark, place in places:
        if place == "rPr" and kind(mark) not in FORMATS:
            resolve_end(story, mark, accept=accept)
    if everything:
        remove_ranges(story)
    return len(marks)


def is_there(story: Story, element: Element) -> bool:
    """Whether an element is still in the part."""
    return any(item is story.root for item in element.iterancestors())


def goes(mark: Element, *, accept: bool) -> bool:
    """Whether what is marked goes away."""
    deleted = kind(mark) in (*DELETED, "cellDel")
    return deleted is accept


def resolve_format(story: Story, mark: Element, *, accept: bool) -> None:
    """Forget an old format, or bring it back."""
    holder = mark.getparent()
    if holder is None or not is_there(story, mark):
        return
    story.touch(holder)
    old = next((item for item in mark if kind(item) == kind(holder)), None)
    holder.remove(mark)
    if accept:
        return
    kept = KEPT_BY_FORMAT.get(kind(holder), ())
    stays = [item for item in holder if kind(item) in kept]
    for item in list(holder):
        holder.remove(item)
    restored = list(old) if old is not None else []
    # In a paragraph's properties these come last, elsewhere first.
    for item in (*restored, *stays) if kind(holder) == "pPr" else (*stays, *restored):
        holder.append(item)
    drop_if_empty(holder)


def drop_if_empty(holder: Element) -> None:
    """A format without anything in it was not there."""
    parent = holder.getparent()
    if parent is not None and kind(holder) in ("rPr", "pPr", "trPr") and not len(holder):
        parent.remove(holder)
        drop_if_empty(parent)


def resolve_content(story: Story, mark: Element, *, accept: bool) -> None:
    """Take out what a mark is around, or the mark alone."""
    parent = mark.getparent()
    if parent is None or not is_there(story, mark):
        return
    story.touch(parent)
    before, behind = mark.getprevious(), mark.getnext()
    if goes(mark, accept=accept):
        parent.remove(mark)
        join_runs(before, behind)
        drop_hollow(parent)
        return
    if kind(mark) in DELETED:
        rename(mark, UNWRAPPED)
    inside = list(mark)
    for item in inside:
        item.tail = None
        mark.addprevious(item)
    parent.remove(mark)
    if inside:
        last = inside[-1]
        first_joined = join_runs(before, inside[0])
        join_runs(before if first_joined and len(inside) == 1 else last, behind)
    else:
        join_runs(before, behind)


def drop_hollow(element: Element) -> None:
    """A link or field whose words are gone goes, too."""
    parent = element.getparent()
    if parent is None or kind(element) not in (
        "hyperlink",
        "fldSimple",
        "smartTag",
        "ins",
        "moveTo",
    ):
        return
    if not any(kind(item) not in ("rPr", "") for item in element):
        before, behind = element.getprevious(), element.getnext()
        parent.remove(element)
        join_runs(before, behind)
        drop_hollow(parent)


def resolve_holder(story: Story, mark: Element, *, accept: bool) -> None:
    """Rows, cells and numbers that were inserted, deleted or joined."""
    properties = mark.getparent()
    holder = properties.getparent() if properties is not None else None
    if properties is None or holder is None or not is_there(story, mark):
        return
    if kind(mark) == "cellMerge" or not goes(mark, accept=accept):
        story.touch(properties)
        properties.remove(mark)
        drop_if_empty(properties)
    elif kind(properties) == "numPr":
        story.touch(holder)
        holder.remove(properties)
    else:
        remove_block(story, holder)


def remove_block(story: Story, block: Element) -> None:
    """Take out a row or cell, and what holds nothing without it."""
    parent = block.getparent()
    if parent is None:
        return
    story.remove(block)
    if kind(parent) in ("tr", "tbl") and not any(kind(item) in ("tc", "tr") for item in parent):
        remove_block(story, parent)


def resolve_end(story: Story, mark: Element, *, accept: bool) -> None:
    """Join a paragraph with the next one, or keep its end."""
    holder, paragraph = mark.getparent(), paragraph_of(mark)
    if holder is None or paragraph is None or not is_there(story, mark):
        return
    story.touch(paragraph)
    holder.remove(mark)
    drop_if_empty(holder)
    if not goes(mark, accept=accept):
        return
    following = next(
        (item for item in paragraph.itersiblings() if kind(item) not in (*RANGES, "")), None
    )
    content = [item for item in paragraph if kind(item) != "pPr"]
    if following is not None and kind(following) == "p":
        join_paragraphs(story, paragraph, following)
    elif not any(has_content(item) for item in content) and not is_only(paragraph):
        story.remove(paragraph)


def has_content(item: Element) -> bool:
    """Whether something of a paragraph would be missed."""
    return kind(item) not in ("proofErr", "bookmarkStart", "bookmarkEnd", *RANGES)


def is_only(paragraph: Element) -> bool:
    """Whether a cell, a note or the body would be left without a paragraph at its end."""
    parent = paragraph.getparent()
    if parent is None:
        return True
    others = [item for item in parent if kind(item) in ("p", "tbl") and item is not paragraph]
    ends_cell = kind(parent) == "tc" and paragraph.getnext() is None
    return not others or (ends_cell and kind(others[-1]) != "p")


def join_paragraphs(story: Story, paragraph: Element, following: Element) -> None:
    """Put what is in a paragraph before what is in the next one, which gives the format."""
    content = [item for item in paragraph if kind(item) != "pPr"]
    if content:
        story.touch(following)
    properties = child(following, "pPr")
    at = 0 if properties is None else 1
    behind = following[at] if at < len(following) else None
    for item in reversed(content):
        item.tail = None
        following.insert(at, item)
    if content:
        join_runs(content[-1], behind)
        if not following.attrib:
            for key, text in paragraph.attrib.items():
                following.set(key, text)
    story.remove(paragraph)


def remove_ranges(story: Story) -> None:
    """What showed where moves begin and end is of no use without the moves."""
    for item in list(ranges_in(story.root)):
        parent = item.getparent()
        if parent is not None:
            if kind(parent) == "p":
                story.touch(parent)
                parent.remove(item)
            else:
                story.remove(item)


def ranges_in(root: Element) -> Iterator[Element]:
    """The marks around moves."""
    return (item for item in root.iter() if kind(item) in RANGES)
