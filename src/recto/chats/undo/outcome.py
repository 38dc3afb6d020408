"""What undoing does to each path, for people: in a word, in a sentence, and as a diff."""

from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

from recto.tools import FileState

Action = Literal["restore", "remove", "recreate", "merge", "move", "nothing", "conflict"]

MOST_LINES = 20_000
"""A longer text is not shown as a diff."""
WORDS: dict[Action, str] = {
    "restore": "Becomes what it was before.",
    "remove": "Was made by this, and is removed.",
    "recreate": "Was removed by this, and comes back.",
    "merge": "This change goes; later changes stay.",
    "move": "Moves back.",
    "nothing": "Nothing of the change is there any more.",
    "conflict": "Was changed since in the same place. It is left as it is.",
}


@dataclass(frozen=True, slots=True)
class UndoneFile:
    """What undoing does to one path."""

    path: str
    action: Action
    words: str
    diff: str = ""
    """The change as a unified diff, where it is text."""


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """What undoing would do, or did."""

    files: tuple[UndoneFile, ...]
    applied: bool
    not_covered: str
    """What was done and can't be undone, in plain words."""
    undo_id: str | None = None
    """The run to undo in order to take this back; None when nothing was done."""


def as_text(state: FileState | None) -> str | None:
    """A file's content as text; nothing counts as an empty one. None for everything else."""
    if state is None:
        return ""
    # A NUL is valid UTF-8, but no text that anybody would want merged or shown.
    if state.kind != "file" or b"\0" in state.data:
        return None
    try:
        return state.data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def diff_of(path: str, before: FileState | None, after: FileState | None) -> str:
    """The difference between two states of a path; empty where one of them is no text, or huge."""
    old, new = as_text(before), as_text(after)
    if old is None or new is None or max(old.count("\n"), new.count("\n")) > MOST_LINES:
        return ""
    made = unified_diff(
        ended(old.split("\n")),
        ended(new.split("\n")),
        f"a/{path}" if before else "/dev/null",
        f"b/{path}" if after else "/dev/null",
        lineterm="",
    )
    return "\n".join(made)


def ended(lines: list[str]) -> list[str]:
    """Lines without the empty one behind the last line end; a missing end is marked."""
    if lines[-1] == "":
        return lines[:-1]
    # As git and patch write it, so that the shown diff can be applied.
    return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]
