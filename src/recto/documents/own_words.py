"""Whether people alone have changed a text since the content that its file has."""

from collections.abc import Awaitable, Callable, Sequence

from recto.documents.origins import Author, EditOrigin
from recto.documents.splices import Splice
from recto.documents.tracking.pieces import WrittenSpan
from recto.documents.tracking.tracker import ends_of

OwnWords = Callable[[str, str, str], Awaitable[None]]
"""Told, before a file is saved, its path, its content and its next one: people alone changed it."""
WhoWrote = Callable[[], Sequence[WrittenSpan]]
OWN_WAYS = ("typed", "pasted")


class OtherHands:
    """Counts the edits of a text that are not a person's own words."""

    def __init__(self, *, is_saved: bool) -> None:
        """What a crash left unsaved may be anybody's."""
        self.edits = 0 if is_saved else 1
        self._in_file = 0

    @property
    def are_none(self) -> bool:
        """Whether people alone made the text out of what the file has."""
        return self.edits == self._in_file

    def note(self, origin: EditOrigin, splices: Sequence[Splice], written: WhoWrote) -> None:
        """Take note of an edit; `written` says who wrote the text after it."""
        if not is_own(origin, splices, written):
            self.edits += 1

    def count(self) -> None:
        """Take note of an edit that came through another process, whoever made it there."""
        self.edits += 1

    def save(self, edits: int) -> None:
        """The file has the text as it was after so many edits of others."""
        self._in_file = edits


def is_own(origin: EditOrigin, splices: Sequence[Splice], written: WhoWrote) -> bool:
    """Whether an edit only took something away, or put in words that a person wrote here.

    An undo may bring back what others wrote: the authors of what it brings back count.
    """
    # Accepted suggestions ("ghost") are a person's edit, but a model's words.
    if origin.who != "person" or origin.way in OWN_WAYS:
        return origin.who == "person"
    lengths = [len(splice.new) for splice in splices if splice.new]
    put_in = [(end - size, end) for size, end in zip(lengths, ends_of(splices), strict=True)]
    return origin.way == "undone" and all(
        is_persons(item.author)
        for item in written()
        if any(item.start < end and start < item.end for start, end in put_in)
    )


def is_persons(author: Author) -> bool:
    """Whether a person wrote it here by hand."""
    return author.who == "person" and author.way in OWN_WAYS
