"""The people's API: what each person reaches, and that nobody reaches another's."""

import logging
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from recto.app import GatewayParts
from recto.gateway.route_access import Audience, audience_of
from recto.gateway.routes import admin, figures, health, kept, own, pages, provider, session
from tests.gateway.served import PASSWORD, ServedGateway, served_gateway

pytestmark = pytest.mark.anyio

MODULES = (health, session, provider, own, kept, admin, figures, pages)


@pytest.fixture(scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[ServedGateway]:
    async with served_gateway(tmp_path_factory.mktemp("gateway") / "home") as served:
        yield served


@pytest.fixture(scope="module")
async def admin_token(gateway: ServedGateway) -> str:
    return await gateway.admin()


def all_routes() -> Iterator[APIRoute]:
    for module in MODULES:
        for route in module.router.routes:
            assert isinstance(route, APIRoute)
            yield route


def calls(audience: Audience) -> list[tuple[str, str]]:
    """Every method and path for somebody."""
    return [
        (method, route.path)
        for route in all_routes()
        for method in sorted(route.methods or ())
        if audience_of(route.endpoint) is audience
    ]


def test_every_route_says_who_may_use_it() -> None:
    assert [route.path for route in all_routes() if audience_of(route.endpoint) is None] == []


@pytest.mark.parametrize(("method", "path"), [*calls(Audience.MEMBER), *calls(Audience.ADMIN)])
async def test_a_stranger_reaches_nothing(gateway: ServedGateway, method: str, path: str) -> None:
    async with gateway.client() as stranger:
        assert (await stranger.request(method, path)).status_code == 401
    for wrong in ("-", "x", "rk-access-" + "0" * 64, "sk-recto-" + "0" * 64):
        async with gateway.client(wrong) as guesser:
            assert (await guesser.request(method, path)).status_code == 401


@pytest.mark.parametrize(("method", "path"), calls(Audience.ADMIN))
async def test_a_member_reaches_nothing_that_is_for_admins(
    gateway: ServedGateway, admin_token: str, method: str, path: str
) -> None:
    name = re.sub(r"\W+", "-", f"{method}{path}")
    ann = await gateway.member(admin_token, f"ann{name}")
    async with gateway.client(admin_token) as client:
        [someone, *_] = (await client.get("/api/v1/people")).json()
    async with gateway.client(ann) as client:
        path = path.replace("{account_id}", someone["id"]).replace("{key_id}", "any")
        assert (await client.request(method, path, json={})).status_code == 403


async def test_a_member_reaches_nothing_of_another(
    gateway: ServedGateway, admin_token: str
) -> None:
    ann = await gateway.member(admin_token, "ann of two")
    bob = await gateway.member(admin_token, "bob of two")
    async with gateway.client(ann) as client:
        made = (await client.post("/api/v1/keys", json={"name": "laptop"})).json()
        before = await everything(client)
    key_id = made["key"]["id"]
    async with gateway.client(bob) as client:
        for method, path in calls(Audience.MEMBER):
            if path == "/api/v1/session" and method == "DELETE":
                continue  # signing oneself out is tested alone
            answer = await client.request(method, path.replace("{key_id}", key_id), json={})
            assert answer.status_code in (200, 201, 204, 404), answer.text
            for secret in (key_id, "laptop", "ann of two", made["key"]["accountId"]):
                assert secret not in answer.text
        assert (await client.delete(f"/api/v1/keys/{key_id}")).status_code == 404
    async with gateway.client(ann) as client:
        assert await everything(client) == before
        assert (await client.delete(f"/api/v1/keys/{key_id}")).status_code == 204
        [revoked] = (await client.get("/api/v1/keys")).json()
        assert revoked["revokedMs"] is not None


async def everything(client: httpx.AsyncClient) -> list[object]:
    """What somebody reads of their own."""
    paths = ("/api/v1/session", "/api/v1/usage", "/api/v1/keys")
    return [(await client.get(path)).json() for path in paths]


async def test_a_members_key_cannot_serve_another_model_than_was_asked_for(
    gateway: ServedGateway, admin_token: str
) -> None:
    ann = await gateway.member(admin_token, "ann who maps")
    async with gateway.client(ann) as client:
        body = {"limits": {"modelMap": {"small": "large"}}}
        assert (await client.post("/api/v1/keys", json=body)).status_code == 422


async def test_an_admin_sets_limits_disables_and_invites_again(
    gateway: ServedGateway, admin_token: str
) -> None:
    ann = await gateway.member(admin_token, "ann with limits")
    async with gateway.client(admin_token) as client:
        people = (await client.get("/api/v1/people")).json()
        [person] = [one for one in people if one["name"] == "ann with limits"]
        path = f"/api/v1/people/{person['id']}"
        limits = {"balanceMicros": 5_000_000, "monthlyMicros": 0, "modelMap": {"a": "b"}}
        changed = (await client.patch(path, json={"limits": limits})).json()
        assert changed["limits"]["monthlyMicros"] == 0
        assert changed["limits"]["balanceMicros"] == 5_000_000
    async with gateway.client(ann) as own:
        assert (await own.get("/api/v1/session")).json()["limits"]["monthlyMicros"] == 0
    async with gateway.client(admin_token) as client:
        made = (await client.post(f"{path}/keys", json={"doors": ["gemini"]})).json()
        key_path = f"/api/v1/admin/keys/{made['key']['id']}"
        limited = await client.put(f"{key_path}/limits", json={"streams": 2})
        assert limited.json()["limits"]["streams"] == 2
        assert (await client.delete(key_path)).status_code == 204
        assert (await client.get(f"{path}/usage")).json()["models"] == []
        assert (await client.patch(path, json={"isDisabled": True})).status_code == 200
        assert (await client.post(f"{path}/invitation")).status_code == 201
        missing = await client.patch("/api/v1/people/nobody", json={"role": "admin"})
        assert missing.status_code == 404
        again = await client.post("/api/v1/people", json={"name": "ann with limits"})
        assert again.status_code == 409
    async with gateway.client(ann) as own:
        assert (await own.get("/api/v1/session")).status_code == 401


async def test_signing_in_refreshing_and_out_by_token(
    gateway: ServedGateway, admin_token: str
) -> None:
    await gateway.member(admin_token, "ann by token")
    async with gateway.client() as client:
        wrong = {"name": "ann by token", "password": "not the password"}
        refused = await client.post("/api/v1/session", json=wrong)
        assert refused.status_code == 401
        assert "not the password" not in refused.text
        answer = await client.post("/api/v1/session", json={**wrong, "password": PASSWORD})
        tokens = answer.json()
        assert "set-cookie" not in answer.headers
        body = {"refreshToken": tokens["refreshToken"]}
        following = (await client.post("/api/v1/session/refresh", json=body)).json()
        assert (await client.post("/api/v1/session/refresh", json=body)).status_code == 401
    async with gateway.client(following["accessToken"]) as client:
        assert (await client.get("/api/v1/session")).status_code == 401  # used twice: all are over
    async with gateway.client() as client:
        answer = await client.post("/api/v1/session", json={**wrong, "password": PASSWORD})
    async with gateway.client(answer.json()["accessToken"]) as client:
        assert (await client.get("/api/v1/session")).json()["name"] == "ann by token"
        assert (await client.delete("/api/v1/session")).status_code == 204
        assert (await client.get("/api/v1/session")).status_code == 401


async def test_pages_sign_in_by_cookies_and_change_nothing_from_elsewhere(
    gateway: ServedGateway, admin_token: str
) -> None:
    await gateway.member(admin_token, "ann by cookie")
    async with gateway.client() as page:
        body = {"name": "ann by cookie", "password": PASSWORD, "asCookie": True}
        answer = await page.post("/api/v1/session", json=body)
        assert answer.json()["accessToken"] is None
        cookies = answer.headers.get_list("set-cookie")
        assert len(cookies) == 2
        for cookie in cookies:
            assert "HttpOnly" in cookie
            assert "samesite=strict" in cookie.lower()
        assert (await page.get("/api/v1/session")).status_code == 200
        # The cookie alone changes nothing: the browser must say that our page asks.
        assert (await page.post("/api/v1/keys", json={})).status_code == 403
        for foreign in (
            {"origin": "http://evil.example"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"origin": "null"},
        ):
            refused = await page.post("/api/v1/keys", json={}, headers=foreign)
            assert refused.status_code == 403
        ours = {"sec-fetch-site": "same-origin", "origin": gateway.url}
        assert (await page.post("/api/v1/keys", json={}, headers=ours)).status_code == 201
        renewed = await page.post("/api/v1/session/refresh", json={}, headers=ours)
        assert renewed.status_code == 200
        assert (await page.get("/api/v1/session")).status_code == 200
        wrong_host = await page.get("/api/v1/session", headers={"host": "evil.example"})
        assert wrong_host.status_code == 421


async def test_the_forms_work_without_scripts(gateway: ServedGateway, admin_token: str) -> None:
    async with gateway.client(admin_token) as client:
        made = await client.post("/api/v1/people", json={"name": "<b>ann</b>"})
        link = made.json()["link"]
    ours = {"sec-fetch-site": "same-origin", "origin": gateway.url}
    async with gateway.client() as browser:
        shown = await browser.get(link, headers={"sec-fetch-mode": "navigate"})
        assert "&lt;b&gt;ann&lt;/b&gt;" in shown.text
        assert "default-src 'none'" in shown.headers["content-security-policy"]
        short = await browser.post(link, data={"password": "short"}, headers=ours)
        assert short.status_code == 422
        done = await browser.post(link, data={"password": PASSWORD}, headers=ours)
        assert done.status_code == 303
        assert (await browser.get("/api/v1/session")).json()["name"] == "<b>ann</b>"
        assert (await browser.get(link)).status_code == 410
        used = await browser.post(link, data={"password": PASSWORD}, headers=ours)
        assert used.status_code == 410
    async with gateway.client() as browser:
        fields = {"name": "<b>ann</b>", "password": "wrong"}
        assert (await browser.post("/sign-in", data=fields)).status_code == 401
        done = await browser.post("/sign-in", data={**fields, "password": PASSWORD})
        assert done.status_code == 303


async def test_the_pages_are_nobodys_and_run_only_their_own_scripts(
    gateway: ServedGateway,
) -> None:
    async with gateway.client() as stranger:
        page = await stranger.get("/")
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
        assert "unsafe" not in policy
        [script] = re.findall(r'src="(/assets/[^"]+\.js)"', page.text)
        assert (await stranger.get(script)).headers["content-type"].startswith("text/javascript")
        for address in ("/assets/none.js", "/assets/..%2f..%2fapplication.py"):
            assert (await stranger.get(address)).status_code in (401, 404)


async def test_a_link_that_was_withdrawn_opens_nothing(
    gateway: ServedGateway, admin_token: str
) -> None:
    async with gateway.client(admin_token) as client:
        made = (await client.post("/api/v1/people", json={"name": "withdrawn"})).json()
        assert made["person"]["invitationEndsMs"] > made["person"]["createdMs"]
        path = f"/api/v1/people/{made['person']['id']}/invitation"
        withdrawn = await client.delete(path)
        assert withdrawn.json()["invitationEndsMs"] is None
        assert (await client.get(made["link"])).status_code == 410
        assert (await client.delete("/api/v1/people/nobody/invitation")).status_code == 404


async def test_odd_requests_are_refused_in_words(gateway: ServedGateway, admin_token: str) -> None:
    async with gateway.client(admin_token) as client:
        assert (await client.get("/no/such/address")).status_code == 404
        assert (await client.put("/api/v1/people", json={})).status_code in (404, 405)
        large = await client.post("/api/v1/people", content=b"x" * 70_000)
        assert large.status_code == 413
        for body in ({"name": ""}, {"name": "a\x00"}, {"name": "a", "limits": {"streams": -1}}):
            answer = await client.post("/api/v1/people", json=body)
            assert answer.status_code == 422
            assert answer.headers["content-type"] == "application/problem+json"
    async with gateway.client() as client:
        assert (await client.get("/no/such/address")).status_code == 401
        assert (await client.get("/healthz", headers={"host": "10.0.0.7"})).status_code == 200
        assert (await client.get("/readyz")).json() == {"status": "ready"}


async def test_the_doors_get_what_programs_ask_and_know_who_calls(tmp_path: Path) -> None:
    @asynccontextmanager
    async def doors(parts: GatewayParts) -> AsyncGenerator[ASGIApp]:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            headers = dict(scope["headers"])
            key = headers.get(b"x-api-key", b"").decode()
            found = await parts.services.callers.authenticate(key, "anthropic-messages")
            answer = JSONResponse({"name": getattr(found, "name", None)})
            await answer(scope, receive, send)

        yield app

    async with served_gateway(tmp_path / "home", doors=doors) as gateway:
        admin_token = await gateway.admin()
        async with gateway.client(admin_token) as client:
            secret = (await client.post("/api/v1/keys", json={})).json()["secret"]
        async with gateway.client() as program:
            asked = await program.post("/v1/messages", headers={"x-api-key": secret})
            assert asked.json() == {"name": "admin"}
            asked = await program.post("/v1/messages", headers={"x-api-key": "sk-no"})
            assert asked.json() == {"name": None}


async def test_a_stream_that_runs_may_finish_when_the_gateway_is_told_to_stop(
    tmp_path: Path,
) -> None:
    goes_on = anyio.Event()
    readiness: list[bool] = []

    @asynccontextmanager
    async def doors(parts: GatewayParts) -> AsyncGenerator[ASGIApp]:
        async def words() -> AsyncGenerator[bytes]:
            yield b"first "
            await goes_on.wait()
            readiness.append(parts.services.is_ready())
            yield b"last"

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await StreamingResponse(words())(scope, receive, send)

        yield app

    async with (
        served_gateway(tmp_path / "home", doors=doors) as gateway,
        gateway.client() as program,
        program.stream("POST", "/v1/messages") as answer,
    ):
        pieces = answer.aiter_bytes()
        assert await anext(pieces) == b"first "
        gateway.ready.stop()
        goes_on.set()
        assert [piece async for piece in pieces] == [b"last"]
    assert readiness == [False]


async def test_no_password_key_token_or_link_is_ever_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger="httpx")  # the client's own log, in this process
    home = tmp_path / "home"
    async with served_gateway(home) as gateway:
        assert gateway.ready.admin_link is not None
        code = gateway.ready.admin_link.rpartition("/")[2]
        token = await gateway.admin()
        async with gateway.client(token) as client:
            secret = (await client.post("/api/v1/keys", json={})).json()["secret"]
            body = {"name": "admin", "password": PASSWORD + "-wrong"}
            await client.post("/api/v1/session", json=body, headers={"authorization": ""})
            await client.post("/api/v1/session", content=f'{{"password": "{PASSWORD}"')
            await client.get(f"/invitation/{code}")
            await client.get(f"/api/v1/keys/{secret}")
    written = b"".join(path.read_bytes() for path in home.iterdir() if path.is_file())
    assert b"/invitation/{code}" in written
    for canary in (PASSWORD, secret, token, code):
        assert canary.encode() not in written
