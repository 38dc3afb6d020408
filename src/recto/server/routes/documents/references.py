"""The library of references: listed, added to, edited, imported into."""

from functools import partial
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from recto.references import Library, RemovedEntry
from recto.research import PapersUnavailable
from recto.server.access import for_session, takes_megabytes
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.citation_reports import (
    DocumentCitations,
    PaperList,
    QuotationList,
    QuotationsBody,
    present_papers,
    present_quotation,
    present_report,
)
from recto.server.schemas.documents.references import (
    DuplicateList,
    NewReference,
    Reference,
    ReferenceAdded,
    ReferenceChange,
    ReferenceImport,
    ReferenceKey,
    ReferenceMerge,
    ReferencePage,
    ReferencesImported,
    ReferenceVerification,
    RemovedReference,
    present_duplicate,
    present_file,
    present_reference,
    present_row,
    present_verification,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/references", tags=["references"])

MOST_PAPERS = 5
MAY_FAIL = may_answer(400, 404, 409, 412, 413, 415, 422, 507)
Sort = Literal["best", "author", "year", "title", "key"]
Words = Annotated[str, StringConstraints(max_length=1000)]
Cursor = Annotated[str, StringConstraints(pattern=r"^\d{1,9}$")]
Document = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


@router.get("", response_model=ReferencePage, responses=may_answer(404, 422))
@for_session
async def list_references(
    project_id: ResourceId,
    services: ServicesDependency,
    query: Words = "",
    sort: Sort = "best",
    descending: bool = False,
    type: Words = "",
    incomplete: bool = False,
    document: Document | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Cursor | None = None,
) -> ReferencePage:
    """References that have all words of the query, sorted and filtered.

    `best` is by where the words were found, without words the order of the files; `incomplete` are
    those with missing fields; `document` adds the bibliography that it names.
    """
    library = await services.library.open(project_id, document)
    cited = await services.library.citations(project_id)
    counts = cited.counts()
    found = await anyio.to_thread.run_sync(
        partial(
            choose, library, query, sort, type.lower(), descending=descending, incomplete=incomplete
        )
    )
    start = int(cursor or 0)
    shown = found[start : start + limit]
    checks = await services.library.checks(project_id, [library.reference(at) for at in shown])
    return ReferencePage(
        items=[
            present_row(
                reference,
                library.entries[at],
                cited,
                counts[reference.key],
                checks.get(reference.key),
            )
            for at in shown
            for reference in (library.reference(at),)
        ],
        total=len(found),
        incomplete=await anyio.to_thread.run_sync(incomplete_entries, library),
        next_cursor=str(start + limit) if start + limit < len(found) else None,
        files=[present_file(file) for file in library.files],
    )


@router.post("", status_code=201, response_model=ReferenceAdded, responses=MAY_FAIL)
@for_session
async def add_reference(
    project_id: ResourceId, body: NewReference, services: ServicesDependency
) -> ReferenceAdded:
    """Look a work up and add it; of one that is there already the key is answered."""
    added = await services.library.add(project_id, body.text, body.key)
    return ReferenceAdded.model_validate(added)


@router.get("/entry", response_model=Reference, responses=may_answer(404, 422))
@for_session
async def get_reference(
    project_id: ResourceId,
    services: ServicesDependency,
    key: ReferenceKey,
    document: Document | None = None,
) -> Reference:
    """One reference, whole. Keys may have any sign, so they stand in the query."""
    library = await services.library.open(project_id, document)
    return await present(project_id, library, key, services)


@router.patch("/entry", response_model=Reference, responses=MAY_FAIL)
@for_session
async def edit_reference(
    project_id: ResourceId,
    body: ReferenceChange,
    services: ServicesDependency,
    key: ReferenceKey,
) -> Reference:
    """Change fields of one entry; every other byte of its file stays."""
    new_key = await services.library.edit(
        project_id, key, body.fields, kind=body.type, new_key=body.new_key
    )
    library = await services.library.open(project_id)
    return await present(project_id, library, new_key, services)


@router.delete("/entry", response_model=RemovedReference, responses=MAY_FAIL)
@for_session
async def delete_reference(
    project_id: ResourceId, services: ServicesDependency, key: ReferenceKey
) -> RemovedReference:
    """Take one entry out of its file, and answer what it takes to put it back."""
    removed = await services.library.remove(project_id, key)
    return RemovedReference.model_validate(removed)


@router.post("/entry/restore", status_code=204, responses=MAY_FAIL)
@for_session
async def restore_reference(
    project_id: ResourceId, body: RemovedReference, services: ServicesDependency
) -> Response:
    """Put an entry back where it was taken out; at the end if the file was changed meanwhile."""
    removed = RemovedEntry(body.path, body.key, body.start, body.text, body.hash)
    await services.library.put_back(project_id, removed)
    return Response(status_code=204)


@router.post("/import", response_model=ReferencesImported, responses=MAY_FAIL)
@for_session
async def import_references(
    project_id: ResourceId, body: ReferenceImport, services: ServicesDependency
) -> ReferencesImported:
    """Add the works of another program's list that are not in the library yet."""
    data = body.text.encode("utf-8", "replace")
    told = await services.library.import_list(project_id, data, body.format)
    return ReferencesImported.model_validate(told)


@router.post("/import/zotero", response_model=ReferencesImported, responses=MAY_FAIL)
@for_session
async def import_zotero(project_id: ResourceId, services: ServicesDependency) -> ReferencesImported:
    """Add the works of the Zotero that runs on this computer, as far as they are new."""
    told = await services.library.import_zotero(project_id)
    return ReferencesImported.model_validate(told)


@router.post("/pdf", status_code=201, response_model=ReferenceAdded, responses=MAY_FAIL)
@for_session
@takes_megabytes(100)
async def add_pdf(
    project_id: ResourceId,
    request: Request,
    services: ServicesDependency,
    key: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] = "",
) -> ReferenceAdded:
    """Keep a PDF with its reference: that of the key, else the one whose DOI it names."""
    added = await services.library.add_pdf(project_id, await request.body(), key)
    return ReferenceAdded.model_validate(added)


