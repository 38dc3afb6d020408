"""Listening: what a connection is like."""

import asyncio
import socket

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from recto.server.listen import Listener, bind

pytestmark = pytest.mark.anyio


async def test_an_answer_is_sent_at_once_and_does_not_wait_for_a_confirmation() -> None:
    accepted: asyncio.Future[asyncio.Transport] = asyncio.get_running_loop().create_future()

    class Answering(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            accepted.set_result(transport)

    with bind("127.0.0.1", 0) as listener:
        server = await asyncio.get_running_loop().create_server(Answering, sock=listener)
        async with server:
            _reader, writer = await asyncio.open_connection(*listener.getsockname())
            connection: socket.socket = (await accepted).get_extra_info("socket")
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
            writer.close()
            await writer.wait_closed()


async def test_clients_let_go_of_an_idle_connection_before_the_server_does() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        """Answers nothing."""

    kept_s = Listener(app, on_stop=lambda: None).config.timeout_keep_alive
    assert kept_s > (httpx.Limits().keepalive_expiry or 0)
