"""Callers of a gateway whose keys and limits a test says."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from recto.access import SpendingScope
from recto.gateway import Caller, Door, Refused
from recto.messages import Failure

KEY = "sk-a-key-of-the-tests"
EVERYTHING = SpendingScope("gateway", None, "the gateway's limit")
ANYBODY = Caller("account-1", "key-1", "Ada", scopes=(EVERYTHING,))


@dataclass
class FakeCallers:
    """Knows callers by their keys; counts who is inside."""

    known: dict[str, Caller] = field(default_factory=lambda: {KEY: ANYBODY})
    refusal: Refused | None = None
    """What everybody is told who wants to enter."""
    inside: int = 0
    entered: list[int] = field(default_factory=list[int])
    """The tokens that each call was counted with."""

    async def authenticate(self, credential: str, door: Door) -> Caller | Refused:
        caller = self.known.get(credential)
        if caller is None:
            return Refused(Failure("auth", "This key is not known here."), 401)
        if caller.doors is not None and door not in caller.doors:
            return Refused(Failure("auth", "This key is not for this door.", status=403), 403)
        return caller

    def recall(self, credential: str, door: Door) -> Caller | None:
        caller = self.known.get(credential)
        is_allowed = caller is not None and (caller.doors is None or door in caller.doors)
        return caller if is_allowed else None

    def enters_at_once(self, caller: Caller, *, tokens: int) -> bool:
        return self.refusal is None

    def count(self, caller: Caller, *, tokens: int) -> None:
        self.entered.append(tokens)

    @asynccontextmanager
    async def enter(self, caller: Caller, *, tokens: int) -> AsyncGenerator[Refused | None]:
        self.entered.append(tokens)
        self.inside += 1
        try:
            yield self.refusal
        finally:
            self.inside -= 1
