"""Whether a conversation has blocks that only their provider knows: most have none."""

from collections.abc import Sequence

from recto.messages import Message, Native, fold_all


def has_natives(messages: Sequence[Message]) -> bool:
    """Whether there is such a block anywhere."""
    return fold_all(messages, "natives", NativesSeen).found


class NativesSeen:
    """Whether there was one so far."""

    def __init__(self, *, found: bool = False) -> None:
        self.found = found

    def take(self, message: Message) -> None:
        """Look at the next message."""
        self.found = self.found or any(isinstance(part, Native) for part in message.parts)

    def copy(self) -> "NativesSeen":
        """The same."""
        return NativesSeen(found=self.found)
