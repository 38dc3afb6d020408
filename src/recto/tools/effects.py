"""What a tool did to files: each path as it was and as it is now, enough to undo it."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.workspace import PathState as FileState

__all__ = ["Change", "Effect", "FileState", "Moved", "reversed_changes"]


@dataclass(frozen=True, slots=True)
class Effect:
    """One path that was changed; None is a path with nothing there."""

    path: str
    before: FileState | None
    after: FileState | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A file or folder that got another path, with all that is in it."""

    path: str
    new_path: str


Change = Effect | Moved


def reversed_changes(changes: Sequence[Change]) -> tuple[Change, ...]:
    """What takes the changes back, the last one first."""
    return tuple(
        Effect(change.path, before=change.after, after=change.before)
        if isinstance(change, Effect)
        else Moved(change.new_path, change.path)
        for change in reversed(changes)
    )
