"""What AI did to files, and what people say to it: reviews, authorship, versions.

`Edits` has a row for every change of a run before it is made; `Reviews` answers what waits and
takes a person's verdict; `Authorships` and `Versions` tell who wrote what, and what was there when.
"""

from recto.reviews.authorship import Authorship, Authorships, Passage, Writer, WriterKind
from recto.reviews.calls import CallEdits, TakingBack, begin_call, begin_taking_back
from recto.reviews.commits import Commits
from recto.reviews.edits import By, Edits
from recto.reviews.failures import NoReview, NotPutBack, NotText, NoVersion, ReviewFailure
from recto.reviews.kept import kept_change, read_change
from recto.reviews.review import Opened, Review, Seen, Verdict
from recto.reviews.reviews import Reviews
from recto.reviews.standing import Counts
from recto.reviews.statement import statement
from recto.reviews.versions import Side, Versions
from recto.reviews.whole import Left, TakeBack
from recto.storage import Edit

__all__ = [
    "Authorship",
    "Authorships",
    "By",
    "CallEdits",
    "Commits",
    "Counts",
    "Edit",
    "Edits",
    "Left",
    "NoReview",
    "NoVersion",
    "NotPutBack",
    "NotText",
    "Opened",
    "Passage",
    "Review",
    "ReviewFailure",
    "Reviews",
    "Seen",
    "Side",
    "TakeBack",
    "TakingBack",
    "Verdict",
    "Versions",
    "Writer",
    "WriterKind",
    "begin_call",
    "begin_taking_back",
    "kept_change",
    "read_change",
    "statement",
]
