"""A part that was read, as it is now: only blocks that are others in its bytes are read anew."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from recto.alike import same_end, same_start
from recto.word.failures import EditRefused, NotWord
from recto.word.ooxml.names import Element, parse
from recto.word.ooxml.story import Story, has_local_prefixes

BEGINS = re.compile(rb"<(?:[\w.-]+:)?body(?:\s[^<>]*)?>\s*\Z")
"""What stands before the first thing in a body."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The place between two blocks that stay, in the bytes as they were."""

    start: int
    end: int
    before: Element | None
    """The block before it; none at the very beginning."""
    behind: Element


def renewed(story: Story, holder: Element, data: bytes) -> bool:
    """Have a part's tree say what these bytes do, if only blocks of a holder are others in them.

    Changes that were made to the tree are given up. Where the part has to be read as a whole
    nothing is done.
    """
    if has_local_prefixes(story.data) or has_local_prefixes(data):
        return False
    try:
        gap = gap_around(story, holder, data)
    except EditRefused:
        return False  # its blocks are not found in its bytes
    if gap is None:
        return False
    new = data[gap.start : gap.end + len(data) - len(story.data)]
    read = read_between(story, holder, new)
    if read is None:
        return False
    put_between(holder, gap, read)
    story.renew(data, gap.start, gap.end, list(children_between(holder, gap)))
    return True


def gap_around(story: Story, holder: Element, data: bytes) -> Gap | None:
    """The blocks that stay around all that is other; none if it is other at an end."""
    same = same_start(story.data, data)
    most = min(len(story.data), len(data)) - same
    start, end = same, len(story.data) - same_end(story.data, data, most)
    for first, last in story.changed_spans:
        start, end = min(start, first), max(end, last)
    blocks = story.spans_in(holder)
    first = sum(block[1] <= start for block in blocks)
    last = next((at for at, block in enumerate(blocks) if block[0] >= end), len(blocks))
    if last == len(blocks):
        return None
    if first > 0:
        return Gap(blocks[first - 1][1], blocks[last][0], blocks[first - 1][2], blocks[last][2])
    if not blocks or blocks[0][0] > start or not BEGINS.search(story.data[: blocks[0][0]]):
        return None
    return Gap(blocks[0][0], blocks[last][0], None, blocks[last][2])


def read_between(story: Story, holder: Element, new: bytes) -> Element | None:
    """What stands between two blocks, in an element that declares what holds there.

    The same is open behind either block, whatever is between them: it can be read by itself.
    """
    if not new.isascii() and b"us-ascii" in story.data[:200].lower():
        return None
    names = "".join(
        f" xmlns:{prefix}={quoteattr(uri)}" if prefix else f" xmlns={quoteattr(uri)}"
        for prefix, uri in holder.nsmap.items()
    )
    try:
        return parse(f"<between{names}>".encode() + new + b"</between>", story.name)
    except NotWord:
        return None  # read as a whole it says what is wrong


def put_between(holder: Element, gap: Gap, read: Element) -> None:
    """Have these stand there, with the white space around them."""
    for item in list(children_between(holder, gap)):
        holder.remove(item)
    if gap.before is not None:
        gap.before.tail = read.text
    for item in list(read):
        gap.behind.addprevious(item)


def children_between(holder: Element, gap: Gap) -> Iterator[Element]:
    """What stands between two blocks."""
    item = holder[0] if gap.before is None else gap.before.getnext()
    while item is not None and item is not gap.behind:
        yield item
        item = item.getnext()
