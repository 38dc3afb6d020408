"""Live documents over the WebSocket: what is told to whom, and when."""

import itertools
import json
import struct
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from recto.documents import Splice
from recto.documents.shared_text import SharedText
from tests.served import TOKEN, Served

pytestmark = pytest.mark.anyio

VERSION, MISSING, EDIT, EDIT_BY_AI = range(4)


async def address(recto: Served) -> str:
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()
    return f"/api/v1/projects/{project['id']}/documents/sync"


@dataclass
class Page:
    """A page: a copy of each document, kept in step over one socket."""

    socket: ClientConnection
    texts: dict[int, SharedText] = field(default_factory=dict[int, SharedText])
    said: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    kinds: list[int] = field(default_factory=list[int])

    async def tell(self, **message: object) -> None:
        await self.socket.send(json.dumps(message))

    async def send(self, channel: int, kind: int, body: bytes) -> None:
        await self.socket.send(struct.pack(">IB", channel, kind) + body)

    async def open(self, channel: int, path: str) -> None:
        self.texts.setdefault(channel, SharedText())
        await self.tell(type="open", channel=channel, path=path)
        await self.until(lambda: MISSING in self.kinds)

    async def type(self, channel: int, splice: Splice) -> None:
        await self.send(channel, EDIT, self.texts[channel].splice([splice]))

    async def until(self, done: Callable[[], bool]) -> None:
        """Take in what comes until something holds."""
        with anyio.fail_after(60):
            while not done():
                await self.receive(await self.socket.recv())

    async def until_said(self, **wanted: object) -> dict[str, Any]:
        await self.until(lambda: any(wanted.items() <= item.items() for item in self.said))
        return next(item for item in self.said if wanted.items() <= item.items())

    async def receive(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            self.said.append(json.loads(frame))
            return
        channel, kind = struct.unpack_from(">IB", frame)
        text = self.texts[channel]
        self.kinds.append(kind)
        if kind == VERSION:
            await self.send(channel, VERSION, text.state())
            missing = text.updates_since(frame[5:])
            if missing != b"\0\0":
                await self.send(channel, MISSING, missing)
        else:
            text.apply(frame[5:])


@asynccontextmanager
async def page(recto: Served, texts: dict[int, SharedText] | None = None) -> AsyncGenerator[Page]:
    headers = {"authorization": f"Bearer {TOKEN}"}
    url = recto.url.replace("http", "ws") + await address(recto)
    async with connect(url, additional_headers=headers) as socket:
        yield Page(socket, dict(texts or {}))


async def test_what_one_page_types_the_other_shows_and_the_disk_gets(recto: Served) -> None:
    (recto.folder / "a.md").write_text("Größe 😀\n", encoding="utf-8")
    async with page(recto) as one, page(recto) as other:
        await one.open(1, "a.md")
        await other.open(7, "a.md")
        await one.type(1, Splice(7, 7, "漢 "))
        await one.until_said(type="ack", channel=1, edits=1)
        await other.until(lambda: other.texts[7].text == "Größe 😀漢 \n" and EDIT in other.kinds)
        await one.tell(type="save", channel=1)
        await one.until(lambda: one.said[-1].get("saved") is True and len(one.said) > 3)
        assert (recto.folder / "a.md").read_text(encoding="utf-8") == "Größe 😀漢 \n"


async def test_a_page_that_has_nothing_of_a_text_gets_all_of_it_without_being_asked(
    recto: Served,
) -> None:
    (recto.folder / "a.md").write_text("Größe 😀\n", encoding="utf-8")
    async with page(recto) as one:
        one.texts[1] = SharedText()
        await one.tell(type="open", channel=1, path="a.md", whole=True)
        await one.until_said(type="review", channel=1, hunks=[])
        await one.until_said(type="state", channel=1, saved=True)
        assert (one.kinds, one.texts[1].text) == ([MISSING], "Größe 😀\n")
        await one.type(1, Splice(0, 0, "Die "))
        await one.until_said(type="ack", channel=1, edits=1)


async def test_edits_made_offline_merge_when_the_page_returns(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\ntwo\n", encoding="utf-8")
    async with page(recto) as one:
        await one.open(1, "a.md")
        texts = one.texts
    texts[1].splice([Splice(0, 0, "offline ")])
    async with page(recto) as other, page(recto, texts) as back:
        await other.open(1, "a.md")
        await other.type(1, Splice(4, 4, "online "))
        await other.until_said(type="ack", edits=1)
        await back.open(1, "a.md")
        expected = "offline one\nonline two\n"
        await other.until(lambda: other.texts[1].text == expected)
        assert back.texts[1].text == expected


async def test_a_change_on_disk_reaches_the_page(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\ntwo\n", encoding="utf-8")
    async with page(recto) as one:
        await one.open(1, "a.md")
        (recto.folder / "a.md").write_text("one\n2\n", encoding="utf-8")
        await one.until(lambda: one.texts[1].text == "one\n2\n")


async def test_a_conflict_shows_the_other_version_and_is_resolved(recto: Served) -> None:
    file = recto.folder / "a.md"
    file.write_text("one\n", encoding="utf-8")
    async with page(recto) as one:
        await one.open(1, "a.md")
        await one.type(1, Splice(0, 3, "mine"))
        await one.until_said(type="ack", edits=1)
        file.write_text("theirs\n", encoding="utf-8")
        await one.until_said(type="state", theirs="theirs\n")
        one.said.clear()
        await one.tell(type="resolve", channel=1, choice="mine")
        await one.until_said(type="state", saved=True, theirs=None)
        assert file.read_text(encoding="utf-8") == "mine\n"


async def test_what_can_not_be_edited_is_refused_with_a_reason(recto: Served) -> None:
    (recto.folder / "a.bin").write_bytes(b"\0")
    async with page(recto) as one:
        await one.tell(type="open", channel=1, path="a.bin")
        refused = await one.until_said(type="refused", channel=1)
        assert (refused["readOnly"], "not a text file" in refused["reason"]) == (True, True)
        await one.tell(type="open", channel=2, path="none.md")
        assert (await one.until_said(type="refused", channel=2))["readOnly"] is False
        await one.tell(type="open", channel=3, path="../outside.md")
        assert "not an accepted path" in (await one.until_said(type="refused", channel=3))["reason"]


async def test_garbage_for_one_document_leaves_the_others(recto: Served) -> None:
    for name in ("a.md", "b.md"):
        (recto.folder / name).write_text("text\n", encoding="utf-8")
    async with page(recto) as one:
        await one.open(1, "a.md")
        one.kinds.clear()
        await one.open(2, "b.md")
        await one.send(1, EDIT, b"garbage")
        await one.until_said(type="refused", channel=1)
        await one.type(2, Splice(0, 0, "more "))
        await one.until_said(type="ack", channel=2, edits=1)
    assert (recto.folder / "a.md").read_text(encoding="utf-8") == "text\n"


@pytest.mark.parametrize(
    "frame",
    [
        "no json",
        "{}",
        '{"type":"open","channel":-1,"path":"a"}',
        '{"type":"save","channel":"1"}',
        '{"type":"open","channel":1,"path":"a","more":1}',
        b"\0",
    ],
)
async def test_a_page_that_talks_nonsense_is_let_go(
    emptied_recto: Served, frame: str | bytes
) -> None:
    async with page(emptied_recto) as one:
        await one.socket.send(frame)
        with anyio.fail_after(60), pytest.raises(ConnectionClosed) as closed:
            await one.socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1002


async def test_a_project_that_is_not_there_closes_the_socket(recto: Served) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"}
    url = recto.url.replace("http", "ws") + f"/api/v1/projects/{'0' * 26}/documents/sync"
    async with connect(url, additional_headers=headers) as socket:
        with anyio.fail_after(60), pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


async def test_leaving_in_the_middle_saves_what_was_typed(recto: Served) -> None:
    names = [f"{number}.md" for number in range(3)]
    for name in names:
        (recto.folder / name).write_text("", encoding="utf-8")
    async with page(recto) as one:
        for number, name in enumerate(names):
            one.kinds.clear()
            await one.open(number, name)
        for number, letter in itertools.product(range(3), "abc"):
            await one.type(number, Splice(0, 0, letter))
        for number in range(3):
            await one.until_said(type="ack", channel=number, edits=3)
    async with page(recto) as other:
        await other.open(0, "0.md")
        assert other.texts[0].text == "cba"


async def test_a_page_cut_off_before_its_first_edit_still_merges_with_the_disk(
    recto: Served,
) -> None:
    file = recto.folder / "a.md"
    file.write_text("one\ntwo\n", encoding="utf-8")
    async with page(recto) as one:
        await one.open(1, "a.md")
        texts = one.texts
    texts[1].splice([Splice(0, 0, "offline ")])
    async with page(recto) as other:  # it is asked after the first has left
        await other.open(1, "a.md")
    file.write_text("one\n2\n", encoding="utf-8")
    async with page(recto, texts) as back:
        await back.open(1, "a.md")
        await back.until(lambda: back.texts[1].text == "offline one\n2\n")
