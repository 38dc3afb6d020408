"""The record of a work, by whatever somebody names it with."""

from typing import Any

import pytest

from recto.research import (
    ArXiv,
    CrossRef,
    DataCite,
    OpenAlex,
    OpenLibrary,
    PageFetcher,
    PubMed,
    RecordFinder,
    RecordServices,
    SearchConnection,
    WorkNotFound,
)
from recto.research.records import find_doi, find_isbn
from tests.fakes.record_services import DOI, RecordWorld

pytestmark = pytest.mark.anyio
CITATION = (
    "Munk, W. H. and Cartwright, D. E. (1966): Tidal spectroscopy and prediction."
    " Phil. Trans. R. Soc. A 259, 533-581."
)


def finder_of(
    world: RecordWorld, connection: SearchConnection, parsed: dict[str, Any] | str = "unsure"
) -> RecordFinder:
    async def parse(text: str) -> dict[str, Any] | str:
        world.asked.append(f"model {text}")
        return parsed

    services = RecordServices(
        CrossRef(connection, world.url, mailto="ann@example.org"),
        DataCite(connection, world.url),
        ArXiv(connection, world.url),
        PubMed(connection, world.url),
        OpenLibrary(connection, world.url),
        OpenAlex(connection, world.url),
        PageFetcher(lambda address: True),
    )
    return RecordFinder(services, parse)


@pytest.mark.parametrize(
    ("text", "source", "title", "family"),
    [
        (DOI, "CrossRef", "Tidal spectroscopy and prediction", "Munk"),
        (f"https://doi.org/{DOI}", "CrossRef", "Tidal spectroscopy and prediction", "Munk"),
        (f"See doi: {DOI}.", "CrossRef", "Tidal spectroscopy and prediction", "Munk"),
        ("10.5281/zenodo.1", "DataCite", "Hourly levels at Brest", "Pons"),
        ("arXiv:1706.03762v5", "arXiv", "Attention Is All You Need", "Vaswani"),
        ("https://arxiv.org/pdf/1706.03762", "arXiv", "Attention Is All You Need", "Vaswani"),
        (
            "PMID: 27922630",
            "PubMed",
            "Spatial and temporal analysis of extreme sea level",
            "Haigh",
        ),
        ("ISBN 978-0-471-91505-8", "Open Library", "Tides, Surges and Mean Sea-Level", "Pugh"),
        (
            "Tidal Spectroscopy and Prediction",
            "CrossRef",
            "Tidal spectroscopy and prediction",
            "Munk",
        ),
        (CITATION, "CrossRef", "Tidal spectroscopy and prediction", "Munk"),
    ],
)
async def test_a_work_is_found_by_what_names_it(
    world: RecordWorld,
    connection: SearchConnection,
    text: str,
    source: str,
    title: str,
    family: str,
) -> None:
    found = await finder_of(world, connection).find(text)
    assert (found.source, found.is_record, found.item["title"]) == (source, True, title)
    assert found.item["author"][0]["family"] == family
    assert not any(asked.startswith("model") for asked in world.asked)


async def test_a_page_says_its_doi(world: RecordWorld, connection: SearchConnection) -> None:
    found = await finder_of(world, connection).find(f"{world.url}/page")
    assert (found.source, found.item["DOI"]) == ("CrossRef", DOI)
    assert "mailto=ann%40example.org" in world.asked[-1] or "ann@example.org" in world.asked[-1]


@pytest.mark.parametrize(
    "text",
    [
        "Tidal spectroscopy and its critics in prediction, by somebody else (1966)",
        "Smith, J. (1966): Tidal spectroscopy and prediction, a play",
        CITATION.replace("1966", "1976"),
    ],
)
async def test_what_is_not_surely_the_same_work_goes_to_a_model(
    world: RecordWorld, connection: SearchConnection, text: str
) -> None:
    item = {"title": "Read by a model"}
    found = await finder_of(world, connection, item).find(text)
    assert (found.is_record, found.item) == (False, item)
    assert world.asked[-1] == f"model {text}"


async def test_when_nobody_knows_it_says_what_was_tried(
    world: RecordWorld, connection: SearchConnection
) -> None:
    finder = finder_of(world, connection, "a model is not sure what the text says")
    with pytest.raises(WorkNotFound) as unknown:
        await finder.find("10.1000/nothing")
    assert str(unknown.value) == (
        "CrossRef has no 10.1000/nothing; DataCite has no 10.1000/nothing;"
        " there are too few other words to find it by."
    )
    assert not any(asked.startswith("model") for asked in world.asked)
    world.failing |= {"crossref": 503}
    with pytest.raises(WorkNotFound, match="CrossRef failed with status 503"):
        await finder.find(CITATION)
    with pytest.raises(WorkNotFound, match="Name a DOI"):
        await finder.find("  ")
    with pytest.raises(WorkNotFound, match="arXiv has no 9999.99999"):
        await finder.find("arXiv:9999.99999")
    world.failing |= {"arxiv": '<!DOCTYPE x [<!ENTITY a "b">]><feed/>'}
    with pytest.raises(WorkNotFound, match="arXiv has no"):
        await finder.find("arXiv:1706.03762")
    world.failing |= {"arxiv": "<feed"}
    with pytest.raises(WorkNotFound, match="arXiv did not answer as it must"):
        await finder.find("arXiv:1706.03762")


async def test_a_number_of_another_work_than_the_text_says_is_not_taken(
    world: RecordWorld, connection: SearchConnection
) -> None:
    finder = finder_of(world, connection, {"title": "Read by a model"})
    # The words name a work that CrossRef knows: that one is meant.
    found = await finder.find(f"{CITATION} doi:10.5281/zenodo.1")
    assert found.item["DOI"] == DOI
    with pytest.raises(WorkNotFound) as other:
        await finder.find(f"Nobody, N. (2020). A survey of neural oceans. https://doi.org/{DOI}")
    assert str(other.value) == (
        "its number is that of “Tidal spectroscopy and prediction” (Munk, 1966), which the text"
        " does not say; CrossRef has nothing that is surely the same work."
        " If that work is meant, give its number alone."
    )
    assert not any(asked.startswith("model") for asked in world.asked)
    for text in (f"Munk, 1967, {DOI}", f"Tidal spectroscopy and prediction, 2020, {DOI}"):
        assert (await finder.find(text)).item["DOI"] == DOI


async def test_an_odd_record_is_none(world: RecordWorld, connection: SearchConnection) -> None:
    with pytest.raises(WorkNotFound, match="CrossRef has no 10.5555/odd"):
        await finder_of(world, connection).find("10.5555/odd")


def test_numbers_are_taken_out_of_sentences() -> None:
    assert find_doi("(see https://doi.org/10.1000/a(b)c).") == "10.1000/a(b)c"
    assert find_doi("“10.1000/abc”, and") == "10.1000/abc"
    assert find_doi("no 10.x/abc") is None
    assert find_isbn("0-471-91505-8 or 0-306-40615-2") == "0306406152"
    assert find_isbn("978-0-471-91505-9") is None
    assert find_isbn("tel. 0123456780") is None
