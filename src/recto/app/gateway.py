"""Builds the gateway and serves it, in this process or in several on one address."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from starlette.types import ASGIApp

from recto import gateway
from recto.app.garbage import settle_garbage
from recto.app.gateway_doors import open_doors
from recto.app.gateway_observers import open_observers
from recto.app.gateway_services import (
    GatewayParts,
    GatewaySetup,
    OpenDoors,
    ReadyGateway,
    Supervise,
    address_of,
    first_admin_link,
    open_gateway,
)
from recto.app.gateway_workers import WORKER_READY, serve_workers
from recto.app.server import CannotStart, bracketed, is_loopback
from recto.clock import SystemClock
from recto.config import Home, HomeClaim, Settings, claim_home, load_keys
from recto.gateway import GatewayDoors, GatewayServices, build_gateway_application
from recto.server import BuiltPage, logging_to
from recto.server.listen import Listener, bind, know, reserve
from recto.server.request_log import RequestLog
from recto.supervisor import Supervisor

__all__ = [
    "GatewayOptions",
    "GatewayParts",
    "OpenDoors",
    "ReadyGateway",
    "build_gateway",
    "serve_as_worker",
    "serve_gateway",
]


PAGES = Path(gateway.__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """What the command line asked for."""

    host: str
    port: int
    workers: int = 1
    plain_http: bool = False


def build_gateway(
    services: GatewayServices,
    *,
    doors: ASGIApp,
    monotonic: Callable[[], float],
    metrics: ASGIApp | None = None,
) -> ASGIApp:
    """The whole application: each request is logged, without what it says."""
    application = build_gateway_application(
        services,
        doors,
        metrics=metrics,
        upstreams=doors.upstreams if isinstance(doors, GatewayDoors) else None,
        pages=BuiltPage(PAGES, "gateway.html"),
        on_known=know,
    )
    return RequestLog(application, monotonic)


async def serve_gateway(
    options: GatewayOptions,
    home: Home,
    settings: Settings,
    *,
    ready: Callable[[ReadyGateway], None],
    doors: OpenDoors = open_doors,
    supervise: Supervise = Supervisor,
) -> None:
    """Run the gateway until it is told to stop; `ready` is called once it answers."""
    refuse_open_binding(options, settings)
    claim = claim_home(home)
    try:
        take = bind if options.workers == 1 else reserve
        with take(options.host, options.port) as listener:
            address = address_of(options.host, listener.getsockname()[1], settings)
            log_file = home.folder / "gateway.log"
            setup = GatewaySetup(home, settings, address, doors, log_file, supervise)
            if options.workers == 1:
                await serve_here(listener, setup, ready, claim)
            else:
                await serve_workers(listener, setup, ready, options.workers)
    finally:
        claim.release()


async def serve_here(
    listener: socket.socket,
    setup: GatewaySetup,
    ready: Callable[[ReadyGateway], None],
    claim: HomeClaim | None = None,
) -> None:
    """Serve in this process."""
    clock = SystemClock()
    level = setup.settings.logs.level
    async with AsyncExitStack() as opened:
        secrets = load_keys(setup.home).values()
        opened.enter_context(logging_to(setup.log_file, level, secrets, clock))
        observers = await opened.enter_async_context(
            open_observers(setup.home, setup.settings, clock, os.environ)
        )
        parts = await opened.enter_async_context(open_gateway(setup))
        parts = replace(parts, listeners=observers.listeners)
        doors = await opened.enter_async_context(setup.doors(parts))
        server = Listener(
            build_gateway(
                parts.services,
                doors=doors,
                monotonic=clock.monotonic,
                metrics=observers.metrics,
            ),
            on_stop=parts.stopping.set,
            grace_s=setup.settings.gateway.drain_seconds,
            serves_many=True,
            begin_ahead=doors.begin if isinstance(doors, GatewayDoors) else None,
        )
        link = None if claim is None else await first_admin_link(parts.services)

        def announce() -> None:
            if claim is not None:
                claim.publish(local_url(listener), parts.services.operator.reveal())
            ready(ReadyGateway(setup.address.url, link, server.stop))

        await server.serve_on(listener, ready=announce)


async def serve_as_worker(
    home: Home, settings: Settings, *, number: int, fd: int, doors: OpenDoors = open_doors
) -> None:
    """Serve on a socket that another process has bound, until that one says so or is gone."""
    listener = socket.socket(fileno=fd)
    listener.setblocking(False)
    host, port = listener.getsockname()[:2]
    log_file = home.folder / f"gateway-{number}.log"
    setup = GatewaySetup(home, settings, address_of(host, port, settings), doors, log_file)

    def announce(ready: ReadyGateway) -> None:
        settle_garbage()
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), lambda: parent_gone(ready))
        sys.stdout.write(f"{WORKER_READY}\n")
        sys.stdout.flush()

    with listener:
        await serve_here(listener, setup, announce)


def parent_gone(ready: ReadyGateway) -> None:
    """Nothing is ever sent: the process that began this one has ended."""
    asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
    ready.stop()


def local_url(listener: socket.socket) -> str:
    """Where commands of this machine reach the gateway."""
    host, port = listener.getsockname()[:2]
    shown = "127.0.0.1" if host == "0.0.0.0" else "::1" if host == "::" else str(host)
    return f"http://{bracketed(shown)}:{port}"


def refuse_open_binding(options: GatewayOptions, settings: Settings) -> None:
    """Passwords and keys must not travel unencrypted, unless somebody says that they may."""
    if options.workers > 1 and not settings.storage.url:
        raise CannotStart(
            "Several workers need PostgreSQL: SQLite belongs to one process. Set url in the"
            " [storage] table of settings.toml, or leave --workers out."
        )
    is_encrypted = settings.gateway.url.startswith("https://")
    if not is_loopback(options.host) and not is_encrypted and not options.plain_http:
        raise CannotStart(
            f"{options.host} can be reached from other computers, and anyone between could read"
            " passwords and keys. Put a server with TLS in front and state its address as url in"
            " the [gateway] table of settings.toml, or accept it with --plain-http."
        )
