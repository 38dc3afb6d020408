"""A cookie is sent to every port of this computer: whoever gets it there can do nothing with it."""

from http import HTTPStatus

import anyio
import httpx
import pytest
from anyio.abc import SocketAttribute, SocketStream

from recto.server.access import RouteAccess
from recto.server.gate import PAGE_HEADER, PAGE_PROTOCOL
from recto.server.page import STATIC
from tests.served import Served, page_parts
from tests.server.test_gate import addresses, sockets
from tests.server.test_sockets import address, is_let_in, whole

pytestmark = pytest.mark.anyio


class OtherServer:
    """Listens on another port of 127.0.0.1, and keeps the cookies that it is sent."""

    def __init__(self) -> None:
        self.cookie = ""

    async def answer(self, stream: SocketStream) -> None:
        async with stream:
            asked = (await stream.receive()).decode()
            lines = (line.partition(": ") for line in asked.split("\r\n"))
            self.cookie = next(value for name, _, value in lines if name.lower() == "cookie")
            await stream.send(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


async def visited(browser: httpx.AsyncClient) -> str:
    """The cookies that a browser sends to another server of this computer."""
    other = OtherServer()
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, other.answer)
        port = listener.extra(SocketAttribute.local_port)
        await browser.get(f"http://127.0.0.1:{port}/")
        tasks.cancel_scope.cancel()
    return other.cookie


async def test_the_cookie_alone_opens_nothing(recto: Served) -> None:
    async with recto.stranger() as browser, recto.stranger() as thief:
        sign_in = await browser.get(recto.ready.link)
        secret, ticket = page_parts(sign_in)
        stolen = await visited(browser)
        assert recto.cookie_name in stolen
        headers = {"cookie": stolen, "origin": recto.url, "sec-fetch-site": "same-origin"}
        guesses: tuple[dict[str, str], ...]
        guesses = ({}, {PAGE_HEADER: ticket}, {PAGE_HEADER: secret[:-1]}, {PAGE_HEADER: ""})
        for method, path, access in addresses():
            if access in (RouteAccess.ANYONE, RouteAccess.PAGE):
                continue
            wrong = [
                (await thief.request(method, path, headers=headers | guess)).status_code
                for guess in guesses
            ]
            by_address = f"{path}?ticket={secret}"
            wrong.append((await thief.request(method, by_address, headers=headers)).status_code)
            assert set(wrong) == {HTTPStatus.UNAUTHORIZED}, (method, path)
        await same_for_everybody(thief, headers)
        for path in sockets():
            url = whole(recto, await address(recto, path))
            handshake = {"cookie": stolen, "origin": recto.url}
            assert not await is_let_in(url, handshake)
            assert not await is_let_in(url, handshake, PAGE_PROTOCOL + ticket)
            assert await is_let_in(url, handshake, PAGE_PROTOCOL + secret)


async def same_for_everybody(thief: httpx.AsyncClient, headers: dict[str, str]) -> None:
    """What the cookie does open: the page's own files, and the door, which hands nothing out."""
    page = await thief.get("/", headers=headers | {"accept-encoding": "identity"})
    assert page.content == (STATIC / "index.html").read_bytes()
    door = await thief.get(f"/open/{'0' * 64}", headers=headers)
    assert (door.status_code, door.headers["location"]) == (303, "/")


async def test_a_ticket_opens_only_what_is_shown_or_saved_by_its_address(recto: Served) -> None:
    async with recto.stranger() as browser:
        _, ticket = page_parts(await browser.get(recto.ready.link))
        headers = {"origin": recto.url, "sec-fetch-site": "same-origin"}
        opened = {
            (method, path)
            for method, path, access in addresses()
            if access not in (RouteAccess.ANYONE, RouteAccess.PAGE)
            and (
                await browser.request(method, f"{path}?ticket={ticket}", headers=headers)
            ).status_code
            != HTTPStatus.UNAUTHORIZED
        }
        browser.cookies.clear()
        alone = await browser.get(f"/api/v1/usage.csv?ticket={ticket}", headers=headers)
    marked = {(method, path) for method, path, access in addresses() if access is RouteAccess.EMBED}
    assert opened == marked
    assert {method for method, _ in opened} == {"GET"}
    assert alone.status_code == HTTPStatus.UNAUTHORIZED
