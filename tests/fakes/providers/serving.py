"""A provider over real HTTP on loopback, with connections that break where they are told to."""

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fakes.providers.faults import Fault
from tests.fakes.providers.provider import Exchange, Incoming, Provider

LARGEST_BODY = 1 << 30


class HttpServer(Provider):
    """`async with AnthropicServer() as server: ... server.url`."""

    _runner: web.AppRunner | None = None
    _port = 0

    @property
    def url(self) -> str:
        """The address, without any path."""
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        await self._listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._close()

    @asynccontextmanager
    async def away(self) -> AsyncGenerator[None]:
        """For the length of the block, connections are refused; then it is back on its port."""
        await self._close()
        try:
            yield
        finally:
            await self._listen()

    async def _listen(self) -> None:
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port, reuse_address=True)
        await site.start()
        self._runner = runner
        address: tuple[str, int] = runner.addresses[0]
        self._port = address[1]

    async def _close(self) -> None:
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        incoming = Incoming(
            request.method,
            request.path,
            {name.lower(): value for name, value in request.headers.items()},
            await request.read(),
            dict(request.query),
        )
        exchange = self.reply(incoming)
        try:
            return await self._write(request, exchange)
        except (asyncio.CancelledError, ConnectionError):
            exchange.gone.set()
            raise
        finally:
            exchange.done.set()

    async def _write(self, request: web.Request, exchange: Exchange) -> web.StreamResponse:
        reply = exchange.reply
        fault = reply.fault
        response = web.StreamResponse(status=reply.status, headers=reply.headers)
        if fault.hold_headers:
            await _gate(fault)
        if fault.reset:
            _break(request, hard=True)
            return response
        if not _may_break(fault) and "event-stream" not in reply.headers["content-type"]:
            response.content_length = len(reply.body)
        await response.prepare(request)
        async for piece in _paced(reply.pieces, fault):
            await response.write(piece)
            exchange.sent += piece
        if fault.reset_after is not None:
            if fault.gate:
                await fault.gate.wait()
            _break(request, hard=fault.gate is not None)
            return response
        await response.write_eof()
        return response


async def _paced(pieces: Sequence[bytes], fault: Fault) -> AsyncIterator[bytes]:
    """The pieces of a body as far as the fault lets them go, each at its time."""
    limits = [end for end in (fault.reset_after, fault.eof_after) if end is not None]
    left = min(limits) if limits else None
    at = 0
    for piece in _cut_at(pieces, fault.hold_at):
        if fault.hold_at is not None and at == fault.hold_at:
            await _gate(fault)
        if fault.drip:
            await _gate(fault)
        if left is not None and at + len(piece) >= left:
            if piece[: left - at]:
                yield piece[: left - at]
            return
        yield piece
        at += len(piece)


def _cut_at(pieces: Sequence[bytes], offset: int | None) -> list[bytes]:
    """The pieces, with one ending exactly at the offset."""
    told: list[bytes] = []
    at = 0
    for data in pieces:
        inside = None if offset is None else offset - at
        if inside is not None and 0 < inside < len(data):
            told += [data[:inside], data[inside:]]
        elif data:
            told.append(data)
        at += len(data)
    return told


async def _gate(fault: Fault) -> None:
    if fault.gate is None:
        raise ValueError("This fault waits, so it needs a gate.")
    await fault.gate.wait()


def _may_break(fault: Fault) -> bool:
    return fault.eof_after is not None or fault.reset_after is not None


def _break(request: web.Request, *, hard: bool) -> None:
    """Close at once: with a reset, or mid-body without the end of the body."""
    transport = request.transport
    if transport is None:
        return
    if hard:
        connection: socket.socket = transport.get_extra_info("socket")
        # Zero linger turns the close into a reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
