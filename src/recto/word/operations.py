"""What is done with a document, from bytes to bytes. All of it runs in a process of its own."""

import posixpath
from collections.abc import Callable
from typing import Any

import msgspec

from recto.word.changes.commenting import add_comment, answer_comment, resolve_comment
from recto.word.changes.editing import LineChange, change_lines
from recto.word.changes.merging import merge_documents
from recto.word.changes.revisions import Revision, resolve, revisions_in
from recto.word.changes.runs import ChangeAuthor
from recto.word.contents import DocumentContents, ReadContents, read_contents
from recto.word.failures import EditRefused, PassageMissing, WordFailure
from recto.word.numbering import NumberedTexts, renumbered
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.story import Story
from recto.word.page.held import HeldDocument, PageDifference, ShownPage
from recto.word.page.operations import (
    EditedPage,
    EditPage,
    ReadPart,
    ShowPage,
    edit_page,
    show_page,
)
from recto.word.view import DocumentView

MAX_PICTURES = 80_000_000


class ReadWord(msgspec.Struct, frozen=True):
    """A document's text, with the numbers that its paragraphs had when it was last seen."""

    known: NumberedTexts


class EditWord(msgspec.Struct, frozen=True):
    """Lines of a document's text that shall be others."""

    known: NumberedTexts
    changes: tuple[LineChange, ...]
    author: str
    date: str


class CommentOn(msgspec.Struct, frozen=True):
    """Something to say: about words of a paragraph, or as the answer to a comment."""

    text: str
    author: str
    date: str
    known: NumberedTexts
    paragraph: int = 0
    words: str = ""
    place: tuple[int, int] | None = None
    """Instead of words: where they begin and end, in the letters that a page counts."""
    answers: str = ""
    """The id of the comment that is answered."""


class ResolveComment(msgspec.Struct, frozen=True):
    """A thread that is done, or open again."""

    comment: str
    done: bool
    known: NumberedTexts


class ListRevisions(msgspec.Struct, frozen=True):
    """The tracked changes of a document."""


class SettleRevisions(msgspec.Struct, frozen=True):
    """Tracked changes to accept or reject: by their places in the list, or all of them."""

    accept: bool
    chosen: tuple[int, ...] | None = None
    author: str | None = None
    """Only those of this author."""
    known: NumberedTexts = NumberedTexts()


class MergeDocuments(msgspec.Struct, frozen=True):
    """Three forms of a document: what two others were made from, then those."""


class ReadPictures(msgspec.Struct, frozen=True):
    """The pictures of a document."""


class DocumentText(msgspec.Struct, frozen=True):
    """A document's text, and its paragraphs' numbers."""

    text: str
    numbered: NumberedTexts


class RevisionRow(msgspec.Struct, frozen=True):
    """A tracked change, for people."""

    what: str
    author: str
    date: str
    text: str


class OperationResult(msgspec.Struct, frozen=True):
    """What came of an operation: one of these."""

    text: DocumentText | None = None
    revisions: tuple[RevisionRow, ...] = ()
    name: str = ""
    data: bytes = b""
    page: ShownPage | PageDifference | None = None
    edited: EditedPage | None = None
    contents: DocumentContents | None = None
    parts: dict[str, bytes] = {}
    """Pictures, by their names in the document."""

    @property
    def has_page(self) -> bool:
        """Whether a page was told."""
        return self.page is not None or self.edited is not None


Operation = (
    ReadWord
    | EditWord
    | CommentOn
    | ResolveComment
    | ListRevisions
    | SettleRevisions
    | MergeDocuments
    | ShowPage
    | EditPage
    | ReadPart
    | ReadContents
    | ReadPictures
)


def perform(name: str, asked: Any, files: list[bytes], held: HeldDocument) -> OperationResult:
    """Do it, with what is held of the document. Raises a WordFailure."""
    if name not in ON_HELD:
        return OPERATIONS[name][1](asked, files)
    try:
        return ON_HELD[name][1](asked, files[0], held)
    except WordFailure:
        held.forget()  # it may be changed by half
        raise


def read(asked: ReadWord, files: list[bytes]) -> OperationResult:
    """The text."""
    return OperationResult(text=text_of(files[0], asked.known))


def text_of(data: bytes, known: NumberedTexts) -> DocumentText:
    """A document's text, each paragraph with the number it had."""
    return numbered_text(DocumentView(WordDocument(data)), known)


def numbered_text(view: DocumentView, known: NumberedTexts) -> DocumentText:
    """The same of one that is read."""
    numbered = renumbered(known, [item.text for item in view.paragraphs])
    view.number(numbered.numbers)
    return DocumentText(view.text, numbered)


def edit(asked: EditWord, data: bytes, held: HeldDocument) -> OperationResult:
    """The document with tracked changes."""
    view = held.read(data)
    give_numbers(view, asked.known.numbers)
    document = view.document
    change_lines(view, asked.changes, author_of(document, asked.author, asked.date))
    new = document.saved()
    return OperationResult(text=numbered_text(held.read(new), asked.known), data=new)


