"""The JSON of what a document cites: verified, marked, quoted; and papers that could be cited."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from recto.projects import CheckedQuotation, CitationReport
from recto.references import CitedPlace, bibtex_fields
from recto.research import PapersFound
from recto.reviews import MarkedCitation, WorkCheck
from recto.server.schemas.base import Body, Schema, Text
from recto.server.schemas.documents.references import RecordVerdict


class ReportedCitation(Schema):
    """A citation of a document."""

    key: str
    line: int
    text: str
    is_known: bool
    check: RecordVerdict | None
    """What services of record said of it; null: it is in the library, and nobody asked them."""
    checked_by: str
    """Who has its record."""
    faults: list[str]
    is_retracted: bool


class MarkedClaim(Schema):
    """A citation of an AI that could not be verified; a mark stands in its place."""

    cited: str
    """Its key, or its words."""
    line: int
    verdict: RecordVerdict
    why: str
    by: str
    """The model that wrote it."""
    meant: str
    """The work that may be meant."""
    meant_doi: str


class ReportedQuotation(Schema):
    """A quotation with a citation, looked for in its source."""

    key: str
    line: int
    start: int
    end: int
    """Where it stands in the text, in UTF-16 units."""
    text: str
    verdict: Literal["verified", "not-found", "no-text"]
    page: int | None
    """The page of the PDF on which it begins."""
    why: str


class FoundPaper(Schema):
    """A paper that can be added to the library."""

    title: str
    who: str
    year: str
    doi: str


class PaperList(Schema):
    """Papers that services found."""

    items: list[FoundPaper]
    notes: list[str]
    """What failed on the way."""


class QuotationsBody(Body):
    """A text as it is typed."""

    document: Annotated[str, StringConstraints(min_length=1, max_length=4000)]
    text: Annotated[Text, StringConstraints(max_length=2_000_000)]


class QuotationList(Schema):
    """Its quotations."""

    items: list[ReportedQuotation]


class DocumentCitations(Schema):
    """What a document cites, and what it does not."""

    citations: list[ReportedCitation]
    unused: list[str]
    claims: list[int]
    """Lines with [citation?], whose source is missing."""
    marked: list[MarkedClaim]
    quotations: list[ReportedQuotation]


def present_report(report: CitationReport) -> DocumentCitations:
    """The citations of a document, as pages see them."""
    return DocumentCitations(
        citations=[
            present_citation(
                place, report.checks.get(place.key), is_known=place.key in report.known
            )
            for place in report.places
        ],
        unused=list(report.unused),
        claims=list(report.claims),
        marked=[present_marked(mark) for mark in report.marked],
        quotations=[present_quotation(one, report.text) for one in report.quotations],
    )


def present_citation(
    place: CitedPlace, check: WorkCheck | None, *, is_known: bool
) -> ReportedCitation:
    """A citation, and how it was verified."""
    return ReportedCitation(
        key=place.key,
        line=place.line,
        text=place.text,
        is_known=is_known,
        check=None if check is None else check.verdict,
        checked_by="" if check is None else check.source,
        faults=[] if check is None else list(check.faults),
        is_retracted=check is not None and check.notices.is_retracted,
    )


def present_marked(mark: MarkedCitation) -> MarkedClaim:
    """A citation that a mark stands for."""
    fields = {} if mark.record is None else bibtex_fields(mark.record)
    told = [fields.get("author", ""), fields.get("year", ""), fields.get("title", "")]
    return MarkedClaim(
        cited=mark.cited,
        line=mark.line,
        verdict=mark.verdict,
        why=mark.why,
        by=mark.by,
        meant=", ".join(part for part in told if part),
        meant_doi=fields.get("doi", ""),
    )


def present_papers(found: PapersFound) -> PaperList:
    """Papers as pages see them; one without a DOI can't be added by a click."""
    items = [
        FoundPaper(
            title=str(paper.get("title") or ""),
            who=short_names([str(name) for name in paper.get("authors") or ()]),
            year=str(paper.get("year") or ""),
            doi=str(paper["doi"]),
        )
        for paper in found.papers
        if paper.get("doi")
    ]
    return PaperList(items=items, notes=list(found.notes))


def short_names(names: list[str]) -> str:
    """Authors in short: "Haigh et al."."""
    families = [name.split()[-1] for name in names if name.strip()]
    return f"{families[0]} et al." if len(families) > 2 else " and ".join(families)


def present_quotation(checked: CheckedQuotation, text: str) -> ReportedQuotation:
    """A quotation as pages see it; they count in UTF-16."""
    one = checked.quotation
    return ReportedQuotation(
        key=one.key,
        line=one.line,
        start=len(text[: one.start].encode("utf-16-le", "surrogatepass")) // 2,
        end=len(text[: one.end].encode("utf-16-le", "surrogatepass")) // 2,
        text=one.words,
        verdict=checked.verdict,
        page=checked.page,
        why=checked.why,
    )
