"""A transform by a model without tools: its answer becomes the call that puts it in the text.

So the edit is permitted, recorded, reviewed, undone and replayed like that of any other model.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from recto.chats.history.entries import Assistant, ChatEntry, ToolResults, User
from recto.context import read_passage
from recto.messages import Finished, Message, StreamEvent, Text, ToolCall
from recto.tools import EDIT_DOCUMENT

Ask = Callable[[int], AsyncGenerator[StreamEvent]]
CALL_ID = "transform"


class TransformRequests:
    """Asks once. After the edit there is nothing more to ask, unless somebody spoke meanwhile."""

    def __init__(self, ask: Ask, passage: str, is_asked: Callable[[], bool]) -> None:
        self._ask = ask
        self._is_asked = is_asked
        self.passage = passage
        """What the next answer takes the place of; empty once one has."""

    async def ask(self, step: int) -> AsyncGenerator[StreamEvent]:
        """The answer as it comes, ending in the edit; then an empty one, without a request."""
        if not self.passage and not self._is_asked():
            yield Finished("end_turn", Message("assistant", ()))
            return
        async with aclosing(self._ask(step)) as events:
            async for event in events:
                yield self._as_edit(event) if isinstance(event, Finished) else event

    def _as_edit(self, end: Finished) -> Finished:
        """The end with a call in place of the words; as it is, if it is no whole passage."""
        passage, new = self.passage, read_passage(end.message.text, self.passage)
        if not passage or end.reason != "end_turn" or new in ("", passage):
            return end
        self.passage = ""
        call = ToolCall(CALL_ID, EDIT_DOCUMENT, {"find": passage, "replace": new})
        others = (part for part in end.message.parts if not isinstance(part, Text))
        return replace(end, reason="tool_use", message=Message("assistant", (*others, call)))


def bare_request(entries: Sequence[ChatEntry], passage: str) -> list[ChatEntry]:
    """The request and the passage, and nothing else: all that a small model can keep apart."""
    last_user = next(entry for entry in reversed(entries) if isinstance(entry.content, User))
    assert isinstance(last_user.content, User)
    request = User(f"{last_user.content.text}\n\n{passage.strip()}", last_user.content.turn)
    return [replace(last_user, content=request)]


def is_unanswered(entries: Sequence[ChatEntry]) -> bool:
    """Whether a person spoke last: half an answer that is continued is no whole passage."""
    contents = (entry.content for entry in reversed(entries))
    last = next((one for one in contents if isinstance(one, User | Assistant | ToolResults)), None)
    return isinstance(last, User)
