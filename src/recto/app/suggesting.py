"""What a folder tells models that complete its texts: only what the user agreed to before."""

from collections.abc import Awaitable, Callable

import anyio.to_thread

from recto.assist import Instructions
from recto.chats.ground import Brought, brought_by
from recto.config import Trust
from recto.context import clean_instructions
from recto.workspace import Hidden, Workspace


def trusted_instructions(
    open_workspace: Callable[[str], Awaitable[Workspace]], trust: Trust
) -> Instructions:
    """Finds a project's instructions, read anew each time; nobody is asked about new ones."""

    async def find(project_id: str, path: str) -> str | None:
        workspace = await open_workspace(project_id)
        try:
            brought = await brought_by(workspace, beside=path)
        except Hidden:
            return None
        if not brought:
            return ""
        return await anyio.to_thread.run_sync(agreed, trust, workspace.root, brought)

    return find


def agreed(trust: Trust, root: str, brought: tuple[Brought, ...]) -> str:
    """Those of the texts that the user has agreed to, without what nobody sees."""
    texts = [
        clean_instructions(one.text, name=one.path).text
        for one in brought
        if trust.is_trusted(root, one.path, one.hash)
    ]
    return "\n\n".join(text for text in texts if text)
