"""What a folder tells models that complete its texts: only what the user agreed to before."""

from recto.assist import FolderGuidance, Instructions
from recto.chats.prompts.folder_instructions import FolderInstructions
from recto.context import clean_instructions
from recto.workspace import PathHidden


def trusted_instructions(folders: FolderInstructions) -> Instructions:
    """Finds a project's instructions, read anew each time, and those that wait for an answer."""

    async def find(project_id: str, path: str) -> FolderGuidance | None:
        try:
            found = await folders.list(project_id, beside=path)
        except PathHidden:
            return None
        texts = [
            clean_instructions(item.brought.text, name=item.brought.path).text
            for item in found
            if item.consent == "follow"
        ]
        unanswered = tuple(item.brought.path for item in found if item.consent is None)
        return FolderGuidance("\n\n".join(text for text in texts if text), unanswered)

    return find
