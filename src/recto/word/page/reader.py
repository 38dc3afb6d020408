"""Reads a document as the blocks that a page draws."""

from collections.abc import Iterator
from typing import Literal

from recto.word.changes.revisions import (
    DELETED,
    INSERTED,
    Revision,
    add_revisions,
    revisions_below,
    revisions_in,
)
from recto.word.failures import EditRefused
from recto.word.ooxml.comments import comment_threads
from recto.word.ooxml.document import WordDocument, is_note
from recto.word.ooxml.list_markers import ListMarkers
from recto.word.ooxml.names import Element, attribute, child, children, kind, value, within
from recto.word.ooxml.segments import Surroundings, segments_of
from recto.word.ooxml.story import Story
from recto.word.ooxml.styles import whole
from recto.word.page.model import (
    PageBlock,
    PageCell,
    PageChange,
    PageComment,
    PageFrame,
    PageNote,
    PageParagraph,
    PageRemark,
    PageRow,
    PageStyle,
    PageTable,
)
from recto.word.page.pieces import PieceReader
from recto.word.page.styles import alignment, indent, page_styles, switch
from recto.word.view import PASSED_BLOCKS, DocumentView, ShownParagraph, cells_of, rows_of

USUAL_WIDTH = 451.0
End = Literal["", "inserted", "deleted"]
BlockChanges = dict[Element, list[Revision]]
"""The tracked changes of blocks."""


class PageReader:
    """One document, read once."""

    def __init__(self, view: DocumentView, changes: BlockChanges | None = None) -> None:
        self._document = view.document
        self._shown = {item.element: item for item in view.paragraphs}
        self._revisions = numbered_revisions(view.document, {} if changes is None else changes)
        self._keys = {mark: key for key, item in self._revisions for mark in item.marks}
        self._threads = comment_threads(view.document)
        self._markers = ListMarkers(view.document.styles)
        numbering = view.document.root_of("numbering")
        if numbering is not None:
            self._markers.add_numbering(numbering)
        self._pieces = PieceReader(self._document, self._keys, frozenset(self._threads))

    def blocks(self) -> list[PageBlock]:
        """What is in the body."""
        return list(self._blocks(self._document.body, self._document.story(self._document.main)))

    def frame(self) -> PageFrame:
        """All but the body."""
        document = self._document
        first = next(within(document.body, "sectPr"), None)
        settings = document.root_of("settings")
        return PageFrame(
            notices=tuple(item.strip("[]") for item in document.notices() if "tracked" not in item),
            refusal=refusal(document),
            is_tracking=document.protection == "trackedChanges"
            or bool(switch(settings, "trackRevisions")),
            styles=self._styles(),
            changes=tuple(
                PageChange(key, item.what, item.author, item.date, item.text)
                for key, item in self._revisions
            ),
            comments=tuple(
                PageComment(
                    name,
                    thread.quoted,
                    thread.is_resolved,
                    tuple(
                        PageRemark(item.id, item.author, item.date, item.text)
                        for item in thread.comments
                    ),
                )
                for name, thread in self._threads.items()
            ),
            header=tuple(self._margin(first, "header")),
            footer=tuple(self._margin(first, "footer")),
            notes=tuple(self._notes()),
            width=text_width(first),
        )

    def _styles(self) -> tuple[PageStyle, ...]:
        return tuple(page_styles(self._document.root_of("styles"), self._document.styles))

    def _blocks(self, holder: Element, story: Story) -> Iterator[PageBlock]:
        for block in holder.iterchildren():
            yield from self._block(block, story)

    def _block(self, block: Element, story: Story) -> Iterator[PageBlock]:
        match kind(block):
            case "p":
                yield self._paragraph(block, story)
            case "tbl":
                yield self._table(block, story)
            case "commentRangeStart" | "commentRangeEnd":
                self._pieces.pass_comment(block)
            case name if name in PASSED_BLOCKS:
                yield from self._blocks(block, story)
            case _:
                pass

    def _paragraph(self, element: Element, story: Story) -> PageParagraph:
        shown = self._paragraph_of(element) or self._unnumbered(element, story)
        properties = child(element, "pPr")
        style = value(properties, "pStyle") if properties is not None else ""
        marker, level = self._markers.marker(properties, style)
        change, end = self._end_of(properties)
        changed = child(properties, "pPrChange") if properties is not None else None
        return PageParagraph(
            "paragraph",
            shown.number,
            text=page_text(shown),
            style=style,
            align=alignment(properties),
            indent=round(indent(properties)),
            marker=marker,
            level=level,
            pieces=tuple(self._pieces.read(shown)),
            change=change,
            end=end,
            format_change=self._keys.get(changed, "") if changed is not None else "",
        )

    def _paragraph_of(self, element: Element) -> ShownParagraph | None:
        return self._shown.get(element)

    def _unnumbered(self, element: Element, story: Story) -> ShownParagraph:
        """A paragraph that can only be read."""
        links = self._document.relations_of(story.name)
        around = Surroundings({item.id: item.target for item in links if item.is_external})
        return ShownParagraph(element, story, "", segments_of(element, around))

    def _end_of(self, properties: Element | None) -> tuple[str, End]:
        """The tracked change of a paragraph's end."""
        marks = child(properties, "rPr") if properties is not None else None
        for item in marks if marks is not None else ():
            if item in self._keys and kind(item) in DELETED:
                return self._keys[item], "deleted"
        for item in marks if marks is not None else ():
            if item in self._keys and kind(item) in INSERTED:
                return self._keys[item], "inserted"
        return "", ""

    def _table(self, table: Element, story: Story) -> PageTable:
        rows = list(rows_of(table))
        spans = row_spans(rows)
        return PageTable("table", tuple(self._row(row, spans, story) for row in rows))

    def _row(self, row: Element, spans: dict[Element, int], story: Story) -> PageRow:
        properties = child(row, "trPr")
        change = ""
        end: End = ""
        for item in properties if properties is not None else ():
            if item in self._keys and kind(item) in (*INSERTED, *DELETED):
                change = self._keys[item]
                end = "deleted" if kind(item) in DELETED else "inserted"
        cells = tuple(
            PageCell(tuple(self._blocks(cell, story)), columns_of(cell), spans[cell])
            for cell in cells_of(row)
            if spans[cell]
        )
        return PageRow(cells, change, end, bool(switch(properties, "tblHeader")))

    def _margin(self, section: Element | None, where: str) -> Iterator[PageBlock]:
        """The header or footer of the first pages."""
        if section is None:
            return
        wanted = "first" if switch(section, "titlePg") else "default"
        for item in children(section, f"{where}Reference"):
            relation = self._document.relations.get(reference_id(item))
            if attribute(item, "type") == wanted and relation is not None:
                part = self._document.package.find(relation.target)
                if part is not None and not relation.is_external:
                    story = self._document.story(part)
                    yield from self._blocks(story.root, story)

    def _notes(self) -> Iterator[PageNote]:
        labels = self._document.note_labels()
        for story in self._document.stories()[1:]:
            for note in story.root.iterchildren():
                if kind(note) in ("footnote", "endnote") and is_note(note):
                    label = labels[kind(note), attribute(note, "id")]
                    yield PageNote(label, tuple(self._blocks(note, story)))


