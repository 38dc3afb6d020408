"""Trace: exactly what was sent and received for an answer."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recto.app import trace_request
from recto.chats.record.trace import NoTrace
from recto.config import Settings
from tests.chats.record.runs import KEY, MODELS, World, open_world
from tests.fakes.providers import Fault, says

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    async with open_world(tmp_path) as world:
        yield world


@pytest.mark.parametrize("name", MODELS)
async def test_it_shows_the_very_bytes_of_every_try(world: World, name: str) -> None:
    server = world.servers[name]
    server.script(Fault(status=503))
    server.answer(says("Ebb."))
    entries = await world.talk.ask("What now?", model=MODELS[name])
    request_id = entries[-1]["source"]["requestId"]

    trace = await trace_request(world.home, Settings(), request_id, os.environ)

    assert (trace.request_id, trace.run_id, trace.step) == (request_id, entries[-1]["turnId"], 1)
    assert [attempt.head["status"] for attempt in trace.tries] == [503, 200]
    assert [attempt.request for attempt in trace.tries] == [
        exchange.incoming.body for exchange in server.exchanges
    ]
    assert [attempt.answer for attempt in trace.tries] == [
        exchange.sent for exchange in server.exchanges
    ]


async def test_a_key_that_a_provider_repeats_is_not_shown(world: World) -> None:
    world.servers["anthropic"].answer(says(f"Your key is {KEY}."))
    entries = await world.talk.ask("What is my key?", model=MODELS["anthropic"])

    request_id = entries[-1]["source"]["requestId"]
    trace = await trace_request(world.home, Settings(), request_id, os.environ)

    assert KEY.encode() not in trace.tries[0].answer
    assert "Your key is ….".encode() in trace.tries[0].answer


async def test_an_id_that_nobody_has_is_refused(world: World) -> None:
    with pytest.raises(NoTrace, match="There is no record of the request nobody"):
        await trace_request(world.home, Settings(), "nobody", os.environ)
