"""What became of a work: whether it was retracted, and where a preprint was published."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from recto.research.crossref import CrossRef, item_of
from recto.research.openalex import OpenAlex, listed, part, read_doi
from recto.research.registries import ArXiv
from recto.research.verification import year_of

RETRACTIONS = frozenset({"retraction", "removal", "withdrawal", "partial_retraction"})
PREPRINT_OF = "is-preprint-of"
ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(?P<number>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WorkNotices:
    """What services say of a work besides its record."""

    is_retracted: bool = False
    is_preprint: bool = False
    published_doi: str = ""
    """The DOI under which a preprint was published."""
    published_year: str = ""
    published_title: str = ""
    source: str = ""
    """Who says so."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return not self.is_retracted and not self.published_doi


async def find_notices(
    doi: str, crossref: CrossRef, openalex: OpenAlex, arxiv: ArXiv
) -> WorkNotices:
    """What CrossRef, then OpenAlex, says of a DOI. Raises SearchFailed."""
    found = read_notices(await crossref.record(doi) or {})
    if not found.is_retracted and not found.published_doi:
        told = read_paper(doi, await openalex.look_up(doi, None))
        found = replace(told, is_preprint=found.is_preprint or told.is_preprint)
    number = ARXIV_DOI.fullmatch(doi)
    if number is not None and not found.published_doi:
        item = await arxiv.look_up(re.sub(r"v\d+$", "", number["number"])) or {}
        published = read_doi(str(item.get("DOI") or "")) or ""
        found = replace(found, is_preprint=True, published_doi=published, source="arXiv")
    if found.published_doi and not found.published_year:
        record = await crossref.record(found.published_doi)
        item = item_of(record) if record else {}
        found = replace(
            found, published_year=year_of(item), published_title=str(item.get("title") or "")
        )
    return found


def read_notices(work: Mapping[str, Any]) -> WorkNotices:
    """What a work of CrossRef says of itself."""
    updates = {str(row.get("type") or "") for row in listed(work.get("updated-by"))}
    published = [
        doi
        for row in listed(part(work.get("relation")).get(PREPRINT_OF))
        if (doi := read_doi(str(row.get("id") or "")))
    ]
    return WorkNotices(
        is_retracted=bool(updates & RETRACTIONS),
        is_preprint=work.get("subtype") == "preprint" or bool(published),
        published_doi=published[0] if published else "",
        source="CrossRef",
    )


def read_paper(doi: str, papers: list[dict[str, Any]]) -> WorkNotices:
    """What OpenAlex says: it knows the versions of a work as one, by the DOI of the last."""
    paper = papers[0] if papers else {}
    known = str(paper.get("doi") or "")
    is_other = bool(known) and known.casefold() != doi.casefold()
    return WorkNotices(
        is_retracted=bool(paper.get("isRetracted")),
        is_preprint=is_other or paper.get("type") == "preprint",
        published_doi=known if is_other else "",
        published_year=str(paper.get("year") or "") if is_other else "",
        published_title=str(paper.get("title") or "") if is_other else "",
        source="OpenAlex",
    )
