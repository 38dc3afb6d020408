"""The search door, against services that speak the real formats."""

import ipaddress
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from recto.access import SpendingScope
from recto.config import SearchSettings
from recto.gateway import Refused
from recto.messages import Failure
from recto.research import PageFetcher, is_public
from tests.fakes.callers import ANYBODY, KEY
from tests.fakes.search_services import EXA_PAGE, SearchServices, search_services
from tests.gateway.world import ENVIRONMENT, GatewayWorld, running_gateway

pytestmark = pytest.mark.anyio

SEARCH = "/api/v1/search"
PAPERS = {"action": "openalex_search", "query": "open access"}
PAGES = {"action": "web_search", "query": "tides", "count": 3}
KEYS = {"OPENALEX_API_KEY": "openalex-key", "EXA_API_KEY": "exa-key", "BRAVE_API_KEY": "brave-key"}


class ToldResolver(AbstractResolver):
    """Answers a name with one address after another, as somebody does who means harm."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)
        self.asked = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked += 1
        found = self.addresses.pop(0) if len(self.addresses) > 1 else self.addresses[0]
        return [
            ResolveResult(
                hostname=host, host=found, port=port, family=socket.AF_INET, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        pass


def only_the_services(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """127.0.0.1 stands for the public internet here; every other address for a private one."""
    return str(address) == "127.0.0.1"


@asynccontextmanager
async def searching(
    home: Path,
    keys: dict[str, str],
    *,
    resolver: ToldResolver | None = None,
    **settings: Any,
) -> AsyncGenerator[tuple[GatewayWorld, SearchServices]]:
    async with search_services() as services:
        url = services.url
        told = SearchSettings(openalex_url=url, exa_url=url, brave_url=url, **settings)
        fetcher = PageFetcher(
            only_the_services, None if resolver is None else (lambda: resolver), most_bytes=100_000
        )
        async with running_gateway(
            home, environment={**ENVIRONMENT, **keys}, searching=told, fetcher=fetcher
        ) as world:
            yield world, services


@pytest.fixture(scope="module")
async def both(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[tuple[GatewayWorld, SearchServices]]:
    async with searching(tmp_path_factory.mktemp("search"), KEYS) as both:
        yield both


@pytest.fixture(autouse=True)
def anew(request: pytest.FixtureRequest) -> None:
    if "both" in request.fixturenames:
        world, services = request.getfixturevalue("both")
        world.callers.known = {KEY: ANYBODY}
        world.callers.refusal = None
        services.status = 200
        services.asked.clear()


async def ask(world: GatewayWorld, body: Any) -> httpx.Response:
    async with world.client() as client:
        return await client.post(SEARCH, json=body)


async def last_cost(world: GatewayWorld) -> tuple[str, str, int | None, str]:
    spend = (await world.spent())[-1].spend
    return spend.provider, spend.model, spend.cost_micros, spend.outcome


async def test_papers_come_cut_to_what_serves_and_cost_a_tenth_of_a_cent(
    both: tuple[GatewayWorld, SearchServices],
) -> None:
    world, services = both
    answer = await ask(world, PAPERS)
    paper = {
        "id": "https://openalex.org/W2741809807",
        "title": "The state of OA",
        "authors": ["Heather Piwowar", "Stefanie Haustein"],
        "year": 2018,
        "doi": "10.7717/peerj.4375",
        "citations": 1210,
        "type": "article",
        "journal": "PeerJ",
        "abstract": "Despite growing interest in interest",
        "openAccess": "gold",
        "openAccessUrl": "https://peerj.com/4375.pdf",
        "volume": "6",
        "issue": None,
        "pages": "e4375",
        "isRetracted": False,
    }
    assert (answer.status_code, answer.json()) == (200, {"results": [paper]})
    [asked] = services.asked
    assert (asked["search"], asked["per-page"], asked["api_key"]) == (
        *("open access", "5"),
        "openalex-key",
    )
    assert await last_cost(world) == ("openalex", "openalex_search", 1000, "finished")
    looked_up = await ask(
        world, {"action": "openalex_search", "doi": "https://doi.org/10.7717/peerj.4375"}
    )
    assert looked_up.json() == {"results": [paper]}
    assert await last_cost(world) == ("openalex", "openalex_search", 0, "finished")
    nothing = await ask(world, {"action": "openalex_search", "doi": "10.1000/nothing"})
    assert (nothing.status_code, nothing.json()) == (200, {"results": []})


async def test_the_web_is_searched_and_the_key_stays_here(
    both: tuple[GatewayWorld, SearchServices],
) -> None:
    world, services = both
    answer = await ask(world, PAGES)
    text = str(EXA_PAGE["text"])[:1000]
    published = EXA_PAGE["publishedDate"]
    page = {"title": "Tides", "url": "https://tides.example/", "text": text, "author": None}
    assert answer.json() == {"results": [{**page, "published": published}]}
    assert (services.asked[0]["query"], services.asked[0]["numResults"]) == ("tides", 3)
    assert "exa-key" not in answer.text
    assert await last_cost(world) == ("exa", "web_search", 7000, "finished")


async def test_what_fails_costs_nothing_and_is_told_in_words(
    both: tuple[GatewayWorld, SearchServices],
) -> None:
    world, services = both
    services.status = 429
    slow = await ask(world, PAGES)
    assert (slow.status_code, slow.headers["retry-after"]) == (429, "7")
    assert await last_cost(world) == ("exa", "web_search", 0, "failed")
    services.status = 401
    refused = await ask(world, PAPERS)
    assert refused.status_code == 502
    assert "does not accept the gateway's key" in refused.json()["detail"]
    services.status = 500
    assert (await ask(world, PAPERS)).status_code == 502
    assert all(item.spend.cost_micros == 0 for item in (await world.spent())[-3:])


async def test_limits_and_doors_hold(both: tuple[GatewayWorld, SearchServices]) -> None:
    world, services = both
    poor = SpendingScope("account:poor", 1999, "the account's monthly limit")
    world.callers.known = {KEY: replace(ANYBODY, scopes=(poor,))}
    assert (await ask(world, PAPERS)).status_code == 200
    over = await ask(world, PAPERS)
    assert over.status_code == 402, "999 micro-dollars are left, and it costs 1000"
    assert "would pass the account's monthly limit" in over.json()["detail"]
    assert len(services.asked) == 1
    free = await ask(world, {"action": "openalex_search", "doi": "10.7717/peerj.4375"})
    assert free.status_code == 200, "what costs nothing goes on"
    world.callers.refusal = Refused(Failure("rate_limit", "Too fast."), 429, 3.0)
    too_fast = await ask(world, PAPERS)
    assert (too_fast.status_code, too_fast.headers["retry-after"]) == (429, "3")
    world.callers.known = {KEY: replace(ANYBODY, doors=frozenset({"gemini"}))}
    assert (await ask(world, PAPERS)).status_code == 403
    world.callers.known = {}
    stranger = await ask(world, PAPERS)
    assert stranger.status_code == 401
    assert stranger.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"action": "openalex_search"}, "either a query or a doi"),
        ({"action": "openalex_search", "doi": "eleven"}, "must look like 10.1000/182"),
        ({"action": "web_search", "query": "x", "count": 11}, "count"),
        ({"action": "dig", "query": "x"}, "action"),
        ({"action": "fetch", "url": "ftp://tides.example/"}, "Only addresses with http://"),
        ({"action": "fetch", "url": "http://ann@tides.example/"}, "user name"),
        ([], ""),
    ],
)
async def test_what_is_not_understood_is_told(
    both: tuple[GatewayWorld, SearchServices], body: Any, words: str
) -> None:
    world, services = both
    answer = await ask(world, body)
    assert (answer.status_code, services.asked) == (422, [])
    assert words in answer.json()["detail"]


async def test_pages_are_fetched_within_their_limits(
    both: tuple[GatewayWorld, SearchServices],
) -> None:
    world, services = both

    async def fetch(path: str) -> httpx.Response:
        return await ask(world, {"action": "fetch", "url": f"{services.url}/page/{path}"})

    page = await fetch(f"moved?to={services.url}/page/tides")
    found = {"url": f"{services.url}/page/tides", "status": 200, "contentType": "text/html"}
    assert page.json() == {**found, "text": "<p>Ebb & flööd</p>"}
    assert await last_cost(world) == ("fetch", "fetch", 0, "finished")
    pdf = (await fetch("pdf")).json()
    assert (pdf["contentType"], pdf["data"]) == ("application/pdf", "JVBERi0xLjf/")
    assert (await fetch("packed?size=5")).json()["text"] == "xxxxx"
    for path in ("packed?size=100001", "large?size=100001"):
        large = await fetch(path)
        assert (large.status_code, "larger than" in large.json()["detail"]) == (502, True)
    around = await fetch("circle")
    assert (around.status_code, len(services.asked)) == (502, 12)
    assert "more than 5 times" in around.json()["detail"]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.2/",
        "http://0x7f.0.0.2/",
        "http://2130706434/",
        "http://0177.0.0.2/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.2]/",
        "http://[fe80::1]/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
async def test_no_spelling_reaches_a_private_address(
    both: tuple[GatewayWorld, SearchServices], url: str
) -> None:
    world, services = both
    straight = await ask(world, {"action": "fetch", "url": url})
    moved = await ask(world, {"action": "fetch", "url": f"{services.url}/page/moved?to={url}"})
    for answer in (straight, moved):
        assert answer.status_code == 403, answer.text
        assert "not on the public internet" in answer.json()["detail"]


async def test_a_name_that_changes_its_answer_gains_nothing(tmp_path: Path) -> None:
    resolver = ToldResolver("127.0.0.1", "127.0.0.2")
    async with searching(tmp_path, KEYS, resolver=resolver) as (world, services):
        port = services.url.rpartition(":")[2]
        body = {"action": "fetch", "url": f"http://rebound.example:{port}/page/tides"}
        first = await ask(world, body)
        assert (first.status_code, resolver.asked) == (200, 1), "looked up once, then connected"
        second = await ask(world, body)
        assert second.status_code == 403
        assert len(services.asked) == 1


async def test_without_keys_it_says_who_sets_them(tmp_path: Path) -> None:
    async with searching(tmp_path, {}) as (world, services):
        missing = await ask(world, PAGES)
        assert missing.status_code == 503
        assert "recto keys set EXA_API_KEY" in missing.json()["detail"]
        free = await ask(world, PAPERS)
        assert (free.status_code, "api_key" in services.asked[0]) == (200, False)
        assert await last_cost(world) == ("openalex", "openalex_search", 0, "finished")


async def test_brave_may_search_instead(tmp_path: Path) -> None:
    async with searching(tmp_path, KEYS, web="brave", web_usd=0.005) as (world, services):
        answer = await ask(world, PAGES)
        assert answer.json()["results"] == [
            {
                "title": "Tides & moons",
                "url": "https://tides.example/",
                "text": "The sea comes twice.",
                "published": "2026-03-01T00:00:00",
                "author": None,
            }
        ]
        assert (services.asked[0]["q"], services.asked[0]["count"]) == ("tides", "3")
        assert await last_cost(world) == ("brave", "web_search", 5000, "finished")


PUBLIC = ("1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101")
PRIVATE = (
    *("10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1"),
    *("0.0.0.0", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
    *("::", "::1", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "::ffff:10.0.0.1"),
    *("192.0.0.8", "192.88.99.1", "3fff::1", "64:ff9b:1::a00:1", "::ffff:0:a00:1", "::a00:1"),
    *("64:ff9b::a00:1", "2002:a00:1::", "2001:0:5ef5:79fb::1", "2001:db8::1"),
)


@pytest.mark.parametrize("address", [*PUBLIC, *PRIVATE])
def test_which_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address)) == (address in PUBLIC)
