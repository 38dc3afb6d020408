"""One file, open at two workers: what is typed, edited by AI, decided and undone is the same."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from recto.documents import Splice
from tests.documents.test_kill_while_typing import EDIT, HEADERS, Page
from tests.fakes.providers import calls, says
from tests.talk import ended
from tests.workers.conftest import Workers

pytestmark = pytest.mark.anyio

Json = dict[str, Any]


class Tab(Page):
    """A page of one file at one worker."""

    def __init__(self, socket: ClientConnection, path: Path) -> None:
        super().__init__()
        self.socket = socket
        self.path = path
        self.hunks: list[Json] = []

    async def open(self) -> None:
        opening = {"type": "open", "channel": 1, "path": self.path.name}
        await self.socket.send(json.dumps(opening))
        while not self._is_met:
            await self.hear(self.socket)

    async def write(self, at: int, words: str) -> None:
        """Type, and wait until it is acknowledged."""
        self.typed.append(words)
        await self.send(self.socket, EDIT, self.text.splice([Splice(at, at, words)]))
        await self.settle(self.socket)

    async def until(self, text: str) -> None:
        """Hear until this is the text."""
        while self.text.text != text:
            await self.hear(self.socket)

    async def until_hunks(self, *shown: tuple[str, str]) -> None:
        """Hear until this is what waits for review."""
        while [(hunk["old"], hunk["new"]) for hunk in self.hunks] != list(shown):
            await self.hear(self.socket)

    def on_said(self, said: Json) -> None:
        if said["type"] == "review":
            self.hunks = said["hunks"]
        super().on_said(said)


@asynccontextmanager
async def tabs(workers: Workers, name: str, text: str) -> AsyncGenerator[tuple[Tab, Tab]]:
    """The same new file, open at both workers."""
    path = workers.place / "folder" / name
    path.write_text(text, encoding="utf-8")
    one, two = [
        f"{recto.url.replace('http', 'ws')}/api/v1/projects/{workers.project_id}/documents/sync"
        for recto in workers.rectos
    ]
    async with (
        connect(one, additional_headers=HEADERS) as here,
        connect(two, additional_headers=HEADERS) as there,
    ):
        both = Tab(here, path), Tab(there, path)
        for tab in both:
            await tab.open()
        yield both


async def reviews(workers: Workers, worker: int, path: Path) -> list[Json]:
    """What waits in a file, as one worker lists it."""
    address = f"/api/v1/projects/{workers.project_id}/reviews"
    items = (await workers.clients[worker].get(address)).json()["items"]
    return [item for item in items if item["path"] == path.name]


async def edit_by_ai(workers: Workers, path: Path, old: str, new: str) -> str:
    """A turn at the first worker edits the file; its id."""
    here, _ = await workers.talks()
    edit = {"path": path.name, "old_string": old, "new_string": new}
    workers.upstream.answer(calls("edit_file", edit))
    workers.upstream.answer(says("Done."))
    turn = await here.say("Edit it.")
    await here.until(ended(turn))
    return turn


async def test_what_is_typed_at_both_is_seen_at_both(workers: Workers) -> None:
    async with tabs(workers, "typed.md", "One.\n") as (here, there):
        await here.write(0, "Zero. ")
        await there.until("Zero. One.\n")
        await there.write(10, " Two.")
        await here.write(0, "Here. ")
        for tab in (here, there):
            await tab.until("Here. Zero. One. Two.\n")
            await tab.socket.send(json.dumps({"type": "save", "channel": 1}))
        while here.path.read_text(encoding="utf-8") != here.text.text:
            await here.hear(here.socket)


async def test_an_edit_of_ai_is_shown_and_decided_at_the_other(workers: Workers) -> None:
    async with tabs(workers, "decided.md", "The tide comes in.\n") as (here, there):
        await edit_by_ai(workers, here.path, "tide", "flood")
        for tab in (here, there):
            await tab.until("The flood comes in.\n")
            await tab.until_hunks(("tide", "flood"))
        (seen,) = await reviews(workers, 1, here.path)
        answer = await workers.clients[1].post(f"/api/v1/reviews/{seen['id']}/reject", json={})
        assert answer.status_code == 200, answer.text
        for tab in (here, there):
            await tab.until("The tide comes in.\n")
            await tab.until_hunks()
        assert [await reviews(workers, item, here.path) for item in (0, 1)] == [[], []]
        assert here.path.read_text(encoding="utf-8") == "The tide comes in.\n"


async def test_a_verdict_at_one_worker_is_the_one_that_is_kept(workers: Workers) -> None:
    async with tabs(workers, "kept.md", "The tide comes in.\n") as (here, there):
        await edit_by_ai(workers, here.path, "tide", "flood")
        await there.until_hunks(("tide", "flood"))
        (seen,) = await reviews(workers, 1, here.path)
        await workers.clients[1].post(f"/api/v1/reviews/{seen['id']}/accept", json={})
        for tab in (here, there):
            await tab.until_hunks()
        address = f"/api/v1/projects/{workers.project_id}/authorship"
        told = [
            (await client.get(address, params={"path": here.path.name})).json()
            for client in workers.clients
        ]
        assert told[0] == told[1]


async def test_a_turn_is_undone_through_the_other_worker(workers: Workers) -> None:
    async with tabs(workers, "undone.md", "The tide comes in.\n\nIt did.\n") as (here, there):
        turn = await edit_by_ai(workers, here.path, "tide", "flood")
        await there.until("The flood comes in.\n\nIt did.\n")
        await there.write(29, "Again.\n")
        answer = await workers.clients[1].post(f"/api/v1/turns/{turn}/undo", json={})
        assert answer.status_code == 200, answer.text
        for tab in (here, there):
            await tab.until("The tide comes in.\n\nIt did.\nAgain.\n")
