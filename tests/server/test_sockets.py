"""Sockets: who gets in, when they end, and the same events over them as over HTTP."""

import asyncio
import json
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from fastapi import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from recto.server.gate import PAGE_HEADER
from recto.server.sessions import Session
from recto.server.sockets import send_events
from tests.served import TOKEN, Served, served
from tests.server.test_event_stream import Source
from tests.server.test_gate import ATTACKS, BAD_PLACES, SOME_ID, sockets

pytestmark = pytest.mark.anyio

each_socket = pytest.mark.parametrize("path", sockets())


async def address(recto: Served, path: str) -> str:
    """A socket's path with the ids of things that are there."""
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()["id"]
        made = await script.post(f"/api/v1/projects/{project}/chats", json={"title": "Tides"})
    found = path.format(project_id=project, chat_id=made.json()["id"])
    if not path.endswith("/notebooks/feed"):
        return found
    notebook: dict[str, object] = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (recto.folder / "n.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return f"{found}?path=n.ipynb"


def whole(recto: Served, path: str) -> str:
    return recto.url.replace("http", "ws") + path


def page_of(recto: Served, browser: httpx.AsyncClient) -> dict[str, str]:
    """What a signed-in page shows: the cookie, and its secret."""
    return {
        "cookie": f"{recto.cookie_name}={browser.cookies[recto.cookie_name]}",
        PAGE_HEADER: browser.headers[PAGE_HEADER],
    }


async def is_let_in(url: str, headers: dict[str, str], spoken: str | None = None) -> bool:
    """Whether a handshake with these headers alone, or a page's protocol, is accepted."""
    protocols = None if spoken is None else [Subprotocol("recto"), Subprotocol(spoken)]
    try:
        async with connect(url, additional_headers=headers, subprotocols=protocols):
            return True
    except InvalidStatus as refused:
        return refused.response.status_code != 403


@each_socket
async def test_nobody_gets_in_without_the_right_credential_or_from_elsewhere(
    recto: Served, path: str
) -> None:
    url = whole(recto, await address(recto, path))
    places = {name: bad_place for name, bad_place in BAD_PLACES.items() if "host" not in bad_place}
    attacks = [*ATTACKS.values()]
    attacks += [{"authorization": f"Bearer {TOKEN}", **place} for place in places.values()]
    async with recto.browser() as browser:
        signed_in = page_of(recto, browser)
        attacks += [{**signed_in, **place} for place in ({}, *places.values())]
        assert [headers for headers in attacks if await is_let_in(url, headers)] == []
        assert await is_let_in(url, {**signed_in, "origin": recto.url})


@each_socket
async def test_a_foreign_host_name_is_refused(recto: Served, path: str) -> None:
    path = await address(recto, path)
    host, _, port = recto.url.removeprefix("http://").partition(":")
    for name in ("evil.test", "evil.test:80", "127.0.0.1:1"):
        lines = [f"GET {path} HTTP/1.1", f"Host: {name}", f"Authorization: Bearer {TOKEN}"]
        lines += ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]
        with anyio.fail_after(60):
            async with await anyio.connect_tcp(host, int(port)) as stream:
                await stream.send("\r\n".join(lines).encode())
                assert (await stream.receive()).startswith(b"HTTP/1.1 403")


@each_socket
async def test_the_end_of_the_session_ends_the_socket_at_once(recto: Served, path: str) -> None:
    url = whole(recto, await address(recto, path))
    async with recto.browser() as browser:
        headers = {**page_of(recto, browser), "origin": recto.url}
        async with connect(url, additional_headers=headers) as socket:
            await browser.delete("/api/v1/session")
            assert await ending(socket) == (1008, "Not signed in")


async def ending(socket: ClientConnection) -> tuple[int, str]:
    """How a socket ends, after whatever comes before."""
    with anyio.fail_after(60), suppress(ConnectionClosed):
        async for _ in socket:
            pass
    assert socket.close_code is not None
    return socket.close_code, socket.close_reason or ""


async def told(socket: ClientConnection) -> tuple[str, dict[str, Any]]:
    """The next event of a socket: its name and data."""
    with anyio.fail_after(60):
        name, _, data = str(await socket.recv()).partition("\n")
    return name, json.loads(data)


def by_script(recto: Served, path: str) -> connect:
    return connect(whole(recto, path), additional_headers={"authorization": f"Bearer {TOKEN}"})


async def test_what_changed_is_told_from_a_number_on_and_then_as_it_happens(recto: Served) -> None:
    before = await address(recto, "{chat_id}")
    async with by_script(recto, "/api/v1/events?after=0") as socket:
        name, hello = await told(socket)
        assert (name, list(hello)) == ("hello", ["version", "storeAnswers"])
        seqs: list[int] = []
        for chat in (before, await address(recto, "{chat_id}")):
            name, data = await told(socket)
            while data["id"] != chat:
                assert name == "change"
                seqs.append(data["seq"])
                name, data = await told(socket)
            assert (data["kind"], data["action"]) == ("chat", "created")
            seqs.append(data["seq"])
    assert seqs == sorted(set(seqs))


async def test_what_a_page_says_to_events_is_of_no_interest(recto: Served) -> None:
    async with by_script(recto, "/api/v1/events") as socket:
        assert (await told(socket))[0] == "hello"
        for said in ("", "hello", b"", b"\xff" * 1000):
            await socket.send(said)
        await address(recto, "")
        assert (await told(socket))[0] == "change"


async def test_a_chat_that_is_not_there_is_never_opened(recto: Served) -> None:
    # A page takes an open socket for a sign that all is well, and comes back without a pause.
    with pytest.raises(InvalidStatus, match="403"):
        await by_script(recto, f"/api/v1/chats/{SOME_ID}/events")


@pytest.mark.parametrize("turns", range(8))
async def test_a_page_that_goes_at_any_moment_ends_what_it_followed(turns: int) -> None:
    source, session = Source(), Session("digest", 0)
    before = asyncio.all_tasks()
    incoming = iter([{"type": "websocket.connect"}])

    async def receive() -> MutableMapping[str, Any]:
        if connecting := next(incoming, None):
            return connecting
        for _ in range(turns):
            await asyncio.sleep(0)
        return {"type": "websocket.disconnect", "code": 1001}

    async def send(message: MutableMapping[str, Any]) -> None:
        await asyncio.sleep(0)

    socket = WebSocket({"type": "websocket"}, receive, send)
    await socket.accept()
    with anyio.fail_after(60):
        await send_events(socket, source.events(), session)
    assert asyncio.all_tasks() == before
    assert not source.is_open


@pytest.mark.parametrize(("host", "packs"), [("127.0.0.1", False), ("0.0.0.0", True)])
async def test_what_goes_to_this_computer_is_not_packed(
    tmp_path: Path, host: str, *, packs: bool
) -> None:
    async with (
        served(tmp_path / "home", tmp_path / "work", host=host) as recto,
        by_script(recto, "/api/v1/events") as socket,
    ):
        names = [item.name for item in socket.protocol.extensions]
    assert names == (["permessage-deflate"] if packs else [])
