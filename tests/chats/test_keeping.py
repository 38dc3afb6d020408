"""What a chat leaves in the store: what is new in each request, and nothing once it is deleted."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recto.app import trace_request
from recto.chats import Keeping
from recto.clock import SystemClock
from recto.config import Home, Settings
from recto.storage import Storage
from tests.fakes.providers import AnthropicServer, says
from tests.talk import Talk, talk_to

pytestmark = pytest.mark.anyio

TURNS = 4
CANARY = "canary-of-a-deleted-chat"
WORDS = "".join(f"fact {number}, of which a model is told only once; " for number in range(150))


class LaterClock(SystemClock):
    """A clock that is an hour ahead."""

    def now_ms(self) -> int:
        return super().now_ms() + 60 * 60 * 1000


async def test_requests_are_stored_as_what_is_new_and_leave_with_their_chat(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    async with talk_to(upstream, tmp_path) as talk:
        first = talk
        await some_turns(first, upstream)
    # A program that was started again knows from the store what was sent last.
    async with talk_to(upstream, tmp_path) as talk:
        again = Talk(talk.client, first.project_id, first.chat_id)
        last = await some_turns(again, upstream)
        whole, stored, full = stored_requests(tmp_path)
        assert (stored * 8 < whole, full) == (True, 1)
        trace = await trace_request(Home(tmp_path / "home"), Settings(), last, os.environ)
        assert trace.tries[-1].request == upstream.exchanges[-1].incoming.body
        assert CANARY.encode() in everything_in(tmp_path)
        gone = await talk.client.delete(again.kept_at)
        assert gone.status_code == 204

    clock = LaterClock()
    storage = await Storage.open(tmp_path / "home" / "recto.db", clock=clock)
    await Keeping(storage, clock, 365, 90).sweep()
    await storage.close()
    assert CANARY.encode() not in everything_in(tmp_path)


async def test_words_of_an_erasure_that_a_crash_cut_off_leave_the_index_at_the_next_start(
    tmp_path: Path,
) -> None:
    clock, path = LaterClock(), tmp_path / "home" / "recto.db"
    path.parent.mkdir()
    storage = await Storage.open(path, clock=clock)
    async with storage.write() as write:
        await storage.projects.add(write, id="p", name="p", path="/p", settings={})
        await storage.chats.add(write, id="c", project_id="p", title="", meta={})
        await storage.search.add(write, chat_id="c", seq=1, entry_id=None, text=CANARY)
    async with storage.write() as write:
        await storage.chats.tombstone(write, "c")
    async with storage.write() as write:
        assert await storage.keeping.erase_some(write, "c")
    await storage.close()
    assert b"canary" in everything_in(tmp_path)

    storage = await Storage.open(path, clock=clock)
    await Keeping(storage, clock, 365, 90).sweep()
    assert not await storage.keeping.has_words_to_merge()
    await storage.close()
    assert b"canary" not in everything_in(tmp_path)


async def some_turns(talk: Talk, upstream: AnthropicServer) -> str:
    """Talk for a while; the request id of the last answer."""
    request = ""
    for number in range(TURNS):
        upstream.answer(says(f"Answer {number}."))
        entries = await talk.ask(f"Question {number}: {CANARY}. {WORDS}")
        request = entries[-1]["source"]["requestId"]
    return request


def stored_requests(tmp_path: Path) -> tuple[int, int, int]:
    """How long a chat's requests are, how long stored, and how many of them are stored whole."""
    query = (
        "SELECT sum(size), sum(length(data)), sum(base IS NULL) FROM blobs WHERE hash IN"
        " (SELECT json_extract(body, '$.tries[0].request') FROM chat_events"
        "  WHERE kind = 'exchange')"
    )
    with closing(sqlite3.connect(tmp_path / "home" / "recto.db")) as records:
        return records.execute(query).fetchone()


def everything_in(tmp_path: Path) -> bytes:
    """The bytes of all files of the store."""
    return b"".join(file.read_bytes() for file in (tmp_path / "home").glob("recto.db*"))