def page_text(shown: ShownParagraph) -> str:
    """The letters of a paragraph that edits are counted in."""
    return "".join(item.text for item in shown.segments if not item.is_mark)


def numbered_revisions(document: WordDocument, changes: BlockChanges) -> list[tuple[str, Revision]]:
    """The tracked changes in order, each with a key that stays while others come and go."""
    found: list[tuple[str, Revision]] = []
    seen: dict[str, int] = {}
    for story in document.stories():
        is_main = story.name == document.main
        for item in changes_in_body(document, changes) if is_main else revisions_in(story):
            name = attribute(item.marks[0], "id")
            seen[name] = seen.get(name, 0) + 1
            found.append((name if seen[name] == 1 else f"{name}.{seen[name]}", item))
    return found


def changes_in_body(document: WordDocument, changes: BlockChanges) -> list[Revision]:
    """The tracked changes of the main part; those of blocks that are known are not looked for."""
    body = document.body
    found: list[Revision] = []
    for item in document.story(document.main).root.iterchildren():
        for block in item.iterchildren() if item is body else (item,):
            if block not in changes:
                changes[block] = revisions_below(block)
            add_revisions(found, changes[block])
    return found


def row_spans(rows: list[Element]) -> dict[Element, int]:
    """How many rows each cell takes; none for those that another one has grown over."""
    found: dict[Element, int] = {}
    open_at: dict[int, Element] = {}
    for row in rows:
        properties = child(row, "trPr")
        at = whole(value(properties, "gridBefore")) if properties is not None else 0
        for cell in cells_of(row):
            cell_properties = child(cell, "tcPr")
            merge = child(cell_properties, "vMerge") if cell_properties is not None else None
            above = open_at.get(at)
            if merge is not None and attribute(merge, "val") != "restart" and above is not None:
                found[cell] = 0
                found[above] += 1
            else:
                found[cell] = 1
                open_at.pop(at, None)
                if merge is not None:
                    open_at[at] = cell
            at += columns_of(cell)
    return found


def columns_of(cell: Element) -> int:
    """How many columns a cell takes."""
    properties = child(cell, "tcPr")
    return max(whole(value(properties, "gridSpan")), 1) if properties is not None else 1


def reference_id(item: Element) -> str:
    """The id of the relationship that an element names."""
    return next((str(text) for key, text in item.attrib.items() if str(key).endswith("}id")), "")


def text_width(section: Element | None) -> float:
    """How wide the text is, in points."""
    size = child(section, "pgSz") if section is not None else None
    margins = child(section, "pgMar") if section is not None else None
    if size is None or margins is None:
        return USUAL_WIDTH
    sides = whole(attribute(margins, "left")) + whole(attribute(margins, "right"))
    return max(whole(attribute(size, "w")) - sides, 0) / 20 or USUAL_WIDTH


def refusal(document: WordDocument) -> str:
    """Why a document can't be edited; empty if it can."""
    try:
        document.check_editable("edit")
    except EditRefused as failure:
        return failure.message
    return ""
