"""What the doors work with, built once for each worker."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recto.access import Access, CallBudget, Deployment, ModelGate
from recto.access import Purpose as SpendingPurpose
from recto.clock import Clock, Ids
from recto.gateway.caller import Caller, Callers
from recto.gateway.doors.client_stream import KEEP_ALIVE_S
from recto.gateway.doors.health import DeploymentHealth
from recto.gateway.doors.http import Scope, StreamLine
from recto.gateway.doors.kept_thoughts import KeptThoughts
from recto.gateway.doors.models import GatewayModels
from recto.gateway.doors.observation import CallListener
from recto.gateway.doors.shared_health import SharedHealth
from recto.gateway.kept_calls import CallKeeping
from recto.gateway.rate_leases import RateLeases
from recto.gateway.search.actions import SearchActions
from recto.llm import (
    OfferBytes,
    ReadyRequest,
    RelayedPiece,
    RequestsAtOnce,
    RequestUnderWay,
    WireRequest,
)
from recto.messages import Request, StreamEvent

FEATURE = "gateway"


class Relay(Protocol):
    """Passes bytes to a provider and back."""

    def __call__(
        self,
        access: Access,
        wire: WireRequest,
        see: Callable[[StreamEvent], None],
        *,
        is_streamed: bool,
        offer: OfferBytes | None = None,
        under_way: RequestUnderWay | None = None,
    ) -> AsyncGenerator[RelayedPiece]:
        """The pieces that `offer` did not take; what they all say is told to `see`."""
        ...


class AtOnce(Protocol):
    """Finds ways to send requests without waiting."""

    def __call__(
        self, access: Access, path: str, headers: Mapping[str, str]
    ) -> RequestsAtOnce | None:
        """A way for requests with such heads; None: there is none, or not yet."""
        ...


class MakeReady(Protocol):
    """Makes requests ready to be sent without waiting."""

    def __call__(self, access: Access, request: Request) -> ReadyRequest | None:
        """The request, written; None: it has to be waited for."""
        ...


class PromptCount(Protocol):
    """Counts the tokens of a prompt without asking its provider."""

    def request(self, request: Request, model: str, /) -> int:
        """About how many tokens it is."""
        ...


def no_line(scope: Scope) -> StreamLine | None:
    """There is no way to a client but the framework's."""
    return None


@dataclass(frozen=True, slots=True)
class DoorServices:
    """Everything the doors need."""

    callers: Callers
    models: GatewayModels
    gate: ModelGate
    budget: CallBudget
    search: SearchActions
    relay: Relay
    at_once: AtOnce
    ready: MakeReady
    health: DeploymentHealth
    shared: SharedHealth
    rates: RateLeases
    """What the providers of deployments allow in a minute."""
    counter: PromptCount
    thoughts: KeptThoughts
    keeping: CallKeeping
    clock: Clock
    ids: Ids
    keep_alive_s: float = KEEP_ALIVE_S
    listeners: Sequence[CallListener] = ()
    """Who counts and traces calls."""
    line_of: Callable[[Scope], StreamLine | None] = no_line
    """Past the framework to a client, where the server has such a way."""


def purpose_of(caller: Caller, way: Deployment) -> SpendingPurpose:
    """What a call is for, as the ledger tells it. Raises ValueError when it would count nowhere."""
    # Without a scope no limit would be looked at.
    if not caller.scopes:
        raise ValueError("A call must count in some scope.")
    return SpendingPurpose(
        FEATURE,
        way.access.provider.id,
        way.access.model,
        scopes=caller.scopes,
        account_id=caller.account_id,
        key_id=caller.key_id,
        deployment=way.id,
    )
