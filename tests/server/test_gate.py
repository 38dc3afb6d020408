"""Who gets in: every route of the application, tried by everyone who must not."""

import itertools
import json
import socket
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import anyio
import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute, Route, WebSocketRoute

from recto.config import Secret
from recto.server import ServerIdentity, Sessions, build_api
from recto.server.access import RouteAccess, access_of, for_session
from recto.server.gate import PAGE_HEADER, SAFE_METHODS, RequestGate
from tests.fakes import CountingIds, FakeClock
from tests.served import TOKEN, Served

pytestmark = pytest.mark.anyio

SOME_ID = "01m7fvsdd5gjqxtykk4dqtvzk5"


def all_routes() -> list[BaseRoute]:
    return list(build_api("0").routes)


def addresses() -> Iterator[tuple[str, str, RouteAccess | None]]:
    """Every method and path the application answers, with its marker."""
    for route in all_routes():
        if isinstance(route, WebSocketRoute):
            continue
        assert isinstance(route, Route), f"teach this test about {route}"
        path = route.path.replace("{project_id}", SOME_ID).replace("{code}", "0" * 64)
        for method in sorted(route.methods or ()):
            yield method, path.replace("{path:path}", ""), access_of(route.endpoint)


def sockets() -> dict[str, RouteAccess | None]:
    """Every WebSocket; tests/server/test_sockets.py tries them with the same attacks."""
    found = [route for route in all_routes() if isinstance(route, WebSocketRoute)]
    return {route.path: access_of(route.endpoint) for route in found}


def test_every_route_says_who_may_use_it() -> None:
    unmarked = [path for _, path, access in addresses() if access is None]
    assert unmarked == []
    assert set(sockets().values()) == {RouteAccess.SESSION}


def test_only_signing_in_is_open_to_anyone() -> None:
    opened = {path for _, path, access in addresses() if access is RouteAccess.ANYONE}
    assert opened == {"/open/" + "0" * 64, "/sign-in"}


ATTACKS = {
    "no credential": {},
    "wrong token": {"authorization": "Bearer wrong"},
    "token in the wrong scheme": {"authorization": "Basic a-token-for-the-tests-of-recto"},
    "no token": {"authorization": "Bearer"},
    "wrong key": {"x-api-key": "wrong"},
    "no key": {"x-api-key": ""},
    "right key beside a wrong token": {
        "authorization": "Bearer wrong",
        "x-api-key": "a-token-for-the-tests-of-recto",
    },
    "cookie of another server": {"cookie": "recto_1=0000"},
}
BAD_PLACES = {
    "foreign host": {"host": "evil.test"},
    "host with another port": {"host": "127.0.0.1:1"},
    "rebound host": {"host": "evil.test:80"},
    "foreign origin": {"origin": "https://evil.test"},
    "null origin": {"origin": "null"},
    "origin on another port": {"origin": "http://127.0.0.1:1"},
    "cross-site": {"sec-fetch-site": "cross-site"},
    "same-site": {"sec-fetch-site": "same-site"},
}


async def test_no_route_lets_in_a_caller_without_the_right_credential(recto: Served) -> None:
    async with recto.stranger() as stranger:
        for (method, path, access), (name, headers) in itertools.product(
            addresses(), ATTACKS.items()
        ):
            if access is RouteAccess.ANYONE:
                continue
            answer = await stranger.request(method, path, headers=headers)
            assert answer.status_code in (401, 429), (method, path, name)


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"authorization": f"Bearer {TOKEN}"}, id="W19-bearer"),
        pytest.param({"x-api-key": TOKEN}, id="W19-x-api-key"),
    ],
)
async def test_W19_the_token_is_taken_as_either_kind_of_client_sends_it(
    recto: Served, headers: dict[str, str]
) -> None:
    async with recto.stranger() as stranger:
        assert (await stranger.get("/api/v1/projects", headers=headers)).status_code == 200


async def test_W19_without_any_token_the_answer_says_what_is_missing(recto: Served) -> None:
    async with recto.stranger() as stranger:
        answer = await stranger.post("/api/ai/chat", json={"messages": []})
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert (error["code"], error["message"][:14]) == ("invalid_api_key", "Not signed in:")


async def test_no_route_answers_a_request_from_another_place_even_with_the_token(
    recto: Served,
) -> None:
    async with recto.script() as script:
        for (method, path, _), (name, headers) in itertools.product(
            addresses(), BAD_PLACES.items()
        ):
            answer = await script.request(method, path, headers=headers)
            assert answer.status_code in (403, 421), (method, path, name)
        projects = (await script.get("/api/v1/projects")).json()
        assert projects == {"items": [], "nextCursor": None}, "an attack had an effect"


async def test_what_was_typed_into_a_browser_changes_nothing_even_with_the_token(
    recto: Served,
) -> None:
    """`Sec-Fetch-Site: none` is a person at the address bar, who can only look."""
    async with recto.script() as script:
        for method, path, _ in addresses():
            if method in SAFE_METHODS:
                continue
            answer = await script.request(method, path, headers={"sec-fetch-site": "none"})
            assert answer.status_code == 403, (method, path)


