"""Live documents: one shared text for people and AI, journaled, saved, merged with the disk.

`Documents` opens them, one for each file; a `LiveDocument` takes edits and tells its followers.
"""

from recto.documents.anchors import (
    Anchor,
    Character,
    RelativePosition,
    Side,
    relative_position,
)
from recto.documents.document import LiveDocument
from recto.documents.documents import Documents, ReadOnly
from recto.documents.failures import (
    BadJournal,
    BadUpdate,
    DocumentFailure,
    InvalidPosition,
    NoSuchHunk,
    NotInForm,
    NotStored,
    StillOpen,
    UnresolvedConflict,
)
from recto.documents.file_form import FileForm, FindForm
from recto.documents.followers import DocumentFollower, EditedEvent, ReviewedEvent
from recto.documents.journal import DocumentJournal, JournalEntry
from recto.documents.merging import MergeConflict, merge_texts
from recto.documents.offsets import from_utf16, to_utf16
from recto.documents.origins import Author, EditOrigin, Way, Who
from recto.documents.own_words import OwnWords
from recto.documents.splices import Splice, difference, spliced
from recto.documents.state import DocumentConflict, DocumentState
from recto.documents.tracking.hunks import Hunk
from recto.documents.tracking.pieces import WrittenSpan
from recto.documents.words import Unit, unit_of

__all__ = [
    "Anchor",
    "Author",
    "BadJournal",
    "BadUpdate",
    "Character",
    "MergeConflict",
    "DocumentConflict",
    "UnresolvedConflict",
    "DocumentFailure",
    "Documents",
    "EditedEvent",
    "JournalEntry",
    "DocumentFollower",
    "Hunk",
    "DocumentJournal",
    "LiveDocument",
    "FileForm",
    "FindForm",
    "InvalidPosition",
    "NotInForm",
    "NoSuchHunk",
    "NotStored",
    "EditOrigin",
    "OwnWords",
    "ReadOnly",
    "RelativePosition",
    "ReviewedEvent",
    "Side",
    "Splice",
    "DocumentState",
    "StillOpen",
    "Unit",
    "Way",
    "Who",
    "WrittenSpan",
    "difference",
    "from_utf16",
    "merge_texts",
    "relative_position",
    "spliced",
    "to_utf16",
    "unit_of",
]
