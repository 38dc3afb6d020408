"""The JSON of the library of references."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.projects import CheckedQuotation, CitationReport, FolderCitations
from recto.references import CitedPlace, Duplicate, Library, LibraryEntry, bibtex_fields
from recto.references import LibraryFile as File
from recto.references import Reference as Found
from recto.research import WorkNotices
from recto.reviews import MarkedCitation, WorkCheck
from recto.server.schemas.base import Body, Schema, Text

ReferenceKey = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]+$")
]
MOST_PLACES = 500
CORRECTED = ("title", "author", "year", "doi")
FieldName = Annotated[str, StringConstraints(min_length=1, max_length=100)]


RecordVerdict = Literal["verified", "mismatch", "not-found", "unchecked"]


class LibraryFile(Schema):
    """A file of the library."""

    path: str
    format: Literal["bibtex", "csl"]
    entries: int
    read_only: bool
    """Whether another program writes it."""
    modified_at: int
    """When it was last written, so that an export that has stopped is seen."""
    problems: list[str]


class ReferenceRow(Schema):
    """A reference as a list shows it."""

    key: str
    type: str
    title: str
    authors: list[str]
    who: str
    """Its authors in short: "Haigh et al."."""
    year: str
    container: str
    doi: str
    tags: list[str]
    missing: list[str]
    """Fields that its type usually has and it does not."""
    path: str
    read_only: bool
    citations: int
    """How often the folder's documents cite it."""
    pdf: str | None
    """The PDF that belongs to it."""
    check: RecordVerdict | None
    """What services of record said of it; null: nobody asked them."""
    is_retracted: bool
    published_doi: str
    """Where a preprint was published; empty: no service says so."""
    published_year: str


class ReferencePage(Schema):
    """Some of the references, and the files they are in."""

    items: list[ReferenceRow]
    total: int
    incomplete: int
    """How many of the whole library have missing fields."""
    next_cursor: str | None
    files: list[LibraryFile]


class ReferencePlace(Schema):
    """Where a document cites a reference."""

    path: str
    line: int
    text: str


class Reference(ReferenceRow):
    """One reference, whole."""

    fields: dict[str, str]
    """What it says, as people read it."""
    source: str
    """The entry as it stands in its file."""
    cited: list[ReferencePlace]


class NewReference(Body):
    """What to add: a DOI, arXiv number, ISBN, PMID, address, title or citation."""

    text: Annotated[Text, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
    key: Annotated[str, StringConstraints(max_length=200)] = ""


class ReferenceAdded(Schema):
    """What became of it."""

    key: str
    is_new: bool
    source: str
    is_record: bool


class ReferenceChange(Body):
    """Fields to change, by BibTeX's names; null takes one away."""

    fields: dict[FieldName, Annotated[Text, StringConstraints(max_length=100_000)] | None] = Field(
        default_factory=dict[str, "str | None"], max_length=100
    )
    type: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    new_key: ReferenceKey | None = None


class ReferenceImport(Body):
    """A list of another program."""

    format: Literal["ris", "endnotexml", "csljson", "bibtex", "biblatex"]
    text: Annotated[Text, StringConstraints(min_length=1)]


class ReferencesImported(Schema):
    """What became of its works."""

    added: list[str]
    known: list[str]
    untitled: int


class ReferenceMerge(Body):
    """Two entries to be made one."""

    key: ReferenceKey
    """The one that stays."""
    other: ReferenceKey


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


class ReferenceVerification(Schema):
    """Whether an entry is what services of record know."""

    verdict: RecordVerdict
    faults: list[str]
    """What is wrong, in words."""
    source: str
    """Who has its record."""
    is_retracted: bool
    knows_notices: bool
    """Whether a service could say if it was retracted."""
    is_preprint: bool
    published_doi: str
    published_year: str
    published_title: str
    corrections: dict[str, str]
    """What the record says where the entry says otherwise, by BibTeX's names."""


class DuplicateReferences(Schema):
    """Two entries for one work."""

    key: str
    other: str
    why: str


class DuplicateList(Schema):
    """All of them."""

    items: list[DuplicateReferences]


def present_file(file: File) -> LibraryFile:
    """A file as pages see it."""
    return LibraryFile(
        path=file.path,
        format=file.format,
        entries=len(file.entries),
        read_only=file.read_only,
        modified_at=file.modified_ns // 1_000_000,
        problems=list(file.problems),
    )


def present_row(
    reference: Found,
    entry: LibraryEntry,
    cited: FolderCitations,
    count: int,
    check: WorkCheck | None,
) -> ReferenceRow:
    """A reference as a list shows it; `count` is how often it is cited."""
    notices = WorkNotices() if check is None else check.notices
    return ReferenceRow(
        key=reference.key,
        type=reference.type,
        title=reference.title,
        authors=[str(name) for name in reference.authors],
        who=reference.who,
        year=reference.year,
        container=reference.container,
        doi=reference.doi,
        tags=list(reference.tags),
        missing=list(reference.missing),
        path=entry.file.path,
        read_only=entry.file.read_only,
        citations=count,
        pdf=cited.pdf(reference),
        check=None if check is None else check.verdict,
        is_retracted=notices.is_retracted,
        published_doi=notices.published_doi,
        published_year=notices.published_year,
    )


def present_reference(
    library: Library, key: str, cited: FolderCitations, check: WorkCheck | None
) -> Reference:
    """One reference, whole. Raises ReferenceNotFound."""
    reference, entry = library.get(key), library.entry(key)
    places = [
        ReferencePlace(path=path, line=place.line, text=place.text)
        for path, place in cited.places(key)
    ]
    row = present_row(reference, entry, cited, len(places), check)
    return Reference(
        **row.model_dump(),
        fields=dict(reference.fields),
        source=entry.entry.text,
        cited=places[:MOST_PLACES],
    )


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


def present_verification(found: WorkCheck) -> ReferenceVerification:
    """What came of looking an entry up, as pages see it."""
    corrections = {} if found.record is None else bibtex_fields(found.record)
    return ReferenceVerification(
        verdict=found.verdict,
        faults=list(found.faults),
        source=found.source,
        is_retracted=found.notices.is_retracted,
        knows_notices=bool(found.notices.source),
        is_preprint=found.notices.is_preprint,
        published_doi=found.notices.published_doi,
        published_year=found.notices.published_year,
        published_title=found.notices.published_title,
        corrections={name: corrections[name] for name in CORRECTED if corrections.get(name)},
    )


def present_duplicate(item: Duplicate) -> DuplicateReferences:
    """Two entries for one work, as pages see them."""
    return DuplicateReferences(key=item.key, other=item.other, why=item.why)
