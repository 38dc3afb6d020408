"""What may go wrong with a live document, each with what to do about it.

DocumentFailure  (a WorkspaceFailure: whoever can be told of files can be told of this)
    Misplaced    a position is outside the text, or inside a character
    BadUpdate    what a peer sent is not an update of this document
    NotStored    the journal could not take an edit
    Conflicting  the document can't be saved or edited for a program while two versions stand
"""

from recto.workspace import WorkspaceFailure


class DocumentFailure(WorkspaceFailure):
    """Something expected went wrong; `message` says what, `remedy` what to do."""


class Misplaced(DocumentFailure):
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
            f"Your edits are not stored yet: {why}.", "Keep this page open, and mend that first."
        )


class Conflicting(DocumentFailure):
    """Two versions stand, and a person must choose."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was changed in the editor and on disk in the same place.",
            "Choose a version in the editor first.",
        )
