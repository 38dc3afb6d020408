"""What AI did to files, and what people say to it: reviews, authorship, versions.

`Edits` has a row for every change of a run before it is made; `Reviews` answers what waits and
takes a person's verdict; `Authorships` and `Versions` tell who wrote what, and what was there when.
"""

from recto.reviews.authorship import (
    AuthoredPassage,
    Authorship,
    Authorships,
    PassageWriter,
    WriterKind,
)
from recto.reviews.calls import CallEdits, TakingBack, begin_call, begin_taking_back
from recto.reviews.citation_checks import CheckVerdict, CitationChecks, MarkedCitation, WorkCheck
from recto.reviews.commits import Commits
from recto.reviews.edits import EditAuthor, Edits
from recto.reviews.failures import NoReview, NotPutBack, NoVersion, ReviewFailure, VersionNotText
from recto.reviews.own_saves import OwnSaves
from recto.reviews.review import DocumentReview, OpenedReview, Review, Verdict
from recto.reviews.review_status import ReviewCounts
from recto.reviews.reviews import Reviews
from recto.reviews.statement import statement
from recto.reviews.stored_changes import kept_change, read_change
from recto.reviews.versions import Side, Versions
from recto.reviews.whole_files import TakeBack, UnchangedPath
from recto.storage import Edit

__all__ = [
    "Authorship",
    "Authorships",
    "EditAuthor",
    "CallEdits",
    "CheckVerdict",
    "CitationChecks",
    "Commits",
    "MarkedCitation",
    "WorkCheck",
    "ReviewCounts",
    "Edit",
    "Edits",
    "UnchangedPath",
    "NoReview",
    "NoVersion",
    "NotPutBack",
    "VersionNotText",
    "OpenedReview",
    "OwnSaves",
    "AuthoredPassage",
    "Review",
    "ReviewFailure",
    "Reviews",
    "DocumentReview",
    "Side",
    "TakeBack",
    "TakingBack",
    "Verdict",
    "Versions",
    "PassageWriter",
    "WriterKind",
    "begin_call",
    "begin_taking_back",
    "kept_change",
    "read_change",
    "statement",
]
