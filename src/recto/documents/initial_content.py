"""How a document begins: with a file as it was found, or with a file that an edit makes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from recto.documents.failures import NotInForm
from recto.documents.file_form import FileForm, decoded, text_of_file
from recto.documents.file_format import FileFormat
from recto.documents.journal import JournalEntry, mark, mark_entry
from recto.documents.journal_replay import BaseContent, ReplayedDocument
from recto.documents.origins import BEFORE, Author, EditOrigin, author_of
from recto.documents.shared_text import SharedText, first_update
from recto.documents.tracking.pieces import begun
from recto.documents.tracking.tracker import Tracker
from recto.documents.words import Unit
from recto.workspace import TextFile, content_hash

BOM = "\ufeff"


@dataclass(frozen=True)
class InitialContent:
    """A file's content as the first of a document, who wrote it, and whether that waits."""

    base: BaseContent
    author: Author = BEFORE
    added_by: str = ""

    @property
    def epoch(self) -> str:
        """Which document it is: a page that has another must begin anew."""
        # From the content: a restarted server and a second process come to the same name.
        return self.base.hash[:16]

    @cached_property
    def update(self) -> bytes:
        """What puts it into an empty document; made once, for a large text takes its time."""
        return first_update(self.base.text, self.base.hash)

    def document(self, unit: Unit, *, last_seq: int, rows: int) -> ReplayedDocument:
        """The document, as if it were read from its journal."""
        base = self.base
        shared = SharedText(self.update)
        pieces = begun(len(base.text), self.author, added_by=self.added_by)
        tracker = Tracker(pieces, base.text, unit)
        return ReplayedDocument(shared, tracker, base, self.epoch, last_seq, rows)

    def entry(self, seq: int, kind: Literal["saving", "saved"]) -> JournalEntry:
        """The entry with the whole document."""
        base = self.base
        said = mark(kind, seq, base.hash, base.shape, self.epoch)
        pieces = begun(len(base.text), self.author, added_by=self.added_by)
        return mark_entry(seq, said, self.update, pieces)

    def written_entry(self, seq: int) -> JournalEntry:
        """The entry right behind that: the file is there now."""
        base = self.base
        return mark_entry(seq, mark("saved", seq - 1, base.hash, base.shape, self.epoch))


def content_of_file(file: TextFile, form: FileForm | None = None) -> InitialContent:
    """A file that was there before. Raises NotInForm."""
    shape = FileFormat.of(file)
    text = text_of_file(file, shape, form, "")
    if form is not None:
        form.adopt(file.text, text)
    return InitialContent(BaseContent(text, file.hash, shape))


def content_of_new_file(
    data: bytes, origin: EditOrigin, form: FileForm | None = None
) -> InitialContent | None:
    """A file that an edit makes; None when it is no text in UTF-8, or not in its form."""
    text = decoded(data)
    if text is None or "\0" in text:
        return None
    has_bom = data.startswith(BOM.encode())
    if form is None:
        shape = FileFormat.of_new(text, bom=has_bom)
        base = BaseContent(shape.read(text), content_hash(data), shape)
    else:
        try:
            found = form.read(text, "")
        except NotInForm:
            return None
        base = BaseContent(found, content_hash(data), FileFormat("utf-8", has_bom, "mixed"))
    return InitialContent(base, author_of(origin), origin.name if origin.pending else "")
