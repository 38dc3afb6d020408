"""The tools that speak in the margin: proposals and tasks, which change no file; comments."""

from recto.tools.feedback import add_comment, add_task, create_proposal, propose_edit, read_tasks
from recto.tools.feedback.passages import edited

PROPOSE_EDIT = propose_edit.TOOL
"""Only offered in a thread on a file."""
FEEDBACK = (add_task.TOOL, read_tasks.TOOL, create_proposal.TOOL, add_comment.TOOL)

__all__ = ["FEEDBACK", "PROPOSE_EDIT", "edited"]
