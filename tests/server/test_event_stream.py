"""However and whenever a page goes, its stream leaves nothing behind."""

import asyncio
from collections.abc import AsyncGenerator, MutableMapping
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from recto.server.event_stream import EventStream, StreamedEvent, until_ended
from recto.server.sessions import Session

pytestmark = pytest.mark.anyio


class Source:
    """Something to follow, which notes when nobody follows it any more."""

    def __init__(self) -> None:
        self.is_open = False
        self.more = anyio.Event()

    async def events(self) -> AsyncGenerator[StreamedEvent]:
        self.is_open = True
        try:
            yield StreamedEvent("first", "{}")
            await self.more.wait()
            yield StreamedEvent("second", "{}")
        finally:
            await asyncio.sleep(0)  # what must be awaited is awaited, too
            self.is_open = False


async def followed(source: Source, session: Session) -> AsyncGenerator[StreamedEvent | None]:
    async with aclosing(until_ended(source.events(), session)) as events:
        async for event in events:
            yield event


@pytest.mark.parametrize("turns", range(8))
async def test_a_page_that_goes_at_any_moment_ends_what_it_followed(turns: int) -> None:
    source, session = Source(), Session("digest", 0)
    before = asyncio.all_tasks()

    async def send(message: MutableMapping[str, Any]) -> None:
        if message.get("body"):
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def receive() -> MutableMapping[str, Any]:
        for _ in range(turns):
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    scope: dict[str, Any] = {"type": "http", "asgi": {"spec_version": "2.3"}}
    await EventStream(followed(source, session))(scope, receive, send)

    assert asyncio.all_tasks() == before
    assert not source.is_open


async def test_it_ends_with_the_session() -> None:
    source, session = Source(), Session("digest", 0)
    heard: list[StreamedEvent | None] = []
    with anyio.fail_after(60):
        async for event in until_ended(source.events(), session):
            heard.append(event)
            session.ended.set()
    assert [event for event in heard if event is not None] == [StreamedEvent("first", "{}")]
    assert not source.is_open
