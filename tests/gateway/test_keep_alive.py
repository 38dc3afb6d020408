"""Signs of life while an upstream thinks, as each client's own timer counts them."""

import json
from collections.abc import AsyncGenerator

import pytest

from tests.fakes.providers import Fault, Gate, says
from tests.gateway.test_doors import STREAMED, asked
from tests.gateway.world import UPSTREAMS, GatewayWorld, running_gateway

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[GatewayWorld]:
    """A gateway that shows signs of life very often."""
    async with running_gateway(tmp_path_factory.mktemp("gateway"), keep_alive_s=0.01) as world:
        yield world


@pytest.mark.parametrize("upstream", UPSTREAMS)
async def test_signs_of_life_come_while_an_upstream_thinks(
    world: GatewayWorld, upstream: str
) -> None:
    signs = {
        "anthropic-messages": b"event: ping\n",
        "openai-responses": b'"type":"keepalive"',
        "openai-chat": b": keep-alive\n\n",
        "gemini": b'data: {"modelVersion"',
    }
    own = {"claude": "anthropic-messages", "gpt": "openai-responses", "chat": "openai-chat"}
    for door, sign in signs.items():
        if own.get(upstream, "gemini") == door:
            continue
        gate = Gate()
        fault = Fault(hold_headers=True, gate=gate)
        world.upstreams[upstream].answer(says("At last."), fault=fault)
        more = {} if door == "gemini" else {"stream": True}
        path = STREAMED[door].format(model=upstream)
        seen = b""
        async with (
            world.client() as client,
            client.stream("POST", path, json=asked(door, upstream, **more)) as answer,
        ):
            async for piece in answer.aiter_raw():
                seen += piece
                if seen.count(sign) >= 2:
                    gate.open()
        assert b"At last." in seen, (door, seen)
        assert seen.index(sign) < seen.index(b"At last.")


async def test_a_failure_after_signs_of_life_is_told_in_the_stream(world: GatewayWorld) -> None:
    gate = Gate()
    fault = Fault(status=400, message="Too bad.", hold_headers=True, gate=gate)
    world.upstreams["gpt"].script(fault)
    seen = b""
    async with (
        world.client() as client,
        client.stream(
            "POST", "/v1/messages", json=asked("anthropic-messages", "gpt", stream=True)
        ) as answer,
    ):
        async for piece in answer.aiter_raw():
            seen += piece
            gate.open()
    assert seen.endswith(b"\n\n")
    last = json.loads(seen.rpartition(b"data: ")[2])
    assert (last["type"], last["error"]["message"]) == ("error", "Too bad.")
    assert b"message_stop" not in seen
