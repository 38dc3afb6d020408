"""Cutting runs and putting them into Word's marks of a tracked change."""

import re
from copy import deepcopy
from dataclasses import dataclass

from recto.word.ooxml.names import SPACE, Element, child, kind, make
from recto.word.ooxml.segments import BREAK, PAGE_BREAK, Segment

WRAPPED = {"t": "delText", "instrText": "delInstrText"}
MADE: dict[str, tuple[str, dict[str, str]]] = {
    BREAK: ("br", {}),
    PAGE_BREAK: ("br", {"type": "page"}),
    "\t": ("tab", {}),
}
PIECES = re.compile("(" + "|".join(map(re.escape, MADE)) + ")")
UNWRAPPED = {deleted: plain for plain, deleted in WRAPPED.items()}


@dataclass(slots=True)
class ChangeAuthor:
    """In whose name and when changes are tracked, and the next number for one."""

    name: str
    date: str
    """As Word writes it: 2026-11-18T10:00:00Z."""
    next_id: int = 1

    def mark(self, like: Element, name: str) -> Element:
        """A new `ins`, `del` or the like."""
        made = make(like, name, id=str(self.next_id), author=self.name, date=self.date)
        self.next_id += 1
        return made


def set_text(node: Element, text: str) -> None:
    """Give a `t` other letters; white space at its ends counts."""
    node.text = text
    if text != text.strip():
        node.set(SPACE, "preserve")


def split_run(run: Element, node: Element, at: int, text: str) -> Element:
    """Cut a run inside of one of its texts; the new run behind it begins with the rest."""
    behind = make_like(run)
    rest = deepcopy(node)
    rest.tail = None
    following = list(node.itersiblings())
    set_text(node, text[:at])
    set_text(rest, text[at:])
    behind.append(rest)
    for item in following:
        behind.append(item)
    move_behind(run, behind)
    return behind


def split_before(run: Element, node: Element) -> Element:
    """Cut a run before one of its nodes; the run itself if nothing but its format is before."""
    before = node.getprevious()
    if before is None or kind(before) == "rPr":
        return run
    behind = make_like(run)
    for item in [node, *node.itersiblings()]:
        behind.append(item)
    move_behind(run, behind)
    return behind


def make_like(run: Element) -> Element:
    """A new run with the format of another."""
    made = make(run, "r")
    for key, text in run.attrib.items():
        made.set(key, text)
    properties = child(run, "rPr")
    if properties is not None:
        made.append(deepcopy(properties))
    return made


def move_behind(run: Element, behind: Element) -> None:
    """Put a new element behind one, before the white space that follows."""
    behind.tail, run.tail = run.tail, None
    run.addnext(behind)


def text_run(like: Element, text: str, properties: Element | None) -> Element:
    """A run with these letters; tabs and breaks, of lines and pages, as Word writes them."""
    run = make(like, "r")
    if properties is not None:
        kept = deepcopy(properties)
        for item in list(kept):
            if kind(item) in ("rPrChange", "ins", "del", "moveFrom", "moveTo", "rStyle") and (
                kind(item) != "rStyle" or is_reference(item)
            ):
                kept.remove(item)
        if len(kept):
            run.append(kept)
    for piece in PIECES.split(text):
        if piece in MADE:
            name, attributes = MADE[piece]
            run.append(make(like, name, **attributes))
        elif piece:
            node = make(like, "t")
            set_text(node, piece)
            run.append(node)
    return run


def is_reference(style: Element) -> bool:
    """Whether a character style is that of a note's or comment's mark."""
    return any("eference" in value for value in map(str, style.attrib.values()))


def wrap_deleted(runs: list[Element], author: ChangeAuthor) -> Element | None:
    """Mark runs as deleted; answers the last mark. Neighbours come under one."""
    mark: Element | None = None
    for run in runs:
        if mark is not None and mark.getnext() is run and not (mark.tail or "").strip():
            pass
        else:
            mark = author.mark(run, "del")
            run.addprevious(mark)
        run.tail, tail = None, run.tail
        mark.append(run)
        mark.tail = tail
        rename(run, WRAPPED)
    return mark


def rename(holder: Element, names: dict[str, str]) -> None:
    """Give texts the name they have inside or outside of a deletion."""
    for item in list(holder.iter()):
        new = names.get(kind(item))
        if new is not None:
            space = str(item.tag).partition("}")[0]
            item.tag = f"{space}}}{new}"


def cut_out(segment: Segment, start: int, end: int) -> list[Element]:
    """The runs that hold just these letters of a segment, which loses them and what follows."""
    node = segment.node
    if node is None:
        return [isolated(item) for item in segment.elements]
    if not segment.is_text:
        return [isolated(node)]
    whole = segment.text
    segment.text = whole[:start]
    if start == 0 and end == len(whole):
        return [isolated(node)]
    run = split_before(parent_of(node), node)
    if start:
        run = split_run(run, node, start, whole)
        node = next(item for item in run.iterchildren() if kind(item) == "t")
    if end < len(whole):
        split_run(run, node, end - start, whole[start:])
    return [isolated(node)]


def parent_of(node: Element) -> Element:
    """The run of a node."""
    found = node.getparent()
    if found is None:
        raise LookupError("A node that was read is in no run.")
    return found


def isolated(node: Element) -> Element:
    """A run that has nothing but one node; a formula is one by itself."""
    run = parent_of(node)
    if kind(run) != "r":
        return node
    first = split_before(run, node)
    behind = node.getnext()
    if behind is not None:
        split_before(first, behind)
    return first
