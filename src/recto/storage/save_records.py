"""The record of what people saved."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnSave:
    """A stretch of a person's own writing in one file."""

    id: str
    project_id: str
    path: str
    """Where the file is now; a move takes its saves along."""
    begun_ms: int
    at_ms: int
    """When it was saved last."""
    before: str
    """The hash of the text that the stretch began with."""
    after: str
