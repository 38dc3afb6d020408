"""Who makes an edit, and who wrote a passage: a person, the disk, a run, or whoever was before."""

from dataclasses import dataclass
from typing import Literal

Who = Literal["person", "disk", "run"]
Way = Literal["typed", "pasted", "undone", "ghost", ""]
"""How a person's edit came about; nothing for the disk and for runs."""


@dataclass(frozen=True, slots=True)
class EditOrigin:
    """Who made an edit. A run's name is the id of its edit; a pending edit waits for review."""

    who: Who
    name: str = ""
    way: Way = ""
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a passage; "before" is whatever the file had when Recto first saw it.

    A person's "undone" is what an undo put back and whose author is not known any more.
    """

    who: Literal["before", "person", "disk", "run"]
    way: Way = ""
    name: str = ""


BEFORE = Author("before")


def author_of(origin: EditOrigin) -> Author:
    """The author of what an edit writes."""
    return Author(origin.who, origin.way, origin.name)
