"""Joining the runs that a change had cut, once the change is gone."""

from recto.word.changes.runs import set_text
from recto.word.ooxml.names import SPACE, Element, kind
from recto.word.ooxml.shapes import run_shape

TEXT = ("t", "delText", "tab", "br", "cr", "noBreakHyphen")


def join_runs(left: Element | None, right: Element | None) -> bool:
    """Make two neighbours one run if nothing tells them apart; whether it did.

    Two halves of somebody's insertion become one again, too.
    """
    if left is None or right is None or left.getnext() is not right:
        return False
    if (left.tail or "").strip() or left.attrib != right.attrib or left.tag != right.tag:
        return False
    if kind(left) in ("ins", "moveTo", "del", "moveFrom"):
        return join_marks(left, right)
    if kind(left) != "r" or run_shape(left) != run_shape(right) or not are_text(left, right):
        return False
    for item in list(right):
        if kind(item) == "rPr":
            continue
        last = left[-1] if len(left) else None
        if last is not None and kind(last) == kind(item) == "t":
            join_texts(last, item)
        else:
            left.append(item)
    take_out(right)
    return True


def are_text(left: Element, right: Element) -> bool:
    """Whether text meets text: other things have runs of their own, which stay as they are."""
    first = next((item for item in right if kind(item) != "rPr"), None)
    last = left[-1] if len(left) else None
    return first is not None and last is not None and kind(first) in TEXT and kind(last) in TEXT


def join_texts(last: Element, item: Element) -> None:
    """Two texts in one; that white space counts is said if it must be, or was said of both."""
    was_said = last.get(SPACE) == item.get(SPACE) == "preserve"
    last.attrib.pop(SPACE, None)
    set_text(last, (last.text or "") + (item.text or ""))
    if was_said:
        last.set(SPACE, "preserve")


def join_marks(left: Element, right: Element) -> bool:
    """Two marks of one change."""
    last = left[-1] if len(left) else None
    first = right[0] if len(right) else None
    for item in list(right):
        left.append(item)
    take_out(right)
    join_runs(last, first)
    return True


def take_out(element: Element) -> None:
    """Remove an element and nothing behind it."""
    parent = element.getparent()
    before = element.getprevious()
    if before is not None and element.tail:
        before.tail = (before.tail or "") + element.tail
    if parent is not None:
        parent.remove(element)
