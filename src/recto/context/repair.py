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
    GrownMessages,
    Image,
    Message,
    Native,
    Origin,
    Part,
    SettledStart,
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


class RepairedMessages(GrownMessages):
    """Messages that can be sent to a provider, and know to which: they need no second repair."""

    origin: Origin


class GrowingRepair:
    """Repairs a conversation that goes on: what is settled is repaired once."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._begin()

    def repaired(self, messages: Sequence[Message]) -> RepairedMessages:
        """The conversation as it can be sent: the same as if all of it were repaired now."""
        if list(messages[: len(self._given)]) != self._given:
            # Something that was settled goes or is cut: the draft decided anew.
            self._begin()
        self._settle(messages)
        start = self._start
        rest = repaired_turns(messages[len(self._given) :], self._origin, set(self._taken))
        if not start.messages:
            rest = begun(rest)
        made = RepairedMessages.grown(start, ended(rest))
        made.origin = self._origin
        return made

    def _begin(self) -> None:
        self._given: list[Message] = []
        self._taken: set[str] = set()
        self._start = SettledStart()

    def _settle(self, messages: Sequence[Message]) -> None:
        """Settle everything before the last answer, if that stands after something of the user."""
        done = len(self._given)
        for at in range(len(messages) - 1, done, -1):
            if self._says_something(messages[at]) and self._is_users(messages[at - 1]):
                turns = repaired_turns(messages[done:at], self._origin, self._taken)
                self._start.messages += turns if done else begun(turns)
                self._given += messages[done:at]
                return

    def _says_something(self, message: Message) -> bool:
        """Whether this is an answer that is sent, whoever made its thoughts."""
        return message.role == "assistant" and any(
            isinstance(part, ToolCall) or (isinstance(part, Text) and part.text.strip())
            for part in message.parts
        )

    def _is_users(self, message: Message) -> bool:
        """Whether this is something of the user that is sent."""
        return message.role == "user" and bool(own_parts(message, self._origin).parts)


def repair(messages: Sequence[Message], origin: Origin) -> tuple[Message, ...]:
    """The conversation as it can be sent to `origin`: alternating, paired, nothing empty.

    The user has the last word, unless an answer of `origin` paused and goes on by itself.
    """
    # A prompt is repaired when it is built, and comes by here again when it is sent.
    if isinstance(messages, RepairedMessages) and messages.origin == origin:
        return messages
    return GrowingRepair(origin).repaired(messages)


def repaired_turns(messages: Sequence[Message], origin: Origin, taken: set[str]) -> list[Message]:
    """Some messages of a conversation, repaired; ids that are taken before them stay unique."""
    kept = [own_parts(message, origin) for message in messages]
    turns = merge(message for message in kept if message.parts)
    # Ids first: answers are matched by them, and two calls may share one.
    return merge(answer_calls(with_portable_ids(turns, taken)))


def begun(turns: list[Message]) -> list[Message]:
    """Turns from the beginning: Anthropic and Gemini want the user to begin."""
    if turns and turns[0].role == "assistant":
        return merge([Message("user", (Text(LEFT_OUT),)), *turns])
    return turns


def ended(turns: list[Message]) -> list[Message]:
    """Turns to the end, where the user has the last word."""
    if not turns or (turns[-1].role == "assistant" and not goes_on(turns[-1])):
        return [*turns, Message("user", (Text(GO_ON),))]
    return turns


def own_parts(message: Message, origin: Origin) -> Message:
    """A message without what another model made for itself, and without what is empty."""
    parts = [own_part(part, origin) for part in message.parts if fits(part, message.role)]
    kept = tuple(part for part in parts if part is not None)
    return message if are_same(kept, message.parts) else replace(message, parts=kept)


def are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether these are the very same parts, or messages.

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


def with_portable_ids(turns: Sequence[Message], taken: set[str]) -> list[Message]:
    """Call ids that every provider accepts, each used once; results follow their calls."""
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
