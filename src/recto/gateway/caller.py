"""Who calls, and what they may: what the doors know of a key, an account and their limits."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from recto.access import SpendingScope
from recto.messages import Failure
from recto.storage import RateLimit, StreamCap

Door = Literal["anthropic-messages", "openai-responses", "openai-chat", "gemini", "search"]


@dataclass(frozen=True, slots=True)
class Caller:
    """One key's or session's right to call."""

    account_id: str
    key_id: str | None
    name: str
    is_admin: bool = False
    models: frozenset[str] | None = None
    """The models that may be asked for, by the name that the client uses; None is all."""
    doors: frozenset[Door] | None = None
    model_map: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the client asks for, and what is served in its place."""
    scopes: tuple[SpendingScope, ...] = ()
    """What its spending counts in: key, account, their months, balance, the whole gateway."""
    rates: tuple[RateLimit, ...] = ()
    """How much it may ask for in a minute, by itself and with the account's other keys."""
    stream_caps: tuple[StreamCap, ...] = ()
    keeps_calls: bool = False
    """The operator has its prompts and answers kept, and its owner sees that."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The call may not begin; says why, and when it may be tried again."""

    failure: Failure
    status: int
    retry_after_s: float | None = None


class Callers(Protocol):
    """Admits calls. One for each worker; what it knows of changes is a second old at most."""

    async def authenticate(self, credential: str, door: Door) -> Caller | Refused:
        """Who this key or access token belongs to; Refused when it is unknown, expired, revoked."""
        ...

    def recall(self, credential: str, door: Door) -> Caller | None:
        """Who it belongs to, if that is known without asking; None: `authenticate` finds out."""
        ...

    def enters_at_once(self, caller: Caller, *, tokens: int) -> bool:
        """Whether `count` lets a request in without waiting; it holds no place then."""
        ...

    def count(self, caller: Caller, *, tokens: int) -> None:
        """Count a request that enters at once against the rate limits."""
        ...

    def enter(
        self, caller: Caller, *, tokens: int
    ) -> AbstractAsyncContextManager["Refused | None"]:
        """Counts a request and its tokens against the rate limits; holds a place for its stream.

        Waits for a place as long as the operator allows. Refused inside when there is none.
        """
        ...
