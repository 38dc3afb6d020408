"""Calls begun ahead of the framework: only plain ones, and nothing else about them is different."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import anyio
import pytest

from recto.gateway.doors.head_start import HeadStarts
from recto.gateway.doors.http import EarlyRequest
from recto.server import ahead as ahead_of_framework
from recto.server import listen
from tests.fakes.callers import ANYBODY, KEY
from tests.fakes.providers import Fault, Gate, Script, Tokens, says
from tests.gateway.test_relay import booked
from tests.gateway.world import GatewayWorld

pytestmark = pytest.mark.anyio

LONG = [f"word{number} " for number in range(40)]
HELD_AT = 4000
"""Somewhere in the midst of that."""
DATE = re.compile(rb"date: [^\r]*\r\n")


@dataclass
class Starts:
    """Which requests were begun ahead."""

    begun: list[EarlyRequest] = field(default_factory=list[EarlyRequest])


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    found, begin = Starts(), HeadStarts.begin

    def noting(self: HeadStarts, ahead: EarlyRequest) -> bool:
        is_begun = begin(self, ahead)
        if is_begun:
            found.begun.append(ahead)
        return is_begun

    monkeypatch.setattr(HeadStarts, "begin", noting)
    return found


def request(world: GatewayWorld, words: str = "Hi", *, is_streamed: bool = True) -> bytes:
    """A call of a client of Chat Completions, whose model's provider speaks that, too."""
    said = [{"role": "user", "content": words}]
    asked = {"model": "chat", "stream": is_streamed, "max_tokens": 100, "messages": said}
    return whole(world, json.dumps(asked).encode())


def whole(world: GatewayWorld, body: bytes) -> bytes:
    return (
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: {world.url[7:]}\r\nx-api-key: {KEY}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    ).encode() + body


