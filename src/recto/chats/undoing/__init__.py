"""Taking back what a run, or one call of it, did to files: only its effect, merged with later edits."""  # noqa: E501

from recto.chats.undoing.outcome import Action, Undone, UndoneFile
from recto.chats.undoing.undo import Undo

__all__ = ["Action", "Undo", "Undone", "UndoneFile"]
