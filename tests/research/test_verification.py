"""Real, altered and invented references, told apart by what services of record know."""

import math
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from recto.research import CitedWork, CrossRef, DataCite, OpenAlex, SearchConnection
from recto.research.verification import verify_work
from tests.fakes.record_services import RecordWorld
from tests.fakes.search_services import WORK
from tests.research.bench import altered, cited, invented, records

pytestmark = pytest.mark.anyio
REAL = 500
ALTERED = 300
INVENTED = 200
LEAST_CORRELATION = 0.80
MOST_FALSE_ALARMS = 0.10


async def test_the_bench_of_1000_references(
    world: RecordWorld, connection: SearchConnection
) -> None:
    chance = random.Random(19)
    known = records(800, chance)
    world.works_by_doi = {work["DOI"]: work for work in known}
    cases: list[tuple[str, CitedWork]] = [
        ("verified", cited(work, chance)) for work in known[:REAL]
    ]
    cases += [("mismatch", altered(work, known, chance)) for work in known[REAL : REAL + ALTERED]]
    cases += [("not-found", invented(known, chance)) for _ in range(INVENTED)]
    services = services_at(world.url, connection)
    found: Counter[tuple[str, str]] = Counter()
    for expected, work in cases:
        found[expected, (await verify_work(work, *services)).verdict] += 1
    correlation, false_alarms = figures(found)
    assert correlation >= LEAST_CORRELATION, found
    assert false_alarms <= MOST_FALSE_ALARMS, found
    # A real work with wrong data is never called invented, but for the odd one.
    assert found["mismatch", "not-found"] <= ALTERED // 20, found


def services_at(url: str, connection: SearchConnection) -> tuple[CrossRef, DataCite, OpenAlex]:
    """Whoever is asked, at one address."""
    return CrossRef(connection, url), DataCite(connection, url), OpenAlex(connection, url)


def figures(found: Counter[tuple[str, str]]) -> tuple[float, float]:
    """Matthews correlation of "something is wrong", and the share of false alarms."""
    table: Counter[tuple[bool, bool]] = Counter()
    for (expected, verdict), count in found.items():
        table[expected != "verified", verdict != "verified"] += count
    hits, misses = table[True, True], table[True, False]
    alarms, rights = table[False, True], table[False, False]
    below = math.sqrt((hits + alarms) * (hits + misses) * (rights + alarms) * (rights + misses))
    return (hits * rights - alarms * misses) / below, alarms / (alarms + rights)


@pytest.mark.parametrize(
    ("change", "verdict", "faults"),
    [
        ({}, "verified", ()),
        ({"year": "1967"}, "verified", ()),
        ({"year": "1972"}, "mismatch", ("The year is 1966.",)),
        ({"family": "Darwin"}, "mismatch", ("The first author is Munk.",)),
        ({"doi": "10.9999/nobody"}, "mismatch", ("The DOI 10.9999/nobody is nobody’s.",)),
        (
            {"title": "Tidal spectroscopy and its limits"},
            "mismatch",
            ("The title is “Tidal spectroscopy and prediction”.",),
        ),
        (
            {"title": "A survey of neural oceans", "doi": "", "family": "Nobody", "year": "2031"},
            "not-found",
            ("No service has a record of it.",),
        ),
        # Of a real author and year, with the DOI of their work: a word in common makes no work.
        (
            {"title": "Neural spectroscopy of the deep ocean floor"},
            "not-found",
            ("No service has a record of it.",),
        ),
    ],
)
async def test_each_verdict_says_what_is_wrong(
    world: RecordWorld,
    connection: SearchConnection,
    change: dict[str, Any],
    verdict: str,
    faults: tuple[str, ...],
) -> None:
    work = replace(
        CitedWork("Tidal spectroscopy and prediction", "Munk", "1966", "10.1098/rsta.1966.0024"),
        **change,
    )
    world.failing["datacite"] = 404
    found = await verify_work(work, *services_at(world.url, connection))
    assert (found.verdict, found.faults) == (verdict, faults)


@pytest.mark.parametrize(
    ("work", "source"),
    [
        (CitedWork("Hourly levels at Brest", "Pons", "2021", "10.5281/zenodo.1"), "DataCite"),
        (CitedWork("The state of OA", "Piwowar", "2018", "10.7717/peerj.4375"), "OpenAlex"),
    ],
)
async def test_what_crossref_lacks_datacite_and_openalex_are_asked_for(
    world: RecordWorld, connection: SearchConnection, work: CitedWork, source: str
) -> None:
    world.papers_by_doi = {"10.7717/peerj.4375": WORK}
    found = await verify_work(work, *services_at(world.url, connection))
    assert (found.verdict, found.source) == ("verified", source)
    wrong = await verify_work(replace(work, year="1999"), *services_at(world.url, connection))
    assert (wrong.verdict, wrong.source) == ("mismatch", source)
