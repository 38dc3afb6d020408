"""What is to be told of a live document besides its text."""

from dataclasses import dataclass

from recto.documents.journal_replay import BaseContent


@dataclass(frozen=True, slots=True)
class DocumentConflict:
    """The same lines were changed in the document and on disk; both versions are kept."""

    mine: str
    theirs: BaseContent
    content: str = ""
    """What the file has, with all that is around its text."""


@dataclass(frozen=True, slots=True)
class DocumentState:
    """How a document stands to its file."""

    is_saved: bool = True
    is_saving: bool = False
    is_gone: bool = False
    problem: str | None = None
    needs_utf8: bool = False
    """The problem is a letter that the file's encoding lacks: saving as UTF-8 ends it."""
    conflict: DocumentConflict | None = None
