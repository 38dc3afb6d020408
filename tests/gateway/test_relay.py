"""Same protocol in and out: the very bytes, both ways, with nothing of the client's own."""

import re
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from recto.storage import LedgerRow
from tests.fakes.callers import ANYBODY, KEY
from tests.fakes.providers import Fault, Gate, Script, Tokens, calls, says, thinks
from tests.gateway.world import MODELS, GatewayWorld

pytestmark = pytest.mark.anyio

USED = Tokens(prompt=400, cache_read=300, output=20, reasoning=5)
OWN = {
    "claude": ("/v1/messages", b'"max_tokens":1000,"messages":[{"role":"user","content":"%b"}]'),
    "gpt": ("/v1/responses", b'"input":"%b"'),
    "chat": ("/v1/chat/completions", b'"messages":[{"role":"user","content":"%b"}]'),
    "gemini": (
        "/v1beta/models/{model}:streamGenerateContent?alt=sse",
        b'"contents":[{"role":"user","parts":[{"text":"%b"}]}]',
    ),
}
ODD = b'caf\\u00e9 \\/ \xe2\x80\xa8 "quoted"'.replace(b'"', b'\\"')


def body_of(upstream: str, model: str) -> bytes:
    """A request in a spelling that no encoder of ours would choose."""
    rest = OWN[upstream][1] % ODD
    if upstream == "gemini":
        return b"{ " + rest + b" }"
    usage = b',"stream_options":{"include_usage":true}' if upstream == "chat" else b""
    return b'{ "stream" : true, "model":"%b",\n %b%b }' % (model.encode(), rest, usage)


async def booked(world: GatewayWorld, before: int) -> LedgerRow:
    with anyio.fail_after(120):
        while len(rows := await world.spent()) == before:
            await anyio.lowlevel.checkpoint()
    assert len(rows) == before + 1
    return rows[-1]


@pytest.mark.parametrize("upstream", OWN)
async def test_bytes_go_through_as_they_are(world: GatewayWorld, upstream: str) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    steps = (thinks("Hm."), says("a\u2028b", "😀"), calls("read", {"x": 1}))
    server.script(Script(steps, usage=USED))
    real = MODELS[upstream][1]
    world.callers.known[KEY] = replace(ANYBODY, model_map={real: upstream})
    body = body_of(upstream, real)
    async with world.client() as client:
        answer = await client.post(OWN[upstream][0].format(model=real), content=body)
    assert answer.status_code == 200, answer.text
    assert server.last.incoming.body == body
    assert answer.content == server.last.sent
    assert answer.headers["content-type"] == server.last.reply.headers["content-type"]
    spend = (await booked(world, before)).spend
    assert (spend.input_tokens, spend.cache_read_tokens) == (100, 300)
    assert (spend.output_tokens, spend.reasoning_tokens) == (20, 5)
    assert (spend.outcome, spend.body["source"]) == ("finished", "final")


@pytest.mark.parametrize("upstream", OWN)
async def test_a_mapped_name_is_spliced_in(world: GatewayWorld, upstream: str) -> None:
    server, real = world.upstreams[upstream], MODELS[upstream][1]
    async with world.client() as client:
        path = OWN[upstream][0].format(model=upstream)
        answer = await client.post(path, content=body_of(upstream, upstream))
    assert answer.status_code == 200, answer.text
    assert server.last.incoming.body == body_of(upstream, real)
    assert upstream != "gemini" or real in server.last.incoming.path


