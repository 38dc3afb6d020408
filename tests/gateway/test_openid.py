"""Signing in through another service: who gets in, and what is not believed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.config import GatewaySettings, Home, OpenIdSettings, Secret, Settings, save_keys
from tests.fakes.openid_provider import CLIENT_ID, CLIENT_SECRET, Claims, OpenIdProvider
from tests.gateway.served import ServedGateway, served_gateway

pytestmark = pytest.mark.anyio

ANN: Claims = {"sub": "ann-1", "email": "ann@Example.org", "email_verified": True}
VISIT = {"sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site"}


@pytest.fixture
async def provider() -> AsyncGenerator[OpenIdProvider]:
    async with OpenIdProvider(person=dict(ANN)) as provider:
        yield provider


@asynccontextmanager
async def gateway_with(
    home: Path, provider: OpenIdProvider, **settings: Any
) -> AsyncGenerator[ServedGateway]:
    """A gateway that hands signing in to the provider."""
    await anyio.Path(home).mkdir()
    save_keys(Home(home), {"OPENID_SECRET": Secret(CLIENT_SECRET)})
    openid = OpenIdSettings(
        issuer=provider.url,
        client_id=CLIENT_ID,
        client_secret="OPENID_SECRET",
        **{"domains": ["example.org"], **settings},
    )
    wanted = Settings(gateway=GatewaySettings(openid=openid))
    async with served_gateway(home, wanted) as gateway:
        yield gateway


async def sign_in(client: httpx.AsyncClient) -> httpx.Response:
    """Go to the provider and come back."""
    sent = await client.get("/sign-in/provider")
    assert sent.status_code == 303, sent.text
    back = await client.get(sent.headers["location"])
    assert back.status_code == 302, back.text
    return await client.get(back.headers["location"], headers=VISIT)


async def test_somebody_of_an_allowed_domain_gets_an_account_and_keeps_it(
    tmp_path: Path, provider: OpenIdProvider
) -> None:
    async with gateway_with(tmp_path / "home", provider) as gateway:
        found: list[str] = []
        for _ in range(2):
            async with gateway.client() as browser:
                answer = await sign_in(browser)
                assert answer.status_code == 200
                assert answer.headers["refresh"] == "0; url=/"
                me = (await browser.get("/api/v1/session")).json()
                assert (me["name"], me["role"]) == ("ann@Example.org", "member")
                found.append(me["id"])
        assert found[0] == found[1]
        async with gateway.client(await gateway.admin()) as admin:
            path = f"/api/v1/people/{found[0]}"
            assert (await admin.patch(path, json={"isDisabled": True})).status_code == 200
        async with gateway.client() as browser:
            assert (await sign_in(browser)).status_code == 403


@pytest.mark.parametrize(
    "person",
    [
        {"sub": "eve", "email": "eve@elsewhere.org", "email_verified": True},
        {"sub": "eve", "email": "eve@example.org", "email_verified": False},
        {"sub": "eve", "email": "eve@example.org"},
        {"sub": "eve", "email": "eve@example.org.evil", "email_verified": True},
        {"sub": "admin", "email": "eve@notexample.org", "email_verified": "true"},
    ],
)
async def test_nobody_else_gets_an_account(
    tmp_path: Path, provider: OpenIdProvider, person: Claims
) -> None:
    provider.person = person
    async with (
        gateway_with(tmp_path / "home", provider) as gateway,
        gateway.client() as browser,
    ):
        answer = await sign_in(browser)
        assert answer.status_code == 403
        assert "Ask an admin" in answer.text
        assert (await browser.get("/api/v1/session")).status_code == 401


async def test_the_operator_can_name_single_people_and_a_taken_name_is_not_given_away(
    tmp_path: Path, provider: OpenIdProvider
) -> None:
    provider.takes_form = True
    async with gateway_with(
        tmp_path / "home", provider, domains=[], subjects=["ann-1", "admin"]
    ) as gateway:
        provider.person = {"sub": "ann-1"}
        async with gateway.client() as browser:
            assert (await sign_in(browser)).status_code == 200
            assert (await browser.get("/api/v1/session")).json()["name"] == "ann-1"
        provider.person = {"sub": "admin"}
        async with gateway.client() as browser:
            assert "There is an account admin" in (await sign_in(browser)).text


def other_nonce(claims: Claims) -> None:
    claims["nonce"] = "another"


def other_audience(claims: Claims) -> None:
    claims["aud"] = ["somebody-else"]


def other_party(claims: Claims) -> None:
    claims |= {"aud": [CLIENT_ID, "somebody-else"], "azp": "somebody-else"}


def no_party(claims: Claims) -> None:
    claims["aud"] = [CLIENT_ID, "somebody-else"]


def other_issuer(claims: Claims) -> None:
    claims["iss"] = "https://elsewhere.example"


def too_old(claims: Claims) -> None:
    claims["exp"] = claims["iat"] - 61


def too_new(claims: Claims) -> None:
    claims["iat"] += 1000


def no_subject(claims: Claims) -> None:
    claims["sub"] = ""


def no_end(claims: Claims) -> None:
    claims["exp"] = True


SPOILT = [
    other_nonce,
    other_audience,
    other_party,
    no_party,
    other_issuer,
    too_old,
    too_new,
    no_subject,
    no_end,
]


async def test_a_token_that_is_not_meant_for_us_now_signs_nobody_in(
    tmp_path: Path, provider: OpenIdProvider
) -> None:
    async with gateway_with(tmp_path / "home", provider) as gateway:
        for spoil in SPOILT:
            provider.change = spoil
            async with gateway.client() as browser:
                answer = await sign_in(browser)
                assert (answer.status_code, spoil.__name__) == (403, spoil.__name__)
                assert "can&#x27;t be trusted" in answer.text
                assert (await browser.get("/api/v1/session")).status_code == 401


async def test_only_signatures_of_the_services_own_keys_count(
    tmp_path: Path, provider: OpenIdProvider
) -> None:
    async with gateway_with(tmp_path / "home", provider) as gateway:
        for sign, status in (("RS256", 200), ("ES256", 200), ("none", 403), ("HS256", 403)):
            provider.sign = sign
            async with gateway.client() as browser:
                assert ((await sign_in(browser)).status_code, sign) == (status, sign)
        assert provider.asked_for_keys == 1
        # It signs with another key now: that one is fetched. The same name for another is a lie.
        provider.sign = "RS256"
        provider.new_keys("second")
        async with gateway.client() as browser:
            assert (await sign_in(browser)).status_code == 200
        assert provider.asked_for_keys == 2
        provider.new_keys("second")
        async with gateway.client() as browser:
            assert (await sign_in(browser)).status_code == 403


async def test_only_the_browser_that_was_sent_comes_back_and_once(
    tmp_path: Path, provider: OpenIdProvider
) -> None:
    async with (
        gateway_with(tmp_path / "home", provider) as gateway,
        gateway.client() as browser,
        gateway.client() as other,
    ):
        sent = await browser.get("/sign-in/provider")
        back = (await browser.get(sent.headers["location"])).headers["location"]
        assert (await other.get(back, headers=VISIT)).status_code == 403
        await other.get("/sign-in/provider")
        assert (await other.get(back, headers=VISIT)).status_code == 403
        assert (await browser.get(back, headers=VISIT)).status_code == 200
        assert (await browser.get(back, headers=VISIT)).status_code == 403
        assert (await other.get("/api/v1/session")).status_code == 401


async def test_a_service_that_names_itself_otherwise_is_not_used(
    tmp_path: Path, provider: OpenIdProvider
) -> None:
    provider.shown_issuer = "https://elsewhere.example"
    async with (
        gateway_with(tmp_path / "home", provider) as gateway,
        gateway.client() as browser,
    ):
        assert (await browser.get("/sign-in/provider")).status_code == 503


async def test_without_such_a_service_nobody_is_sent_anywhere(tmp_path: Path) -> None:
    async with served_gateway(tmp_path / "home") as gateway, gateway.client() as browser:
        for path in ("/sign-in/provider", "/sign-in/provider/callback?state=a&code=b"):
            assert (await browser.get(path)).status_code == 404
