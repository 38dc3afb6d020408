"""Word documents made for tests: by python-docx, and by hand with XML that nobody would write."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree
from msgspec.structs import replace

from recto.word.changes.editing import LineChange, change_lines
from recto.word.changes.revisions import resolve
from recto.word.changes.runs import ChangeAuthor
from recto.word.numbering import NumberedTexts
from recto.word.ooxml.document import WordDocument
from recto.word.page import operations
from recto.word.page.edits import EditConflict, PageEdit
from recto.word.page.held import HeldDocument, PageDifference, ShownPage, applied, numbers_since
from recto.word.page.kept import KeptBlock
from recto.word.page.operations import EditPage, ShowPage
from recto.word.view import DocumentView

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DECLARED = f'xmlns:w="{W}" xmlns:r="{R}" xmlns:m="{M}"'
MAIN = "word/document.xml"
TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships'
    '+xml"/><Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.document.main+xml"/></Types>'
)
ROOT_RELS = (
    f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{R}/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)
RECTO = "Recto (Test)"
DATE = "2026-11-18T10:00:00Z"


def by_hand(
    body: str, parts: Mapping[str, str] | None = None, relations: Mapping[str, str] | None = None
) -> bytes:
    """A document with this in its body; `relations` names parts by kind, or addresses by id."""
    rels = "".join(
        f'<Relationship Id="{key}" Type="{R}/hyperlink" Target="{to}" TargetMode="External"/>'
        if "://" in to
        else f'<Relationship Id="rel_{key}" Type="{R}/{key}" Target="{to}"/>'
        for key, to in (relations or {}).items()
    )
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": ROOT_RELS,
        MAIN: f"<?xml version='1.0' encoding='UTF-8'?>\n<w:document {DECLARED}><w:body>"
        f"{body}<w:sectPr/></w:body></w:document>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{rels}'
        "</Relationships>",
        **(parts or {}),
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph with one run."""
    return f"<w:p>{properties}{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    """A run with one text."""
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def by_python_docx() -> bytes:
    """A document with a bit of everything that python-docx can make."""
    made = docx.Document()
    made.add_heading("A report on tea", 0)
    made.add_heading("Method", 1)
    first = made.add_paragraph("The quick ")
    first.add_run("bold").bold = True
    first.add_run(" and more words, here.")
    for text in ("first bullet", "second bullet"):
        made.add_paragraph(text, style="List Bullet")
    made.add_paragraph("step one", style="List Number")
    table = made.add_table(rows=2, cols=2)
    for at in range(4):
        table.cell(at // 2, at % 2).text = f"cell {at}"
    linked = made.add_paragraph("See ")
    link: Any = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), made.part.relate_to("https://example.com/", f"{R}/hyperlink", True))
    link.append(etree.fromstring(f'<w:r xmlns:w="{W}"><w:t>the site</w:t></w:r>'))
    linked._p.append(link)  # pyright: ignore[reportPrivateUsage]  # python-docx makes no links
    commented = made.add_paragraph("A commented sentence.")
    made.add_comment(commented.runs, text="Please check", author="Cleo", initials="C")
    made.add_paragraph("The end of teh document.")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def view_of(data: bytes) -> DocumentView:
    """The lines of a document."""
    return DocumentView(WordDocument(data))


def lines_of(data: bytes) -> list[str]:
    """The text of each line."""
    return [line.text for line in view_of(data).lines]


def line_at(data: bytes, text: str) -> int:
    """The number of the one line with a text."""
    (found,) = [at for at, line in enumerate(lines_of(data)) if text in line]
    return found


def edited(data: bytes, first: int, last: int, *lines: str) -> bytes:
    """A document with lines changed by Recto."""
    document = WordDocument(data)
    author = ChangeAuthor(RECTO, DATE, document.next_id(document.stories()))
    change_lines(DocumentView(document), [LineChange(first, last, lines)], author)
    return document.saved()


def show_page(data: bytes, known: NumberedTexts) -> ShownPage:
    """A document's page, read as a whole."""
    page = operations.show_page(HeldDocument(), data, ShowPage(known))
    assert isinstance(page, ShownPage)
    view = view_of(data)
    view.number(page.numbered.numbers)
    assert page.text == view.text
    return page


def page_edit(
    known: NumberedTexts,
    edits: Sequence[PageEdit],
    author: str,
    date: str,
    is_tracked: bool,
    kept: tuple[KeptBlock, ...] = (),
) -> EditPage:
    """What a person changed on a page with these numbers."""
    return EditPage(
        known=known,
        edits=tuple(edits),
        author=author,
        date=date,
        is_tracked=is_tracked,
        kept=kept,
    )


@dataclass(frozen=True)
class WholeEdit:
    """What became of changes, and the whole page."""

    page: ShownPage
    made: dict[int, int]
    conflicts: tuple[EditConflict, ...]
    kept: tuple[KeptBlock, ...]


def edit_page(data: bytes, asked: EditPage) -> tuple[bytes, WholeEdit]:
    """A document with a person's changes: the same, whether it is read whole or was held."""
    assert asked.known is not None
    saved, edited = operations.edit_page(HeldDocument(), data, asked)
    assert isinstance(edited.page, ShownPage)
    held = HeldDocument()
    shown = operations.show_page(held, data, ShowPage(asked.known))
    assert isinstance(shown, ShownPage)
    later = replace(asked, known=None, since=numbers_since(shown.numbered, asked.known))
    again, change = operations.edit_page(held, data, later)
    assert isinstance(change.page, PageDifference)
    assert again == saved
    assert applied(shown, change.page) == edited.page
    assert replace(change, page=edited.page) == edited
    return saved, WholeEdit(edited.page, edited.made, edited.conflicts, edited.kept)


def settled(data: bytes, *, accept: bool, author: str | None = RECTO) -> bytes:
    """A document with the changes of an author, or of all, accepted or rejected."""
    document = WordDocument(data)
    for story in document.stories():
        resolve(
            story,
            accept=accept,
            chosen=lambda mark: author in (None, mark.get(f"{{{W}}}author")),
        )
    return document.saved()


def parts_of(data: bytes) -> dict[str, bytes]:
    """Every part of a package."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def body_of(data: bytes) -> str:
    """What is in the body of a document that was made by hand."""
    text = parts_of(data)[MAIN].decode()
    return text[text.index("<w:body>") + 8 : text.index("<w:sectPr/></w:body>")]
