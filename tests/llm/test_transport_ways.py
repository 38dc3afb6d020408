"""The way to a provider: names that can't be found, connections that are not made, proxies."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from recto.config import Secret
from recto.llm import Endpoint, Timeouts, Traits, Transport
from recto.messages import Failure, Finished, StreamEvent, TextDelta, assistant
from tests.llm.certificates import server_side, write_certificate
from tests.llm.proxy import HOST, proxying
from tests.llm.upstream import ASKED, ORIGIN, PLAIN, Upstream, answers, event, serving, whole

pytestmark = pytest.mark.anyio

KEY = "sk-canary-0123456789"
ESTABLISHED = 1  # as Linux numbers the states of a connection
HI = whole(event(text="Hi") + event(end=""))
HI_EVENTS = [TextDelta("Hi"), Finished("end_turn", assistant("Hi"))]
PROXY_NAMES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


class NoNames(AbstractResolver):
    """Finds no name, at once or never; nothing leaves this machine."""

    def __init__(self, *, is_silent: bool = False) -> None:
        self.wanted: list[str] = []
        self._is_silent = is_silent

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.wanted.append(host)
        if self._is_silent:
            await anyio.sleep_forever()
        raise OSError(None, f"{host} has no address")

    async def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXY_NAMES, "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


async def collect(calls: Transport, url: str) -> list[StreamEvent]:
    endpoint = Endpoint("plain", url, PLAIN, key=Secret(KEY))
    try:
        with anyio.fail_after(60):
            return [item async for item in calls.stream(endpoint, ASKED, Traits(), ORIGIN)]
    finally:
        await calls.close()


async def fail(calls: Transport, url: str) -> Failure:
    (end,) = await collect(calls, url)
    assert isinstance(end, Finished)
    assert end.failure is not None
    assert end == Finished("error", assistant(), failure=end.failure)
    return end.failure


async def test_a_name_that_can_not_be_found_is_told() -> None:
    names = NoNames()
    found = await fail(Transport(resolver=names), "https://model.invalid")
    words = "The name model.invalid can't be found. Check your connection."
    assert found == Failure("network", words, provider="plain")
    assert found.retryable
    assert names.wanted == ["model.invalid"]


NO_CONNECTION = "No connection to {host} within 0.05 s."
HURRIED = Timeouts(connect_s=0.05)


async def test_a_name_that_is_never_answered_is_not_waited_for() -> None:
    calls = Transport(HURRIED, resolver=NoNames(is_silent=True))
    found = await fail(calls, "https://model.invalid")
    words = NO_CONNECTION.format(host="model.invalid")
    assert found == Failure("timeout", words, provider="plain")


@asynccontextmanager
async def full_queue() -> AsyncGenerator[int]:
    """A port whose queue of connections is full: whoever comes now is not heard."""
    waiting: list[socket.socket] = []
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        while await is_heard(one := socket.socket(), listening.getsockname()):
            waiting.append(one)
        one.close()
        try:
            yield listening.getsockname()[1]
        finally:
            for one in waiting:
                one.close()


async def is_heard(caller: socket.socket, address: tuple[str, int]) -> bool:
    caller.setblocking(False)
    try:
        async with asyncio.timeout(0.2):
            await asyncio.get_running_loop().sock_connect(caller, address)
    except TimeoutError:
        # This program may be what was late.
        return caller.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == ESTABLISHED
    return True


@pytest.fixture(params=[False, True], ids=["session", "own connections"])
def makes_many(request: pytest.FixtureRequest) -> bool:
    """Whose connections are used."""
    return request.param


async def test_a_connection_that_is_not_taken_is_not_waited_for(makes_many: bool) -> None:
    async with full_queue() as port:
        found = await fail(Transport(HURRIED, makes_many=makes_many), f"http://127.0.0.1:{port}")
    words = NO_CONNECTION.format(host="127.0.0.1")
    assert found == Failure("timeout", words, provider="plain")


async def test_a_handshake_that_is_not_answered_is_not_waited_for(makes_many: bool) -> None:
    gone = asyncio.Event()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1024):
            pass
        writer.close()
        gone.set()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    async with server:
        port: int = server.sockets[0].getsockname()[1]
        found = await fail(Transport(HURRIED, makes_many=makes_many), f"https://127.0.0.1:{port}")
        with anyio.fail_after(60):
            await gone.wait()
    words = NO_CONNECTION.format(host="127.0.0.1")
    assert found == Failure("timeout", words, provider="plain")


def port_of(upstream: Upstream) -> int:
    return int(upstream.url.rpartition(":")[2])


async def test_a_call_goes_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(answers(HI)) as upstream, proxying(port_of(upstream)) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        found = await collect(Transport(resolver=NoNames()), f"http://{HOST}")
    assert found == HI_EVENTS
    assert proxy.asked == [f"POST http://{HOST}/v1/plain?a=b HTTP/1.1"]
    (asked,) = upstream.asked
    assert asked.body == b"Hello"


async def test_a_call_over_TLS_goes_through_a_tunnel_that_shows_the_proxy_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = write_certificate(tmp_path, HOST)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with (
        serving(answers(HI), server_side(certificate)) as upstream,
        proxying(port_of(upstream)) as proxy,
    ):
        monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//user:word@"))
        found = await collect(Transport(resolver=NoNames()), f"https://{HOST}")
    assert found == HI_EVENTS
    assert proxy.asked == [f"CONNECT {HOST}:443 HTTP/1.1"]
    (head,) = proxy.heads
    assert KEY not in head
    assert "Proxy-Authorization: Basic dXNlcjp3b3Jk" in head
    (asked,) = upstream.asked
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert "proxy-authorization" not in asked.headers


async def test_a_proxy_that_refuses_or_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with proxying(None) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        refused = await fail(Transport(resolver=NoNames()), f"https://{HOST}")
    gone = await fail(Transport(resolver=NoNames()), f"https://{HOST}")
    words = f"The proxy did not connect to {HOST}. Check HTTPS_PROXY."
    assert refused == gone == Failure("network", words, provider="plain")
