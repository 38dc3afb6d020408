"""A document shown as a page and changed on it, from bytes to bytes."""

import msgspec

from recto.word.changes.runs import ChangeAuthor
from recto.word.failures import EditRefused
from recto.word.numbering import renumbered
from recto.word.page.editing import PageEditor
from recto.word.page.edits import EditConflict, PageEdit
from recto.word.page.held import (
    OTHER_PARAGRAPHS,
    AskedNumbers,
    HeldDocument,
    PageDifference,
    ShownPage,
)
from recto.word.page.kept import KeptBlock, KeptBlocks


class ShowPage(AskedNumbers, frozen=True):
    """A document as a page draws it, with the numbers that its paragraphs had."""


class EditPage(AskedNumbers, frozen=True, kw_only=True):
    """What a person changed on the page."""

    edits: tuple[PageEdit, ...]
    author: str
    date: str
    is_tracked: bool
    kept: tuple[KeptBlock, ...] = ()
    """What earlier changes took away."""


class ReadPart(msgspec.Struct, frozen=True):
    """One part of the package, such as a picture."""

    name: str


class EditedPage(msgspec.Struct, frozen=True):
    """A changed document, its page, and what became of the changes."""

    page: ShownPage | PageDifference
    made: dict[int, int]
    conflicts: tuple[EditConflict, ...]
    kept: tuple[KeptBlock, ...] = ()
    """What these changes may have taken away."""


def show_page(held: HeldDocument, data: bytes, asked: ShowPage) -> ShownPage | PageDifference:
    """A document's page."""
    view = held.read(data)
    numbered = renumbered(held.numbered(asked), [item.text for item in view.paragraphs])
    return held.page(view, numbered, whole=asked.known is not None)


def edit_page(held: HeldDocument, data: bytes, asked: EditPage) -> tuple[bytes, EditedPage]:
    """A document with a person's changes. Raises EditRefused."""
    view, known = held.read(data), held.numbered(asked)
    document = view.document
    if len(known.numbers) != len(view.paragraphs):
        raise EditRefused(OTHER_PARAGRAPHS)
    view.number(known.numbers)
    author = ChangeAuthor(asked.author, asked.date, document.next_id(document.stories()))
    editor = PageEditor(view, author, asked.is_tracked, known.next, KeptBlocks(asked.kept))
    numbered = editor.make(asked.edits)
    saved = document.saved()
    # Nothing is written that can't be read again.
    page = held.page(held.read(saved), numbered, whole=asked.known is not None)
    return saved, EditedPage(page, editor.made, tuple(editor.conflicts), tuple(editor.gone))
