"""The JSON of the library of references."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.projects import FolderCitations
from recto.references import Duplicate, Library, LibraryEntry, bibtex_fields
from recto.references import LibraryFile as File
from recto.references import Reference as Found
from recto.research import WorkNotices
from recto.reviews import WorkCheck
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


class RemovedReference(Body):
    """An entry that was taken out, so that it can be put back byte for byte."""

    path: Annotated[Text, StringConstraints(min_length=1, max_length=4000)]
    key: ReferenceKey
    start: Annotated[int, Field(ge=0)]
    """Where its text began."""
    text: Annotated[Text, StringConstraints(min_length=1)]
    hash: Annotated[str, StringConstraints(max_length=200)]
    """What the file held without it."""


class ReferenceImport(Body):
    """A list of another program."""

    format: Literal["ris", "endnotexml", "csljson", "bibtex", "biblatex"]
    text: Annotated[Text, StringConstraints(min_length=1)]


class BrokenReference(Schema):
    """What could not be read of a list, and was left out."""

    line: int
    why: str
    text: str


class ReferencesImported(Schema):
    """What became of its works."""

    added: list[str]
    known: list[str]
    untitled: int
    broken: list[BrokenReference]


class ReferenceMerge(Body):
    """Two entries to be made one."""

    key: ReferenceKey
    """The one that stays."""
    other: ReferenceKey


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
