"""The grammar every provider demands of a conversation, as a list of what is wrong with one."""

from collections import Counter
from collections.abc import Iterator, Sequence

from recto.context.pauses import goes_on
from recto.context.repair import PORTABLE_ID, fits, is_from
from recto.messages import Message, Native, Origin, Text, Thinking, ToolCall, ToolResult


def faults(messages: Sequence[Message], origin: Origin) -> list[str]:
    """Everything that some provider would refuse; empty when the conversation can be sent."""
    found = [*turn_faults(messages), *id_faults(messages)]
    for index, message in enumerate(messages):
        found += [f"message {index}: {fault}" for fault in part_faults(message, origin)]
    for index, message in enumerate(messages[:-1]):
        if message.role == "assistant":
            found += pairing_faults(index, message, messages[index + 1])
    return found


def turn_faults(messages: Sequence[Message]) -> Iterator[str]:
    """Who speaks when."""
    if not messages:
        yield "there is no message"
        return
    if messages[0].role != "user":
        yield "the first message is not the user's"
    if messages[-1].role != "user" and not goes_on(messages[-1]):
        yield "the last message is not the user's"
    for index, (item, two) in enumerate(zip(messages, messages[1:], strict=False)):
        if item.role == two.role:
            yield f"messages {index} and {index + 1} have the same role"


def id_faults(messages: Sequence[Message]) -> Iterator[str]:
    """Call ids are portable and used once."""
    ids = Counter(call.id for message in messages for call in message.calls)
    for call_id, count in ids.items():
        if count > 1:
            yield f"the call id {call_id!r} is used {count} times"
        if not PORTABLE_ID.fullmatch(call_id):
            yield f"the call id {call_id!r} is not portable"


def part_faults(message: Message, origin: Origin) -> Iterator[str]:
    """Each part by itself."""
    if not message.parts:
        yield "it is empty"
    for part in message.parts:
        if not fits(part, message.role):
            yield f"a {part.type} can't be the {message.role}'s"
        match part:
            case Text() if not part.text.strip() and part.provider is None:
                yield "a text is empty"
            case Text() | Thinking() | ToolCall() | Native() if not is_from(part, origin):
                yield f"a {part.type} has data of another model"
            case Thinking() if part.provider is None:
                yield "a thought has no signature"
            case _:
                pass


def pairing_faults(index: int, message: Message, following: Message) -> Iterator[str]:
    """Every call has its result in the next message, first and in order."""
    wanted = [call.id for call in message.calls]
    head = following.parts[: len(wanted)]
    given = [part.call_id for part in head if isinstance(part, ToolResult)]
    if given != wanted:
        yield f"message {index + 1}: the calls {wanted} are answered by {given}"
    if any(isinstance(part, ToolResult) for part in following.parts[len(wanted) :]):
        yield f"message {index + 1}: a result has no call"
