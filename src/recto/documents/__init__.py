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
    Conflicting,
    DocumentFailure,
    Misplaced,
    NoSuchHunk,
    NotStored,
)
from recto.documents.following import Edited, Follower, Reviewed
from recto.documents.journal import Entry, Journal
from recto.documents.offsets import from_utf16, to_utf16
from recto.documents.origins import Author, Origin, Way, Who
from recto.documents.splices import Splice
from recto.documents.state import Conflict, State
from recto.documents.tracking.hunks import Hunk
from recto.documents.tracking.pieces import Written
from recto.documents.words import Unit, unit_of

__all__ = [
    "Anchor",
    "Author",
    "BadJournal",
    "BadUpdate",
    "Character",
    "Conflict",
    "Conflicting",
    "DocumentFailure",
    "Documents",
    "Edited",
    "Entry",
    "Follower",
    "Hunk",
    "Journal",
    "LiveDocument",
    "Misplaced",
    "NoSuchHunk",
    "NotStored",
    "Origin",
    "ReadOnly",
    "RelativePosition",
    "Reviewed",
    "Side",
    "Splice",
    "State",
    "Unit",
    "Way",
    "Who",
    "Written",
    "from_utf16",
    "relative_position",
    "to_utf16",
    "unit_of",
]
