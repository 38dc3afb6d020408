"""What is said beside a text or an answer, each at a place that stays with its passage.

`Notes` keeps threads and comments and finds their passages again: through every edit, while the
file is closed, when another program changes it, and when it is moved.
"""

from recto.margin.failures import (
    MarginFailure,
    NoPassage,
    PassageChanged,
    PassageNotText,
    PassageTooLong,
)
from recto.margin.notes import Notes
from recto.margin.places import AnswerPlace, PlacedNote, TextPlace
from recto.storage import Note

__all__ = [
    "AnswerPlace",
    "TextPlace",
    "MarginFailure",
    "NoPassage",
    "PassageNotText",
    "Note",
    "Notes",
    "PassageChanged",
    "PassageTooLong",
    "PlacedNote",
]
