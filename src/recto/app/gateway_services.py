"""Puts together everything that a gateway's routes and doors work with."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import anyio
from anyio.abc import TaskGroup
from starlette.types import ASGIApp

from recto.access import load_budget, load_limits, save_limits
from recto.app.failures import START_FAILURES
from recto.app.server import CannotStart, bracketed, is_loopback
from recto.app.store import open_store
from recto.clock import Clock, LocalZone, SystemClock, SystemIds
from recto.config import ConfigFailure, Home, Secret, Settings, load_keys
from recto.gateway import (
    Argon2Passwords,
    CallListener,
    GatewayAddress,
    GatewayFigures,
    GatewayServices,
    HttpOpenIdConnection,
    KeptCalls,
    OpenIdSignIns,
    People,
    SignIns,
    StoredCallers,
    UsageBooks,
    invitation_link,
)
from recto.storage import Storage
from recto.supervisor import Supervisor

log = logging.getLogger(__name__)

LIMIT_FRESH_S = 0.5
NO_CHANGE = 1 << 62
"""A change that never comes."""


@dataclass(frozen=True, slots=True)
class ReadyGateway:
    """A gateway that answers; the link is for the first admin, as long as there is none."""

    url: str
    admin_link: str | None
    stop: Callable[[], None]


@dataclass(frozen=True, slots=True)
class GatewayParts:
    """What an opened gateway consists of, for the doors to work with."""

    home: Home
    settings: Settings
    storage: Storage
    services: GatewayServices
    clock: SystemClock
    ids: SystemIds
    supervisor: Supervisor
    stopping: asyncio.Event
    """Set when the gateway was told to stop: what runs may finish, nothing new begins."""
    listeners: Sequence[CallListener] = ()
    """Who counts and traces the calls."""


Supervise = Callable[[TaskGroup, Callable[[], float]], Supervisor]
"""Makes what keeps background work going."""
OpenDoors = Callable[[GatewayParts], AbstractAsyncContextManager[ASGIApp]]
"""Opens what answers programs with a key, for as long as the gateway runs."""


@dataclass(frozen=True, slots=True)
class GatewaySetup:
    """Everything that is known before the services are built."""

    home: Home
    settings: Settings
    address: GatewayAddress
    doors: OpenDoors
    log_file: Path
    supervise: Supervise = Supervisor


@asynccontextmanager
async def open_gateway(setup: GatewaySetup) -> AsyncGenerator[GatewayParts]:
    """Everything behind the routes, for the length of the block."""
    clock = SystemClock()
    ids = SystemIds(clock)
    zone = LocalZone()
    stopping = asyncio.Event()
    async with (
        open_store(setup.home, setup.settings, clock) as storage,
        supervised(clock, setup.supervise) as supervisor,
    ):
        # Keeps the lock by which other processes know that this one lives.
        supervisor.keep("following", lambda: storage.wait_for_change(NO_CHANGE))
        passwords = Argon2Passwords(ids)
        limit = FreshLimit(setup.home, clock)
        callers = StoredCallers(
            storage,
            clock=clock,
            ids=ids,
            zone=zone,
            gateway_micros=limit.month_micros,
            queue_s=setup.settings.gateway.queue_seconds,
        )
        supervisor.keep("rates", callers.rates.keep_tidy)
        kept_calls = KeptCalls(storage, clock=clock, ids=ids)
        supervisor.keep("kept calls", kept_calls.keep_tidy)
        services = GatewayServices(
            people=People(storage, passwords, clock=clock, ids=ids),
            sign_ins=SignIns(storage, passwords, clock=clock, ids=ids),
            usage=UsageBooks(storage, clock=clock, zone=zone),
            figures=GatewayFigures(
                storage, clock=clock, zone=zone, gateway_micros=limit.month_micros
            ),
            callers=callers,
            kept_calls=kept_calls,
            limit=limit,
            address=setup.address,
            operator=Secret(ids.secret()),
            clock=clock,
            is_ready=lambda: storage.is_answering and not stopping.is_set(),
            openid=open_id_sign_ins(setup, storage, clock, ids),
            tasks=supervisor.health,
        )
        try:
            yield GatewayParts(
                setup.home, setup.settings, storage, services, clock, ids, supervisor, stopping
            )
        finally:
            storage.stop_waiting()


@asynccontextmanager
async def supervised(clock: Clock, supervise: Supervise = Supervisor) -> AsyncGenerator[Supervisor]:
    """Background work, for the length of the block; why the block can't go on is told as it is."""
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        try:
            yield supervise(tasks, clock.monotonic)
        except START_FAILURES as error:
            failure = error  # the task group would wrap it
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


def open_id_sign_ins(
    setup: GatewaySetup, storage: Storage, clock: SystemClock, ids: SystemIds
) -> OpenIdSignIns | None:
    """The service that signs people in, if the settings name one. Raises CannotStart."""
    wanted = setup.settings.gateway.openid
    if not wanted.issuer:
        return None
    secret = load_keys(setup.home).get(wanted.client_secret)
    if wanted.client_secret and secret is None:
        raise CannotStart(
            f"keys.env has no {wanted.client_secret}, which settings.toml names as client_secret."
            f" Add it with: recto keys set {wanted.client_secret}"
        )
    return OpenIdSignIns(
        wanted,
        HttpOpenIdConnection(),
        storage,
        url=setup.address.url,
        secret=secret,
        clock=clock,
        ids=ids,
    )


class FreshLimit:
    """What the whole gateway may spend in a month, as budget.json said half a second ago."""

    def __init__(self, home: Home, clock: SystemClock) -> None:
        """Raises ConfigFailure: the file can't be understood."""
        self._home = home
        self._clock = clock
        self._micros = load_limits(home).month_micros
        self._read_at = clock.monotonic()
        self._problem: str | None = None

    def month_micros(self) -> int | None:
        """The limit; None is none. While the file is broken, the last one holds."""
        now = self._clock.monotonic()
        if now - self._read_at >= LIMIT_FRESH_S:
            self._read_at = now
            self._read()
        return self._micros

    def change(self, month_micros: int | None) -> None:
        """Write another limit into the file. Raises ConfigFailure: the file is broken."""
        usd = None if month_micros is None else Decimal(month_micros) / 1_000_000
        budget = load_budget(self._home).model_copy(update={"monthly_limit_usd": usd})
        self._micros = save_limits(self._home, budget).month_micros
        self._read_at = self._clock.monotonic()

    def _read(self) -> None:
        try:
            self._micros = load_limits(self._home).month_micros
        except ConfigFailure as failure:
            if self._problem != str(failure):
                self._problem = str(failure)
                log.warning("budget.json is broken: the limit before holds")
        else:
            self._problem = None


async def first_admin_link(services: GatewayServices) -> str | None:
    """Where the first admin chooses a password, as long as there is none."""
    invited = await services.people.first_admin()
    return None if invited is None else invitation_link(services.address.url, invited.code)


def address_of(host: str, port: int, settings: Settings) -> GatewayAddress:
    """Where people reach a gateway that listens here."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    names = {shown}
    if is_loopback(shown) or shown != host:
        names |= {"127.0.0.1", "localhost", "::1"}
    local = {f"http://{bracketed(name.lower())}:{port}" for name in names}
    url = settings.gateway.url or f"http://{bracketed(shown)}:{port}"
    return GatewayAddress(url, frozenset(local | {url.lower()}), f"recto_gateway_{port}")
