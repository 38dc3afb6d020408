"""What is in a paragraph, piece by piece, with what tracked changes took away."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from recto.word.changes.revisions import DELETED, INSERTED
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.formulas import is_formula
from recto.word.ooxml.names import (
    COMPATIBILITY,
    DRAWING,
    STRICT_DRAWING,
    Element,
    attribute,
    child,
    kind,
    value,
)
from recto.word.ooxml.segments import BREAK, PAGE_BREAK, Segment, letters
from recto.word.page.model import PagePiece, PieceKind
from recto.word.page.styles import colour, highlight, size, switch, underlined
from recto.word.view import ShownParagraph

ALTERNATIVES = f"{{{COMPATIBILITY}}}AlternateContent"
EMU_PER_PIXEL = 9525
MOST_PIXELS = 10_000
SKIPPED = ("pPr", "rPr", "sdtPr", "sdtEndPr")
SCRIPTS = {"superscript": "super", "subscript": "sub"}


@dataclass(frozen=True, slots=True)
class Around:
    """What a run lies in."""

    change: str = ""
    is_deleted: bool = False
    link: str = ""


class PieceReader:
    """Walks through the paragraphs of a document in order."""

    def __init__(
        self, document: WordDocument, keys: Mapping[Element, str], comments: frozenset[str]
    ) -> None:
        self._document = document
        self._keys = keys
        self._comments = comments
        self.open: list[str] = []
        """The comments whose words come now."""
        self._segments: dict[Element, Segment] = {}
        self._targets: dict[str, Mapping[str, tuple[str, bool]]] = {}
        self._part = ""

    def read(self, shown: ShownParagraph) -> list[PagePiece]:
        """The pieces of a paragraph; neighbours of one format are one."""
        self._part = shown.story.name
        self._segments = {first_node(item): item for item in shown.segments if not item.is_mark}
        found: list[PagePiece] = []
        for piece in self._walk(shown.element, Around()):
            last = found[-1] if found else None
            if last is not None and is_same(last, piece):
                found[-1] = msgspec.structs.replace(last, text=last.text + piece.text)
            else:
                found.append(piece)
        return found

    def pass_comment(self, mark: Element) -> None:
        """Where a comment's words begin or end."""
        name = attribute(mark, "id")
        if kind(mark) == "commentRangeStart" and name in self._comments:
            self.open.append(name)
        elif kind(mark) == "commentRangeEnd" and name in self.open:
            self.open.remove(name)

    def _walk(self, holder: Element, around: Around) -> Iterator[PagePiece]:
        for item in holder.iterchildren():
            name = kind(item)
            if name == "r":
                yield from self._run(item, around)
            elif name in ("commentRangeStart", "commentRangeEnd"):
                self.pass_comment(item)
            elif name in (*INSERTED, *DELETED):
                is_deleted = around.is_deleted or name in DELETED
                key = self._keys.get(item, "") or around.change
                yield from self._walk(item, replace(around, change=key, is_deleted=is_deleted))
            elif name == "hyperlink":
                yield from self._walk(item, replace(around, link=self._target(item)))
            elif item in self._segments:
                yield self._formula(item, around)
            elif name and name not in SKIPPED:
                yield from self._walk(item, around)

    def _run(self, run: Element, around: Around) -> Iterator[PagePiece]:
        properties = child(run, "rPr")
        changed = child(properties, "rPrChange") if properties is not None else None
        script = SCRIPTS.get(value(properties, "vertAlign"), "") if properties is not None else ""
        form = PagePiece(
            "",
            bold=switch(properties, "b"),
            italic=switch(properties, "i"),
            underline=underlined(properties),
            strike=switch(properties, "strike"),
            script="super" if script == "super" else "sub" if script else "",
            colour=colour(properties),
            highlight=highlight(properties),
            size=size(properties),
            style=value(properties, "rStyle") if properties is not None else "",
            link=around.link,
            change=around.change,
            format_change=self._keys.get(changed, "") if changed is not None else "",
            comments=tuple(self.open),
        )
        for node in run.iterchildren():
            if around.is_deleted:
                text = deleted_text(node)
                if text:
                    yield msgspec.structs.replace(form, text=text, kind="deleted")
            elif node in self._segments:
                yield self._node(node, self._segments[node], form)

    def _node(self, node: Element, segment: Segment, form: PagePiece) -> PagePiece:
        what: PieceKind = "kept"
        part, width, height = "", 0, 0
        name = kind(node)
        if segment.is_text or (name in ("tab", "ptab") and not segment.locked):
            what = "text"
        elif segment.node is not None and not segment.locked:
            if segment.text in (BREAK, PAGE_BREAK):
                what = "break" if segment.text == BREAK else "pageBreak"
            elif name in ("footnoteReference", "endnoteReference"):
                what = "note"
            elif name in ("drawing", "pict", "object") or node.tag == ALTERNATIVES:
                what, part = "picture", self._picture(node)
                width, height = extent(node)
        return msgspec.structs.replace(
            form, text=segment.text, kind=what, part=part, width=width, height=height,
            why=segment.locked,
        )  # fmt: skip

    def _formula(self, item: Element, around: Around) -> PagePiece:
        return PagePiece(
            self._segments[item].text,
            kind="formula" if is_formula(item) else "kept",
            change=around.change,
            comments=tuple(self.open),
            why=self._segments[item].locked,
        )

    def _target(self, link: Element) -> str:
        anchor = attribute(link, "anchor")
        target, is_external = self._relations().get(relation_id(link, "id"), ("", True))
        return (target if is_external else "") + (f"#{anchor}" if anchor else "")

    def _picture(self, node: Element) -> str:
        for item in node.iter():
            name = relation_id(item, "embed") or (
                relation_id(item, "id") if str(item.tag).endswith("}imagedata") else ""
            )
            target, is_external = self._relations().get(name, ("", True))
            if target and not is_external:
                return self._document.package.find(target) or ""
        return ""

    def _relations(self) -> Mapping[str, tuple[str, bool]]:
        if self._part not in self._targets:
            self._targets[self._part] = {
                item.id: (item.target, item.is_external)
                for item in self._document.relations_of(self._part)
            }
        return self._targets[self._part]


def first_node(segment: Segment) -> Element:
    """The element that a segment is drawn at."""
    return segment.node if segment.node is not None else segment.elements[0]


def is_same(last: PagePiece, new: PagePiece) -> bool:
    """Whether two pieces differ in their letters alone."""
    if last.kind != new.kind or last.kind not in ("text", "deleted"):
        return False
    return msgspec.structs.replace(last, text="") == msgspec.structs.replace(new, text="")


def deleted_text(node: Element) -> str:
    """What is shown of something that a tracked change took away."""
    match kind(node):
        case "delText" | "t":
            return letters(node)
        case "tab":
            return "\t"
        case "drawing" | "pict" | "object":
            return "[picture]"
        case _:
            return ""


def extent(node: Element) -> tuple[int, int]:
    """How large a picture is drawn, in pixels; 0 if nothing is said of it."""
    for space in (DRAWING, STRICT_DRAWING):
        for found in node.iter(f"{{{space}}}extent"):
            sides = [found.get("cx") or "", found.get("cy") or ""]
            if all(side.isdecimal() and len(side) < 12 for side in sides):
                width, height = (min(int(side) // EMU_PER_PIXEL, MOST_PIXELS) for side in sides)
                return width, height
    return 0, 0


def relation_id(item: Element, name: str) -> str:
    """An attribute of the namespace of relationships."""
    return next(
        (
            str(text)
            for key, text in item.attrib.items()
            if str(key).endswith(f"elationships}}{name}")
        ),
        "",
    )
