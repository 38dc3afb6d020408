"""Whether a reference is what services of record know: its title, first author, year and DOI.

A DOI that resolves is not enough: an invented reference often has the DOI of another work.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from recto.research.crossref import CrossRef
from recto.research.openalex import OpenAlex, read_doi
from recto.research.registries import DataCite

Verdict = Literal["verified", "mismatch", "not-found"]
Item = dict[str, Any]
WORD = re.compile(r"[^\W_]+")
ALIKE = 0.85
"""Titles of so many words in common are the same."""
RELATED = 0.45
"""Titles of so many words in common, of one author and year, are one work with a wrong title."""
CANDIDATES = 5
CROSSREF = "CrossRef"
YEARS_APART = 1
"""Works appear online in one year and in print in the next."""


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A reference as somebody gives it."""

    title: str
    family: str
    """The first author's family name."""
    year: str
    doi: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of looking a reference up."""

    verdict: Verdict
    faults: tuple[str, ...]
    """What is wrong, in words."""
    record: Item | None
    """The work that is meant, in CSL-JSON."""
    source: str = ""
    """Who has its record."""


async def verify_work(
    work: CitedWork, crossref: CrossRef, datacite: DataCite, openalex: OpenAlex
) -> Verification:
    """Compare a reference with what services know. Raises SearchFailed."""
    doi = read_doi(work.doi) if work.doi else None
    named, source = None, ""
    if doi is not None:
        named, source = await find_by_doi(doi, crossref, datacite, openalex)
        if named is not None and not faults_of(work, named):
            return Verification("verified", (), named, source)
    asked = " ".join(part for part in (work.title, work.family, work.year) if part)
    found = await crossref.find(asked, CANDIDATES) if work.title else []
    for record in found:
        if not faults_of(work, record):
            if doi is None or same_doi(record, doi):
                return Verification("verified", (), record, CROSSREF)
            words = f"The DOI {doi} is {'another work’s' if named else 'nobody’s'}."
            return Verification("mismatch", (words,), record, CROSSREF)
    near = [record for record in found if is_near(work, record)]
    if named is not None and is_near(work, named):
        near.insert(0, named)
    if near:
        known_by = source if near[0] is named else CROSSREF
        return Verification("mismatch", faults_of(work, near[0]), near[0], known_by)
    return Verification("not-found", ("No service has a record of it.",), None)


async def find_by_doi(
    doi: str, crossref: CrossRef, datacite: DataCite, openalex: OpenAlex
) -> tuple[Item | None, str]:
    """The record of a DOI, and who has it. Raises SearchFailed."""
    if (found := await crossref.look_up(doi)) is not None:
        return found, CROSSREF
    if (found := await datacite.look_up(doi)) is not None:
        return found, "DataCite"
    papers = await openalex.look_up(doi, None)
    return (item_of_paper(papers[0]), "OpenAlex") if papers else (None, "")


def item_of_paper(paper: Mapping[str, Any]) -> Item:
    """A paper of OpenAlex as far as references are compared with it."""
    people = [{"literal": str(name)} for name in paper.get("authors") or ()]
    year = paper.get("year")
    found = {
        "type": "article",
        "title": paper.get("title"),
        "author": people,
        "issued": {"date-parts": [[year]]} if isinstance(year, int) else None,
        "container-title": paper.get("journal"),
        "DOI": paper.get("doi"),
    }
    return {name: value for name, value in found.items() if value}


def faults_of(work: CitedWork, record: Mapping[str, Any]) -> tuple[str, ...]:
    """How a reference differs from a record, in words."""
    faults: list[str] = []
    title, year = str(record.get("title") or ""), year_of(record)
    family = first_family(record)
    if likeness(work.title, title) < ALIKE:
        faults.append(f"The title is “{title}”.")
    if work.family and family and not is_same_family(work.family, family):
        faults.append(f"The first author is {family}.")
    if work.year and year and not is_same_year(work.year, year):
        faults.append(f"The year is {year}.")
    return tuple(faults)


def is_near(work: CitedWork, record: Mapping[str, Any]) -> bool:
    """Whether a record is surely the work that is meant, though something is wrong."""
    alike = likeness(work.title, str(record.get("title") or ""))
    is_author = is_same_family(work.family, first_family(record))
    is_year = is_same_year(work.year, year_of(record))
    if alike >= ALIKE:
        return is_author or is_year
    return is_author and is_year and alike >= RELATED


def likeness(one: str, other: str) -> float:
    """How much two titles have in common; one that is the other's beginning is the same."""
    first, second = words_of(one), words_of(other)
    if not first or not second:
        return 0.0
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= 4 and longer[: len(shorter)] == shorter:
        return 1.0
    together = set(first) | set(second)
    return len(set(first) & set(second)) / len(together)


def words_of(text: str) -> list[str]:
    """The words of a text, case and accents overlooked."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return WORD.findall("".join(sign for sign in bare if not unicodedata.combining(sign)))


def is_same_family(one: str, other: str) -> bool:
    """Whether two family names are one, particles overlooked."""
    first, second = words_of(one), words_of(other)
    return bool(first) and bool(second) and (first[-1] == second[-1] or first == second)


def is_same_year(one: str, other: str) -> bool:
    """Whether two years are the same, or follow each other."""
    if not (one.isdecimal() and other.isdecimal()):
        return False
    return abs(int(one) - int(other)) <= YEARS_APART


def first_family(record: Mapping[str, Any]) -> str:
    """The family name of a record's first author, else of its editor."""
    people = record.get("author") or record.get("editor")
    rows = cast("list[object]", people) if isinstance(people, list) else []
    match rows[:1]:
        case [{"family": str(family)}] | [{"literal": str(family)}]:
            return family
        case _:
            return ""


def year_of(record: Mapping[str, Any]) -> str:
    """The year of a record."""
    match record.get("issued"):
        case {"date-parts": [[int() | str() as year, *_], *_]}:
            return str(year)
        case _:
            return ""


def same_doi(record: Mapping[str, Any], doi: str) -> bool:
    """Whether a record has this DOI; one without any can't disagree."""
    known = str(record.get("DOI") or "")
    return not known or known.casefold() == doi.casefold()
