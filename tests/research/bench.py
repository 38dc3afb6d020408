"""Records of works that nobody wrote, and references to them: right, altered, invented."""

import random
import re
from dataclasses import replace
from typing import Any

from recto.research import CitedWork

TOPICS = (
    "sea level", "storm surge", "tidal current", "river delta", "salt marsh", "ocean heat",
    "coral reef", "ice shelf", "wave height", "estuary", "sediment", "plankton", "groundwater",
    "harbour", "coastline", "monsoon", "glacier", "aerosol", "soil carbon", "wetland",
)  # fmt: skip
VIEWS = (
    "variability", "trends", "prediction", "observations", "models", "statistics", "extremes",
    "budgets", "dynamics", "reconstruction", "uncertainty", "calibration", "feedbacks", "dating",
)  # fmt: skip
PLACES = (
    "Brest", "the North Sea", "Bengal", "the Baltic", "Chile", "Iceland", "the Gulf of Guinea",
    "Tasmania", "the Adriatic", "Alaska", "Java", "the Azores", "Patagonia", "Labrador",
)  # fmt: skip
FAMILIES = (
    "Müller", "O'Brien", "van der Berg", "García", "Nguyen", "Okafor", "Sørensen", "Kowalska",
    "Tanaka", "d'Alembert", "Silva", "Haddad", "Novák", "Smith", "Ivanova", "Rao",
)  # fmt: skip


def records(count: int, chance: random.Random) -> list[dict[str, Any]]:
    """Works as CrossRef tells of them, each with a title of its own."""
    made: dict[str, dict[str, Any]] = {}
    while len(made) < count:
        first, second = chance.sample(TOPICS, 2)
        title = (
            f"{chance.choice(VIEWS).capitalize()} of {first} and {second}"
            f" at {chance.choice(PLACES)} from {chance.randint(1, 99)} {chance.choice(VIEWS)} logs"
        )
        doi = f"10.5555/w{len(made):05}"
        made.setdefault(
            title,
            {
                "DOI": doi,
                "type": "journal-article",
                "title": [title],
                "author": [
                    {"family": family, "given": "A."} for family in chance.sample(FAMILIES, 2)
                ],
                "issued": {"date-parts": [[chance.randint(1950, 2024)]]},
            },
        )
    return list(made.values())


def cited(work: dict[str, Any], chance: random.Random) -> CitedWork:
    """A right reference, as people write them: in other case, without a DOI, a year off."""
    title: str = work["title"][0]
    year: int = work["issued"]["date-parts"][0][0]
    return CitedWork(
        title=chance.choice((title, title.upper(), title.lower(), f"{title}.")),
        family=work["author"][0]["family"],
        year=str(year + chance.choice((0, 0, 0, 1))),
        doi=chance.choice((work["DOI"], "")),
    )


def altered(work: dict[str, Any], known: list[dict[str, Any]], chance: random.Random) -> CitedWork:
    """A reference to a real work with one thing wrong."""
    right = cited(work, chance)
    match chance.randrange(4):
        case 0:
            words = right.title.split()
            for at in chance.sample(range(len(words)), 4):
                words[at] = chance.choice(("novel", "deep", "global", "fast")) + str(at)
            return replace(right, title=" ".join(words))
        case 1:
            others = [name for name in FAMILIES if name != right.family]
            return replace(right, family=chance.choice(others))
        case 2:
            return replace(right, year=str(int(right.year) + chance.choice((-9, -4, 3, 7))))
        case _:
            other = chance.choice([one for one in known if one["DOI"] != work["DOI"]])
            return replace(right, doi=other["DOI"])


def invented(known: list[dict[str, Any]], chance: random.Random) -> CitedWork:
    """A reference to nothing, half of them with the DOI of a real work."""
    words = [f"{chance.choice(VIEWS)}{chance.randint(100, 999)}" for _ in range(3)]
    title = f"Towards {words[0]} and {words[1]} of {chance.choice(TOPICS)} by {words[2]}"
    doi = chance.choice((chance.choice(known)["DOI"], "10.5555/nothing", ""))
    return CitedWork(title, chance.choice(FAMILIES), str(chance.randint(1990, 2024)), doi)


def pubmed_rows(known: list[dict[str, Any]]) -> dict[str, Any]:
    """The same works as PubMed tells of them."""
    return {
        pmid_of(work["DOI"]): {
            "uid": pmid_of(work["DOI"]),
            "title": f"{work['title'][0]}.",
            "authors": [{"name": f"{one['family']} A"} for one in work["author"]],
            "pubdate": f"{work['issued']['date-parts'][0][0]} Dec",
        }
        for work in known
    }


def pmid_of(doi: str) -> str:
    """A number for a work; 10.5555/nothing is nobody's."""
    return str(30_000_000 + int(re.sub(r"\D", "", doi.partition("/")[2]) or "9999999"))


def written(work: CitedWork, form: int) -> str:
    """A reference in words, in one of six ways: a line, an item of a list, in a sentence."""
    title, family, year, doi = work.title.rstrip("."), work.family, work.year, work.doi
    before = "The gauges have moved since.\n\n"
    match form if doi else form % 3:
        case 0:
            link = f" https://doi.org/{doi}" if doi else ""
            return (
                f"{before}{family}, A. ({year}). {title}. *Journal of Seas*, 12(3), 45-67.{link}\n"
            )
        case 1:
            number = f", doi:{doi}" if doi else ""
            return f"{before}## References\n\n1. A. {family}, “{title}”, J. Seas {year}{number}.\n"
        case 2:
            number = f" [{doi}](https://doi.org/{doi})" if doi else ""
            return f"{before}[^1]: {family}, A. ({year}), {title}.{number}\n"
        case 3:
            return (
                f"{before}As {family} showed in {year}, “{title}” (https://dl.acm.org/doi/{doi}).\n"
            )
        case 4:
            return f"{before}See {family} ({year}): *{title}* (PMID: {pmid_of(doi)}).\n"
        case _:
            address = f"https://www.biorxiv.org/content/{doi}v1.full"
            return f"{before}[{title}]({address}), {family}, {year}.\n"