@dataclass
class Client:
    """A client byte by byte."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def answer(self) -> bytes:
        """The next answer, but for its date."""
        with anyio.fail_after(60):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            if length is not None:
                body = await self.reader.readexactly(int(length[1]))
            elif b"chunked" in head:
                body = await self.reader.readuntil(b"\r\n0\r\n\r\n")
            else:
                body = b""
        return DATE.sub(b"", head) + body

    async def ask(self, data: bytes) -> bytes:
        self.writer.write(data)
        return await self.answer()


@asynccontextmanager
async def connected(world: GatewayWorld) -> AsyncGenerator[Client]:
    host, port = world.url[7:].split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 26)
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()


def told(answer: bytes) -> bytes:
    """The words of a stream."""
    return b"".join(re.findall(rb'"content": ?"([^"]*)"', answer))


def names_of(answer: bytes) -> list[bytes]:
    """The status, and what the headers are called."""
    lines = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return [line.partition(b":")[0] for line in lines]


async def test_the_next_call_under_a_known_head_is_begun_at_once_and_is_no_different(
    world: GatewayWorld, starts: Starts
) -> None:
    server, before = world.upstreams["chat"], len(await world.spent())
    world.callers.entered.clear()
    script = Script((says("The", " tide"),), usage=Tokens(prompt=30, output=7))
    server.script(script, script)
    async with connected(world) as client:
        first = await client.ask(request(world))
        sent = server.last.incoming
        second = await client.ask(request(world))
        assert len(starts.begun) == 1
    assert (starts.begun[0].status, told(second)) == (200, b"The tide")
    assert names_of(first) == names_of(second)
    assert (server.last.incoming.body, server.last.incoming.headers) == (sent.body, sent.headers)
    rows = (await world.spent())[before:]
    assert [(row.spend.input_tokens, row.spend.output_tokens) for row in rows] == [(30, 7)] * 2
    assert [row.spend.outcome for row in rows] == ["finished"] * 2
    assert world.callers.entered[0] == world.callers.entered[1]
    assert await world.storage.ledger.held() == ()


async def test_another_length_is_no_other_head(world: GatewayWorld, starts: Starts) -> None:
    server = world.upstreams["chat"]
    async with connected(world) as client:
        for size in (1, 200, 3000):
            answer = await client.ask(request(world, "x" * size))
            assert b"200 OK" in answer
            assert server.last.incoming.body.count(b"x") >= size
    assert len(starts.begun) == 2


async def test_a_whole_answer_is_asked_for_at_once_and_told_in_the_ordinary_way(
    world: GatewayWorld, starts: Starts
) -> None:
    async with connected(world) as client:
        first = await client.ask(request(world, is_streamed=False))
        second = await client.ask(request(world, is_streamed=False))
    assert [one.status for one in starts.begun] == [0]
    assert names_of(first) == names_of(second)
    assert all(b'"object":"chat.completion"' in answer for answer in (first, second))


async def test_a_request_that_comes_in_two_pieces_takes_the_ordinary_way(
    world: GatewayWorld, starts: Starts
) -> None:
    data = request(world)
    async with connected(world) as client:
        assert b"200 OK" in await client.ask(data)
        for cut in range(1, len(data)):
            client.writer.write(data[:cut])
            await client.writer.drain()
            assert b"200 OK" in await client.ask(data[cut:]), cut
            if cut % 5 == 0:
                assert b"200 OK" in await client.ask(data)
    # Two pieces may be read as one, but none is begun before it is whole.
    assert len(starts.begun) >= (len(data) - 1) // 5
    assert {len(one.body) for one in starts.begun} == {len(data.partition(b"\r\n\r\n")[2])}


async def test_requests_that_come_together_are_answered_in_their_order(
    world: GatewayWorld, starts: Starts
) -> None:
    gate, server = Gate(), world.upstreams["chat"]
    held = Script((says("first"),), fault=Fault(drip=True, gate=gate))
    server.script(Script((says("known"),)), held, Script((says("second"),)))
    async with connected(world) as client:
        await client.ask(request(world))
        client.writer.write(request(world))
        with anyio.fail_after(60):
            await gate.arrived.wait()
        assert len(starts.begun) == 1
        client.writer.write(request(world))
        gate.open()
        answers = [told(await client.answer()) for _ in range(2)]
        assert answers == [b"first", b"second"]
        double = request(world) * 2
        server.script(Script((says("third"),)), Script((says("fourth"),)))
        client.writer.write(double)
        assert [told(await client.answer()) for _ in range(2)] == [b"third", b"fourth"]
    assert len(starts.begun) == 1


ODD = {
    "chunks": b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n",
    "a bad chunk": b"transfer-encoding: chunked\r\n\r\nzz\r\n%b\r\n0\r\n\r\n",
    "both lengths": b"content-length: %d\r\ntransfer-encoding: chunked\r\n\r\n%b",
    "two lengths": b"content-length: %d\r\ncontent-length: 7\r\n\r\n%b",
    "the same length twice": b"content-length: %d\r\ncontent-length: %d\r\n\r\n%b",
    "a length with a sign": b"content-length: +%d\r\n\r\n%b",
    "a length of a dozen digits": b"content-length: 000000000%d\r\n\r\n%b",
    "a wish to go on": b"expect: 100-continue\r\ncontent-length: %d\r\n\r\n%b",
    "a huge head": b"x-much: " + b"y" * 9000 + b"\r\ncontent-length: %d\r\n\r\n%b",
    "a last request": b"connection: close\r\ncontent-length: %d\r\n\r\n%b",
}


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_request_is_never_begun_ahead(
    world: GatewayWorld, starts: Starts, name: str
) -> None:
    plain = request(world)
    head, _, body = plain.partition(b"content-length: ")
    body = body.partition(b"\r\n\r\n")[2]
    tail, places = ODD[name], len(re.findall(rb"%[dxb]", ODD[name]))
    odd = head + tail % (*[len(body)] * (places - 1), body)
    async with connected(world) as fresh:
        alone = await fresh.ask(odd)
    async with connected(world) as client:
        await client.ask(plain)
        found = await client.ask(odd)
    assert found.partition(b"\r\n")[0] == alone.partition(b"\r\n")[0]
    assert starts.begun == []


@pytest.mark.parametrize(
    "start", [b"POST /v1/chat/completions HTTP/1.0", b"HEAD /v1/chat/completions HTTP/1.1"]
)
async def test_other_methods_and_versions_are_never_begun_ahead(
    world: GatewayWorld, starts: Starts, start: bytes
) -> None:
    odd = start + request(world).partition(b"\r\n")[1] + request(world).partition(b"\r\n")[2]
    for _ in range(2):
        async with connected(world) as client:
            await client.ask(request(world))
            client.writer.write(odd)
            with anyio.fail_after(60):
                assert (await client.reader.readline()).startswith(b"HTTP/1.1 ")
    assert starts.begun == []


async def test_a_wish_for_a_socket_is_refused_on_a_known_connection(
    world: GatewayWorld, starts: Starts
) -> None:
    upgrade = (
        f"GET /v1/responses HTTP/1.1\r\nhost: {world.url[7:]}\r\nconnection: upgrade\r\n"
        "upgrade: websocket\r\nsec-websocket-version: 13\r\n"
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    async with connected(world) as client:
        await client.ask(request(world))
        client.writer.write(upgrade.encode())
        with anyio.fail_after(60):
            assert b" 426 " in await client.reader.readline()
    assert starts.begun == []


async def test_who_leaves_before_the_answer_pays_and_its_provider_is_left(
    world: GatewayWorld, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listen, "CATCH_UP_S", 3600)
    gate, server = Gate(), world.upstreams["chat"]
    async with connected(world) as client:
        await client.ask(request(world))
        before = len(await world.spent())
        server.script(Script((says("never"),), fault=Fault(hold_at=0, gate=gate)))
        client.writer.write(request(world))
        with anyio.fail_after(60):
            await gate.arrived.wait()
        assert len(starts.begun) == 1
    assert (await booked(world, before)).spend.outcome == "cancelled"
    with anyio.fail_after(60):
        await server.last.gone.wait()
    gate.open()
    assert await world.storage.ledger.held() == ()


async def test_who_leaves_amid_the_words_pays_for_them(world: GatewayWorld, starts: Starts) -> None:
    gate, server = Gate(), world.upstreams["chat"]
    used = Tokens(prompt=20, output=90)
    async with connected(world) as client:
        await client.ask(request(world))
        before = len(await world.spent())
        server.script(Script((says(*LONG),), usage=used, fault=Fault(hold_at=HELD_AT, gate=gate)))
        client.writer.write(request(world))
        with anyio.fail_after(60):
            await client.reader.readuntil(b"word5 ")
    spend = (await booked(world, before)).spend
    gate.open()
    assert len(starts.begun) == 1
    assert spend.outcome == "cancelled"
    assert 5 <= spend.output_tokens <= 100


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "after the framework"])
async def test_every_word_comes_once_whenever_the_answer_begins(
    world: GatewayWorld, starts: Starts, is_late: bool
) -> None:
    gate, server = Gate(), world.upstreams["chat"]
    async with connected(world) as client:
        await client.ask(request(world))
        server.script(Script((says(*LONG),), fault=Fault(drip=True, gate=gate)))
        client.writer.write(request(world))
        with anyio.fail_after(60):
            await gate.arrived.wait()
            while is_late and not is_taken_up(starts.begun[0]):
                await anyio.lowlevel.checkpoint()
        gate.open()
        answer = await client.answer()
        assert [answer.count(word.encode()) for word in LONG] == [1] * len(LONG)
        assert starts.begun[0].status == 200
        assert answer.count(b"HTTP/1.1") == 1
        assert b"200 OK" in await client.ask(request(world))


def is_taken_up(ahead: EarlyRequest) -> bool:
    assert isinstance(ahead, ahead_of_framework.RequestAhead)
    return ahead.is_taken_up


@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
async def test_an_error_is_told_as_to_anybody_and_the_connection_goes_on(
    world: GatewayWorld, starts: Starts, status: int
) -> None:
    server = world.upstreams["chat"]
    async with connected(world) as alone:
        server.script(Fault(status=status, message="No."))
        expected = await alone.ask(request(world))
    world.application.health.succeeded("chat#0")
    async with connected(world) as client:
        await client.ask(request(world))
        server.script(Fault(status=status, message="No."))
        found = await client.ask(request(world))
        world.application.health.succeeded("chat#0")
        assert len(starts.begun) == 1
        assert found.partition(b"\r\n")[0] == expected.partition(b"\r\n")[0]
        assert found.partition(b"\r\n\r\n")[2] == expected.partition(b"\r\n\r\n")[2]
        assert b"200 OK" in await client.ask(request(world))


async def test_nothing_is_begun_for_whom_a_limit_or_a_wish_stands_in_the_way(
    world: GatewayWorld, starts: Starts
) -> None:
    async with connected(world) as client:
        await client.ask(request(world))
        world.callers.known[KEY] = replace(ANYBODY, models=frozenset({"gpt"}))
        assert b" 403 " in await client.ask(request(world))
        world.callers.known[KEY] = replace(ANYBODY, doors=frozenset({"gemini"}))
        assert b" 403 " in await client.ask(request(world))
        world.callers.known.clear()
        assert b" 401 " in await client.ask(request(world))
    assert starts.begun == []


async def test_nothing_is_begun_without_money_at_hand(world: GatewayWorld, starts: Starts) -> None:
    """I7: who has none left is refused, and its provider hears nothing."""
    async with connected(world) as client:
        await client.ask(request(world))
        asked = len(world.upstreams["chat"].exchanges)
        poor = tuple(replace(scope, limit_micros=1) for scope in ANYBODY.scopes)
        world.callers.known[KEY] = replace(ANYBODY, scopes=poor)
        assert b"200 OK" not in await client.ask(request(world))
        assert len(world.upstreams["chat"].exchanges) == asked
    assert starts.begun == []


async def test_a_call_that_is_to_be_kept_is_not_begun_ahead(
    world: GatewayWorld, starts: Starts
) -> None:
    async with world.storage.write() as write:
        await world.storage.accounts.add(write, id=ANYBODY.account_id, name="ann")
        await world.storage.kept_calls.keep_for(write, ANYBODY.account_id, 30)
    async with connected(world) as client:
        await client.ask(request(world))
        world.callers.known[KEY] = replace(ANYBODY, keeps_calls=True)
        assert b"200 OK" in await client.ask(request(world))
    assert starts.begun == []


async def test_a_deployment_that_rests_is_not_asked_ahead(
    world: GatewayWorld, starts: Starts
) -> None:
    async with connected(world) as client:
        await client.ask(request(world))
        world.application.health.is_full("chat#0", 30)
        assert b"200 OK" not in await client.ask(request(world))
        world.application.health.state("chat#0").full_until = 0.0
    assert starts.begun == []


async def test_a_body_that_is_no_json_is_told_of(world: GatewayWorld, starts: Starts) -> None:
    async with connected(world) as client:
        await client.ask(request(world))
        assert b" 400 " in await client.ask(whole(world, b"{"))
        assert b" 404 " in await client.ask(whole(world, b'{"model":"none","messages":[]}'))
        assert b"200 OK" in await client.ask(request(world))
    assert len(starts.begun) == 1