async def test_betas_pass_and_credentials_do_not(world: GatewayWorld) -> None:
    headers = {
        "x-api-key": KEY,
        "authorization": f"Bearer {KEY}",
        "anthropic-beta": "thinking-binding-controls-2026-08-01",
        "anthropic-version": "2023-06-01",
        "x-app": "cli",
        "cookie": "a=b",
        "x-forwarded-for": "10.0.0.1",
        "connection": "keep-alive, x-secret-hop",
        "x-secret-hop": "1",
    }
    async with world.client() as client:
        answer = await client.post(
            "/v1/messages?beta=true", content=body_of("claude", "claude"), headers=headers
        )
    assert answer.status_code == 200, answer.text
    incoming = world.upstreams["claude"].last.incoming
    assert incoming.headers["anthropic-beta"] == "thinking-binding-controls-2026-08-01"
    assert (incoming.headers["x-app"], incoming.query) == ("cli", {"beta": "true"})
    assert incoming.headers["x-api-key"] == "test-key"
    assert KEY not in str(incoming.headers)
    assert not incoming.headers.keys() & {"cookie", "x-forwarded-for", "x-secret-hop"}


async def test_a_key_in_the_address_goes_no_further(world: GatewayWorld) -> None:
    server = world.upstreams["gemini"]
    async with world.client() as client:
        del client.headers["authorization"]
        path = OWN["gemini"][0].format(model="gemini")
        answer = await client.post(f"{path}&key={KEY}", content=body_of("gemini", ""))
    assert answer.status_code == 200, answer.text
    assert (server.last.incoming.query, server.leaks) == ({"alt": "sse"}, [])


async def test_what_the_gateway_sent_along_never_reaches_a_provider(world: GatewayWorld) -> None:
    """A thought of another provider is taken out, and so is a field of ours."""
    said: list[Any] = [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "gw1.abc"},
                {"type": "text", "text": "Yes."},
            ],
        },
        {"role": "user", "content": "And?"},
    ]
    async with world.client() as client:
        asked = {"model": "claude", "max_tokens": 100, "messages": said}
        answer = await client.post("/v1/messages", json=asked)
    assert answer.status_code == 200, answer.text
    assert b"gw1." not in world.upstreams["claude"].last.incoming.body


@pytest.mark.parametrize("upstream", OWN)
async def test_an_upstream_that_breaks_off_is_told_and_booked(
    world: GatewayWorld, upstream: str
) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    gate = Gate()
    fault = Fault(reset_after=900, gate=gate)
    server.answer(says(*["many words "] * 60), fault=fault)
    seen = b""
    path = OWN[upstream][0].format(model=upstream)
    async with (
        world.client() as client,
        client.stream("POST", path, content=body_of(upstream, upstream)) as answer,
    ):
        async for piece in answer.aiter_raw():
            seen += piece
            if len(seen) >= 900:
                gate.open()
    assert seen[:900] == server.last.sent[:900]
    assert b'"error"' in seen[900:]
    spend = (await booked(world, before)).spend
    assert (spend.outcome, spend.body["source"]) == ("failed", "estimated")
    assert await world.storage.ledger.held() == ()


async def test_a_stream_that_stops_right_before_its_end_is_ended(world: GatewayWorld) -> None:
    """All was told but the last event: its client must not take it for one that was cut."""
    server, end = world.upstreams["claude"], b'event: message_stop\ndata: {"type":"message_stop"}'
    async with world.client() as client:
        body = body_of("claude", "claude")
        server.answer(says("The tide."))
        whole = (await client.post("/v1/messages", content=body)).content
        last = whole.index(b"event: message_stop")
        for left in (last, last + 8, last + 30, len(whole) - 1):
            server.answer(says("The tide."), fault=Fault(eof_after=left))
            found = (await client.post("/v1/messages", content=body)).content
            assert found[:last].count(b"event: ") == whole[:last].count(b"event: ")
            assert re.split(rb"\n\n+", found)[-2] == end, left
    assert [row.spend.outcome for row in await world.spent()][-5:] == ["finished"] * 5


@pytest.mark.parametrize("upstream", OWN)
async def test_an_error_is_passed_back_in_its_own_words(world: GatewayWorld, upstream: str) -> None:
    server = world.upstreams[upstream]
    server.script(Fault(status=400, message="No such thing."))
    async with world.client() as client:
        path = OWN[upstream][0].format(model=upstream)
        answer = await client.post(path, content=body_of(upstream, upstream))
    assert (answer.status_code, answer.content) == (400, server.last.reply.body)
