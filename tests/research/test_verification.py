"""Real, altered and invented references, told apart by what services of record know."""

import math
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from recto.references import WrittenReference, brought_references
from recto.research import CitedWork, CrossRef, DataCite, OpenAlex, RecordFinder, SearchConnection
from recto.research.citation_matching import faults_in_entry, is_near
from recto.research.verification import Verdict, Verification, verify_work
from tests.fakes.record_services import DOI, RecordWorld
from tests.fakes.search_services import WORK
from tests.research.bench import altered, cited, invented, pubmed_rows, records, written
from tests.research.test_records import finder_of

pytestmark = pytest.mark.anyio
REAL = 500
ALTERED = 300
INVENTED = 200
WAYS = 6
NOT_HIS = ("mismatch", ("The first author is Munk.",))
LEAST_CORRELATION = 0.80
MOST_FALSE_ALARMS = 0.10


async def test_the_bench_of_1000_references(
    world: RecordWorld, connection: SearchConnection
) -> None:
    chance = random.Random(19)
    known = records(800, chance)
    world.works_by_doi = {work["DOI"]: work for work in known}
    services = services_at(world.url, connection)
    found: Counter[tuple[str, str]] = Counter()
    for expected, work in cases_of(known, chance):
        found[expected, (await verify_work(work, *services)).verdict] += 1
    correlation, false_alarms = figures(found)
    assert correlation >= LEAST_CORRELATION, found
    assert false_alarms <= MOST_FALSE_ALARMS, found
    # A real work with wrong data is never called invented, but for the odd one.
    assert found["mismatch", "not-found"] <= ALTERED // 20, found


async def test_the_same_1000_references_written_out_in_a_text(
    world: RecordWorld, connection: SearchConnection
) -> None:
    chance = random.Random(20)
    known = records(800, chance)
    world.works_by_doi = {work["DOI"]: work for work in known}
    world.works_by_pmid = pubmed_rows(known)
    finder = finder_of(world, connection)
    found: Counter[tuple[str, str]] = Counter()
    for number, (expected, work) in enumerate(cases_of(known, chance)):
        verdicts = [
            (await verify_written(finder, one)).verdict
            for one in brought_references("", written(work, number % WAYS))
        ]
        found[expected, next((one for one in verdicts if one != "verified"), "verified")] += 1
    correlation, false_alarms = figures(found)
    assert correlation >= LEAST_CORRELATION, found
    assert false_alarms <= MOST_FALSE_ALARMS, found
    assert found["mismatch", "not-found"] <= ALTERED // 20, found


@pytest.mark.parametrize(
    ("text", "verdict", "faults"),
    [
        # Around a number stand other words, names and years.
        (f"It rose ([the data of the gauge](https://doi.org/{DOI})).", "verified", ()),
        (f"The “storm of the century” came in 1966, as Munk says (doi:{DOI}).", "verified", ()),
        (f"Cartwright and others (1967) say so (doi:{DOI}).", "verified", ()),
        (f"From 1993 to 2010 it rose by 3 mm a year (doi:{DOI}).", "verified", ()),
        (f"In 2014 it rose at Brest in May, 2010, and in May 2011 (doi:{DOI}).", "verified", ()),
        (f"As Cartwright (1966) says: see doi:{DOI}.", "verified", ()),
        (
            f"*Tidal spectroscopy and prediction* (Philosophical Transactions, 1966), doi:{DOI}.",
            "verified",
            (),
        ),
        (f"Munk et al. (1966, doi:{DOI}) moved it in 2010.", "verified", ()),
        # An entry may leave the title out.
        (
            f"# Sources\n\n- W. Munk, D. Cartwright, Phil. Trans. 259, 533 (1966). doi:{DOI}",
            "verified",
            (),
        ),
        ("Munk, W. (1967). *Tidal spectroscopy and prediction*.", "verified", ()),
        (f"Nobody (1966) says so (doi:{DOI}): *Tidal spectroscopy and prediction*.", *NOT_HIS),
        (
            f"As told in 1972, Munk’s “Tidal spectroscopy and prediction” (doi:{DOI}).",
            "mismatch",
            ("The year is 1966.",),
        ),
        (
            f"Munk’s “Tidal spectroscopy and its limits” (doi:{DOI}).",
            "mismatch",
            ("The title is “Tidal spectroscopy and prediction”.",),
        ),
        (
            f"By Munk: [Tidal spectroscopy and its limits](https://doi.org/{DOI}).",
            "mismatch",
            ("The title is “Tidal spectroscopy and prediction”.",),
        ),
        (
            f"As Nobody (1966) says (doi:{DOI}).",
            "mismatch",
            (
                f"The DOI {DOI} is that of “Tidal spectroscopy and prediction” (Munk, 1966), which"
                " the text does not say.",
            ),
        ),
        (f"Nobody, N. (1966). Tidal spectroscopy and prediction. doi:{DOI}", *NOT_HIS),
        (
            f"Munk, W. (1972). Tidal spectroscopy and prediction. doi:{DOI}",
            "mismatch",
            ("The year is 1966.",),
        ),
        (
            "Munk, W. (1966). Tidal spectroscopy and its limits.",
            "mismatch",
            ("The title is “Tidal spectroscopy and prediction”.",),
        ),
        (
            "d’Alembert, N. (2020). A survey of neural oceans.",
            "not-found",
            ("No service has a record of it.",),
        ),
    ],
)
async def test_what_words_say_of_a_work_is_compared_with_its_record(
    world: RecordWorld,
    connection: SearchConnection,
    text: str,
    verdict: str,
    faults: tuple[str, ...],
) -> None:
    [one] = brought_references("", text)
    found = await verify_written(finder_of(world, connection), one)
    assert (found.verdict, found.faults) == (verdict, faults)


def test_particles_may_be_left_out_and_a_short_title_alone_names_no_work() -> None:
    record = {
        "title": "Sea levels",
        "author": [{"family": "van der Berg"}],
        "issued": {"date-parts": [[1987]]},
    }
    assert faults_in_entry(record, "Berg, A. (1987). Sea levels.") == ()
    assert not is_near(record, "Nobody, N. (1987). Levels of the sea.")
    assert not is_near(record, "Nobody, N. (1987). Sea levels.")


async def verify_written(finder: RecordFinder, one: WrittenReference) -> Verification:
    """What is found of a reference, with what an edit's check tells of it."""
    return await finder.verify_words(one.text, one.doi, one.pmid, is_entry=one.kind == "listed")


def cases_of(known: list[dict[str, Any]], chance: random.Random) -> list[tuple[Verdict, CitedWork]]:
    """References and what should be said of them."""
    return [
        *(("verified", cited(work, chance)) for work in known[:REAL]),
        *(("mismatch", altered(work, known, chance)) for work in known[REAL : REAL + ALTERED]),
        *(("not-found", invented(known, chance)) for _ in range(INVENTED)),
    ]


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
