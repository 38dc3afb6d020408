"""A streamed answer: when it begins, and its signs of life."""

from collections.abc import AsyncGenerator

import anyio
import pytest
from starlette.types import Message

from recto.server.keep_alive import COMMENT, LiveStream

pytestmark = pytest.mark.anyio

EVENT = b"event: done\ndata: {}\n\n"
SCOPE = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}}


async def stays() -> Message:
    """The caller never leaves."""
    await anyio.sleep_forever()
    raise AssertionError


class Caller:
    """Who reads the answer."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        self.has_heard = anyio.Event()

    async def hear(self, message: Message) -> None:
        """Take one message in."""
        self.heard.append(message)
        if message["type"] == "http.response.body":
            self.has_heard.set()


async def test_an_answer_begins_with_its_first_event() -> None:
    caller = Caller()
    before: list[Message] = []

    async def events() -> AsyncGenerator[bytes]:
        before.extend(caller.heard)
        yield EVENT

    await LiveStream(events())(SCOPE, stays, caller.hear)
    assert before == []
    assert [item["type"].removeprefix("http.response.") for item in caller.heard] == [
        "start",
        "body",
        "body",
    ]
    assert [item["body"] for item in caller.heard[1:]] == [EVENT, b""]


async def test_a_failure_before_the_first_event_leaves_room_for_another_answer() -> None:
    caller = Caller()

    async def events() -> AsyncGenerator[bytes]:
        raise ValueError("no")
        yield EVENT

    with pytest.raises(ValueError, match="no"):
        await LiveStream(events())(SCOPE, stays, caller.hear)
    assert caller.heard == []


async def test_an_answer_that_takes_its_time_shows_signs_of_life() -> None:
    caller = Caller()

    async def events() -> AsyncGenerator[bytes]:
        await caller.has_heard.wait()
        yield EVENT

    await LiveStream(events(), every_s=0.001)(SCOPE, stays, caller.hear)
    bodies = [item["body"] for item in caller.heard if item["type"] == "http.response.body"]
    assert caller.heard[0]["type"] == "http.response.start"
    assert bodies[0] == COMMENT
    assert bodies[-2:] == [EVENT, b""]
