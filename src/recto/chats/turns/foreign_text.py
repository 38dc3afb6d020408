"""Whether a model has seen text in a chat that others may have written."""

from recto.chats.history.entries import Assistant, ChatEntry, ToolResults, User
from recto.chats.prompts.base import structure
from recto.chats.prompts.turn_input import TurnInput
from recto.chats.services import ChatServices
from recto.storage import Chat, RecordNotFound
from recto.workspace import Workspace


async def has_foreign_text(
    services: ChatServices, workspace: Workspace, chat: Chat, given: TurnInput
) -> bool:
    """Whether anything but the user's and our own words counts in what a turn is told.

    That is what tools answered, files and pictures, names of files and folders, passages and
    comments, and what was said in other programs.
    """
    # A thread's prompt holds a passage, the document agent's a text, comments what others wrote.
    if chat.is_thread or given.document is not None or given.comments:
        return True
    if await structure(workspace):
        return True
    turns: set[str] = set()
    async for entry in services.archive.backwards(chat.id):
        if brings_material(entry):
            return True
        if isinstance(entry.content, User | Assistant):
            turns.add(entry.content.turn)
    return not all([await is_ours(services, turn) for turn in turns])


def brings_material(entry: ChatEntry) -> bool:
    """Whether an entry holds a text or picture that the user did not write."""
    said = entry.content
    if isinstance(said, User):
        # What the user switched on is their own word.
        attached = any(attachment.origin != "skill" for attachment in said.attached)
        return bool(said.meta or said.images or attached)
    return isinstance(said, ToolResults)


async def is_ours(services: ChatServices, turn: str) -> bool:
    """Whether something was said in a turn of ours; what was imported or synced was not."""
    try:
        await services.storage.runs.get(turn)
    except RecordNotFound:
        return False
    return True
