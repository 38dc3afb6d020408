"""A transform by a model without tools: its answer becomes the call that puts it in the text.

So the edit is permitted, recorded, reviewed, undone and replayed like that of any other model.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from recto.chats.entries import Assistant, Entry, ToolResults, User
from recto.context import read_passage
from recto.messages import Finished, Message, StreamEvent, Text, ToolCall
from recto.tools import EDIT_DOCUMENT

Ask = Callable[[int], AsyncGenerator[StreamEvent]]
CALL_ID = "transform"


class Applying:
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


def bare_request(entries: Sequence[Entry], passage: str) -> list[Entry]:
    """The request and the passage, and nothing else: all that a small model can keep apart."""
    asked = next(one for one in reversed(entries) if isinstance(one.content, User))
    assert isinstance(asked.content, User)
    said = User(f"{asked.content.text}\n\n{passage.strip()}", asked.content.turn)
    return [replace(asked, content=said)]


def is_unanswered(entries: Sequence[Entry]) -> bool:
    """Whether a person spoke last: half an answer that is continued is no whole passage."""
    spoken = [
        one.content for one in entries if isinstance(one.content, User | Assistant | ToolResults)
    ]
    return bool(spoken) and isinstance(spoken[-1], User)