@router.get(
    "/report",
    response_model=DocumentCitations,
    responses=may_answer(403, 404, 409, 413, 415, 422),
)
@for_session
async def report_citations(
    project_id: ResourceId, services: ServicesDependency, document: Document
) -> DocumentCitations:
    """Every citation of a document, the entries it leaves out, and claims without a source."""
    return present_report(await services.library.report(project_id, document))


@router.post(
    "/entry/verify",
    response_model=ReferenceVerification,
    responses=may_answer(404, 409, 422),
)
@for_session
async def verify_reference(
    project_id: ResourceId, services: ServicesDependency, key: ReferenceKey
) -> ReferenceVerification:
    """Compare title, first author, year and DOI of an entry with services of record."""
    return present_verification(await services.library.verify(project_id, key))


@router.post("/entry/published", response_model=Reference, responses=MAY_FAIL)
@for_session
async def take_published(
    project_id: ResourceId, services: ServicesDependency, key: ReferenceKey
) -> Reference:
    """Have the entry of a preprint say what was published, as its record has it."""
    await services.library.take_published(project_id, key)
    return await present(project_id, await services.library.open(project_id), key, services)


@router.post(
    "/quotations", response_model=QuotationList, responses=may_answer(403, 404, 409, 413, 415, 422)
)
@for_session
async def check_quotations(
    project_id: ResourceId, body: QuotationsBody, services: ServicesDependency
) -> QuotationList:
    """Look for each quotation of a text in the stored text of its source."""
    found = await services.library.quotations(project_id, body.document, body.text)
    return QuotationList(items=[present_quotation(one, body.text) for one in found])


@router.get("/papers", response_model=PaperList, responses=may_answer(404, 409, 422))
@for_session
async def find_papers(
    project_id: ResourceId,
    services: ServicesDependency,
    query: Annotated[str, StringConstraints(min_length=1, max_length=1000)],
) -> PaperList:
    """Papers that fit some words, for citing what the library does not have yet."""
    await services.projects.get(project_id)
    try:
        return present_papers(await services.library.papers(query, MOST_PAPERS))
    except PapersUnavailable as failure:
        return PaperList(items=[], notes=[item.why for item in failure.failures])


@router.post("/merge", status_code=204, responses=MAY_FAIL)
@for_session
async def merge_references(
    project_id: ResourceId, body: ReferenceMerge, services: ServicesDependency
) -> Response:
    """Make two entries one; documents that cite the other cite the one that stays."""
    await services.library.merge(project_id, body.key, body.other)
    return Response(status_code=204)


@router.get("/duplicates", response_model=DuplicateList, responses=may_answer(404, 422))
@for_session
async def list_duplicates(project_id: ResourceId, services: ServicesDependency) -> DuplicateList:
    """Works that are in the library twice: the same DOI, or nearly the same title."""
    library = await services.library.open(project_id)
    found = await anyio.to_thread.run_sync(library.duplicates)
    return DuplicateList(items=[present_duplicate(item) for item in found])


async def present(
    project_id: str, library: Library, key: str, services: ServicesDependency
) -> Reference:
    """One reference as pages see it. Raises ReferenceNotFound."""
    checks = await services.library.checks(project_id, [library.get(key)])
    cited = await services.library.citations(project_id)
    return present_reference(library, key, cited, checks.get(key))


def incomplete_entries(library: Library) -> int:
    """How many entries have missing fields."""
    return sum(1 for reference in library.references() if reference.missing)


def choose(
    library: Library, query: str, sort: Sort, kind: str, *, descending: bool, incomplete: bool
) -> list[int]:
    """The places of what is to be listed, in order."""
    found = library.matches(query)
    if kind:
        found = [at for at in found if library.reference(at).type == kind]
    if incomplete:
        found = [at for at in found if library.reference(at).missing]
    if sort == "best":
        return found[::-1] if descending else found

    def order(at: int) -> str:
        reference = library.reference(at)
        match sort:
            case "author":
                return reference.who.casefold()
            case "year":
                return reference.year
            case "title":
                return reference.title.casefold()
            case _:
                return reference.key.casefold()

    return sorted(found, key=order, reverse=descending)
