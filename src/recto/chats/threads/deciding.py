"""What people said to proposals, as the model that made them hears of it."""

from recto.chats.means import Means
from recto.context import quoted
from recto.storage import Chat, Proposal


async def decided_since_last(means: Means, chat: Chat) -> tuple[str, ...]:
    """What was decided since somebody last said something in a chat, in words."""
    proposals = await means.storage.proposals.of_chat(chat.id)
    decided = [one for one in proposals if one.decided_ms is not None]
    if not decided:
        return ()
    last = await means.archive.last_user(chat.id)
    since = 0 if last is None else last.created_ms
    return tuple(words_for(one) for one in decided if (one.decided_ms or 0) >= since)


def words_for(proposal: Proposal) -> str:
    """What became of a proposal."""
    about = f" ({quoted(proposal.question)})" if proposal.question else ""
    if proposal.status == "dismissed" or proposal.chosen is None:
        return f"The user dismissed your proposal{about}."
    chosen = proposal.options[proposal.chosen]
    if len(proposal.options) == 1:
        return f"The user applied the edit of {quoted(chosen['path'])} that you proposed{about}."
    return f"The user chose {quoted(chosen['title'])} of your proposal{about}."
