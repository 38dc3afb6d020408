"""Calls over TLS: whom they trust, and that they end as quickly."""

import asyncio
from pathlib import Path

import anyio
import pytest

from recto.llm import Endpoint, Traits, Transport
from recto.messages import Failure, Finished, StreamEvent, TextDelta, assistant
from tests.llm.certificates import server_side, write_certificate
from tests.llm.upstream import (
    ASKED,
    AT_ONCE_S,
    EVENTS,
    ORIGIN,
    PLAIN,
    Asked,
    answers,
    chunk,
    event,
    serving,
    whole,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return write_certificate(tmp_path)


@pytest.fixture(params=[False, True], ids=["session", "own connections"])
def makes_many(request: pytest.FixtureRequest) -> bool:
    """Whose connections are used."""
    return request.param


async def collect(calls: Transport, url: str) -> list[StreamEvent]:
    endpoint = Endpoint("plain", url, PLAIN)
    with anyio.fail_after(60):
        return [item async for item in calls.stream(endpoint, ASKED, Traits(), ORIGIN)]


async def test_a_certificate_named_in_the_environment_is_trusted(
    certificate: Path, makes_many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    calls = Transport(makes_many=makes_many)
    said = whole(event(text="Hi") + event(end=""))
    async with serving(answers(said), server_side(certificate)) as upstream:
        found = await collect(calls, upstream.url)
    await calls.close()
    assert found == [TextDelta("Hi"), Finished("end_turn", assistant("Hi"))]


async def test_any_other_certificate_is_refused_and_not_tried_again(
    certificate: Path, makes_many: bool
) -> None:
    calls = Transport(makes_many=makes_many)
    async with serving(answers(), server_side(certificate)) as upstream:
        found = await collect(calls, upstream.url)
    await calls.close()
    failure = Failure(
        "network",
        "The certificate of localhost is not trusted. If your network has its own, "
        "name its file in SSL_CERT_FILE.",
        provider="plain",
        may_retry=False,
    )
    assert found == [Finished("error", assistant(), failure=failure)]
    assert not failure.retryable
    assert upstream.asked == []


async def test_closing_the_stream_closes_the_connection_at_once(
    certificate: Path, makes_many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    calls, gone = Transport(makes_many=makes_many), asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(EVENTS, chunk(event(text="Hi")))
        await asked.until_gone()
        gone.set()

    async with serving(answering, server_side(certificate)) as upstream:
        events = calls.stream(Endpoint("plain", upstream.url, PLAIN), ASKED, Traits(), ORIGIN)
        with anyio.fail_after(60):
            assert await anext(events) == TextDelta("Hi")
        with anyio.fail_after(AT_ONCE_S):
            await events.aclose()
            await gone.wait()
    await calls.close()
