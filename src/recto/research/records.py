"""The record of a work that somebody names: by a number, an address, its title or a citation.

Services of record are asked first. What they don't have, a model may read out of the text; that is
no record, and it is said so.
"""

import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from recto.research.citation_matching import (
    ADDRESS,
    ARXIV,
    DOI,
    ISBN,
    LEAST_WORDS,
    PMID,
    described,
    faults_around,
    faults_in_entry,
    is_meant,
    is_near,
    is_other_work,
)
from recto.research.connection import SearchFailed
from recto.research.crossref import CrossRef
from recto.research.fetch import PageFetcher
from recto.research.notices import WorkNotices, find_notices
from recto.research.openalex import OpenAlex
from recto.research.registries import ArXiv, DataCite, OpenLibrary, PubMed
from recto.research.verification import (
    CROSSREF,
    CitedWork,
    Verification,
    faults_of,
    find_by_doi,
    same_doi,
    verify_work,
)

META = re.compile(r"<meta\b[^<>]*+>", re.IGNORECASE)
META_DOI = re.compile(
    r"""name\s*=\s*["']?(?:citation_doi|dc\.identifier|prism\.doi|bepress_citation_doi)\b""",
    re.IGNORECASE,
)
CONTENT = re.compile(r"""content\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
NOTHING_TO_READ = "there are too few other words to find it by"
CANDIDATES = 3
LONGEST = 4000
MOST_REMEMBERED = 200
Item = dict[str, Any]
ParseCitation = Callable[[str], Awaitable[Item | str]]
"""Has a model read a citation: the item, or why there is none."""


class WorkNotFound(Exception):
    """Nobody has it, or nobody could say; the words tell which."""


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A work, and who says so."""

    item: Mapping[str, Any]
    """As CSL-JSON."""
    source: str
    is_record: bool
    """Whether a service of record has it; otherwise a model read it out of the text."""


@dataclass(frozen=True, slots=True)
class RecordServices:
    """Who is asked."""

    crossref: CrossRef
    datacite: DataCite
    arxiv: ArXiv
    pubmed: PubMed
    openlibrary: OpenLibrary
    openalex: OpenAlex
    pages: PageFetcher


class RecordFinder:
    """Finds the record of a work."""

    def __init__(self, services: RecordServices, parse: ParseCitation) -> None:
        self._services = services
        self._parse = parse
        self._found: deque[FoundRecord] = deque(maxlen=MOST_REMEMBERED)
        """Records that were found here a while ago: they need no second look."""

    async def find(self, text: str) -> FoundRecord:
        """The record of what is named. Raises WorkNotFound with what was tried."""
        text = text.strip()[:LONGEST]
        if not text:
            raise WorkNotFound("Name a DOI, arXiv number, ISBN, PMID, address or title.")
        tried: list[str] = []
        is_other = False
        try:
            found = await self._by_number(text, tried)
            if found is not None and is_other_work(found.item, text):
                is_other = True
                words = "its number is that of {}, which the text does not say"
                tried.append(words.format(described(found.item)))
                found = None
            found = found or await self._by_words(text, tried)
        except SearchFailed as failed:
            tried.append(failed.message.rstrip("."))
            found = None
        if found is not None:
            self._found.append(found)
            return found
        if is_other:
            # What a model reads out of it would be one work with the number of another.
            raise WorkNotFound("; ".join(tried) + ". If that work is meant, give its number alone.")
        return await self._by_model(text, tried)

    async def verify(self, work: CitedWork) -> Verification:
        """Whether a reference is what services of record know. Raises SearchFailed."""
        for known in self._found:
            if not faults_of(work, known.item) and (not work.doi or same_doi(known.item, work.doi)):
                return Verification("verified", (), dict(known.item), known.source)
        services = self._services
        return await verify_work(work, services.crossref, services.datacite, services.openalex)

    async def verify_words(
        self, text: str, doi: str = "", pmid: str = "", *, is_entry: bool
    ) -> Verification:
        """Whether a reference that is written out names a work as it is. Raises SearchFailed.

        An entry of a list says nothing else; around a number in a sentence is its paragraph.
        """
        services = self._services
        named, source, number = None, "", f"DOI {doi}" if doi else f"PMID {pmid}" if pmid else ""
        if doi:
            named, source = await find_by_doi(
                doi, services.crossref, services.datacite, services.openalex
            )
        elif pmid:
            named, source = await services.pubmed.look_up(pmid), "PubMed"
        compare = faults_in_entry if is_entry else faults_around
        faults = () if named is None else compare(named, text)
        if named is not None and not faults:
            return Verification("verified", (), named, source)
        found = await services.crossref.find(text[:LONGEST], CANDIDATES)
        meant = next((item for item in found if is_meant(item, text)), None)
        if meant is not None and not number:
            return Verification("verified", (), meant, CROSSREF)
        if meant is not None and (named is None or not same_doi(meant, doi)):
            words = f"The {number} is {'another work’s' if named else 'nobody’s'}."
            return Verification("mismatch", (words,), meant, CROSSREF)
        if named is not None and is_near(named, text):
            return Verification("mismatch", faults, named, source)
        if named is not None:
            words = f"The {number} is that of {described(named)}, which the text does not say."
            return Verification("mismatch", (words,), named, source)
        near = next((item for item in found if is_near(item, text)), None)
        if near is not None:
            return Verification("mismatch", faults_in_entry(near, text), near, CROSSREF)
        return Verification("not-found", ("No service has a record of it.",), None)

    async def notices(self, doi: str) -> WorkNotices:
        """Whether a work was retracted, or published after a preprint. Raises SearchFailed."""
        services = self._services
        return await find_notices(doi, services.crossref, services.openalex, services.arxiv)

    async def _by_number(self, text: str, tried: list[str]) -> FoundRecord | None:
        services = self._services
        if doi := find_doi(text):
            return await self._by_doi(doi, tried)
        if number := ARXIV.search(text):
            return await self._answered(services.arxiv.look_up, "arXiv", number[1], tried)
        if number := PMID.search(text):
            found = await self._answered(services.pubmed.look_up, "PubMed", number[1], tried)
            doi = None if found is None else found.item.get("DOI")
            return (await self._by_doi(str(doi), tried) if doi else None) or found
        if isbn := find_isbn(text):
            return await self._answered(services.openlibrary.look_up, "Open Library", isbn, tried)
        if (address := ADDRESS.match(text)) and address[0] == text:
            return await self._by_page(text, tried)
        return None

    async def _by_doi(self, doi: str, tried: list[str]) -> FoundRecord | None:
        services = self._services
        return await self._answered(
            services.crossref.look_up, "CrossRef", doi, tried
        ) or await self._answered(services.datacite.look_up, "DataCite", doi, tried)

    async def _answered(
        self,
        look_up: Callable[[str], Awaitable[Item | None]],
        service: str,
        number: str,
        tried: list[str],
    ) -> FoundRecord | None:
        """What one service says; what fails is noted, and the next one is asked."""
        try:
            item = await look_up(number)
        except SearchFailed as failed:
            tried.append(failed.message.rstrip("."))
            return None
        if item is None or not item.get("title"):
            tried.append(f"{service} has no {number}")
            return None
        return FoundRecord(item, service, is_record=True)

    async def _by_page(self, url: str, tried: list[str]) -> FoundRecord | None:
        """The DOI that a page names as its own."""
        page = await self._services.pages.fetch(url)
        for tag in META.finditer(str(page.get("text", ""))[:1_000_000]):
            content = CONTENT.search(tag[0]) if META_DOI.search(tag[0]) else None
            doi = find_doi(unescape(content[1] or content[2] or "")) if content else None
            if doi and (found := await self._by_doi(doi, tried)):
                return found
        tried.append("the page names no DOI")
        return None

    async def _by_words(self, text: str, tried: list[str]) -> FoundRecord | None:
        """What CrossRef finds by a title or a citation, if it is surely the same work."""
        if ADDRESS.fullmatch(text) or len(text.split()) < LEAST_WORDS:
            return None
        items = await self._services.crossref.find(text, CANDIDATES)
        fitting = next((item for item in items if is_meant(item, text)), None)
        if fitting is None:
            tried.append("CrossRef has nothing that is surely the same work")
            return None
        return FoundRecord(fitting, "CrossRef", is_record=True)

    async def _by_model(self, text: str, tried: list[str]) -> FoundRecord:
        # Of a number or an address alone, a model could only make something up, for money.
        is_short = ADDRESS.fullmatch(text) is not None or len(text.split()) < LEAST_WORDS
        item = NOTHING_TO_READ if is_short else await self._parse(text)
        if isinstance(item, str):
            raise WorkNotFound("; ".join([*tried, item]) + ".")
        return FoundRecord(item, "a model", is_record=False)


def find_doi(text: str) -> str | None:
    """The first DOI in a text, without what ends the sentence around it."""
    found = DOI.search(text)
    if found is None:
        return None
    doi = found[0].rstrip(".,;:'’”]}>")
    return doi.rstrip(")") if doi.count(")") > doi.count("(") else doi


def find_isbn(text: str) -> str | None:
    """The first ISBN in a text whose check digit is right."""
    for found in ISBN.finditer(text):
        number = re.sub(r"[- ]", "", found[0]).upper()
        if len(number) == 13:
            total = sum(int(digit) * (1 if at % 2 == 0 else 3) for at, digit in enumerate(number))
            if total % 10 == 0:
                return number
        elif len(number) == 10:
            digits = [10 if digit == "X" else int(digit) for digit in number]
            if sum(digit * (10 - at) for at, digit in enumerate(digits)) % 11 == 0:
                return number
    return None
