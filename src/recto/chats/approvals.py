"""Tools that wait for a person: who asks what, and the answer when it comes."""

from dataclasses import dataclass, field
from typing import Literal

import anyio

from recto.messages import ToolCall

Answer = Literal["once", "chat", "always", "deny"]


class NoSuchApproval(Exception):
    """Nobody waits for this answer any more."""

    def __init__(self) -> None:
        self.message = "Nothing waits for this answer any more."
        self.remedy = "The turn has ended, or somebody answered already."
        super().__init__(f"{self.message} {self.remedy}")


@dataclass(slots=True)
class Approval:
    """One question to a person."""

    id: str
    chat_id: str
    call: ToolCall
    why: str
    rule: str | None
    """What "always" would allow; None when that can't be allowed for good."""
    answer: Answer | None = None
    answered: anyio.Event = field(default_factory=anyio.Event)


class Approvals:
    """The questions that are open in this process."""

    def __init__(self) -> None:
        self._open: dict[str, Approval] = {}

    def ask(self, approval: Approval) -> None:
        """Open a question."""
        self._open[approval.id] = approval

    def answer(self, approval_id: str, answer: Answer) -> None:
        """Answer it. Raises NoSuchApproval."""
        approval = self._open.pop(approval_id, None)
        if approval is None:
            raise NoSuchApproval
        approval.answer = answer
        approval.answered.set()

    def close(self, approval: Approval) -> None:
        """Nobody waits any more."""
        self._open.pop(approval.id, None)
