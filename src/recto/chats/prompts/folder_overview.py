"""The folder at a glance, for a model that can't look by itself: its README and names of files.

It goes along with the first question of a chat, if nothing else does.
"""

import re
from dataclasses import replace

from recto.chats.history.archive import Archive
from recto.chats.history.entries import AttachedText, User
from recto.chats.services import ChatServices
from recto.storage import Chat
from recto.workspace import Workspace, WorkspaceFailure, content_hash

README = re.compile(r"readme(\.(md|markdown|txt|rst|adoc))?", re.IGNORECASE)
MOST_CHARACTERS = 3_000
MOST_NAMES = 60
NAMES = "names of files"


async def overview_for(services: ChatServices, chat: Chat, model: str | None, user: User) -> User:
    """A message with the folder at a glance, where its model needs it; else as it is."""
    access = services.models.resolve(model or "chat")
    if access is None or access.traits.tools or chat.is_thread:
        return user
    if user.attached or user.images or not await is_first(services.archive, chat):
        return user
    workspace = await services.open_workspace(chat.project_id)
    return replace(user, attached=await overview(workspace.for_tools()))


async def is_first(archive: Archive, chat: Chat) -> bool:
    """Whether nothing was said in a chat yet."""
    return not chat.id or await archive.last_user(chat.id) is None


async def overview(workspace: Workspace) -> tuple[AttachedText, ...]:
    """The names of a folder's files, and the beginning of its README."""
    paths = (await workspace.file_names()).paths
    readme = next((path for path in sorted(paths) if README.fullmatch(path)), None)
    names = names_of(tuple(paths))
    return (names,) if readme is None else (names, *(await beginning_of(workspace, readme)))


def names_of(paths: tuple[str, ...]) -> AttachedText:
    """The names, those at the top first."""
    ordered = sorted(paths, key=lambda path: (path.count("/"), path))
    text = "\n".join(ordered[:MOST_NAMES]) or "The folder is empty."
    more = len(ordered) - MOST_NAMES
    cut = f"{more:,} more are not named" if more > 0 else None
    return AttachedText(NAMES, text, hash_of(text), "names", cut)


async def beginning_of(workspace: Workspace, path: str) -> tuple[AttachedText, ...]:
    """The first lines of a text; none of one that can't be read."""
    try:
        text = (await workspace.read_text(path)).text
    except WorkspaceFailure:
        return ()
    if len(text) <= MOST_CHARACTERS:
        return (AttachedText(path, text, hash_of(text)),)
    head = text[:MOST_CHARACTERS]
    head = head[: head.rfind("\n")] if "\n" in head else head
    return (AttachedText(path, head, hash_of(head), cut="its beginning"),)


def hash_of(text: str) -> str:
    """What tells this text from another."""
    return content_hash(text.encode("utf-8", "surrogatepass"))
