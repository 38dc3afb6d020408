"""What the next request would take, before it is sent."""

from dataclasses import dataclass

from recto.chats.documenting import gather_for, toolbox_for
from recto.chats.entries import Entry
from recto.chats.gathering import Said
from recto.chats.ground import brought_by, lay_ground
from recto.chats.means import Means
from recto.chats.permits import already_followed
from recto.chats.prompting import PINS, ask_for
from recto.chats.threads.about import thread_of
from recto.context import TooLong
from recto.messages import Usage
from recto.storage import Chat


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the next request would take."""

    tokens: int
    window: int
    cost_micros: int | None


async def estimate(means: Means, chat: Chat, said: Said, model: str | None) -> Estimate:
    """The tokens of the prompt, and what it costs without the answer. Raises NoModel."""
    access = means.questions.find(model or "")
    workspace = await means.open_workspace(chat.project_id)
    user, document = await gather_for(means, chat.project_id, said)
    thread = await thread_of(means, chat)
    toolbox = await means.open_toolbox(workspace)
    follow = already_followed(means, workspace.root, chat, await brought_by(workspace))
    ground = await lay_ground(
        workspace,
        toolbox_for(means, chat.project_id, toolbox, document, thread),
        access,
        means.models.today(),
        plan=said.plan,
        follow=follow,
        document=document,
        thread=thread,
    )
    entries = await means.archive.since_checkpoint(chat.id)
    seq = entries[-1].seq + 1 if entries else 1
    asking = ask_for(
        [*entries, Entry("", seq, 0, user)],
        ground,
        access,
        means.counter,
        chat_id=chat.id,
        pins=chat.meta.get(PINS, ()),
    )
    tokens = asking.tokens if isinstance(asking, TooLong) else asking.prompt.tokens
    cost = access.price.cost(Usage(input=tokens)) if access.price else None
    return Estimate(tokens, access.window, cost)
