"""The grammar every provider demands of a conversation, as a list of what is wrong with one."""

from collections.abc import Iterator, Sequence

from recto.context.pauses import goes_on
from recto.context.repair import PORTABLE_ID, fits, is_from
from recto.messages import (
    Message,
    Native,
    Origin,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    fold_all,
)


def faults(messages: Sequence[Message], origin: Origin) -> list[str]:
    """Everything that some provider would refuse; empty when the conversation can be sent."""
    return fold_all(messages, ("faults", origin), lambda: Checking(origin)).found()


class Checking:
    """What is wrong with the messages so far."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._found: list[str] = []
        self._ids: set[str] = set()
        self._last: Message | None = None
        self._count = 0

    def take(self, message: Message) -> None:
        """Check the next message."""
        last, at = self._last, self._count
        if last is None and message.role != "user":
            self._found.append("the first message is not the user's")
        if last is not None and last.role == message.role:
            self._found.append(f"messages {at - 1} and {at} have the same role")
        self._found += self._id_faults(message)
        self._found += (f"message {at}: {fault}" for fault in part_faults(message, self._origin))
        if last is not None and last.role == "assistant":
            self._found += pairing_faults(at - 1, last, message)
        self._last, self._count = message, at + 1

    def copy(self) -> "Checking":
        """The same so far."""
        made = Checking(self._origin)
        made._found, made._ids = [*self._found], {*self._ids}
        made._last, made._count = self._last, self._count
        return made

    def found(self) -> list[str]:
        """What is wrong if nothing follows."""
        if self._last is None:
            return ["there is no message"]
        if self._last.role != "user" and not goes_on(self._last):
            return [*self._found, "the last message is not the user's"]
        return self._found

    def _id_faults(self, message: Message) -> Iterator[str]:
        """Call ids are portable and used once."""
        for call in message.calls:
            if call.id in self._ids:
                yield f"the call id {call.id!r} is used more than once"
            if not PORTABLE_ID.fullmatch(call.id):
                yield f"the call id {call.id!r} is not portable"
            self._ids.add(call.id)


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
