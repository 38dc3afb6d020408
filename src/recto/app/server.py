"""Builds every service once and serves until told to stop."""

import ipaddress
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from recto.app.services import Supervise, open_services
from recto.clock import SystemClock, SystemIds
from recto.config import ConfigFailure, Home, HomeClaim, Secret, Settings, claim_home, load_keys
from recto.server import (
    BuiltPage,
    PageMissing,
    ServerIdentity,
    Services,
    Sessions,
    Site,
    build_application,
    logging_to,
)
from recto.server.listen import CannotListen, Listener, bind
from recto.storage import StorageFailure
from recto.supervisor import Supervisor
from recto.word import waiting_worker

SHORTEST_TOKEN = 16


class CannotStart(Exception):
    """What was asked for can't be done; says why and what to do, in one line."""


# What can go wrong at the start; each says in one line what is wrong and what to do.
START_FAILURES = (CannotStart, CannotListen, ConfigFailure, PageMissing, StorageFailure)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line asked for."""

    folder: Path
    host: str
    port: int
    token: Secret | None = None
    names: tuple[str, ...] = ()
    certificate: str | None = None
    certificate_key: str | None = None
    plain_http: bool = False


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the server can be reached."""

    scheme: str
    host: str
    port: int
    names: tuple[str, ...] = field(default=())

    @property
    def url(self) -> str:
        """The address to open."""
        return f"{self.scheme}://{bracketed(self.shown_host)}:{self.port}"

    @property
    def shown_host(self) -> str:
        """A host name that a browser on this computer can open."""
        if self.names:
            return self.names[0]
        return "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host

    def doorway(self) -> ServerIdentity:
        """The host names this server answers to, and a cookie name no other port shares."""
        hosts = {self.host, self.shown_host, *self.names}
        if is_loopback(self.host) or self.host in ("0.0.0.0", "::"):
            hosts |= {"127.0.0.1", "localhost", "::1"}
        allowed = {f"{bracketed(host.lower())}:{self.port}" for host in hosts}
        if self.port == (443 if self.scheme == "https" else 80):
            allowed |= {bracketed(host.lower()) for host in hosts}
        return ServerIdentity(self.scheme, frozenset(allowed), f"recto_{self.port}")


@dataclass(frozen=True, slots=True)
class ReadyServer:
    """A server that answers: the link that signs in a browser, its address, and how to end it."""

    link: str
    url: str
    stop: Callable[[], None]


async def serve(
    options: ServeOptions,
    home: Home,
    settings: Settings,
    *,
    ready: Callable[[ReadyServer], None],
    supervise: Supervise = Supervisor,
) -> None:
    """Run Recto until it is told to stop; `ready` is called once it answers."""
    refuse_careless_binding(options)
    claim = claim_home(home)
    try:
        with bind(options.host, options.port) as listener:
            await serve_on(listener, ServerSetup(options, home, settings, claim, supervise), ready)
    finally:
        claim.release()


@dataclass(frozen=True, slots=True)
class ServerSetup:
    """Everything that is known before the services are built."""

    options: ServeOptions
    home: Home
    settings: Settings
    claim: HomeClaim
    supervise: Supervise


async def serve_on(
    listener: socket.socket, setting: ServerSetup, ready: Callable[[ReadyServer], None]
) -> None:
    """Open the log and the store, and serve with them."""
    options, home, settings = setting.options, setting.home, setting.settings
    clock = SystemClock()
    ids = SystemIds(clock)
    token = options.token or Secret(ids.secret())
    secrets = [token, *load_keys(home).values()]
    page = BuiltPage()
    async with AsyncExitStack() as open_for_now:
        open_for_now.enter_context(logging_to(home.log_file, settings.logs.level, secrets, clock))
        await open_for_now.enter_async_context(waiting_worker())
        services = await open_for_now.enter_async_context(
            open_services(home, settings, options.folder, clock, ids, supervise=setting.supervise)
        )
        scheme = "https" if options.certificate else "http"
        address = ServerAddress(scheme, options.host, listener.getsockname()[1], options.names)
        site = Site(
            sessions=open_sessions(home, options.token, token, clock, ids),
            doorway=address.doorway(),
            base_url=address.url,
            page=page,
        )
        await answer(listener, services, site, setting, token, ready)


async def answer(
    listener: socket.socket,
    services: Services,
    site: Site,
    setting: ServerSetup,
    token: Secret,
    ready: Callable[[ReadyServer], None],
) -> None:
    """Answer requests until told to stop."""
    server = Listener(
        build_application(services, site, monotonic=SystemClock().monotonic),
        on_stop=site.sessions.end_streams,
        certificate=setting.options.certificate,
        certificate_key=setting.options.certificate_key,
    )

    def announce() -> None:
        setting.claim.publish(site.base_url, token.reveal())
        link = f"{site.base_url}/open/{site.sessions.new_link_code()}"
        ready(ReadyServer(link, site.base_url, server.stop))

    await server.serve_on(listener, ready=announce)


def open_sessions(
    home: Home, chosen: Secret | None, token: Secret, clock: SystemClock, ids: SystemIds
) -> Sessions:
    """The browsers that were signed in before, and the token; `chosen` if it is the user's own."""
    file = home.sessions_file
    return Sessions(
        token,
        is_chosen=chosen is not None,
        clock=clock,
        ids=ids,
        saved=file.read_bytes() if file.exists() else b"{}",
        save=lambda data: home.replace(file, data),
    )


def refuse_careless_binding(options: ServeOptions) -> None:
    """Other computers get in only with a token the user chose and encryption, or said so."""
    if options.token is not None and len(options.token.reveal()) < SHORTEST_TOKEN:
        raise CannotStart(f"RECTO_TOKEN is too short. Use at least {SHORTEST_TOKEN} characters.")
    if is_loopback(options.host):
        return
    if options.token is None:
        raise CannotStart(
            f"{options.host} can be reached from other computers. Set RECTO_TOKEN to a long secret"
            " first; it is the password for them."
        )
    if options.certificate is None and not options.plain_http:
        raise CannotStart(
            f"{options.host} can be reached from other computers, and anyone between could read"
            " along. Give --certificate and --certificate-key, or accept it with --plain-http."
        )


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host
