"""Serves until told to stop: the page at once, and the rest as soon as it is loaded.

Nothing may be imported here that the page does without: it would wait for it.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import CancelScope

from recto.clock import SystemClock, SystemIds
from recto.config import Home, HomeClaim, Secret, Settings, claim_home, load_keys
from recto.server import (
    BuiltPage,
    OpeningApplication,
    RequestLog,
    ServerIdentity,
    Sessions,
    Site,
    logging_to,
)
from recto.server.listen import Listener, bind
from recto.supervisor import Supervisor

if TYPE_CHECKING:
    from recto.app.application import OpenApplication
    from recto.app.services import Supervise

SHORTEST_TOKEN = 16


class CannotStart(Exception):
    """What was asked for can't be done; says why and what to do, in one line."""


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
    page_ready: Callable[[ReadyServer], None] | None = None,
    supervise: "Supervise" = Supervisor,
) -> None:
    """Run Recto until it is told to stop; `ready` is called once it answers everything.

    `page_ready` is called before that, as soon as a browser can load the page.
    """
    refuse_careless_binding(options)
    claim = claim_home(home)
    try:
        with bind(options.host, options.port) as listener:
            setup = ServerSetup(options, home, settings, claim, supervise)
            await serve_on(listener, setup, page_ready or wait_for_all, ready)
    finally:
        claim.release()


def wait_for_all(server: ReadyServer) -> None:
    """Nobody wants the page alone."""


@dataclass(frozen=True, slots=True)
class ServerSetup:
    """Everything that is known before the services are built."""

    options: ServeOptions
    home: Home
    settings: Settings
    claim: HomeClaim
    supervise: "Supervise"


async def serve_on(
    listener: socket.socket,
    setup: ServerSetup,
    page_ready: Callable[[ReadyServer], None],
    ready: Callable[[ReadyServer], None],
) -> None:
    """Serve the page, open everything behind it, and serve with that until told to stop."""
    options, home = setup.options, setup.home
    clock = SystemClock()
    ids = SystemIds(clock)
    token = options.token or Secret(ids.secret())
    secrets = [token, *load_keys(home).values()]
    scheme = "https" if options.certificate else "http"
    address = ServerAddress(scheme, options.host, listener.getsockname()[1], options.names)
    site = Site(
        sessions=open_sessions(home, options.token, token, clock, ids),
        doorway=address.doorway(),
        base_url=address.url,
        page=BuiltPage(),
    )
    application = OpeningApplication(site)

    def stopping() -> None:
        site.sessions.end_streams()
        application.give_up()

    server = Listener(
        RequestLog(application, clock.monotonic),
        on_stop=stopping,
        certificate=options.certificate,
        certificate_key=options.certificate_key,
        packs_messages=not is_loopback(options.host),
    )
    link = f"{site.base_url}/open/{site.sessions.new_link_code()}"
    answer = ReadyServer(link, site.base_url, server.stop)
    with logging_to(home.log_file, setup.settings.logs.level, secrets, clock):
        serving = asyncio.create_task(server.serve_on(listener, ready=lambda: page_ready(answer)))
        try:
            with CancelScope() as opening:
                # Whoever stops the server meanwhile waits for nothing that is being opened.
                serving.add_done_callback(lambda _: application.is_open or opening.cancel())
                open_application = await asyncio.to_thread(load_application)
                async with open_application(setup, site, clock, ids) as whole:
                    application.open(whole)
                    setup.claim.publish(site.base_url, token.reveal())
                    ready(answer)
                    await serving
        finally:
            server.stop()
            await serving


def load_application() -> "OpenApplication":
    """All that stands behind the page. In a thread of its own: it takes most of the start."""
    from recto.app.application import open_application

    return open_application


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
