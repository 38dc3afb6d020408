"""Every official client against every upstream: sixteen ways, and all that clients do on them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import anyio
import anyio.lowlevel
import pytest

from recto.storage import LedgerRow
from tests.fakes.providers import Fault, Gate, Script, Tokens, calls, says, thinks
from tests.gateway.sdks import SDKS, SdkClient
from tests.gateway.world import UPSTREAMS, GatewayWorld

# Google's client inherits from aiohttp's session, which aiohttp discourages, and leaves it open.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession"),
]

USED = Tokens(prompt=900, cache_read=800, output=55, reasoning=20)
STOPS = {
    "anthropic": ("end_turn", "tool_use"),
    "openai responses": ("completed", "completed"),
    "openai chat": ("stop", "tool_calls"),
    "google-genai": ("STOP", "STOP"),
}


@pytest.fixture(scope="module")
async def sdks(world: GatewayWorld) -> AsyncGenerator[dict[str, SdkClient]]:
    async with AsyncExitStack() as running:
        yield {name: make(world.url, running) for name, make in SDKS.items()}


ways = pytest.mark.parametrize("upstream", UPSTREAMS)
clients = pytest.mark.parametrize("client", list(SDKS))
streams = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


async def last_booked(world: GatewayWorld, before: int) -> LedgerRow:
    """The one row that a call adds; the client may have its answer a moment before."""
    with anyio.fail_after(120):
        while len(rows := await world.spent()) == before:
            await anyio.lowlevel.checkpoint()
    assert len(rows) == before + 1
    return rows[-1]


@ways
@clients
@streams
async def test_text(
    world: GatewayWorld, sdks: dict[str, SdkClient], client: str, upstream: str, stream: bool
) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    server.script(Script((says("Hel", "lo \u2028 there."),), usage=USED))
    told = await sdks[client].text(upstream, stream=stream)
    assert (told.text, told.stop) == ("Hello \u2028 there.", STOPS[client][0])
    assert server.last.refusal is None
    assert (told.prompt, told.cached, told.output) == (USED.prompt, USED.cache_read, USED.output)
    spend = (await last_booked(world, before)).spend
    booked = (spend.input_tokens + spend.cache_read_tokens, spend.output_tokens)
    assert booked == (USED.prompt, USED.output)
    assert (spend.outcome, spend.body["source"]) == ("finished", "final")
    assert (spend.body["account"], spend.body["key"]) == ("account-1", "key-1")


@ways
@clients
@streams
async def test_two_rounds_of_parallel_tools_with_thoughts(
    world: GatewayWorld, sdks: dict[str, SdkClient], client: str, upstream: str, stream: bool
) -> None:
    server = world.upstreams[upstream]
    server.answer(
        thinks("Two ", "files."), calls("read", {"path": "one"}), calls("read", {"path": "two"})
    )
    server.answer(says("Both", " read."))
    first, second = await sdks[client].tools(upstream, stream=stream)
    assert first.calls == [("read", {"path": "one"}), ("read", {"path": "two"})]
    assert first.stop == STOPS[client][1]
    assert first.thinking == "Two files."
    assert (second.text, second.stop) == ("Both read.", STOPS[client][0])
    assert [exchange.refusal for exchange in server.exchanges[-2:]] == [None, None]
    sent = server.last.incoming.body
    assert (b"one is short" in sent, b"two is long" in sent) == (True, True)
    assert server.last.notes == []
    assert PROOFS[upstream] in sent


PROOFS = {
    "claude": b'"signature":',
    "gpt": b'"encrypted_content":',
    "gemini": b'"thoughtSignature":',
    "chat": b'"reasoning_content":',
}
"""What stands in a request that brings thoughts back, whatever way they went."""


@ways
@clients
async def test_an_image(
    world: GatewayWorld, sdks: dict[str, SdkClient], client: str, upstream: str
) -> None:
    server = world.upstreams[upstream]
    server.answer(says("A dot."))
    told = await sdks[client].image(upstream)
    assert told.text == "A dot."
    assert server.last.refusal is None
    assert b"iVBORw0KGgoAAAAN" in server.last.incoming.body


@ways
@clients
async def test_a_count_of_tokens(
    world: GatewayWorld, sdks: dict[str, SdkClient], client: str, upstream: str
) -> None:
    assert 0 < await sdks[client].count(upstream) < 1000


@ways
@clients
async def test_an_error_comes_in_the_clients_own_shape(
    world: GatewayWorld, sdks: dict[str, SdkClient], client: str, upstream: str
) -> None:
    world.upstreams[upstream].script(Fault(status=400, message="That is not to be."))
    status, words = await sdks[client].error(upstream)
    assert status == 400
    assert "That is not to be." in words


@ways
@clients
async def test_a_client_that_leaves_ends_the_upstream_and_is_settled(
    world: GatewayWorld, sdks: dict[str, SdkClient], client: str, upstream: str
) -> None:
    server, before = world.upstreams[upstream], len(await world.spent())
    gate = Gate()
    gate.step(6)
    server.answer(says(*["word "] * 40), fault=Fault(drip=True, gate=gate))
    with anyio.fail_after(120):
        await sdks[client].leave(upstream)
        await server.last.gone.wait()
    spend = (await last_booked(world, before)).spend
    assert (spend.outcome, spend.body["source"]) == ("cancelled", "estimated")
    assert spend.output_tokens > 0
    assert await world.storage.ledger.held() == ()
