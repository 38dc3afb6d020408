"""One's own tracked changes kept as few as they can be while a person goes on typing.

What one inserted and takes away again was never there; insertions that meet are one.
"""

from collections.abc import Iterator

from recto.word.changes.paragraph_ends import is_by
from recto.word.changes.revisions import drop_hollow, is_only, is_there
from recto.word.changes.runs import UNWRAPPED, rename
from recto.word.changes.seams import join_runs, take_out
from recto.word.ooxml.names import Element, child, kind
from recto.word.ooxml.shapes import run_shape
from recto.word.ooxml.story import Story


def tidy(story: Story, paragraph: Element, name: str) -> None:
    """Tidy the changes of one author in a paragraph that was changed."""
    if not is_there(story, paragraph):
        return
    forget_own(paragraph, name)
    take_back(paragraph, name)
    join_own(paragraph, name)
    drop_own(story, paragraph, name)


def forget_own(paragraph: Element, name: str) -> None:
    """What was inserted and deleted by the same person goes."""
    for mark in [item for item in paragraph.iter() if kind(item) == "del" and is_by(item, name)]:
        around = mark.getparent()
        if around is None or kind(around) != "ins" or not is_by(around, name):
            continue
        before, behind = mark.getprevious(), mark.getnext()
        take_out(mark)
        join_runs(before, behind)
        drop_hollow(around)


def take_back(paragraph: Element, name: str) -> None:
    """What was deleted, and put back as it was, was not changed."""
    for mark in [item for item in paragraph.iter() if kind(item) == "del" and is_by(item, name)]:
        new = next((item for item in beside(mark) if is_put_back(mark, item, name)), None)
        if new is None:
            continue
        take_out(new)
        before, behind = mark.getprevious(), mark.getnext()
        rename(mark, UNWRAPPED)
        inside = list(mark)
        for item in inside:
            mark.addprevious(item)
        take_out(mark)
        if inside:
            # From the end: a run that is joined to the one before it is gone.
            join_runs(inside[-1], behind)
            join_runs(before, inside[0])


def beside(mark: Element) -> Iterator[Element]:
    """What stands right before and behind a mark."""
    before, behind = mark.getprevious(), mark.getnext()
    if behind is not None and not (mark.tail or "").strip():
        yield behind
    if before is not None and not (before.tail or "").strip():
        yield before


def is_put_back(mark: Element, new: Element, name: str) -> bool:
    """Whether an insertion is just what a deletion took away."""
    return kind(new) == "ins" and is_by(new, name) and content(mark) == content(new)


def content(mark: Element) -> list[tuple[object, str]]:
    """The letters in a mark with their formats; runs that hold anything else make it unlike."""
    found: list[tuple[object, str]] = []
    for run in mark:
        nodes = [item for item in run if kind(item) != "rPr"]
        if kind(run) != "r" or any(kind(item) not in ("t", "delText") for item in nodes):
            return [(id(mark), "")]
        text = "".join(item.text or "" for item in nodes)
        form = run_shape(run)
        if found and found[-1][0] == form:
            found[-1] = (form, found[-1][1] + text)
        else:
            found.append((form, text))
    return found


def join_own(paragraph: Element, name: str) -> None:
    """Changes of one kind that meet become one, under the first one's date."""
    for mark in [item for item in paragraph.iter() if kind(item) in ("ins", "del")]:
        following = mark.getnext()
        while (
            following is not None
            and following.tag == mark.tag
            and is_by(mark, name)
            and is_by(following, name)
            and kind(mark.getparent()) not in ("rPr", "trPr")  # pyright: ignore[reportArgumentType]
        ):
            for key, text in mark.attrib.items():
                following.set(key, text)
            if not join_runs(mark, following):
                break
            following = mark.getnext()


def drop_own(story: Story, paragraph: Element, name: str) -> None:
    """A paragraph that one added and took away again goes."""
    properties = child(paragraph, "pPr")
    marks = child(properties, "rPr") if properties is not None else None
    own = {kind(item) for item in marks if is_by(item, name)} if marks is not None else set[str]()
    has_more = any(kind(item) not in ("pPr", "") for item in paragraph)
    if {"ins", "del"} <= own and not has_more and not is_only(paragraph):
        story.remove(paragraph)
