"""What can go wrong with a chat because of what somebody asked for; each says what to do."""


class ChatFailure(Exception):
    """Something can't be done with this chat; `message` says why, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class Busy(ChatFailure):
    """A turn runs in the chat."""

    def __init__(self) -> None:
        super().__init__("A turn is running in this chat.", "Wait for its end, or stop it first.")


class NothingToDo(ChatFailure):
    """There is nothing that this could be done to."""


class InvalidPlacement(ChatFailure):
    """Something can't be put there: no such folder, a folder inside itself, another project's."""


class IdTaken(ChatFailure):
    """The id of a new chat, folder or message is taken, or was."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(
            f"There is or was another {kind} {id}.", "Choose another id, or leave it out."
        )


class NotRunning(ChatFailure):
    """The turn has ended."""

    def __init__(self) -> None:
        super().__init__("This turn has ended.", "Send a new message instead.")
