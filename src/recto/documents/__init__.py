"""Live documents: one shared text for people and AI, journaled, saved, merged with the disk.

`Documents` opens them, one for each file; a `LiveDocument` takes edits and tells its followers.
"""

from recto.documents.anchors import Anchor
from recto.documents.document import LiveDocument
from recto.documents.documents import Documents, ReadOnly
from recto.documents.failures import (
    BadUpdate,
    Conflicting,
    DocumentFailure,
    Misplaced,
    NotStored,
)
from recto.documents.following import Edited, Follower
from recto.documents.journal import Entry, Journal, Origin
from recto.documents.splices import Splice
from recto.documents.state import Conflict, State

__all__ = [
    "Anchor",
    "BadUpdate",
    "Conflict",
    "Conflicting",
    "DocumentFailure",
    "Documents",
    "Edited",
    "Entry",
    "Follower",
    "Journal",
    "LiveDocument",
    "Misplaced",
    "NotStored",
    "Origin",
    "ReadOnly",
    "Splice",
    "State",
]
