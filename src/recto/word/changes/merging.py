"""Two changed forms of one document merged: by paragraph, and inside of a paragraph by its words.

Where both changed the same words, and not to the same, there is no merge: nobody is overruled.
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

from recto.word.changes.runs import make_like, set_text
from recto.word.changes.seams import join_runs
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.names import (
    RELATIONSHIPS,
    STRICT_RELATIONSHIPS,
    Element,
    attribute,
    child,
    kind,
)
from recto.word.ooxml.shapes import block_shape, run_shape, shape
from recto.word.ooxml.story import Story

VOLATILE = re.compile(r"docProps/|word/(?:settings|webSettings|fontTable|theme/)", re.IGNORECASE)
REFERENCES = ("footnoteReference", "endnoteReference", "commentReference")
WRAPPERS = ("ins", "del", "moveFrom", "moveTo")
WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
Item = TypeVar("Item")


class BothChanged(Exception):
    """The same place was changed on both sides, to different things."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word of a paragraph, or something else in it, with all that its look depends on."""

    key: object
    element: Element


def merge_documents(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Ours with what theirs changed of the base; None where both changed the same."""
    if theirs in (base, ours):
        return ours
    if ours == base:
        return theirs
    documents = WordDocument(base), WordDocument(ours), WordDocument(theirs)
    was, now, other = documents
    try:
        for name in other.package.names:
            merge_part(name, was, now, other)
    except BothChanged:
        return None
    return now.saved()


def merge_part(name: str, was: WordDocument, now: WordDocument, other: WordDocument) -> None:
    """Take in what was changed of one part. Raises BothChanged."""
    base, mine, new = [
        document.part(name) if name in document.package.names else None
        for document in (was, now, other)
    ]
    if new in (base, mine) or new is None:
        return
    if mine == base:
        now.put(name, new)
    elif name in {story.name for story in now.stories()} and base is not None:
        merge_blocks(was.story(name), now.story(name), other.story(name), now, other)
    elif VOLATILE.match(name) is None:
        raise BothChanged


def merge_blocks(
    was: Story, mine: Story, new: Story, now: WordDocument, other: WordDocument
) -> None:
    """Take in the blocks that were changed. Raises BothChanged."""
    lists = [list(holder_of(story)) for story in (was, mine, new)]
    keys = [[block_shape(item) for item in blocks] for blocks in lists]
    for first, last, place, end, wanted in reversed(list(changes(*keys))):
        blocks = lists[2][wanted.start : wanted.stop]
        if place is not None and end is not None:
            check_references(blocks, now, other)
            replace_blocks(mine, lists[1], place, end, blocks)
        elif last - first == len(blocks) == 1 and kind(blocks[0]) == "p":
            check_references(blocks, now, other)
            counterpart = between(keys[0], keys[1], first, last)
            if len(counterpart) != 1:
                raise BothChanged
            merge_paragraph(mine, lists[0][first], lists[1][counterpart.start], blocks[0])
        else:
            raise BothChanged


def holder_of(story: Story) -> Element:
    """What holds a part's blocks."""
    body = child(story.root, "body")
    return story.root if body is None else body


def changes(
    base: Sequence[object], mine: Sequence[object], new: Sequence[object]
) -> Iterator[tuple[int, int, int | None, int | None, range]]:
    """What was changed of the base: its places there, in mine (None: changed there too), in new."""
    same = {
        block.a + step: block.b + step
        for block in SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
        for step in range(block.size)
    }
    same |= {-1: -1, len(base): len(mine)}
    for tag, first, last, start, stop in SequenceMatcher(
        None, base, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            continue
        places = [same.get(at) for at in range(first, last)]
        before, after = same.get(first - 1), same.get(last)
        counterpart = between(base, mine, first, last)
        if list(mine[counterpart.start : counterpart.stop]) == list(new[start:stop]):
            continue
        if first == last:
            free = before is not None and after == before + 1
            at = before + 1 if free and before is not None else None
            yield first, last, at, at, range(start, stop)
        elif None not in places and all(
            place == (places[0] or 0) + step for step, place in enumerate(places)
        ):
            at = places[0]
            yield first, last, at, (at or 0) + len(places), range(start, stop)
        else:
            yield first, last, None, None, range(start, stop)


def between(base: Sequence[object], mine: Sequence[object], first: int, last: int) -> range:
    """The places of mine that lie where a piece of the base was."""
    same = {-1: -1, len(base): len(mine)}
    for block in SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks():
        same |= {block.a + step: block.b + step for step in range(block.size)}
    before = max(at for at in same if at < first)
    after = min(at for at in same if at >= last)
    if after - before == same[after] - same[before]:
        # As many as there were: each in the place of one.
        start = same[before] + first - before
        return range(start, start + last - first)
    whole = before == first - 1 and after == last
    return range(same[before] + 1, same[after] if whole else same[before] + 1)


def replace_blocks(
    story: Story, blocks: Sequence[Element], place: int, end: int, new: Sequence[Element]
) -> None:
    """Put blocks in the place of others. Raises BothChanged where nothing can be put."""
    old = blocks[place:end]
    for mine, wanted in zip(old, new, strict=False):
        if mine.tag != wanted.tag:
            raise BothChanged
        fill(mine, wanted)
        story.touch(mine)
    for mine in old[len(new) :]:
        story.remove(mine)
    last = old[-1] if old else blocks[place - 1] if place else None
    for wanted in new[len(old) :]:
        if last is None or kind(last) not in ("p", "tbl"):
            raise BothChanged
        copied = deepcopy(wanted)
        copied.tail = None
        story.add_after(last, copied)
        last = copied


def fill(element: Element, wanted: Element) -> None:
    """Give an element the content of another."""
    tail = element.tail
    element.clear()
    element.tail = tail
    element.text = wanted.text
    for key, value in wanted.attrib.items():
        element.set(key, value)
    for item in wanted:
        element.append(deepcopy(item))


def check_references(blocks: Sequence[Element], now: WordDocument, other: WordDocument) -> None:
    """Refuse blocks that mean other parts than they would here. Raises BothChanged."""
    for block in blocks:
        for item in block.iter():
            for key, value in item.attrib.items():
                space = str(key)[1:].partition("}")[0]
                here, there = now.relations.get(str(value)), other.relations.get(str(value))
                if space in (RELATIONSHIPS, STRICT_RELATIONSHIPS) and here != there:
                    raise BothChanged
            if kind(item) in REFERENCES and not same_note(item, now, other):
                raise BothChanged


def same_note(item: Element, now: WordDocument, other: WordDocument) -> bool:
    """Whether a note or comment is in both documents under the same id."""
    name = kind(item).removesuffix("Reference")
    found: list[object] = []
    for document in (now, other):
        part = document.part_of(f"{name}s")
        notes = document.story(part).root if part is not None else ()
        same = [note for note in notes if attribute(note, "id") == attribute(item, "id")]
        found.append([block_shape(note) for note in same])
    return found[0] == found[1]


def merge_paragraph(story: Story, base: Element, mine: Element, new: Element) -> None:
    """Take the words that were changed into a paragraph that was changed, too."""
    if kind(base) != "p" or kind(mine) != "p":
        raise BothChanged
    lists = [list(units(item)) for item in (base, mine, new)]
    keys = [[unit.key for unit in found] for found in lists]
    merged = list(lists[1])
    for _, _, place, end, wanted in reversed(list(changes(*keys))):
        if place is None or end is None:
            raise BothChanged
        merged[place:end] = lists[2][wanted.start : wanted.stop]
    properties = merged_properties(base, mine, new)
    for item in list(mine):
        mine.remove(item)
    if properties is not None:
        mine.append(deepcopy(properties))
    for unit in merged:
        copied = deepcopy(unit.element)
        copied.tail = None
        mine.append(copied)
        join_runs(copied.getprevious(), copied)
    story.touch(mine)


def merged_properties(base: Element, mine: Element, new: Element) -> Element | None:
    """A paragraph's properties, as whoever changed them wants them."""
    found = [child(item, "pPr") for item in (base, mine, new)]
    was, ours, theirs = [None if item is None else shape(item) for item in found]
    if theirs in (was, ours):
        return found[1]
    if ours == was:
        return found[2]
    raise BothChanged


def units(paragraph: Element) -> Iterator[Unit]:
    """A paragraph in words, each a run of its own."""
    for item in paragraph:
        if kind(item) == "r":
            yield from run_units(item, None)
        elif kind(item) in WRAPPERS:
            for inner in item:
                yield from run_units(inner, item)
        elif kind(item) not in ("pPr", "proofErr", ""):
            yield Unit(block_shape(item), item)


def run_units(run: Element, wrapper: Element | None) -> Iterator[Unit]:
    """The words of a run, each in what it is wrapped in."""
    around = "" if wrapper is None else (kind(wrapper), attribute(wrapper, "author"))
    if kind(run) != "r":
        yield Unit((around, block_shape(run)), wrapped(run, wrapper))
        return
    for node in run:
        if kind(node) in ("t", "delText"):
            for word in WORDS.findall(node.text or ""):
                piece = make_like(run)
                text = deepcopy(node)
                set_text(text, word)
                piece.append(text)
                yield Unit((around, run_shape(run), word), wrapped(piece, wrapper))
        elif kind(node) not in ("rPr", "lastRenderedPageBreak", ""):
            piece = make_like(run)
            piece.append(deepcopy(node))
            yield Unit((around, run_shape(run), shape(node)), wrapped(piece, wrapper))


def wrapped(run: Element, wrapper: Element | None) -> Element:
    """A run in a copy of its wrapper."""
    if wrapper is None:
        return run
    made = wrapper.makeelement(wrapper.tag, dict(wrapper.attrib), wrapper.nsmap)
    made.append(deepcopy(run))
    return made
