"""A paragraph as the letters that are shown of it, each with the XML it comes from.

Deleted text is hidden, inserted text is text. What is no text (a footnote's mark, a picture, a
formula, a field's result) is shown by a few letters that stay or go together.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from recto.word.ooxml.formulas import formula_text, is_formula
from recto.word.ooxml.names import (
    COMPATIBILITY,
    DRAWING,
    RELATIONSHIPS,
    SPACE,
    STRICT_DRAWING,
    STRICT_RELATIONSHIPS,
    Element,
    attribute,
    child,
    children,
    kind,
)

HIDDEN = ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr")
PASSED = ("ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "sdtContent")
LOCKS = ("contentLocked", "sdtContentLocked")
BREAK = "<br>"
PAGE_BREAK = "[page break]"
BY_FIELD = "a field makes this text (press F9 in Word to renew it)"
BY_CONTROL = "a content control keeps this text as it is"


@dataclass(slots=True, eq=False)
class Segment:
    """Letters of one origin."""

    text: str
    node: Element | None = None
    """The element in a run that it is; None for what several make together, and for marks."""
    elements: list[Element] = field(default_factory=list[Element])
    """The elements that make it together."""
    opens: "Segment | None" = None
    """The mark that this one closes."""
    around: Element | None = None
    """The element that a mark stands at the edge of."""
    locked: str = ""
    """Why it can't be changed; empty if it can."""

    @property
    def is_text(self) -> bool:
        """Whether its letters can be changed one by one."""
        return self.node is not None and kind(self.node) == "t" and not self.locked

    @property
    def is_mark(self) -> bool:
        """Whether it only marks what lies between it and its other half."""
        return self.around is not None


@dataclass(slots=True)
class OpenField:
    """A field whose end is not reached yet."""

    instruction: str = ""
    shows: bool = False
    segment: Segment | None = None
    """What is shown of it, if it began in this paragraph."""

    @property
    def is_link(self) -> bool:
        """Whether its result is text like any other."""
        return self.instruction.strip().casefold().startswith("hyperlink")


@dataclass(slots=True)
class Surroundings:
    """What paragraphs need to know of their document, and carry from one to the next."""

    links: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """The label of each note, by its kind and id."""
    fields: list[OpenField] = field(default_factory=list[OpenField])


def segments_of(paragraph: Element, around: Surroundings) -> list[Segment]:
    """What is shown of a paragraph, in order."""
    for opened in around.fields:
        opened.segment = None
    return list(joined(SegmentReader(around).read(paragraph)))


def joined(segments: Iterator[Segment]) -> Iterator[Segment]:
    """Without those that show nothing and hold nothing."""
    return (segment for segment in segments if segment.text or segment.elements)


