"""Listening: the socket, the HTTP server on it, deadlines for headers, and a graceful stop."""

import asyncio
import errno
import signal
import socket
from asyncio.events import TimerHandle
from collections.abc import Callable, Generator, MutableMapping
from contextlib import contextmanager
from typing import Any, ClassVar, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.lifespan.off import LifespanOff
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from recto.server.ahead import CATCH_UP_S, BeginAhead, KnownHead, RequestAhead, learned
from recto.server.http_line import HttpLine

HEADER_DEADLINE_S = 10.0
MAX_HEADER_BYTES = 64 * 1024
MAX_UNKNOWN = 256
"""How many connections may wait before anybody has signed in on them."""
MAX_UNKNOWN_OF_MANY = 4096
"""The same for a server of many people, who may all come at once after it was away."""
LINE = "recto.line"
"""Where a request carries the way to whoever made it."""
GRACE_S = 5
IDLE_S = 75
"""Longer than clients keep a connection that they don't use: who hangs up first is never us, just
as the next request is on its way."""


class CannotListen(Exception):
    """The address can't be used; says why and what to do."""


def bind(host: str, port: int) -> socket.socket:
    """Take the address, before anything else is started."""
    with refusals_explained(host, port):
        listener = bound(host, port)
        try:
            listener.listen(128)
        except OSError:
            listener.close()
            raise
    return listener


def reserve(host: str, port: int) -> socket.socket:
    """Take the address for sockets that are bound beside this one, which never listens itself."""
    with refusals_explained(host, port):
        reserved = bound(host, port)
    # Only now: no other program may listen there already.
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return reserved


def bind_beside(reserved: socket.socket) -> socket.socket:
    """One more socket for the address. The system shares new connections among those that listen.

    Processes that share one socket are not woken fairly: one of two had 62 of 100 connections.
    """
    host, port = reserved.getsockname()[:2]
    with refusals_explained(host, port):
        return bound(host, port, socket.SO_REUSEPORT)


def bound(host: str, port: int, *options: int) -> socket.socket:
    """A socket with an address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small pieces at once only on sockets that say they are TCP: without the
    # protocol, each answer's body would wait 40 ms for the client to confirm its head.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        for option in (socket.SO_REUSEADDR, *options):
            found.setsockopt(socket.SOL_SOCKET, option, 1)
        found.bind((host, port))
    except OSError:
        found.close()
        raise
    found.setblocking(False)
    return found


@contextmanager
def refusals_explained(host: str, port: int) -> Generator[None]:
    """Raises CannotListen where the system refuses the address."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"Port {port} is taken. Choose another with --port, or any free one with --port 0."
            ) from error
        if error.errno == errno.EACCES:
            raise CannotListen(
                f"Port {port} needs more rights. Choose one above 1023 with --port."
            ) from error
        raise CannotListen(f"Can't listen on {host}: {error.strerror or error}.") from error


class PromptProtocol(HttpToolsProtocol):
    """HTTP from clients that must send their headers whole, soon and small.

    Connections of strangers are few: a new one takes the place of the one that waited longest, so
    that no number of them keeps anybody out.
    """

    most_unknown: ClassVar[int] = MAX_UNKNOWN
    _late: TimerHandle | None = None
    _header_bytes = 0
    _is_known = False
    _made_at = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the first request's time."""
        super().connection_made(transport)
        self._made_at = self.loop.time()
        self._expect_headers()
        self._make_room()

    def _make_room(self) -> None:
        if len(self.connections) <= self.most_unknown:
            return
        others = [one for one in self.connections if isinstance(one, PromptProtocol)]
        strangers = [one for one in others if not one._is_known]
        if len(strangers) > self.most_unknown:
            # One that is being answered goes last.
            oldest = min(strangers, key=lambda one: (one._is_answered(), one._made_at))
            oldest.transport.close()

    def _is_answered(self) -> bool:
        # uvicorn's own words leave out that there is none before the first request.
        cycle = cast(RequestResponseCycle | None, self.cycle)
        return cycle is not None and not cycle.response_complete

    def _know(self) -> None:
        self._is_known = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        self._headers_are_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; too many before the headers are complete end the connection."""
        if self._late is not None:
            self._header_bytes += len(data)
        super().data_received(data)
        if self._late is not None and self._header_bytes > MAX_HEADER_BYTES:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Start the next request's time."""
        super().on_message_begin()
        self._expect_headers()

    def on_headers_complete(self) -> None:
        """The headers are in time."""
        self._headers_are_here()
        super().on_headers_complete()
        line = HttpLine(self.cycle, self._know, self._taken_up())
        self.scope[LINE] = line  # type: ignore[literal-required]

    def _taken_up(self) -> RequestAhead | None:
        """What was done of this request before."""
        return None

    def _expect_headers(self) -> None:
        self._headers_are_here()
        self._late = self.loop.call_later(HEADER_DEADLINE_S, self.transport.close)

    def _headers_are_here(self) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = None
        self._header_bytes = 0


