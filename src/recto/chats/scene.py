"""What a turn finds when it begins, and what a preview of it finds: the same for both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recto.access import Access
from recto.chats.documenting import toolbox_for
from recto.chats.ground import Brought, Ground, lay_ground
from recto.chats.inputs import Input, OneDocument
from recto.chats.means import Means
from recto.chats.threads.about import thread_of
from recto.context import ThreadFacts
from recto.skills import Guide
from recto.storage import Chat
from recto.tools import Toolbox, read_skill
from recto.workspace import Workspace

THOUGHTS_FROM = "thoughts_from"
"""Where a chat keeps from which entry on thoughts may be sent back."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The model that is asked, the folder, the tools, and what the turn is about."""

    access: Access
    workspace: Workspace
    toolbox: Toolbox
    document: OneDocument | None
    thread: ThreadFacts | None
    guides: tuple[Guide, ...] = ()
    """The skills that the model is told of, and can read."""


async def look_around(means: Means, chat: Chat, given: Input) -> Scene:
    """What there is for a turn. Raises NoModel, RulesInvalid, a WorkspaceFailure."""
    access = means.questions.find(given.model or "")
    workspace = await means.open_workspace(chat.project_id)
    document, thread = given.document, await thread_of(means, chat)
    plain = await means.open_toolbox(workspace)
    guides: tuple[Guide, ...] = ()
    if means.skills is not None and document is None:
        known = means.skills.guides(chat.project_id)
        guides = await known.manifest()
        plain = plain.with_tool(read_skill(known.read)) if guides else plain
    if given.offers is not None:
        plain = plain.only(given.offers)
    toolbox = toolbox_for(means, chat.project_id, plain, document, thread)
    return Scene(access, workspace, toolbox, document, thread, guides)


async def ground_of(
    means: Means, chat: Chat, scene: Scene, given: Input, follow: Sequence[Brought]
) -> Ground:
    """What every request of a turn shares, with the folder's words that are to be followed."""
    ground = await lay_ground(
        scene.workspace,
        scene.toolbox,
        scene.access,
        means.models.today(),
        plan=given.plan,
        follow=follow,
        document=scene.document,
        thread=scene.thread,
        guides=scene.guides,
    )
    return replace(ground, thoughts_from=chat.meta.get(THOUGHTS_FROM, 0))