class SegmentReader:
    """Walks through a paragraph once."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._locked = ""

    def read(self, element: Element) -> Iterator[Segment]:
        """The segments below an element."""
        for item in element.iterchildren():
            yield from self._read_one(item)

    def _read_one(self, item: Element) -> Iterator[Segment]:
        name = kind(item)
        if name in HIDDEN:
            return
        if name == "r":
            yield from self._read_run(item)
        elif name in PASSED:
            yield from self.read(item)
        elif name == "hyperlink":
            yield from self._read_link(item)
        elif name == "fldSimple":
            yield from self._read_simple_field(item)
        elif name == "sdt":
            yield from self._read_control(item)
        elif is_formula(item):
            yield Segment(f"${formula_text(item)}$", elements=[item], locked=self._locked)

    def _read_link(self, link: Element) -> Iterator[Segment]:
        relation = link.get(f"{{{RELATIONSHIPS}}}id") or link.get(f"{{{STRICT_RELATIONSHIPS}}}id")
        target = self._around.links.get(relation or "", "")
        anchor = attribute(link, "anchor")
        inside = list(self.read(link))
        if not any(segment.text for segment in inside):
            return
        first = Segment("[", around=link, locked=self._locked)
        yield first
        yield from inside
        place = f"{target}#{anchor}" if anchor else target
        yield Segment(f"]({place})", around=link, opens=first, locked=self._locked)

    def _read_simple_field(self, item: Element) -> Iterator[Segment]:
        inside = list(self.read(item))
        if attribute(item, "instr").strip().casefold().startswith("hyperlink"):
            yield from inside
        else:
            text = "".join(segment.text for segment in inside)
            made = [node for segment in inside for node in (segment.node, *segment.elements)]
            nodes = [node for node in made if node is not None]
            yield Segment(text, elements=nodes, locked=self._locked)

    def _read_control(self, item: Element) -> Iterator[Segment]:
        properties, content = child(item, "sdtPr"), child(item, "sdtContent")
        if content is None:
            return
        before = self._locked
        if properties is not None:
            lock = child(properties, "lock")
            held = lock is not None and attribute(lock, "val") in LOCKS
            if held or child(properties, "dataBinding") is not None:
                self._locked = BY_CONTROL
        yield from self.read(content)
        self._locked = before

    def _read_run(self, run: Element) -> Iterator[Segment]:
        for node in run.iterchildren():
            for segment in self._read_node(node):
                yield from self._within_fields(segment)
            if kind(node) in ("fldChar", "instrText"):
                yield from self._read_field(node)

    def _read_node(self, node: Element) -> Iterator[Segment]:
        name = kind(node)
        text = self._text_of(node, name)
        if text:
            yield Segment(text, node, locked=self._locked)
        elif node.tag == f"{{{COMPATIBILITY}}}AlternateContent":
            yield Segment(picture_text(node), node, locked=self._locked)

    def _text_of(self, node: Element, name: str) -> str:
        match name:
            case "t":
                return letters(node)
            case "tab" | "ptab":
                return "\t"
            case "br" | "cr":
                return PAGE_BREAK if attribute(node, "type") in ("page", "column") else BREAK
            case "noBreakHyphen":
                return "\N{NON-BREAKING HYPHEN}"
            case "footnoteReference" | "endnoteReference":
                label = self._around.notes.get((name[:-9], attribute(node, "id")), "?")
                return f"[^{label}]"
            case "drawing" | "pict" | "object":
                return picture_text(node)
            case "sym":
                return symbol(attribute(node, "char"))
            case "ruby":
                base = child(node, "rubyBase")
                return (
                    ""
                    if base is None
                    else "".join(
                        letters(item) for run in children(base, "r") for item in children(run, "t")
                    )
                )
            case _:
                return ""

    def _within_fields(self, segment: Segment) -> Iterator[Segment]:
        """A run's segment as the fields around it let it be shown."""
        fields = self._around.fields
        if any(not opened.shows for opened in fields):
            return  # between a field's begin and its result lies only its code
        made = next((opened for opened in fields if not opened.is_link), None)
        if made is None:
            yield segment
        elif made.segment is None:
            segment.locked = BY_FIELD
            yield segment
        else:
            made.segment.text += segment.text
            if segment.node is not None:
                made.segment.elements.append(segment.node)

    def _read_field(self, node: Element) -> Iterator[Segment]:
        fields = self._around.fields
        if kind(node) == "fldChar" and attribute(node, "fldCharType") == "begin":
            # A field that goes on from another paragraph can't be taken out of this one alone.
            inside = any(opened.segment is None and not opened.is_link for opened in fields)
            begun = None if inside else Segment("", locked=self._locked)
            fields.append(OpenField(segment=begun))
        if not fields:
            return
        last = fields[-1]
        if last.segment is not None:
            last.segment.elements.append(node)
        if kind(node) == "instrText":
            last.instruction += "" if last.shows else node.text or ""
        elif attribute(node, "fldCharType") == "separate":
            last.shows = True
        elif attribute(node, "fldCharType") == "end":
            yield from self._end_field(fields.pop())

    def _end_field(self, ended: OpenField) -> Iterator[Segment]:
        found = ended.segment
        if found is None or ended.is_link:
            return
        outer = next((opened for opened in self._around.fields if not opened.is_link), None)
        if outer is None:
            yield found
        elif outer.segment is not None:
            outer.segment.text += found.text if outer.shows else ""
            outer.segment.elements += found.elements


def letters(node: Element) -> str:
    """The text of a `t`: without `preserve` white space at its ends does not count."""
    text = (node.text or "").replace("\n", " ").replace("\r", " ")
    return text if node.get(SPACE) == "preserve" else text.strip(" \t")


def symbol(code: str) -> str:
    """A letter of a symbol font, if it is one of Unicode as well."""
    try:
        letter = chr(int(code, 16))
    except (ValueError, OverflowError):
        return "[symbol]"
    return letter if letter.isprintable() and not "\ue000" <= letter <= "\uf8ff" else "[symbol]"


def picture_text(node: Element) -> str:
    """What stands for a picture: the words that describe it."""
    for space in (DRAWING, STRICT_DRAWING):
        for found in node.iter(f"{{{space}}}docPr"):
            words = found.get("descr") or found.get("title") or found.get("name") or "picture"
            return f"![{' '.join(words.split())}]"
    return "![picture]"
