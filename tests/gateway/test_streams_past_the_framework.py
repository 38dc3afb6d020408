"""Words of a stream go past the framework: as many streams as there are, slow clients, cut ones."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path

import anyio
import pytest

from recto.gateway.doors.client_stream import ClientStream
from recto.gateway.doors.http import AsgiMessage, ClientRequest, Scope
from recto.server.http_line import HttpLine
from recto.server.listen import ProtocolOfMany
from recto.tokenizer import encoding
from tests.fakes.callers import KEY
from tests.fakes.providers import Fault, Gate, Script, Tokens, says
from tests.gateway.test_relay import booked
from tests.gateway.world import GatewayWorld, running_gateway

pytestmark = pytest.mark.anyio

PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages"}
MANY = 16
LONG = [f"word{number} " for number in range(40)]
HELD_AT = 4000
"""Somewhere in the midst of that."""


def request(world: GatewayWorld, door: str) -> bytes:
    """A client of one of two protocols, whose model's provider speaks the first of them."""
    said = [{"role": "user", "content": "Hi"}]
    body = json.dumps({"model": "chat", "stream": True, "max_tokens": 100, "messages": said})
    head = f"POST {PATHS[door]} HTTP/1.1\r\nhost: {world.url[7:]}\r\nx-api-key: {KEY}\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n{body}".encode()


@asynccontextmanager
async def asked(world: GatewayWorld, door: str) -> AsyncGenerator[asyncio.StreamReader]:
    """The answer to a client that has asked, byte by byte."""
    host, port = world.url[7:].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request(world, door))
    try:
        yield reader
    finally:
        writer.transport.abort()


async def test_streams_of_those_who_are_known_are_not_few(
    world: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProtocolOfMany, "most_unknown", MANY // 2)
    gate = Gate()
    held = Fault(hold_at=HELD_AT, gate=gate)
    script = Script((says(*LONG, "last"),), fault=held)
    world.upstreams["chat"].script(*[script] * MANY)
    with anyio.fail_after(120):
        async with AsyncExitStack() as clients:
            readers = [await clients.enter_async_context(asked(world, "chat")) for _ in range(MANY)]
            for reader in readers:
                await reader.readuntil(b"word10")
            gate.step(MANY)
            answers = [await reader.readuntil(b"0\r\n\r\n") for reader in readers]
    assert all(b"last" in answer for answer in answers)


@pytest.mark.parametrize("door", PATHS)
async def test_a_client_that_is_now_and_then_too_slow_gets_every_word(
    world: GatewayWorld, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = count()

    def now_and_then(line: HttpLine) -> bool:
        return next(turns) % 3 != 0

    monkeypatch.setattr(HttpLine, "is_free", now_and_then)
    gate = Gate()
    world.upstreams["chat"].script(Script((says(*LONG),), fault=Fault(drip=True, gate=gate)))
    answer = b""
    with anyio.fail_after(120):
        async with asked(world, door) as reader:
            gate.step(3)  # of what comes before the words
            for word in LONG[:-3]:
                gate.step()
                answer += await reader.readuntil(word.encode())
            gate.open()
            answer += await reader.readuntil(b"0\r\n\r\n")
    assert next(turns) > 10, "words went past the framework"
    assert [answer.count(word.encode()) for word in LONG] == [1] * len(LONG)


@pytest.mark.parametrize("door", PATHS)
async def test_words_that_went_past_are_paid_when_the_client_leaves(
    world: GatewayWorld, door: str
) -> None:
    before = len(await world.spent())
    gate = Gate()
    held = Fault(hold_at=HELD_AT, gate=gate)
    script = Script((says(*LONG),), usage=Tokens(prompt=20, output=90), fault=held)
    world.upstreams["chat"].script(script)
    with anyio.fail_after(120):
        async with asked(world, door) as reader:
            answer = bytearray()
            while b"word10" not in answer:
                answer += await reader.read(1 << 16)
            await gate.arrived.wait()
        spend = (await booked(world, before)).spend
    gate.open()
    assert spend.outcome == "cancelled"
    assert answer.count(b"word") <= spend.output_tokens <= 100


async def test_the_first_word_goes_out_before_more_is_done() -> None:
    done: list[str] = []

    async def send(message: object) -> None:
        # As a transport does, which sends at the end of a turn of the event loop.
        asyncio.get_running_loop().call_soon(done.append, "sent")

    async def nothing() -> AsgiMessage:
        return {"type": "http.disconnect"}

    scope: Scope = {"type": "http", "path": "/", "headers": []}
    stream = ClientStream(ClientRequest.of(scope, nothing), send)
    await stream.write_first(b"The")
    done.append("read on")
    assert done == ["sent", "sent", "read on"]  # its head, and the word


async def test_the_vocabulary_is_loaded_before_anybody_waits_for_it(tmp_path: Path) -> None:
    encoding.cache_clear()
    async with running_gateway(tmp_path):
        assert encoding.cache_info().currsize == 1
