"""Which tools a conversation has called."""

from collections.abc import Mapping, Sequence

from recto.messages.message import Message
from recto.messages.settled import fold_all


def called_names(messages: Sequence[Message]) -> list[str]:
    """The tools that were called, in the order of their first calls."""
    return list(fold_all(messages, "called names", CalledNames).names)


class CalledNames:
    """The tools that the messages so far have called."""

    def __init__(self, names: Mapping[str, None] | None = None) -> None:
        self.names = dict(names or {})

    def take(self, message: Message) -> None:
        """Note the calls of the next message."""
        self.names |= dict.fromkeys(call.name for call in message.calls)

    def copy(self) -> "CalledNames":
        """The same names."""
        return CalledNames(self.names)