async def test_a_browser_cookie_changes_things_only_when_it_says_where_from(recto: Served) -> None:
    async with recto.browser() as browser:
        path = "/api/v1/session/link"
        sites = (None, "none", "same-origin", "same-site", "cross-site")
        modes = ("navigate", "cors", "no-cors", "same-origin")
        allowed: list[tuple[str | None, str]] = []
        for site, mode in itertools.product(sites, modes):
            headers = httpx.Headers({"sec-fetch-mode": mode})
            if site is not None:
                headers["sec-fetch-site"] = site
            request = httpx.Request("POST", recto.url + path, headers=headers)
            request.headers["cookie"] = f"{recto.cookie_name}={browser.cookies[recto.cookie_name]}"
            request.headers[PAGE_HEADER] = browser.headers[PAGE_HEADER]
            if (await browser.send(request)).status_code == 201:
                allowed.append((site, mode))
        assert allowed == [("same-origin", mode) for mode in modes]


async def test_a_typed_address_opens_the_page_and_a_link_elsewhere_does_not(recto: Served) -> None:
    async with recto.browser() as browser:
        typed = await browser.get("/", headers={"sec-fetch-site": "none"})
        linked = await browser.get("/", headers={"sec-fetch-site": "cross-site"})
    assert (typed.status_code, linked.status_code) == (200, 403)


async def test_every_answer_carries_the_security_headers(recto: Served) -> None:
    async with recto.script() as script, recto.stranger() as stranger:
        answers = [
            await script.get("/"),
            await script.get("/api/v1/health"),
            await script.get("/api/v1/nothing"),
            await stranger.get("/", headers={"accept": "text/html"}),
            await stranger.get("/", headers={"host": "evil.test"}),
        ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe-eval" not in policy
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"


async def test_a_route_without_a_marker_is_refused_to_everybody() -> None:
    app = FastAPI()

    @app.get("/forgotten")
    async def forgotten() -> str:  # pyright: ignore[reportUnusedFunction]: the framework keeps it
        return "secret"

    async with behind_the_gate(app) as client:
        answer = await client.get("/forgotten")
    assert answer.status_code == 403


async def test_a_route_that_takes_too_long_is_answered_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recto.server.gate.ANSWER_DEADLINE_S", 0.05)
    app = FastAPI()

    @app.get("/slow")
    @for_session
    async def slow() -> None:  # pyright: ignore[reportUnusedFunction]: the framework keeps it
        await anyio.sleep_forever()

    async with behind_the_gate(app) as client:
        answer = await client.get("/slow")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["title"] == "That took too long"


@asynccontextmanager
async def behind_the_gate(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    """A caller with the token, at the gate of another application."""
    sessions = Sessions(Secret("t" * 20), clock=FakeClock(), ids=CountingIds(), save=lambda _: None)
    gate = RequestGate(
        app,
        routes=lambda: app.routes,
        sessions=sessions,
        doorway=ServerIdentity("http", frozenset({"here"}), "recto"),
    )
    token = {"authorization": "Bearer " + "t" * 20}
    transport = httpx.ASGITransport(gate)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://here", headers=token
    ) as client:
        yield client


async def test_guessing_is_slowed_down_and_never_locks_out_the_owner(recto: Served) -> None:
    async with recto.stranger() as stranger, recto.script() as script:
        statuses = [
            (
                await stranger.get("/api/v1/health", headers={"authorization": f"Bearer {guess}"})
            ).status_code
            for guess in range(200)
        ]
        owner = await script.get("/api/v1/health")
    assert statuses.count(401) <= 20
    assert statuses[-1] == 429
    assert owner.status_code == 200


async def test_a_body_over_the_limit_is_refused(recto: Served) -> None:
    async with recto.script() as script:
        answer = await script.post("/api/v1/projects", content=b'{"path": "' + b"x" * 2_000_000)
    assert (answer.status_code, answer.headers["content-type"]) == (
        413,
        "application/problem+json",
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"path": ' + b"[" * 50_000,
        b"\xff\xfe",
        b'{"path": "\\ud800"}',
        b'{"path": "a\\u0000b"}',
        b'{"path": 1e999}',
        b"null",
        b'{"path": "/", "extra": 1}',
    ],
)
async def test_a_body_that_makes_no_sense_gets_a_problem_and_not_a_crash(
    emptied_recto: Served, body: bytes
) -> None:
    async with emptied_recto.script() as script:
        answer = await script.post(
            "/api/v1/projects", content=body, headers={"content-type": "application/json"}
        )
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.json()["detail"]


async def read_until_closed(connection: socket.socket) -> bytes:
    connection.setblocking(False)
    received = b""
    with anyio.fail_after(60):
        while True:
            await anyio.wait_readable(connection)
            try:
                piece = connection.recv(65536)
            except ConnectionResetError:
                return received
            if not piece:
                return received
            received += piece


async def test_headers_that_never_end_are_cut_off(recto: Served) -> None:
    host, _, port = recto.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000)
        assert await read_until_closed(connection) == b""


async def test_headers_that_do_not_come_are_not_waited_for(
    recto: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.server.listen.HEADER_DEADLINE_S", 0.2)
    host, _, port = recto.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert await read_until_closed(connection) == b""


async def test_a_body_that_does_not_come_is_not_waited_for(
    recto: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.server.gate.BODY_DEADLINE_S", 0.2)
    host, _, port = recto.url.removeprefix("http://").partition(":")
    head = (
        f"POST /api/v1/projects HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
        "Authorization: Bearer a-token-for-the-tests-of-recto\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode())
        answer = await read_until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 408")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["title"] == "The request came too slowly"