class ProtocolOfMany(PromptProtocol):
    """The same for many people, whose requests may be begun ahead of the framework."""

    most_unknown = MAX_UNKNOWN_OF_MANY
    _head: KnownHead | None = None
    _is_between = True
    """No request is being read."""
    _ahead: RequestAhead | None = None
    _unread = b""
    """The bytes of a request that was begun: the parser has not read them."""
    _catching_up: TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        """Take bytes: a whole request under a known head may be begun at once."""
        if self._ahead is not None:
            self.catch_up()
        is_next = self._is_free()
        if is_next and self._is_begun(data):
            return
        before = self.cycle
        super().data_received(data)
        if is_next and self.cycle is not before and self.cycle.keep_alive:
            head = self._head
            if head is None or head.body_of(data) is None:
                self._head = learned(data, self.cycle.scope)

    def begin(self, ahead: RequestAhead) -> bool:
        """Begin a request at once; no: it takes the ordinary way."""
        return False

    def on_message_begin(self) -> None:
        """A request is being read."""
        self._is_between = False
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """It was read."""
        self._is_between = True
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """What was begun is ended by whoever goes on with it."""
        self.catch_up()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """What was begun is answered first."""
        self.catch_up()
        super().shutdown()

    @property
    def may_write(self) -> bool:
        """Whether an answer can begin: the client is there, and keeps up."""
        return not (self.transport.is_closing() or self.flow.write_paused)

    def write_first(self, status: int, lines: bytes, data: bytes) -> None:
        """Write the head of an answer and its first piece."""
        own = b"".join([b"%b: %b\r\n" % pair for pair in self.server_state.default_headers])
        self.transport.write(
            b"%b%b%btransfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n"
            % (STATUS_LINE[status], own, lines, len(data), data)
        )

    def go_on(self) -> None:
        """Have the request read, as soon as what was written is sent."""
        self.loop.call_soon(self.catch_up)

    def catch_up(self) -> None:
        """Have the parser read a request that was begun, so that its application goes on."""
        if self._catching_up is not None:
            self._catching_up.cancel()
            self._catching_up = None
            unread, self._unread = self._unread, b""
            super().data_received(unread)

    def _is_free(self) -> bool:
        """Whether the next bytes begin a request, and no other one is being answered."""
        cycle = cast(RequestResponseCycle | None, self.cycle)
        is_idle = cycle is None or cycle.response_complete
        return is_idle and self._is_between and not self.transport.is_closing()

    def _is_begun(self, data: bytes) -> bool:
        head = self._head
        body = None if head is None else head.body_of(data)
        if head is None or body is None:
            return False
        ahead = RequestAhead(head, body, self)
        if not self.begin(ahead):
            return False
        self._unset_keepalive_if_required()
        self._ahead, self._unread = ahead, data
        self._catching_up = self.loop.call_later(CATCH_UP_S, self.catch_up)
        return True

    def _taken_up(self) -> RequestAhead | None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.taken_up(self.cycle)
        return ahead


def line_of(scope: MutableMapping[str, Any]) -> HttpLine | None:
    """The way past the framework to whoever made a request; none where nobody listens."""
    return scope.get(LINE)


def know(scope: MutableMapping[str, Any]) -> None:
    """Whoever made a request is known."""
    line = line_of(scope)
    if line is not None:
        line.know()


def protocol_of_many(begin_ahead: BeginAhead | None) -> type[ProtocolOfMany]:
    """The protocol of a server of many, by which some requests are begun at once."""
    if begin_ahead is None:
        return ProtocolOfMany

    class BeginningProtocol(ProtocolOfMany):
        def begin(self, ahead: RequestAhead) -> bool:
            return begin_ahead(ahead)

    return BeginningProtocol


class Listener(uvicorn.Server):
    """Serves until told to stop: by a signal, or by `stop`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        on_stop: Callable[[], None],
        certificate: str | None = None,
        certificate_key: str | None = None,
        grace_s: int = GRACE_S,
        packs_messages: bool = True,
        serves_many: bool = False,
        begin_ahead: BeginAhead | None = None,
    ) -> None:
        """`grace_s` is how long what runs may go on when the server stops.

        `packs_messages`: whether what goes over sockets is packed. On a network that is worth its
        time.
        A server of many may begin requests ahead of its framework.
        """
        options: dict[str, Any] = {}
        if certificate is not None:
            options = {"ssl_certfile": certificate, "ssl_keyfile": certificate_key}
        super().__init__(
            uvicorn.Config(
                app,
                http=protocol_of_many(begin_ahead) if serves_many else PromptProtocol,
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=grace_s,
                timeout_keep_alive=IDLE_S,
                ws_per_message_deflate=packs_messages,
                **options,
            )
        )
        self._on_stop = on_stop

    async def serve_on(self, listener: socket.socket, *, ready: Callable[[], None]) -> None:
        """Serve on a bound socket; `ready` is called once requests are answered."""
        self.config.load()
        self.lifespan = LifespanOff(self.config)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        await self.startup(sockets=[listener])
        ready()
        await self.main_loop()
        await self.shutdown(sockets=[listener])

    def stop(self) -> None:
        """Stop gracefully; asked twice, at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._on_stop()
