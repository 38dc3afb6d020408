"""Papers are searched by OpenAlex, then Exa, then CrossRef; what failed is told."""

from collections.abc import Mapping
from typing import Any

import pytest

from recto.config import Secret
from recto.research import (
    CrossRef,
    Exa,
    OpenAlex,
    PaperSearch,
    PapersUnavailable,
    SearchConnection,
    SearchFailed,
)
from recto.research.openalex import read_abstract
from tests.fakes.record_services import ODD_WORK, RecordWorld

pytestmark = pytest.mark.anyio
KEYS = {"EXA_API_KEY": "exa-key"}


async def no_gateway(body: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    return None


def search_of(
    world: RecordWorld, connection: SearchConnection, keys: dict[str, str], **more: Any
) -> PaperSearch:
    def find(name: str) -> Secret | None:
        return Secret(keys[name]) if name in keys else None

    return PaperSearch(
        OpenAlex(connection, world.url),
        Exa(connection, world.url),
        CrossRef(connection, world.url),
        find,
        more.pop("gateway", no_gateway),
        **more,
    )


async def test_openalex_answers_and_nobody_else_is_asked(
    world: RecordWorld, connection: SearchConnection
) -> None:
    found = await search_of(world, connection, KEYS).search("open access", 5)
    assert (found.service, found.notes, found.papers[0]["citations"]) == ("OpenAlex", (), 1210)
    assert [asked.split()[0] for asked in world.asked] == ["openalex"]


async def test_exa_is_next_and_says_what_is_missing(
    world: RecordWorld, connection: SearchConnection
) -> None:
    world.failing["openalex"] = 429
    found = await search_of(world, connection, KEYS).search("tides", 5)
    assert found.service == "Exa"
    assert found.notes == (
        "OpenAlex takes no more searches just now. Try again in 9 seconds.",
        "These results are from Exa.",
        "Citation counts, open-access status and DOIs are unavailable.",
    )
    [paper] = found.papers
    assert (paper["title"], paper["year"], paper["citations"]) == ("Tides", 2026, None)
    assert len(paper["abstract"]) <= 302


async def test_crossref_is_the_last_and_needs_no_key(
    world: RecordWorld, connection: SearchConnection
) -> None:
    world.failing["openalex"] = "silence"
    world.items.append(ODD_WORK)
    search = search_of(world, connection, {}, limits_s=(0.05, 10, 60))
    found = await search.search("tidal spectroscopy", 5)
    assert found.notes == (
        "OpenAlex did not answer in 0.05 s.",
        "Exa was not asked: there is no key for it.",
        "These results are from CrossRef.",
        "Citation counts are CrossRef's own; open-access status is unavailable.",
    )
    first, odd = found.papers
    assert (first["authors"], first["year"], first["citations"], first["abstract"]) == (
        ["W. H. Munk", "D. E. Cartwright"],
        1966,
        587,
        "A new & general method.",
    )
    assert (odd["title"], odd["authors"], odd["year"]) == (None, ["A consortium"], None)


async def test_when_all_fail_each_says_why(
    world: RecordWorld, connection: SearchConnection
) -> None:
    world.failing |= {"openalex": 500, "exa": "not json", "crossref": "[]"}
    with pytest.raises(PapersUnavailable) as failed:
        await search_of(world, connection, KEYS).search("tides", 5)
    assert [(item.service, item.why) for item in failed.value.failures] == [
        ("OpenAlex", "OpenAlex failed with status 500. Try again later"),
        ("Exa", "Exa did not answer as it must"),
        ("CrossRef", "CrossRef did not answer as it must"),
    ]


async def test_a_refused_key_is_told_without_it(
    world: RecordWorld, connection: SearchConnection
) -> None:
    world.failing |= {"openalex": 500, "crossref": 503}
    with pytest.raises(PapersUnavailable, match="Exa does not accept your key") as failed:
        await search_of(world, connection, {"EXA_API_KEY": "wrong-key"}).search("tides", 5)
    assert "wrong-key" not in str(failed.value)


async def test_without_keys_the_gateway_searches(
    world: RecordWorld, connection: SearchConnection
) -> None:
    asked: list[Mapping[str, Any]] = []

    async def gateway(body: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        asked.append(body)
        if body["action"] == "openalex_search":
            raise SearchFailed("The gateway did not search: over the limit", 402)
        return [{"title": "By the gateway", "url": "https://doi.org/10.1000/182", "text": "x"}]

    found = await search_of(world, connection, {}, gateway=gateway).search("tides", 3)
    assert [body["action"] for body in asked] == ["openalex_search", "web_search"]
    assert (found.service, found.papers[0]["doi"]) == ("Exa", "10.1000/182")
    assert found.notes[0] == "The gateway did not search: over the limit."
    assert world.asked == []


def test_an_abstract_is_put_together_and_cut() -> None:
    """OpenAlex has a list of where each word stands; a place may be no number."""
    words = [f"word{number}" for number in range(80)]
    index: dict[str, Any] = {word: [at] for at, word in enumerate(words)}
    text = read_abstract({**index, "odd": "7", "odder": [None, "x"]})
    assert text is not None
    kept, _, end = text.rpartition(" ")
    assert (" ".join(words).startswith(f"{kept} "), end, 290 < len(kept) <= 300) == (
        True,
        "…",
        True,
    )
    odd: list[Any] = [None, {}, [], "x"]
    assert [read_abstract(item) for item in odd] == [None] * 4
