"""Translated calls that are begun ahead of the framework: nothing else about them is different."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from recto.gateway.doors.head_start import HeadStarts
from recto.server import listen
from tests.fakes.callers import ANYBODY, KEY
from tests.fakes.providers import Fault, Gate, Script, Tokens, calls, says
from tests.gateway.test_head_start import (
    HELD_AT,
    LONG,
    Client,
    Starts,
    connected,
    is_taken_up,
    names_of,
    starts,
)
from tests.gateway.test_relay import booked
from tests.gateway.world import MODELS, GatewayWorld, Upstream, models_file, running_gateway

__all__ = ["starts"]
pytestmark = pytest.mark.anyio

SAID = [{"role": "user", "content": "Hi"}]
DOORS: dict[str, tuple[str, dict[str, Any]]] = {
    "claude": ("/v1/messages", {"max_tokens": 100, "messages": SAID}),
    "gpt": ("/v1/responses", {"max_output_tokens": 100, "input": SAID}),
    "chat": ("/v1/chat/completions", {"max_tokens": 100, "messages": SAID}),
    "gemini": (
        "/v1beta/models/{model}:{action}",
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    ),
}
"""The door whose protocol each upstream speaks, and a call there."""
PAIRS = [(door, upstream) for door in DOORS for upstream in DOORS if door != upstream]
RANDOM = re.compile(rb"req_\w+|[0-9a-z]{26}|[Cc]reated(?:_at)?\":\d+")
"""What differs between two answers that are the same."""


def request(
    world: GatewayWorld, door: str, upstream: str, *, is_streamed: bool = True, **fields: object
) -> bytes:
    path, body = DOORS[door]
    action = "streamGenerateContent?alt=sse" if is_streamed else "generateContent"
    path = path.format(model=upstream, action=action)
    asked = {**body, **fields}
    if door != "gemini":
        asked |= {"model": upstream, "stream": is_streamed}
    data = json.dumps(asked).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: {world.url[7:]}\r\nx-api-key: {KEY}\r\n"
    return f"{head}content-length: {len(data)}\r\n\r\n".encode() + data


def words_of(answer: bytes) -> bytes:
    return RANDOM.sub(b"", answer)


@pytest.mark.parametrize("is_streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(("door", "upstream"), PAIRS)
async def test_the_next_translated_call_is_begun_at_once_and_is_no_different(
    world: GatewayWorld, starts: Starts, door: str, upstream: str, is_streamed: bool
) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    world.callers.entered.clear()
    script = Script((says("The", " tide", " comes"),), usage=Tokens(prompt=30, output=7))
    server.script(script, script)
    data = request(world, door, upstream, is_streamed=is_streamed)
    async with connected(world) as client:
        first = await client.ask(data)
        sent = server.last.incoming
        second = await client.ask(data)
    assert [one.status for one in starts.begun] == [200 if is_streamed else 0]
    assert b" tide" in second
    assert names_of(first) == names_of(second)
    bodies = [words_of(answer.partition(b"\r\n\r\n")[2]) for answer in (first, second)]
    assert joined(bodies[0]) == joined(bodies[1])
    assert (server.last.incoming.body, server.last.incoming.headers) == (sent.body, sent.headers)
    rows = (await world.spent())[before:]
    counts = {(row.spend.input_tokens, row.spend.output_tokens) for row in rows}
    assert (len(rows), len(counts)) == (2, 1)
    assert [row.spend.outcome for row in rows] == ["finished"] * 2
    assert world.callers.entered[0] == world.callers.entered[1]
    assert await world.storage.ledger.held() == ()


def joined(body: bytes) -> bytes:
    """A body of chunks as one piece: where it was cut says nothing."""
    return re.sub(rb"(?:^|\r\n)[0-9a-f]+\r\n", b"", body)


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "after the framework"])
@pytest.mark.parametrize(("door", "upstream"), PAIRS)
async def test_every_word_comes_once_whenever_the_answer_begins(
    world: GatewayWorld, starts: Starts, door: str, upstream: str, is_late: bool
) -> None:
    gate, server = Gate(), world.upstreams[upstream]
    data = request(world, door, upstream)
    async with connected(world) as client:
        await client.ask(data)
        server.script(Script((says(*LONG),), fault=Fault(drip=True, gate=gate)))
        client.writer.write(data)
        with anyio.fail_after(60):
            await gate.arrived.wait()
            while is_late and not is_taken_up(starts.begun[0]):
                await anyio.lowlevel.checkpoint()
        gate.open()
        answer = await client.answer()
    # What ends an answer of Responses says all of it twice more.
    whole = answer.partition(b"response.output_text.done")[0]
    assert [whole.count(word.encode()) for word in LONG] == [1] * len(LONG)
    assert answer.count(b"HTTP/1.1") == 1
    assert len(starts.begun) == 1


@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
async def test_an_error_is_told_as_to_anybody_and_the_connection_goes_on(
    world: GatewayWorld, starts: Starts, status: int
) -> None:
    server, data = world.upstreams["chat"], request(world, "claude", "chat")
    async with connected(world) as alone:
        server.script(Fault(status=status, message="No."))
        expected = await alone.ask(data)
    world.application.health.succeeded("chat#0")
    async with connected(world) as client:
        await client.ask(data)
        server.script(Fault(status=status, message="No."))
        found = await client.ask(data)
        world.application.health.succeeded("chat#0")
        assert len(starts.begun) == 1
        assert words_of(found) == words_of(expected)
        assert b"200 OK" in await client.ask(data)


async def test_a_provider_that_breaks_off_amid_the_words_is_told_of_and_paid(
    world: GatewayWorld, starts: Starts
) -> None:
    server, data = world.upstreams["chat"], request(world, "claude", "chat")
    gate, used = Gate(), Tokens(prompt=20, output=90)
    async with connected(world) as client:
        await client.ask(data)
        before = len(await world.spent())
        broken = Fault(reset_after=HELD_AT, gate=gate)
        server.script(Script((says(*LONG),), usage=used, fault=broken))
        client.writer.write(data)
        with anyio.fail_after(60):
            await gate.arrived.wait()
            gate.open()
            answer = await client.answer()
    spend = (await booked(world, before)).spend
    assert (starts.begun[0].status, spend.outcome) == (200, "failed")
    assert answer.count(b"event: error") == 1
    assert 5 <= spend.output_tokens <= 100


async def test_who_leaves_amid_the_words_pays_for_them(world: GatewayWorld, starts: Starts) -> None:
    gate, server = Gate(), world.upstreams["chat"]
    data = request(world, "claude", "chat")
    async with connected(world) as client:
        await client.ask(data)
        before = len(await world.spent())
        server.script(Script((says(*LONG),), fault=Fault(hold_at=HELD_AT, gate=gate)))
        client.writer.write(data)
        with anyio.fail_after(60):
            await client.reader.readuntil(b"word5 ")
    spend = (await booked(world, before)).spend
    with anyio.fail_after(60):
        await server.last.gone.wait()
    gate.open()
    assert (len(starts.begun), spend.outcome) == (1, "cancelled")
    assert 5 <= spend.output_tokens <= 100


ODD: tuple[dict[str, Any], ...] = (
    {"logit_bias": {"1": 2}},
    {"messages": []},
    {"messages": 3},
    {"stop": ["a"] * 9},
)


async def test_what_is_wrong_or_is_kept_for_a_call_is_left_to_the_task(
    world: GatewayWorld, starts: Starts
) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    history = [
        *SAID,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Low water."},
    ]
    async with connected(world) as client:
        await client.ask(request(world, "chat", "claude"))
        # Its thoughts may lie in the database.
        assert b"200 OK" in await client.ask(request(world, "chat", "claude", messages=history))
        for odd in ODD:
            found = await client.ask(request(world, "chat", "gemini", **odd))
            assert b" 400 " in found, odd
    assert starts.begun == []


async def test_nothing_is_begun_without_money_at_hand(world: GatewayWorld, starts: Starts) -> None:
    """I7: who has none left is refused, and its provider hears nothing."""
    data = request(world, "claude", "chat")
    async with connected(world) as client:
        await client.ask(data)
        asked = len(world.upstreams["chat"].exchanges)
        poor = tuple(replace(scope, limit_micros=1) for scope in ANYBODY.scopes)
        world.callers.known[KEY] = replace(ANYBODY, scopes=poor)
        assert b"200 OK" not in await client.ask(data)
        assert len(world.upstreams["chat"].exchanges) == asked
    assert starts.begun == []


async def test_a_call_of_a_tool_waits_for_the_task_and_comes_whole(
    world: GatewayWorld, starts: Starts
) -> None:
    tool: dict[str, Any] = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
    data = request(world, "claude", "chat", tools=[tool])
    server = world.upstreams["chat"]
    script = Script((calls("look", {"where": "at the quay"}),))
    server.script(script, script)
    async with connected(world) as client:
        first, second = await client.ask(data), await client.ask(data)
    assert [one.status for one in starts.begun] == [0]
    told = [re.findall(rb'"partial_json":"((?:[^"\\]|\\.)*)"', one) for one in (first, second)]
    assert b"".join(told[0]) == b"".join(told[1]) == rb"{\"where\": \"at the quay\"}"


def two_ways(upstreams: dict[str, Upstream]) -> dict[str, Any]:
    """The model of Chat Completions has a spare deployment, of another protocol."""
    file = models_file(upstreams)
    names = [("deepseek", MODELS["chat"][1]), ("anthropic", MODELS["claude"][1])]
    ways = [
        {"provider": provider, "model": model, "order": order}
        for order, (provider, model) in enumerate(names)
    ]
    for model in file["models"]:
        if model["id"] == "chat":
            model["deployments"] = ways
    return file


@pytest.mark.parametrize("door", ["chat", "claude"], ids=["relayed", "translated"])
@pytest.mark.parametrize("fault", [Fault(status=500), Fault(reset=True)], ids=["500", "reset"])
async def test_another_deployment_answers_when_the_one_that_was_asked_ahead_fails(
    tmp_path: Path, starts: Starts, door: str, fault: Fault
) -> None:
    async with running_gateway(tmp_path, file=two_ways) as world, connected(world) as client:
        data = request(world, door, "chat")
        await client.ask(data)
        before = len(await world.spent())
        world.upstreams["chat"].script(fault)
        script = Script((says("The", " tide"),), usage=Tokens(prompt=30, output=7))
        world.upstreams["claude"].script(script)
        answer = await client.ask(data)
        assert (len(starts.begun), starts.begun[0].status) == (1, 0)
        assert b"200 OK" in answer
        assert (answer.count(b"The"), answer.count(b" tide")) == (1, 1)
        rows = (await world.spent())[before:]
        told = [(row.spend.provider, row.spend.outcome, row.spend.output_tokens) for row in rows]
        assert told == [("deepseek", "failed", 0), ("anthropic", "finished", 7)]
        assert await world.storage.ledger.held() == ()


def stay(_: listen.ProtocolOfMany) -> None:
    """The framework does not get the request."""


@asynccontextmanager
async def begun_without_a_task(
    world: GatewayWorld, starts: Starts, monkeypatch: pytest.MonkeyPatch, door: str, fault: Fault
) -> AsyncGenerator[Client]:
    """A call that was begun, whose task does not start."""
    data = request(world, door, "chat")
    async with connected(world) as client:
        await client.ask(data)
        monkeypatch.setattr(listen, "CATCH_UP_S", 3600)
        monkeypatch.setattr(listen.ProtocolOfMany, "go_on", stay)
        world.upstreams["chat"].script(Script((says(*LONG),), fault=fault))
        client.writer.write(data)
        with anyio.fail_after(60):
            while not starts.begun:
                await anyio.lowlevel.checkpoint()
        yield client


@pytest.mark.parametrize("door", ["chat", "claude"], ids=["relayed", "translated"])
async def test_a_call_whose_task_never_starts_is_ended_and_booked(
    world: GatewayWorld, starts: Starts, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """Its money was held until the gateway was started again."""
    gate = Gate()
    held = Fault(hold_at=HELD_AT, gate=gate)
    begun = begun_without_a_task(world, starts, monkeypatch, door, held)
    async with begun as client:
        before, server = len(await world.spent()), world.upstreams["chat"]
        with anyio.fail_after(60):
            await client.reader.readuntil(b"word")
            await gate.arrived.wait()
        await world.application.starts.end_lost(0.0)
        assert len(await world.spent()) == before, "it is not lost yet"
        await world.application.starts.end_lost()
        spend = (await booked(world, before)).spend
        assert spend.outcome == "cancelled"
        assert 1 <= spend.output_tokens <= 100
        with anyio.fail_after(60):
            await server.last.gone.wait()
        assert await world.storage.ledger.held() == ()
        await world.application.starts.end_lost()
        assert len(await world.spent()) == before + 1
    gate.open()


@pytest.mark.parametrize("door", ["chat", "claude"], ids=["relayed", "translated"])
async def test_a_task_that_comes_too_late_tells_its_client_so(
    world: GatewayWorld, starts: Starts, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    gate = Gate()
    held = Fault(hold_at=0, gate=gate)
    before = len(await world.spent())
    async with begun_without_a_task(world, starts, monkeypatch, door, held) as client:
        await world.application.starts.end_lost()
        monkeypatch.undo()
        protocol = starts.begun[0]
        protocol.go_on()
        answer = await client.answer()
        assert b" 503 " in answer.partition(b"\r\n")[0]
        assert b"200 OK" in await client.ask(request(world, door, "chat"))
    gate.open()
    assert [row.spend.outcome for row in (await world.spent())[before:]] == [
        "finished",
        "cancelled",
        "finished",
    ]


async def test_what_nobody_goes_on_with_is_booked_when_the_gateway_stops(
    tmp_path: Path, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, books, ended = Gate(), list[tuple[int, int]](), list[float]()
    end_lost = HeadStarts.end_lost

    async with running_gateway(tmp_path) as world:

        async def noting(self: HeadStarts, before: float = float("inf")) -> None:
            held = len(await world.storage.ledger.held())
            await end_lost(self, before)
            ended.append(before)
            books.append((held, len(await world.storage.ledger.held())))

        monkeypatch.setattr(HeadStarts, "end_lost", noting)
        monkeypatch.setattr(listen.ProtocolOfMany, "catch_up", stay)
        held = Fault(hold_at=0, gate=gate)
        async with begun_without_a_task(world, starts, monkeypatch, "claude", held):
            with anyio.fail_after(60):
                await gate.arrived.wait()
                while not await world.storage.ledger.held():
                    await anyio.lowlevel.checkpoint()
        gate.open()
    assert (ended, books) == ([float("inf")], [(1, 0)])


@pytest.mark.parametrize("door", ["chat", "claude"], ids=["relayed", "translated"])
async def test_a_client_that_reads_nothing_at_first_gets_every_word(
    world: GatewayWorld, starts: Starts, door: str
) -> None:
    """The first piece alone is more than the system takes for who does not read."""
    data, gate = request(world, door, "chat"), Gate()
    async with connected(world) as client:
        await client.ask(data)
        transport = client.writer.transport
        assert isinstance(transport, asyncio.Transport)
        flood = Script((says(*["tide " * 2_000] * 400, "last"),), fault=Fault(drip=True, gate=gate))
        world.upstreams["chat"].script(flood)
        transport.pause_reading()
        client.writer.write(data)
        gate.open()
        with anyio.fail_after(60):
            while not (starts.begun and starts.begun[0].status):
                await anyio.lowlevel.checkpoint()
        transport.resume_reading()
        answer = joined(await client.answer())
    assert (answer.count(b"tide "), answer.count(b"last")) == (800_000, 1)


CHOICES: tuple[dict[str, Any], ...] = (
    {"delta": {"content": " tide"}},
    {"delta": {}, "finish_reason": "stop"},
)
HASTY = b"".join(
    b"data: %b\n\n" % json.dumps({"id": "a", "choices": [{"index": 0, **choice}]}).encode()
    for choice in CHOICES
)


async def answer_hastily(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each request as soon as its head is there, and read its body afterwards."""
    lines = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream"
    while head := await head_of(reader):
        data = HASTY + b"data: [DONE]\n\n"
        writer.write(f"{lines}\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data)
        found = re.search(rb"content-length: (\d+)", head)
        assert found is not None
        try:
            await reader.readexactly(int(found[1]))
        except (asyncio.IncompleteReadError, ConnectionResetError):
            break
    writer.close()


async def head_of(reader: asyncio.StreamReader) -> bytes:
    """The head of the next request; nothing if none comes."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return b""


@pytest.mark.parametrize("door", ["chat", "claude"], ids=["relayed", "translated"])
async def test_a_provider_may_answer_before_it_has_read_the_request(
    tmp_path: Path, starts: Starts, door: str
) -> None:
    server = await asyncio.start_server(answer_hastily, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    def hasty_file(upstreams: dict[str, Upstream]) -> dict[str, Any]:
        file = models_file(upstreams)
        file["providers"]["deepseek"]["url"] = f"http://127.0.0.1:{port}"
        return file

    async with running_gateway(tmp_path, file=hasty_file) as world, connected(world) as client:
        for size in (50_000, 50_000, 4_000_000, 50_000, 50_000):
            said = [{"role": "user", "content": "x" * size}]
            answer = await client.ask(request(world, door, "chat", messages=said))
            assert (answer.count(b" tide"), b"200 OK" in answer) == (1, True), size
        assert await world.storage.ledger.held() == ()
        assert [row.spend.outcome for row in await world.spent()] == ["finished"] * 5
    server.close()
    assert starts.begun
