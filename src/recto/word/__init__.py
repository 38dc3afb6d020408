"""Word documents: read safely, changed by tracked changes, every other byte saved as it was."""

from recto.word.changes.editing import LineChange
from recto.word.confined import Holding, ask_worker
from recto.word.contents import (
    OBJECT,
    ContentComment,
    ContentLook,
    ContentParagraph,
    DocumentContents,
    ReadContents,
)
from recto.word.failures import EditRefused, NotWord, PassageMissing, WordFailure
from recto.word.foreign_formats import FOREIGN, foreign_text, word_markdown
from recto.word.lock_files import lock_files, opened_by
from recto.word.numbering import NumberedTexts
from recto.word.ooxml.names import WORD_ENDINGS, is_word
from recto.word.operations import (
    CommentOn,
    DocumentText,
    EditWord,
    ListRevisions,
    MergeDocuments,
    Operation,
    OperationResult,
    ReadPictures,
    ReadWord,
    ResolveComment,
    RevisionRow,
    SettleRevisions,
)
from recto.word.page.edits import EditConflict, PageEdit
from recto.word.page.held import PageDifference, ShownPage, applied, numbers_since
from recto.word.page.kept import KeptBlock, bounded
from recto.word.page.operations import EditedPage, EditPage, ReadPart, ShowPage
from recto.word.waiting import waiting_worker
from recto.word.writers import LetterChange, LetterWriter, TextWriters, carried, found_again, joined

__all__ = [
    "FOREIGN",
    "OBJECT",
    "WORD_ENDINGS",
    "ContentComment",
    "ContentLook",
    "ContentParagraph",
    "DocumentContents",
    "ReadContents",
    "CommentOn",
    "DocumentText",
    "EditConflict",
    "EditPage",
    "EditedPage",
    "EditWord",
    "EditRefused",
    "Holding",
    "LineChange",
    "ListRevisions",
    "MergeDocuments",
    "KeptBlock",
    "LetterChange",
    "LetterWriter",
    "NotWord",
    "NumberedTexts",
    "Operation",
    "OperationResult",
    "PageDifference",
    "PageEdit",
    "PassageMissing",
    "ReadPart",
    "ReadPictures",
    "ReadWord",
    "ResolveComment",
    "RevisionRow",
    "SettleRevisions",
    "TextWriters",
    "ShowPage",
    "ShownPage",
    "WordFailure",
    "applied",
    "ask_worker",
    "bounded",
    "carried",
    "foreign_text",
    "found_again",
    "is_word",
    "joined",
    "lock_files",
    "numbers_since",
    "opened_by",
    "waiting_worker",
    "word_markdown",
]
