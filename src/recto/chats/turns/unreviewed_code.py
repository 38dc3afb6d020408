"""What is said of a call that runs cells which nobody has reviewed yet."""

from recto.chats.services import ChatServices
from recto.documents import LiveDocument
from recto.messages import ToolCall
from recto.notebooks import unreviewed_cell, unreviewed_cells
from recto.workspace import Workspace, WorkspaceFailure

RUN_CELL, RUN_ALL = "run_cell", "run_all_cells"


async def unreviewed_code(
    services: ChatServices, workspace: Workspace, project_id: str, call: ToolCall
) -> str:
    """A sentence about the cells that wait for review; empty when none of them would run."""
    path = call.arguments.get("path")
    if call.name not in (RUN_CELL, RUN_ALL) or not isinstance(path, str):
        return ""
    if services.open_documents is None:
        return ""
    try:
        real = await workspace.real_path(path)
        documents = await services.open_documents(project_id)
        async with documents.using(real) as document:
            if not isinstance(document, LiveDocument):
                return ""
            return sentence(document, call)
    except WorkspaceFailure:
        return ""  # the call itself says what is wrong with the path


def sentence(document: LiveDocument, call: ToolCall) -> str:
    """What is said of one notebook."""
    if call.name == RUN_CELL:
        number = unreviewed_cell(document, str(call.arguments.get("cell")))
        return "" if number is None else f"Nobody has reviewed cell {number} yet."
    numbers = unreviewed_cells(document)
    if not numbers:
        return ""
    cells = "cell" if len(numbers) == 1 else "cells"
    return f"Nobody has reviewed {cells} {', '.join(map(str, numbers))} yet."
