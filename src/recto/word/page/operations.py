"""A document shown as a page and changed on it, from bytes to bytes."""

import msgspec

from recto.word.changes.runs import ChangeAuthor
from recto.word.failures import EditRefused
from recto.word.numbering import NumberedTexts, renumbered
from recto.word.ooxml.document import WordDocument
from recto.word.page.editing import PageEditor
from recto.word.page.edits import EditConflict, PageEdit
from recto.word.page.kept import KeptBlock, KeptBlocks
from recto.word.page.reader import PageReader
from recto.word.view import DocumentView

OTHER_PARAGRAPHS = "The document has other paragraphs by now. Open it again."


class ShowPage(msgspec.Struct, frozen=True):
    """A document as a page draws it, with the numbers that its paragraphs had."""

    known: NumberedTexts


class EditPage(msgspec.Struct, frozen=True):
    """What a person changed on the page."""

    known: NumberedTexts
    edits: tuple[PageEdit, ...]
    author: str
    date: str
    is_tracked: bool
    kept: tuple[KeptBlock, ...] = ()
    """What earlier changes took away."""


class ReadPart(msgspec.Struct, frozen=True):
    """One part of the package, such as a picture."""

    name: str


class ShownPage(msgspec.Struct, frozen=True):
    """A page as JSON: what is around the body, and each block of the body."""

    frame: bytes
    blocks: tuple[bytes, ...]
    text: str
    numbered: NumberedTexts


class EditedPage(msgspec.Struct, frozen=True):
    """A changed document, its page, and what became of the changes."""

    page: ShownPage
    made: dict[int, int]
    conflicts: tuple[EditConflict, ...]
    kept: tuple[KeptBlock, ...] = ()
    """What these changes may have taken away."""


def show_page(data: bytes, known: NumberedTexts) -> ShownPage:
    """A document's page."""
    view = DocumentView(WordDocument(data))
    return drawn(view, renumbered(known, [item.text for item in view.paragraphs]))


def drawn(view: DocumentView, numbered: NumberedTexts) -> ShownPage:
    """A page with these numbers."""
    if len(numbered.numbers) != len(view.paragraphs):
        raise EditRefused(OTHER_PARAGRAPHS)
    view.number(numbered.numbers)
    reader = PageReader(view)
    blocks = tuple(map(msgspec.json.encode, reader.blocks()))
    return ShownPage(msgspec.json.encode(reader.frame()), blocks, view.text, numbered)


def edit_page(data: bytes, asked: EditPage) -> tuple[bytes, EditedPage]:
    """A document with a person's changes. Raises EditRefused."""
    document = WordDocument(data)
    view = DocumentView(document)
    if len(asked.known.numbers) != len(view.paragraphs):
        raise EditRefused(OTHER_PARAGRAPHS)
    view.number(asked.known.numbers)
    author = ChangeAuthor(asked.author, asked.date, document.next_id(document.stories()))
    editor = PageEditor(view, author, asked.is_tracked, asked.known.next, KeptBlocks(asked.kept))
    numbered = editor.make(asked.edits)
    saved = document.saved()
    # Nothing is written that can't be read again.
    page = drawn(DocumentView(WordDocument(saved)), numbered)
    return saved, EditedPage(page, editor.made, tuple(editor.conflicts), tuple(editor.gone))
