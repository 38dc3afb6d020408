"""A gateway's own connections: what else may come over them, and when one is used again."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from recto.llm import Endpoint, Transport
from recto.llm.http.direct_answer import DirectAnswer
from recto.llm.http.direct_connection import DirectConnection, DirectConnections
from recto.llm.http.request_head import Place
from recto.messages import Failure
from tests.llm.upstream import PLAIN, answers, serving, whole

pytestmark = pytest.mark.anyio

BODY = b'{"answer": 42}'


@pytest.fixture
async def calls() -> AsyncGenerator[Transport, None]:
    calls = Transport(makes_many=True)
    yield calls
    await calls.close()


async def post(calls: Transport, url: str, body: bytes = b"?", **headers: str) -> object:
    """The body of an answer, or why there is none."""
    endpoint = Endpoint("plain", url, PLAIN, headers=headers)
    with anyio.fail_after(60):
        found = await calls.ask(endpoint, "POST", "/v1/plain", body)
    return found if isinstance(found, Failure) else found[1]


@asynccontextmanager
async def deaf_server(answer: bytes) -> AsyncGenerator[str, None]:
    """A server that answers as soon as it sees a head, and reads nothing more."""

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        await over.wait()
        writer.transport.abort()

    over = asyncio.Event()
    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        over.set()
        server.close()


async def test_a_connection_is_used_again_once_its_answer_is_whole(calls: Transport) -> None:
    async with serving(answers(whole(BODY))) as upstream:
        assert [await post(calls, upstream.url) for _ in range(3)] == [BODY] * 3
    assert upstream.connections == 1


@pytest.mark.parametrize(
    "sent",
    [
        whole(BODY) + whole(b"not asked for"),
        whole(BODY) + b"no HTTP at all",
        whole(BODY, "connection: close"),
    ],
    ids=["a second answer", "nonsense", "a farewell"],
)
async def test_a_connection_with_something_odd_behind_an_answer_is_not_used_again(
    sent: bytes, calls: Transport
) -> None:
    async with serving(answers(sent)) as upstream:
        assert [await post(calls, upstream.url) for _ in range(2)] == [BODY] * 2
    assert upstream.connections == 2


async def test_what_only_says_that_an_answer_will_follow_is_passed_over(calls: Transport) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
    async with serving(answers(early, whole(BODY))) as upstream:
        assert await post(calls, upstream.url) == BODY


async def test_a_head_without_end_is_refused(calls: Transport) -> None:
    endless = b"HTTP/1.1 200 OK\r\n" + b"x-more: %s\r\n" % (b"a" * 1000) * 100
    async with serving(answers(endless)) as upstream:
        found = await post(calls, upstream.url)
    assert isinstance(found, Failure)
    assert found.message == "127.0.0.1 answered with something that is not HTTP."


async def test_an_answer_that_comes_before_all_was_sent_is_heard(calls: Transport) -> None:
    async with deaf_server(whole(b"too large", status="413 Too Large")) as url:
        found = await post(calls, url, b"x" * 32 * 1024 * 1024)
    assert isinstance(found, Failure)
    assert found.status == 413


async def test_more_than_is_kept_unread_arrives_whole(calls: Transport) -> None:
    large = b"[%s]" % (b"1," * 4 * 1024 * 1024 + b"1")
    async with serving(answers(whole(large))) as upstream:
        assert await post(calls, upstream.url) == large
        assert await post(calls, upstream.url) == large
    assert upstream.connections == 1


async def test_a_header_that_would_begin_another_is_not_sent(calls: Transport) -> None:
    async with serving(answers(whole(BODY))) as upstream:
        found = await post(calls, upstream.url, own="a\r\nhost: elsewhere")
    assert isinstance(found, Failure)
    assert found.kind == "invalid_request"
    assert upstream.asked == []


async def test_what_comes_all_the_time_can_still_be_late() -> None:
    loop = asyncio.get_running_loop()
    place = Place("http", "127.0.0.1", 1)
    answer = DirectAnswer(DirectConnection(DirectConnections(1), place), loop)

    def come() -> None:
        """At each turn of the loop, before its timers."""
        nonlocal coming
        answer.add(b": still here\n\n")
        answer.wake()
        coming = loop.call_soon(come)

    async def read_on() -> None:
        for _ in range(1_000):
            await answer.read(deadline)

    coming = loop.call_soon(come)
    deadline = loop.time()
    with pytest.raises(TimeoutError):
        await read_on()
    coming.cancel()
    answer.close()
