"""Makes any history one that can be sent: whatever was aborted, edited, cut or made by others.

The history itself is never changed; only what is sent is. Repairing twice changes nothing more.
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import is_

from recto.context.pauses import goes_on
from recto.messages import (
    Document,
    Image,
    Message,
    Native,
    Origin,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    encodable,
    encodable_json,
)

MAX_ID = 64
PORTABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
LEFT_OUT = "[Earlier messages are left out.]"
GO_ON = "Continue."
NO_RESULT = "There is no result: the call was interrupted."


class RepairedMessages(tuple[Message, ...]):
    """Messages that can be sent to a provider, and know to which: they need no second repair."""

    origin: Origin

    @classmethod
    def of(cls, messages: Sequence[Message], origin: Origin) -> "RepairedMessages":
        """What a repair came to."""
        made = cls(messages)
        made.origin = origin
        return made


def repair(messages: Sequence[Message], origin: Origin) -> tuple[Message, ...]:
    """The conversation as it can be sent to `origin`: alternating, paired, nothing empty.

    The user has the last word, unless an answer of `origin` paused and goes on by itself.
    """
    # A prompt is repaired when it is built, and comes by here again when it is sent.
    if isinstance(messages, RepairedMessages) and messages.origin == origin:
        return messages
    kept = [own_parts(message, origin) for message in messages]
    turns = merge(message for message in kept if message.parts)
    # Ids first: answers are matched by them, and two calls may share one.
    turns = merge(answer_calls(with_portable_ids(turns)))
    # Anthropic and Gemini want the user to begin.
    if turns and turns[0].role == "assistant":
        turns = merge([Message("user", (Text(LEFT_OUT),)), *turns])
    if not turns or (turns[-1].role == "assistant" and not goes_on(turns[-1])):
        turns = [*turns, Message("user", (Text(GO_ON),))]
    return RepairedMessages.of(turns, origin)


def own_parts(message: Message, origin: Origin) -> Message:
    """A message without what another model made for itself, and without what is empty."""
    parts = [own_part(part, origin) for part in message.parts if fits(part, message.role)]
    kept = tuple(part for part in parts if part is not None)
    return message if are_same(kept, message.parts) else replace(message, parts=kept)


def are_same(some: Sequence[Part], others: Sequence[Part]) -> bool:
    """Whether these are the very same parts.

    Most messages need no repair: they are handed on rather than copied, in every request anew.
    """
    return len(some) == len(others) and all(map(is_, some, others))


def fits(part: Part, role: str) -> bool:
    """Whether a part may stand in a message of this role."""
    if isinstance(part, Text):
        return True
    users = isinstance(part, Image | Document | ToolResult)
    return users if role == "user" else not users


def own_part(part: Part, origin: Origin) -> Part | None:
    """A part as `origin` may see it; None when nothing is left."""
    match part:
        case Text():
            provider = part.provider if is_from(part, origin) else None
            text = encodable(part.text)
            if not (text.strip() or provider):
                return None
            is_same = text is part.text and provider is part.provider
            return part if is_same else Text(text, provider)
        case Thinking() | Native():
            # A thought without its signature can't be proved to be the model's own.
            return part if part.provider and is_from(part, origin) else None
        case ToolCall():
            provider = part.provider if is_from(part, origin) else None
            arguments = encodable_json(part.arguments)
            return replace(part, arguments=arguments, provider=provider)
        case ToolResult():
            content = (
                Text(encodable(item.text)) if isinstance(item, Text) else item
                for item in part.content
            )
            kept = (item for item in content if not isinstance(item, Text) or item.text.strip())
            return replace(part, content=tuple(kept))
        case Image() | Document():
            return part


def is_from(part: Text | Thinking | ToolCall | Native, origin: Origin) -> bool:
    """Whether a part's provider data, if it has any, was made by `origin`."""
    return part.provider is None or part.provider.origin == origin


def merge(messages: Iterable[Message]) -> list[Message]:
    """One message for each run of messages of the same role."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            message = replace(message, parts=merged.pop().parts + message.parts)
        merged.append(message)
    return merged


def with_portable_ids(turns: Sequence[Message]) -> list[Message]:
    """Call ids that every provider accepts, each used once; results follow their calls."""
    taken: set[str] = set()
    current: dict[str, deque[str]] = {}
    named: list[Message] = []
    for turn in turns:
        if turn.role == "assistant":
            # A result belongs to the answer right before it, whatever ids came earlier.
            current = {}
        if not any(isinstance(part, ToolCall | ToolResult) for part in turn.parts):
            named.append(turn)
            continue
        parts: list[Part] = []
        for part in turn.parts:
            if isinstance(part, ToolCall):
                wanted = portable_id(part.id, taken)
                taken.add(wanted)
                current.setdefault(part.id, deque()).append(wanted)
                part = replace(part, id=wanted)
            elif isinstance(part, ToolResult):
                # Calls that share an id are answered in their order.
                waiting = current.get(part.call_id)
                part = replace(part, call_id=waiting.popleft() if waiting else "")
            parts.append(part)
        named.append(replace(turn, parts=tuple(parts)))
    return named


def portable_id(call_id: str, taken: set[str]) -> str:
    """The id itself where it is good, else one made of it, the same each time."""
    if PORTABLE_ID.fullmatch(call_id) and call_id not in taken:
        return call_id
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[: MAX_ID - 13]
    for count in range(len(taken) + 1):
        # Made of the id, not drawn: the same history must give the same bytes, for the cache.
        mark = hashlib.sha256(f"{count} {call_id}".encode("utf-8", "surrogatepass")).hexdigest()
        made = f"{readable}_{mark[:12]}"
        if made not in taken:
            return made
    raise AssertionError("more ids are taken than there are")


def answer_calls(turns: Sequence[Message]) -> list[Message]:
    """Every call is answered in the next turn, in order, before anything else is said there."""
    answered: list[Message] = []
    waiting: tuple[ToolCall, ...] = ()
    for turn in turns:
        if turn.role == "assistant":
            answered.append(turn)
            waiting = turn.calls
            continue
        is_answered = not waiting and not turn.results
        answered.append(turn if is_answered else Message("user", answers(waiting, turn)))
        waiting = ()
    if waiting:
        answered.append(Message("user", answers(waiting, Message("user", ()))))
    return [turn for turn in answered if turn.parts]


def answers(calls: Sequence[ToolCall], turn: Message) -> tuple[Part, ...]:
    """A user's turn with one result for each call first; a result without its call is words."""
    results = {result.call_id: result for result in reversed(turn.results) if result.call_id}
    first = tuple(
        replace(results[call.id], name=call.name) if call.id in results else no_result(call)
        for call in calls
    )
    used = {id(results[call.id]) for call in calls if call.id in results}
    rest: list[Part] = []
    for part in turn.parts:
        if not isinstance(part, ToolResult):
            rest.append(part)
        elif id(part) not in used:
            rest += as_words(part)
    return (*first, *rest)


def no_result(call: ToolCall) -> ToolResult:
    """The answer to a call that never got one."""
    return ToolResult(call.id, call.name, (Text(NO_RESULT),), is_error=True)


def as_words(result: ToolResult) -> tuple[Part, ...]:
    """A result whose call is not there: what it said still counts."""
    head = Text(f"[Result of {result.name or 'a tool'}, whose call is left out:]")
    return (head, *result.content)
