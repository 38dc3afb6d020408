import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.projects import Feed, FilesChanged
from recto.storage import Storage
from tests.fakes import FakeClock
from tests.served import Served, served

pytestmark = pytest.mark.anyio

Event = tuple[str, str | None, dict[str, Any]]


class Stream:
    """An open event stream, read event by event."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines: AsyncIterator[str] = response.aiter_lines()

    async def next(self) -> Event | None:
        """The next event: its name, id and data; None when the stream has ended."""
        fields: dict[str, str] = {}
        with anyio.fail_after(60):
            async for line in self._lines:
                if not line and fields:
                    break
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields[name] = value
        if not fields:
            return None
        return fields["event"], fields.get("id"), json.loads(fields["data"])

    async def must_next(self) -> Event:
        """The next event, which must come."""
        event = await self.next()
        assert event is not None, "the stream has ended"
        return event


@asynccontextmanager
async def following(
    client: httpx.AsyncClient, *, last_id: str | None = None
) -> AsyncGenerator[Stream]:
    headers = {} if last_id is None else {"last-event-id": last_id}
    async with client.stream("GET", "/api/v1/events", headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        stream = Stream(response)
        assert (await stream.must_next())[0] == "hello"
        yield stream


async def test_a_change_reaches_every_open_tab(recto: Served) -> None:
    async with (
        recto.browser() as browser,
        recto.script() as script,
        following(browser) as one,
        following(browser) as two,
        following(script) as three,
    ):
        project = (await script.get("/api/v1/projects/current")).json()
        told = [await tab.must_next() for tab in (one, two, three)]
    assert (
        told
        == [
            (
                "change",
                "1",
                {
                    "seq": 1,
                    "kind": "project",
                    "id": project["id"],
                    "projectId": project["id"],
                    "action": "created",
                    "version": 1,
                },
            )
        ]
        * 3
    )


async def test_a_tab_that_was_away_resumes_and_misses_nothing(
    recto: Served, tmp_path: Path
) -> None:
    async with recto.script() as script:
        for number in range(5):
            (tmp_path / f"p{number}").mkdir()
            await script.post("/api/v1/projects", json={"path": str(tmp_path / f"p{number}")})
        async with following(script, last_id="2") as stream:
            ids = [(await stream.must_next())[1] for _ in range(3)]
            await script.get("/api/v1/projects/current")
            ids.append((await stream.must_next())[1])
    assert ids == ["3", "4", "5", "6"]


async def test_a_tab_resumes_after_a_restart_of_the_server(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    async with served(home, folder) as first, first.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()
    async with (
        served(home, folder) as second,
        second.script() as script,
        following(script, last_id="0") as stream,
    ):
        assert (await stream.must_next())[2]["id"] == project["id"]


async def test_a_new_file_is_told_to_every_tab(recto: Served) -> None:
    async with recto.script() as script, recto.browser() as browser:
        project = (await script.get("/api/v1/projects/current")).json()
        async with following(browser) as stream:
            await script.get(f"/api/v1/projects/{project['id']}/folder")
            assert (await stream.must_next())[2]["overflow"], "the watch stands"
            await anyio.Path(recto.folder / "new.md").write_text("hello", encoding="utf-8")
            name, event_id, data = await stream.must_next()
    assert (name, event_id) == ("files", None)
    assert (data["projectId"], data["folders"]) == (project["id"], [""])


@pytest.mark.parametrize("last_id", ["-1", "x", "9" * 30, "1; drop"])
async def test_an_id_that_was_never_given_is_refused(emptied_recto: Served, last_id: str) -> None:
    async with emptied_recto.script() as script:
        answer = await script.get("/api/v1/events", headers={"last-event-id": last_id})
    assert answer.status_code == 422


async def test_a_follower_that_is_too_slow_is_let_go_and_the_others_go_on(tmp_path: Path) -> None:
    storage = await Storage.open(tmp_path / "db", clock=FakeClock())
    feed = Feed(storage)
    event = FilesChanged("p", frozenset({"a"}), overflow=False, git=False)
    async with feed.follow(None) as slow:
        for _ in range(1001):
            feed.tell(event)
        async with feed.follow(None) as other:
            feed.tell(event)
            assert await anext(other.events()) == event
        with anyio.fail_after(60):
            assert len([item async for item in slow.events()]) == 1000
    await storage.close()


async def test_the_server_stops_while_streams_are_open(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with (
            served(tmp_path / "home", tmp_path / "folder") as recto,
            recto.script() as script,
            following(script) as stream,
        ):
            recto.ready.stop()
            assert await stream.next() is None
