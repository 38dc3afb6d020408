"""The tools that speak in the margin: proposals and tasks, which change no file; comments."""

from recto.tools.feedback import add_comment, add_task, create_proposal, propose_edit, read_tasks
from recto.tools.feedback.passages import edited
from recto.tools.feedback.read_tasks import describe_task, is_task_visible

PROPOSE_EDIT = propose_edit.TOOL
"""Only offered in a thread on a file."""
ADD_TASK = add_task.TOOL
FEEDBACK = (ADD_TASK, read_tasks.TOOL, create_proposal.TOOL, add_comment.TOOL)

__all__ = ["ADD_TASK", "FEEDBACK", "PROPOSE_EDIT", "describe_task", "edited", "is_task_visible"]
