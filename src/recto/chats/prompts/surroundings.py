"""What a turn finds when it begins, and what a preview of it finds: the same for both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recto.access import Access
from recto.chats.prompts.base import FolderInstruction, PromptBase, build_prompt_base
from recto.chats.prompts.document import toolbox_for
from recto.chats.prompts.inclusion import inclusion_of
from recto.chats.prompts.thread import thread_of
from recto.chats.prompts.turn_input import TargetDocument, TurnInput
from recto.chats.services import ChatServices
from recto.context import ThreadFacts
from recto.mcp import ServerInstructions
from recto.skills import SkillGuide
from recto.storage import Chat
from recto.tools import Tool, Toolbox, read_skill
from recto.workspace import Workspace

THOUGHTS_FROM = "thoughts_from"
"""Where a chat keeps from which entry on thoughts may be sent back."""


@dataclass(frozen=True, slots=True)
class TurnSurroundings:
    """The model that is asked, the folder, the tools, and what the turn is about."""

    access: Access
    workspace: Workspace
    toolbox: Toolbox
    document: TargetDocument | None
    thread: ThreadFacts | None
    guides: tuple[SkillGuide, ...] = ()
    """The skills that the model is told of, and can read."""
    servers: tuple[ServerInstructions, ...] = ()
    """What MCP servers say of their tools."""


async def find_surroundings(
    services: ChatServices, chat: Chat, given: TurnInput, *, is_preview: bool = False
) -> TurnSurroundings:
    """What there is for a turn. A preview does not wait for servers that are just starting.

    Raises NoModelAvailable, ConfigFailure, RulesInvalid, WorkspaceFailure.
    """
    workspace = await services.open_workspace(chat.project_id)
    access = services.questions.find(given.model or "", await services.models.in_folder(workspace))
    document, thread = given.document, await thread_of(services, chat)
    plain = await services.open_toolbox(workspace)
    guides: tuple[SkillGuide, ...] = ()
    if services.skills is not None and document is None:
        known = services.skills.guides(chat.project_id)
        guides = await known.manifest()
        plain = plain.with_tool(read_skill(known.read)) if guides else plain
    foreign: Sequence[Tool] = ()
    servers: tuple[ServerInstructions, ...] = ()
    if services.mcp is not None and access.traits.tools:
        found = await services.mcp.offer(
            chat.project_id, workspace, in_document=document is not None, waits=not is_preview
        )
        foreign, servers = found.tools, found.instructions
    if document is None:
        plain = plain.with_tools(foreign)
    if given.offers is not None:
        plain = plain.only(given.offers)
    toolbox = toolbox_for(services, chat.project_id, plain, document, thread)
    if document is not None:
        toolbox = toolbox.with_tools(foreign)
    return TurnSurroundings(access, workspace, toolbox, document, thread, guides, servers)


async def prompt_base_of(
    services: ChatServices,
    chat: Chat,
    surroundings: TurnSurroundings,
    given: TurnInput,
    follow: Sequence[FolderInstruction],
) -> PromptBase:
    """What every request of a turn shares, with the folder's words that are to be followed."""
    base = await build_prompt_base(
        surroundings.workspace,
        surroundings.toolbox,
        surroundings.access,
        services.models.today(),
        plan=given.plan,
        follow=follow,
        document=surroundings.document,
        thread=surroundings.thread,
        guides=surroundings.guides,
        servers=surroundings.servers,
        # The document agent has few tools, and needs each of them.
        inclusion=inclusion_of(chat) if surroundings.document is None else None,
    )
    return replace(base, thoughts_from=chat.meta.get(THOUGHTS_FROM, 0))
