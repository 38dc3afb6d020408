"""What people said to proposals, as the model that made them hears of it."""

from recto.chats.services import ChatServices
from recto.context import quoted
from recto.storage import Chat, Proposal


async def decisions_since_last_turn(services: ChatServices, chat: Chat) -> tuple[str, ...]:
    """What was decided since somebody last said something in a chat, in words."""
    proposals = await services.storage.proposals.of_chat(chat.id)
    decided = [proposal for proposal in proposals if proposal.decided_ms is not None]
    if not decided:
        return ()
    last = await services.archive.last_user(chat.id)
    since = 0 if last is None else last.created_ms
    return tuple(words_for(item) for item in decided if (item.decided_ms or 0) >= since)


def words_for(proposal: Proposal) -> str:
    """What became of a proposal."""
    about = f" ({quoted(proposal.question)})" if proposal.question else ""
    if proposal.status == "dismissed" or proposal.chosen is None:
        return f"The user dismissed your proposal{about}."
    chosen = proposal.options[proposal.chosen]
    if len(proposal.options) == 1:
        return f"The user applied the edit of {quoted(chosen['path'])} that you proposed{about}."
    return f"The user chose {quoted(chosen['title'])} of your proposal{about}."