def comment(asked: CommentOn, files: list[bytes]) -> OperationResult:
    """The document with something said beside it."""
    document = WordDocument(files[0])
    author = author_of(document, asked.author, asked.date)
    if asked.answers:
        made = answer_comment(document, asked.answers, asked.text, author)
        return saved(document, asked.known, made)
    view = numbered_view(document, asked.known.numbers)
    paragraph = next((item for item in view.paragraphs if item.number == asked.paragraph), None)
    if paragraph is None:
        raise PassageMissing(f"There is no paragraph \N{PILCROW SIGN}{asked.paragraph}.")
    made = add_comment(document, paragraph, asked.place or asked.words, asked.text, author)
    return saved(document, asked.known, made)


def saved(document: WordDocument, known: NumberedTexts, name: str = "") -> OperationResult:
    """A changed document. It is read once more: nothing is written that can't be read again."""
    data = document.saved()
    return OperationResult(text=text_of(data, known), name=name, data=data)


def settle_comment(asked: ResolveComment, files: list[bytes]) -> OperationResult:
    """The document with a thread resolved, or open again."""
    document = WordDocument(files[0])
    resolve_comment(document, asked.comment, done=asked.done)
    return saved(document, asked.known)


def list_revisions(_: ListRevisions, files: list[bytes]) -> OperationResult:
    """The tracked changes."""
    found = [revision for _, revision in all_revisions(WordDocument(files[0]))]
    return OperationResult(
        revisions=tuple(RevisionRow(item.what, item.author, item.date, item.text) for item in found)
    )


def settle_revisions(asked: SettleRevisions, files: list[bytes]) -> OperationResult:
    """The document with tracked changes accepted or rejected."""
    document = WordDocument(files[0])
    document.check_editable("settle")
    found = all_revisions(document)
    chosen = range(len(found)) if asked.chosen is None else asked.chosen
    if any(not 0 <= number < len(found) for number in chosen):
        raise EditRefused("The document has other tracked changes by now. Look at it again.")
    marks = {
        mark
        for number in chosen
        for mark in found[number][1].marks
        if asked.author in (None, found[number][1].author)
    }
    for story in document.stories():
        resolve(story, accept=asked.accept, chosen=marks.__contains__)
    return saved(document, asked.known)


def merge(_: MergeDocuments, files: list[bytes]) -> OperationResult:
    """The merged document; nothing where both changed the same."""
    base, ours, theirs = files
    return OperationResult(data=merge_documents(base, ours, theirs) or b"")


def show(asked: ShowPage, data: bytes, held: HeldDocument) -> OperationResult:
    """The page."""
    return OperationResult(page=show_page(held, data, asked))


def change_page(asked: EditPage, data: bytes, held: HeldDocument) -> OperationResult:
    """The document with a person's changes."""
    new, made = edit_page(held, data, asked)
    return OperationResult(data=new, edited=made)


def read_part(asked: ReadPart, files: list[bytes]) -> OperationResult:
    """A part's bytes."""
    return OperationResult(data=WordDocument(files[0]).package.read(asked.name))


def read_pictures(_: ReadPictures, files: list[bytes]) -> OperationResult:
    """The pictures, under the names that the text knows them by."""
    document = WordDocument(files[0])
    folder = f"{posixpath.dirname(document.main)}/"
    names = [item for item in document.package.names if item.startswith(f"{folder}media/")]
    found: dict[str, bytes] = {}
    left = MAX_PICTURES
    for name in names:
        found[name.removeprefix(folder)] = content = document.package.read(name)
        left -= len(content)
        if left < 0:
            raise EditRefused(f"Its pictures are over {MAX_PICTURES // 1_000_000} MB.")
    return OperationResult(parts=found)


def read_all(asked: ReadContents, files: list[bytes]) -> OperationResult:
    """What the document says."""
    return OperationResult(contents=read_contents(files[0], asked))


def all_revisions(document: WordDocument) -> list[tuple[Story, Revision]]:
    """The tracked changes of all parts, in order."""
    return [(story, item) for story in document.stories() for item in revisions_in(story)]


def numbered_view(document: WordDocument, numbers: tuple[int, ...]) -> DocumentView:
    """The lines as whoever asks has seen them. Raises EditRefused."""
    view = DocumentView(document)
    give_numbers(view, numbers)
    return view


def give_numbers(view: DocumentView, numbers: tuple[int, ...]) -> None:
    """Give the paragraphs the numbers that whoever asks knows. Raises EditRefused."""
    if len(numbers) != len(view.paragraphs):
        raise EditRefused("The document has other paragraphs by now. Read it again.")
    view.number(numbers)


def author_of(document: WordDocument, name: str, date: str) -> ChangeAuthor:
    """Who makes changes, with numbers that are free."""
    return ChangeAuthor(name, date, document.next_id(document.stories()))


OPERATIONS: dict[str, tuple[type[Any], Callable[[Any, list[bytes]], OperationResult]]] = {
    "read": (ReadWord, read),
    "comment": (CommentOn, comment),
    "settle_comment": (ResolveComment, settle_comment),
    "list_revisions": (ListRevisions, list_revisions),
    "settle_revisions": (SettleRevisions, settle_revisions),
    "merge": (MergeDocuments, merge),
    "read_part": (ReadPart, read_part),
    "read_contents": (ReadContents, read_all),
    "read_pictures": (ReadPictures, read_pictures),
}
"""What begins with bytes."""
ON_HELD: dict[str, tuple[type[Any], Callable[[Any, bytes, HeldDocument], OperationResult]]] = {
    "edit": (EditWord, edit),
    "show_page": (ShowPage, show),
    "edit_page": (EditPage, change_page),
}
"""What goes on from a document as it was read before."""
