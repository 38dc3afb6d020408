"""What a request sends, part for part and in order: each part as it leaves, and what it is.

The account is made from the request itself, after everything that was mended in it; so what it
names is what is sent, and nothing is sent that it does not name.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from json import dumps

from recto.context.conversation import ModelFacts
from recto.context.pieces import hash_of
from recto.context.prompt import PromptSlice
from recto.context.tokens import MESSAGE_TOKENS
from recto.messages import (
    Document,
    Image,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

ADDED = "a word by Recto"
HEAD = -1
"""The number of the message that stands before all others: the tools and the system prompt."""


@dataclass(frozen=True, slots=True)
class SentPart:
    """One part of a request."""

    slice: PromptSlice
    message: int
    """The number of the message it is in, from 0."""
    ends: bool = False
    """Whether a message of the user, or the head, ends with it: there a provider remembers."""


def sent_parts(
    request: Request, slices: Iterable[PromptSlice], model: ModelFacts
) -> tuple[SentPart, ...]:
    """Every part of a request that is ready to leave, named by the slices it was made of."""
    head, body = apart(slices)
    ends = len(head) - 1
    first = (SentPart(item, HEAD, at == ends) for at, item in enumerate(head))
    return (*first, *body_parts(request, body, model))


def unsent_parts(slices: Iterable[PromptSlice]) -> tuple[SentPart, ...]:
    """The same for what can't be sent: no request was made of these slices."""
    head, body = apart(slices)
    return (*(SentPart(item, HEAD) for item in head), *(SentPart(item, 0) for item in body))


def apart(slices: Iterable[PromptSlice]) -> tuple[list[PromptSlice], list[PromptSlice]]:
    """What stands before the messages, in the order that providers read it, and the rest."""
    known = list(slices)
    head = [item for item in known if is_head(item)]
    # Providers read the tools before the system prompt, whatever stands first in the request.
    head.sort(key=lambda one: one.origin != "tools")
    return head, [item for item in known if not is_head(item)]


def is_head(slice: PromptSlice) -> bool:
    """Whether something stands before the messages."""
    return slice.origin in ("system", "summary", "kept", "tools")


def body_parts(
    request: Request, slices: Iterable[PromptSlice], model: ModelFacts
) -> Iterator[SentPart]:
    """The parts of the messages; what no slice says was put in when the request was mended."""
    left: dict[tuple[str, str], deque[PromptSlice]] = defaultdict(deque)
    for one in slices:
        left[one.part.type, one.hash].append(one)
    for number, message in enumerate(request.messages):
        for at, part in enumerate(message.parts):
            found = left[part.type, hash_of(part)]
            # A message takes a little besides its parts: the first of them stands for it.
            extra = 0 if at else MESSAGE_TOKENS
            one = found.popleft() if found else PromptSlice("note", ADDED, model.count(part), part)
            ends = message.role == "user" and at == len(message.parts) - 1
            yield SentPart(replace(one, tokens=one.tokens + extra, part=part), number, ends)


def text_of(part: Part) -> str:
    """A part as a person can read it."""
    match part:
        case Text() | Thinking():
            return part.text or "[Only the model can read this thought.]"
        case Image():
            return f"[A picture, {part.media_type}, {len(part.data):,} bytes.]"
        case Document():
            return f"[A document, {part.media_type}, {len(part.data):,} bytes.]"
        case ToolCall():
            return f"{part.name} {dumps(dict(part.arguments), ensure_ascii=False, default=str)}"
        case ToolResult():
            return "\n".join(text_of(item) for item in part.content)
        case _:
            return "[Only the model can read this.]"
