"""Puts the gateway's doors together: models, money, connections, and who may call."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, tzinfo

import anyio

from recto import llm
from recto.access import (
    Access,
    LeasedBudget,
    Markup,
    ModelGate,
    Record,
    RetryPolicy,
    load_credentials,
)
from recto.access.connections import mend
from recto.app.gateway_services import GatewayParts
from recto.clock import Clock, Ids, LocalZone, chance
from recto.config import Home, SearchSettings
from recto.context import TokenCalibration, TokenCounter
from recto.gateway import (
    Application,
    Callers,
    CallListener,
    DeploymentHealth,
    DoorServices,
    GatewayDoors,
    GatewayModels,
    KeptCalls,
    RateLeases,
    SearchActions,
    SharedHealth,
    StoredThoughts,
)
from recto.llm import (
    Endpoint,
    OfferBytes,
    OfferEvents,
    ReadyRequest,
    RelayedPiece,
    RequestsAtOnce,
    RequestUnderWay,
    SentRequest,
    Timeouts,
    WireRequest,
)
from recto.messages import Request, StreamEvent
from recto.research import PageFetcher, is_public
from recto.server.listen import line_of
from recto.storage import LedgerRow, Storage
from recto.supervisor import Supervisor
from recto.tokenizer import encoding

WAITS = Timeouts(first_s=300, idle_s=300, content_s=1800, total_s=3600)
"""How long an answer may take: clients have their own patience, and leave when it ends."""
MOST_ENDPOINTS = 1000


class GatewayConnections:
    """The ways to providers, over one pool of connections."""

    def __init__(self) -> None:
        self._transport = llm.Transport(WAITS, makes_many=True)
        self._relay = llm.relay  # found once: the room loads it when it is asked for
        self._endpoints: dict[int, tuple[Access, Endpoint]] = {}

    async def send(
        self,
        access: Access,
        request: Request,
        record: Record | None,
        offer: OfferEvents | None = None,
        sent: SentRequest | None = None,
    ) -> AsyncGenerator[StreamEvent]:
        """Carry a request to a model."""
        endpoint = self._endpoint(access)
        events = self._transport.stream(
            endpoint,
            request,
            access.traits,
            access.origin,
            record=record,
            offer=offer,
            sent=sent,
        )
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    def relay(
        self,
        access: Access,
        wire: WireRequest,
        see: Callable[[StreamEvent], None],
        *,
        is_streamed: bool,
        offer: OfferBytes | None = None,
        under_way: RequestUnderWay | None = None,
    ) -> AsyncGenerator[RelayedPiece]:
        """Pass a client's bytes to a provider and back."""
        endpoint = self._endpoint(access)
        return self._relay(
            self._transport,
            endpoint,
            wire,
            access.origin,
            see,
            is_streamed=is_streamed,
            offer=offer,
            under_way=under_way,
        )

    def ready(self, access: Access, request: Request) -> ReadyRequest | None:
        """A request that can be sent to a deployment without waiting."""
        return self._transport.ready(self._endpoint(access), request, access.traits, access.origin)

    def at_once(
        self, access: Access, path: str, headers: Mapping[str, str]
    ) -> RequestsAtOnce | None:
        """A way to send requests of a deployment without waiting."""
        return self._transport.at_once(self._endpoint(access), path, headers)

    def _endpoint(self, access: Access) -> Endpoint:
        """Where the calls of a deployment go. Its address is looked at once, not for each call."""
        known = self._endpoints.get(id(access))
        if known is None or known[0] is not access:
            if len(self._endpoints) >= MOST_ENDPOINTS:
                self._endpoints.clear()  # most are of models as they were before a reload
            known = self._endpoints[id(access)] = (
                access,
                access.provider.endpoint(access.key),
            )
        return known[1]

    async def close(self) -> None:
        """End every connection."""
        await self._transport.close()


def open_doors(parts: GatewayParts) -> AbstractAsyncContextManager[GatewayDoors]:
    """The doors of a gateway that is being opened."""
    return open_gateway_doors(
        parts.home,
        parts.storage,
        parts.services.callers,
        parts.services.kept_calls,
        clock=parts.clock,
        ids=parts.ids,
        environment=os.environ,
        supervisor=parts.supervisor,
        markup=Markup(parts.settings.gateway.markup_percent),
        is_alone=not parts.settings.storage.url,
        zone=LocalZone(),
        searching=parts.settings.gateway.search,
        listeners=parts.listeners,
    )


@asynccontextmanager
async def open_gateway_doors(
    home: Home,
    storage: Storage,
    callers: Callers,
    keeping: KeptCalls,
    *,
    clock: Clock,
    ids: Ids,
    environment: Mapping[str, str],
    supervisor: Supervisor,
    markup: Markup,
    is_alone: bool,
    zone: tzinfo = UTC,
    keep_alive_s: float = 10.0,
    rest: Application | None = None,
    searching: SearchSettings | None = None,
    fetcher: PageFetcher | None = None,
    listeners: Sequence[CallListener] = (),
) -> AsyncGenerator[GatewayDoors]:
    """The doors, for the length of the block. Raises ConfigFailure for a broken models.json."""
    budget = LeasedBudget(storage, clock=clock, ids=ids, markup=markup)
    await budget.recover(is_alone=is_alone)
    # Now, while nobody waits: the first stream that is cut would hold up all others for it.
    encoding()
    lines = GatewayConnections()

    def tell_all(row: LedgerRow) -> None:
        for listener in listeners:
            listener.booked(row)

    counter = TokenCounter(TokenCalibration())
    gate = ModelGate(
        lines.send,
        budget,
        clock=clock,
        chance=chance,
        mend=mend,
        estimate=counter,
        # Another deployment is asked instead, or the client tries again by itself.
        policy=RetryPolicy(retries=0),
        on_booked=tell_all if listeners else None,
        send_offering=lines.send,
    )
    search = SearchActions(
        searching or SearchSettings(),
        lambda: load_credentials(environment, home),
        fetcher or PageFetcher(is_public),
    )
    health = DeploymentHealth(clock.monotonic, chance)
    shared = SharedHealth(health, storage, clock)
    rates = RateLeases(storage, clock)
    services = DoorServices(
        callers=callers,
        models=GatewayModels(
            home,
            environment,
            clock=clock,
            today=lambda: datetime.fromtimestamp(clock.now_ms() / 1000, zone).date(),
        ),
        gate=gate,
        budget=budget,
        search=search,
        relay=lines.relay,
        at_once=lines.at_once,
        ready=lines.ready,
        health=health,
        shared=shared,
        rates=rates,
        counter=counter,
        thoughts=StoredThoughts(storage, clock=clock, ids=ids),
        keeping=keeping,
        clock=clock,
        ids=ids,
        keep_alive_s=keep_alive_s,
        listeners=listeners,
        line_of=line_of,
    )
    doors = GatewayDoors(services, rest)
    tasks = [
        supervisor.keep("bookings", budget.keep_books),
        supervisor.keep("leases", budget.keep_leases),
        supervisor.keep("deployments", shared.keep_in_step),
        supervisor.keep("deployment rates", rates.keep_tidy),
        supervisor.keep("calls begun ahead", doors.starts.keep_tidy),
    ]
    try:
        yield doors
    finally:
        with anyio.CancelScope(shield=True):
            await doors.starts.end_lost()
            await lines.close()
            await search.close()
            await budget.close()
        for task in tasks:
            task.cancel()
