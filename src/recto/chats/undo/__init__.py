"""Taking back what a run, or one call of it, did to files: only its effect, merged with later edits."""  # noqa: E501

from recto.chats.undo.outcome import Action, UndoneFile, UndoOutcome
from recto.chats.undo.undo import Undo

__all__ = ["Action", "Undo", "UndoOutcome", "UndoneFile"]
