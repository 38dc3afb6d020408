"""One part of a document with paragraphs: its tree, and for each block the bytes it was read from.

Changes are made to the tree and told to the story; only what was touched is written anew, and every
other byte stays.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from lxml import etree

from recto.word.failures import EditRefused
from recto.word.ooxml.names import WORD_NAMESPACES, Element, parse

BLOCKS = (
    "p", "tbl", "tr", "tc", "sectPr", "tblPr", "tblGrid",
    "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd",
    "footnote", "endnote", "comment",
)  # fmt: skip
SKIPPED = rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
TAG_REST = rb"""(?:[^<>"']|"[^"]*"|'[^']*')*>"""
DECLARATION = re.compile(r"""\sxmlns(?::([\w.-]+))?="([^"]*)\"""")


class Story:
    """A part's tree, and what of it was changed."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.root = parse(data, name)
        self._blocks = blocks_in(self.root)
        self._spans: dict[Element, tuple[int, int]] | None = None
        self._touched: set[Element] = set()
        self._removed: set[Element] = set()
        self._added: dict[Element, list[Element]] = {}
        self._added_to: dict[Element, Element] = {}
        self._before: dict[Element, Element] = {}

    @property
    def is_changed(self) -> bool:
        """Whether anything has to be written."""
        return bool(self._touched or self._removed or self._added or self._before)

    @property
    def changed_spans(self) -> list[tuple[int, int]]:
        """Where the blocks lie that were changed, or have new ones beside them."""
        if not self.is_changed:
            return []
        known = self._known()
        changed = (*self._touched, *self._removed, *self._added, *self._before)
        return [known[item] for item in changed if item in known]

    def spans_in(self, holder: Element) -> list[tuple[int, int, Element]]:
        """Where the blocks of an element lie, in order."""
        known = self._known()
        return [(*known[item], item) for item in holder.iterchildren() if item in known]

    def renew(self, data: bytes, start: int, end: int, new: Sequence[Element]) -> None:
        """Go on with other bytes, of which those from one place to another made new blocks."""
        known = self._known()
        shift = len(data) - len(self.data)
        blocks = [block for item in new for block in blocks_in(item)]
        places = sorted(block_spans(data[start : end + shift], self.root))
        before = [item for item in self._blocks if known[item][1] <= start]
        behind = [item for item in self._blocks if known[item][0] >= end]
        self._blocks = [*before, *blocks, *behind]
        self._spans = {
            **{item: known[item] for item in before},
            **{block: moved(span, start) for block, span in zip(blocks, places, strict=True)},
            **{item: moved(known[item], shift) for item in behind},
        }
        self.data = data
        for changes in (self._touched, self._removed, self._added, self._added_to, self._before):
            changes.clear()

    def touch(self, element: Element) -> None:
        """What lies in this element, however deep, was changed."""
        found: Element | None = element
        known = self._known()
        while found is not None and found not in known and found not in self._added_to:
            found = found.getparent()
        if found is None:
            raise EditRefused(f"{self.name} can't be changed at this place.")
        if found in known:
            self._touched.add(found)

    def remove(self, element: Element) -> None:
        """Take a block out."""
        parent = element.getparent()
        if parent is None:
            return
        if element in self._added_to:
            self._added[self._added_to.pop(element)].remove(element)
        elif element in self._known():
            self._removed.add(element)
        else:
            self.touch(parent)
        keep_tail(element)
        parent.remove(element)

    def add_after(self, element: Element, new: Element) -> None:
        """Put a new block behind one."""
        tail, element.tail = element.tail, None
        element.addnext(new)
        new.tail = tail
        anchor = self._added_to.get(element, element)
        if anchor not in self._known():
            raise EditRefused(f"{self.name} can't be changed at this place.")
        following = self._added.setdefault(anchor, [])
        following.insert(following.index(element) + 1 if element in following else 0, new)
        self._added_to[new] = anchor

    def add_before(self, element: Element, new: Element) -> None:
        """Put a new block before one that is the first of its holder."""
        if element not in self._known() or element in self._before:
            raise EditRefused(f"{self.name} can't be changed at this place.")
        element.addprevious(new)
        self._before[element] = new
        self._added_to[new] = element

    def append(self, parent: Element, new: Element) -> None:
        """Put a new block at the end of the part's root."""
        if parent is not self.root:
            raise EditRefused(f"{self.name} can't be changed at this place.")
        parent.append(new)
        self._added.setdefault(self.root, []).append(new)
        self._added_to[new] = self.root

    def saved(self) -> bytes:
        """The part with the changes; the very bytes without any."""
        if not self.is_changed:
            return self.data
        spans = self._known()
        whole = outermost(
            (*spans[element], b"" if element in self._removed else written(element))
            for element in self._touched | self._removed
        )
        splices = [*whole]
        for anchor, added in self._added.items():
            if anchor is self.root:
                splices.append(at_the_end(self.data, b"".join(map(written, added))))
                continue
            place = spans[anchor][1]
            # What is new inside of a block that is written anew anyway is in it already.
            if not any(start < place < end for start, end, _ in whole):
                splices.append((place, place, b"".join(map(written, added))))
        for anchor, new in self._before.items():
            place = spans[anchor][0]
            if not any(start < place < end for start, end, _ in whole):
                splices.append((place, place, written(new)))
        pieces: list[bytes] = []
        done = 0
        for start, end, new in sorted(splices, key=lambda splice: splice[:2]):
            pieces += [self.data[done:start], new]
            done = end
        return b"".join([*pieces, self.data[done:]])

    def _known(self) -> dict[Element, tuple[int, int]]:
        """Where each block lies. Raises EditRefused when bytes and tree don't agree."""
        if self._spans is None:
            found = sorted(block_spans(self.data, self.root))
            if len(found) != len(self._blocks):
                raise EditRefused(f"{self.name} is written in a way that Recto can't change.")
            self._spans = dict(zip(self._blocks, found, strict=True))
        return self._spans


def blocks_in(element: Element) -> list[Element]:
    """The blocks in an element, and itself if it is one."""
    names = (f"{{{space}}}{tag}" for space in WORD_NAMESPACES for tag in BLOCKS)
    return list(element.iter(*names))


def moved(span: tuple[int, int], by: int) -> tuple[int, int]:
    """A place with so many bytes more before it."""
    return span[0] + by, span[1] + by


def at_the_end(data: bytes, new: bytes) -> tuple[int, int, bytes]:
    """The splice that puts something into a part's root as its last: it may be an empty one."""
    place = data.rfind(b"</")
    if place >= 0:
        return place, place, new
    place = data.rindex(b"/>")
    name = re.match(rb"<([^\s/>]+)", data[data.rindex(b"<") :])
    if name is None:
        raise EditRefused("A part of the document is written in a way that Recto can't change.")
    return place, place + 2, b">" + new + b"</" + name[1] + b">"


def outermost(splices: Iterable[tuple[int, int, bytes]]) -> list[tuple[int, int, bytes]]:
    """The splices that don't lie in another one."""
    found: list[tuple[int, int, bytes]] = []
    for splice in sorted(splices, key=lambda splice: (splice[0], -splice[1])):
        if not found or splice[0] >= found[-1][1]:
            found.append(splice)
    return found


def keep_tail(element: Element) -> None:
    """White space behind an element stays when the element goes."""
    if not element.tail:
        return
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        before.tail = (before.tail or "") + element.tail
    elif parent is not None:
        parent.text = (parent.text or "") + element.tail
    element.tail = None


def block_spans(data: bytes, root: Element) -> Iterator[tuple[int, int]]:
    """Where each block begins and ends in the bytes."""
    declaring = root.iter() if has_local_prefixes(data) else (root,)
    prefixes = {
        prefix
        for element in declaring
        for prefix, uri in element.nsmap.items()
        if uri in WORD_NAMESPACES
    }
    names = b"|".join(
        re.escape(f"{prefix}:{name}" if prefix else name).encode()
        for prefix in sorted(prefixes, key=str)
        for name in BLOCKS
    )
    tag = re.compile(
        SKIPPED + rb"|<(?P<close>/?)(?P<name>" + names + rb")(?=[\s/>])" + TAG_REST, re.DOTALL
    )
    open_at: list[tuple[bytes, int]] = []
    for found in tag.finditer(data):
        name = found["name"]
        if name is None:
            continue
        if found["close"]:
            if not open_at or open_at[-1][0] != name:
                raise EditRefused("The document is written in a way that Recto can't change.")
            yield open_at.pop()[1], found.end()
        elif found[0].endswith(b"/>"):
            yield found.span()
        else:
            open_at.append((name, found.start()))


def has_local_prefixes(data: bytes) -> bool:
    """Whether Word's namespace is declared more than once, as nobody does but anybody may."""
    return sum(data.count(space.encode()) for space in WORD_NAMESPACES) > 1


def written(element: Element) -> bytes:
    """An element as XML, without the declarations that hold around it anyway."""
    text: str = etree.tostring(element, encoding="unicode", with_tail=False)
    parent = element.getparent()
    around = parent.nsmap if parent is not None else {}
    end = tag_end(text)

    def without(found: re.Match[str]) -> str:
        return "" if around.get(found[1]) == found[2] else found[0]

    return (DECLARATION.sub(without, text[:end]) + text[end:]).encode()


def tag_end(text: str) -> int:
    """Where the first tag of some XML ends."""
    quote = ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == ">":
            return at
    return len(text)
