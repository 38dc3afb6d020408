"""What is booked is what the upstream counted, whatever two protocols, finished or cut."""

import anyio
import anyio.lowlevel
import pytest

from tests.fakes.providers import Fault, Script, Tokens, says
from tests.gateway.test_doors import DOORS, STREAMED, asked
from tests.gateway.world import UPSTREAMS, GatewayWorld

pytestmark = pytest.mark.anyio

USED = Tokens(prompt=700, cache_read=200, cache_write=100, output=44, reasoning=11)
WRITES = {"claude", "gpt", "chat"}
"""Upstreams that tell what they wrote into a cache."""


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize("door", DOORS)
async def test_a_finished_answer_is_booked_as_it_was_counted(
    world: GatewayWorld, door: str, upstream: str, stream: bool
) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    server.script(Script((says("Hi ", "there."),), usage=USED))
    path = (STREAMED if stream else DOORS)[door].format(model=upstream)
    more = {"stream": True} if stream and door != "gemini" else {}
    async with world.client() as client:
        answer = await client.post(path, json=asked(door, upstream, **more))
    assert answer.status_code == 200, answer.text
    with anyio.fail_after(120):
        while len(rows := await world.spent()) == before:
            await anyio.lowlevel.checkpoint()
    spend = rows[-1].spend
    written = USED.cache_write if upstream in WRITES else 0
    assert len(rows) == before + 1
    assert spend.cache_read_tokens == USED.cache_read
    assert spend.cache_write_tokens == written
    assert spend.input_tokens == USED.prompt - USED.cache_read - written
    assert (spend.output_tokens, spend.reasoning_tokens) == (USED.output, USED.reasoning)
    # In millionths of a dollar: $2 and $10 a million tokens, $0.20 read and $2.50 written.
    plain = 2 * spend.input_tokens + 10 * spend.output_tokens
    assert spend.cost_micros == round(plain + 0.2 * USED.cache_read + 2.5 * written)
    assert await world.storage.ledger.held() == ()


@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize("door", DOORS)
async def test_an_answer_that_is_cut_is_booked_once_and_nothing_stays_held(
    world: GatewayWorld, door: str, upstream: str
) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    fault = Fault(eof_after=4000)
    server.script(Script((says(*["some words "] * 80),), usage=USED, fault=fault))
    path = STREAMED[door].format(model=upstream)
    more = {} if door == "gemini" else {"stream": True}
    async with world.client() as client:
        answer = await client.post(path, json=asked(door, upstream, **more))
    assert answer.status_code == 200, answer.text
    with anyio.fail_after(120):
        while len(rows := await world.spent()) == before:
            await anyio.lowlevel.checkpoint()
    spend = rows[-1].spend
    assert len(rows) == before + 1
    assert (spend.outcome, spend.body["source"]) == ("failed", "estimated")
    if upstream in ("claude", "gemini"):
        # These say what the prompt was before they answer: that is believed.
        prompt = spend.input_tokens + spend.cache_read_tokens + spend.cache_write_tokens
        assert prompt == USED.prompt
    assert spend.output_tokens > 0
    assert await world.storage.ledger.held() == ()
