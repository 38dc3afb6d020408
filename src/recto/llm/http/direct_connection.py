"""Our own connections to providers, kept for the next call: HTTP/1.1, and little around it.

A gateway makes so many calls that what a library does for each of them is most of their cost. Names
are looked up and certificates checked as anywhere else; proxies and redirects are others' business.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from typing import cast

import aiohappyeyeballs
import httptools

from recto.llm.http.direct_answer import DirectAnswer
from recto.llm.http.request_head import Place, Target

MAX_SILENT_BYTES = 64 * 1024
"""Of heads, and of whatever else is no body: an answer has no more of it at a time."""
PIECE_BYTES = 64 * 1024
KEPT_S = 60
NEXT_ADDRESS_S = 0.25


class NotHttp(Exception):
    """What came is no answer of HTTP/1.1."""


class NotConnected(OSError):
    """Nobody answers at the address."""


class ConnectTimeout(TimeoutError):
    """There was no connection in time."""


class DirectConnection(asyncio.Protocol):
    """One connection: one call after another."""

    def __init__(self, pool: "DirectConnections", place: Place) -> None:
        self._pool = pool
        self._place = place
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._answer: DirectAnswer | None = None
        self._silent_bytes = 0
        self._is_sending = False
        self._is_full = False
        self._is_paused = False
        self._writable: asyncio.Future[None] | None = None
        self.idle_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connected."""
        self._transport = cast(asyncio.Transport, transport)

    async def ask(self, head: bytes, body: bytes, deadline: float) -> DirectAnswer:
        """Send a request and wait for the answer's head. Raises what broke it."""
        assert self._transport is not None
        answer = self._expect()
        try:
            if len(body) <= PIECE_BYTES:
                self._transport.write(head + body)
            else:
                async with asyncio.timeout_at(deadline):
                    await self._send_large(answer, head, body)
            await answer.until_head(deadline)
        except BaseException:
            answer.close()
            raise
        return answer

    def ask_now(self, head: bytes, body: bytes) -> DirectAnswer:
        """Send a request that is not large."""
        assert self._transport is not None
        answer = self._expect()
        self._transport.write(head + body)
        return answer

    def _expect(self) -> DirectAnswer:
        self._parser = httptools.HttpResponseParser(self)
        self._silent_bytes = 0
        self._answer = DirectAnswer(self, self._loop)
        return self._answer

    async def _send_large(self, answer: DirectAnswer, head: bytes, body: bytes) -> None:
        """Send piece by piece, until all is sent or the answer has begun."""
        assert self._transport is not None
        self._is_sending = True
        self._transport.write(head)
        for start in range(0, len(body), PIECE_BYTES):
            if answer.has_head or self._answer is None:
                return  # what is left will not be read: the connection is of no more use
            self._transport.write(body[start : start + PIECE_BYTES])
            if self._is_full:
                self._writable = self._loop.create_future()
                await self._writable
        self._is_sending = False

    def data_received(self, data: bytes) -> None:
        """Some of an answer."""
        answer = self._answer
        if answer is None or self._parser is None:
            self.abort()  # nobody asked for it
            return
        self._silent_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._break(NotHttp())
        else:
            if self._silent_bytes > MAX_SILENT_BYTES:
                self._break(NotHttp())
        answer.wake()
        self._may_write()

    def on_message_begin(self) -> None:
        """An answer begins; a second one was not asked for."""
        if self._answer is None:
            self.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        if self._answer is not None:
            self._answer.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The head is whole."""
        if self._answer is not None and self._parser is not None:
            self._answer.status = self._parser.get_status_code()
            self._answer.has_head = self._answer.status >= 200

    def on_body(self, body: bytes) -> None:
        """Some of the body."""
        self._silent_bytes = 0
        if self._answer is not None and self._answer.add(body) and self._transport is not None:
            self._is_paused = True
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        """The answer is whole; one below 200 only says that another will follow."""
        answer, parser = self._answer, self._parser
        if answer is None or parser is None:
            return
        if not answer.has_head:
            answer.headers.clear()
            return
        self._answer = None
        answer.end()
        self.resume()
        if parser.should_keep_alive() and not self._is_sending:
            self._pool.keep(self._place, self)
        else:
            self.abort()

    def resume(self) -> None:
        """Take more: what had come was read, or was all."""
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()

    def pause_writing(self) -> None:
        """The other side reads slowly."""
        self._is_full = True

    def resume_writing(self) -> None:
        """It has read on."""
        self._is_full = False
        self._may_write()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        self._pool.forget(self._place, self)
        answer = self._answer
        if answer is not None:
            is_whole = exc is None and answer.has_head and ends_with_connection(answer.headers)
            answer.end(None if is_whole else ConnectionResetError())
            answer.wake()
        self._answer = self._transport = self._parser = None
        self._may_write()

    def abort(self) -> None:
        """End it at once."""
        self._pool.forget(self._place, self)
        if self._transport is not None:
            self._transport.abort()

    def _break(self, fault: Exception) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.end(fault)
        self.abort()

    def _may_write(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)


class DirectConnections:
    """The connections of one event loop."""

    def __init__(self, connect_s: float) -> None:
        self._connect_s = connect_s
        self._idle: dict[Place, list[DirectConnection]] = {}
        self._all: set[DirectConnection] = set()

    async def ask(
        self,
        target: Target,
        head: bytes,
        body: bytes,
        *,
        deadline: float,
        tls: ssl.SSLContext | None,
    ) -> DirectAnswer:
        """Send a request over a connection that is free, or over a new one."""
        connection = self._take(target.place) or await self._connect(target.place, tls)
        return await connection.ask(head, body, deadline)

    def has_free(self, place: Place) -> bool:
        """Whether a request could be sent at once."""
        return bool(self._idle.get(place))

    def ask_now(self, place: Place, head: bytes, body: bytes) -> DirectAnswer:
        """Send a request that is not large over a connection that is free: there must be one."""
        connection = self._take(place)
        assert connection is not None
        return connection.ask_now(head, body)

    def keep(self, place: Place, connection: DirectConnection) -> None:
        """A connection is free, and is kept for a while."""
        timer = asyncio.get_running_loop().call_later(KEPT_S, connection.abort)
        connection.idle_timer = timer
        self._idle.setdefault(place, []).append(connection)

    def forget(self, place: Place, connection: DirectConnection) -> None:
        """A connection is over."""
        self._all.discard(connection)
        if connection.idle_timer is not None:
            connection.idle_timer.cancel()
            connection.idle_timer = None
            self._idle[place].remove(connection)

    def close(self) -> None:
        """End all of them."""
        for connection in list(self._all):
            connection.abort()

    def _take(self, place: Place) -> DirectConnection | None:
        idle = self._idle.get(place)
        if not idle:
            return None
        # The one that was used last: the others may end for want of use.
        connection = idle.pop()
        if connection.idle_timer is not None:
            connection.idle_timer.cancel()
            connection.idle_timer = None
        return connection

    async def _connect(self, place: Place, tls: ssl.SSLContext | None) -> DirectConnection:
        """A new connection. Raises ConnectTimeout, socket.gaierror, ssl.SSLError, NotConnected."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_s):
                found = await loop.getaddrinfo(
                    place.host, place.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
                )
                connected = await aiohappyeyeballs.start_connection(  # pyright: ignore[reportUnknownMemberType]
                    found, happy_eyeballs_delay=NEXT_ADDRESS_S, interleave=1
                )
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    _, connection = await loop.create_connection(
                        lambda: DirectConnection(self, place),
                        sock=connected,
                        ssl=tls,
                        server_hostname=place.host if tls else None,
                    )
                except BaseException:
                    connected.close()
                    raise
        except TimeoutError as error:
            raise ConnectTimeout from error
        except (socket.gaierror, ssl.SSLError):
            raise
        except OSError as error:
            raise NotConnected from error
        self._all.add(connection)
        return connection


def ends_with_connection(headers: Mapping[str, str]) -> bool:
    """Whether an answer says nothing of its length, and so ends with its connection."""
    is_chunked = "chunked" in headers.get("transfer-encoding", "").lower()
    return "content-length" not in headers and not is_chunked
