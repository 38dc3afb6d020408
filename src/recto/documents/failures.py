"""What may go wrong with a live document, each with what to do about it.

DocumentFailure  (a WorkspaceFailure: whoever can be told of files can be told of this)
    InvalidPosition     a position is outside the text, or inside a character
    BadUpdate           what a peer sent is not an update of this document
    NotStored           the journal could not take an edit
    UnresolvedConflict  the document can't be saved or edited for a program while two versions stand
    StillOpen           a name is wanted that a text has whose file is gone
    NoSuchHunk          what was to be accepted or rejected is not there any more
    NotInForm           a file is not in the form that its name promises
    BadJournal          the journal holds an entry that this version does not understand
"""

from recto.workspace import WorkspaceFailure


class DocumentFailure(WorkspaceFailure):
    """Something expected went wrong; `message` says what, `remedy` what to do."""


class InvalidPosition(DocumentFailure):
    """A position is outside the text, or inside a character."""

    def __init__(self, position: int) -> None:
        super().__init__(
            f"Position {position} is outside the text or inside a character.",
            "Read the text again.",
        )


class BadUpdate(DocumentFailure):
    """What a peer sent is not an update of this document."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The edit can't be read: {why}.", "Reload the page.")


class NotStored(DocumentFailure):
    """The journal could not take an edit. It is kept in memory and tried again."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"Your edits are not stored yet: {why}.", "Keep this page open, and fix that first."
        )


class UnresolvedConflict(DocumentFailure):
    """Two versions stand, and a person must choose."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was changed in the editor and on disk in the same place.",
            "Choose a version in the editor first.",
        )


class StillOpen(DocumentFailure):
    """A name is wanted that a text has whose file is gone."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"A text called {path} is still open, though its file is gone.",
            "Close its tab first, or choose another name.",
        )


class NoSuchHunk(DocumentFailure):
    """What was to be accepted or rejected is not there any more."""

    def __init__(self) -> None:
        super().__init__("The text changed.", "Look at the edit again.")


class NotInForm(DocumentFailure):
    """A file is not in the form that its name promises."""

    def __init__(self, path: str, why: str) -> None:
        name = path.rpartition("/")[2]
        super().__init__(f"{name} can't be edited here: {why}.", "It can only be read.")


class BadJournal(DocumentFailure):
    """The journal holds an entry that this version does not understand."""

    def __init__(self, seq: int, why: str) -> None:
        super().__init__(
            f"What was written here last can't be read: entry {seq}: {why}.",
            "Use the version of Recto that wrote it.",
        )
