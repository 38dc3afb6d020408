"""Replacing in all files: looked at, done as one edit, taken back as one."""

from collections.abc import Sequence

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.files.files import in_utf16
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.replacements import (
    Replaced,
    ReplacementAsked,
    ReplacementHit,
    ReplacementId,
    ReplacementLine,
    ReplacementLook,
    ReplacementMade,
)
from recto.server.services import ServicesDependency
from recto.workspace import ReplacementLine as FoundLine
from recto.workspace import ReplacementQuery

router = Router(prefix="/api/v1/projects/{project_id}/replacements", tags=["files"])

MAY_FAIL = may_answer(404, 409, 422, 503)
MOST_SHOWN = 2000
BEFORE = 60
LONGEST = 400


@router.post("/look", response_model=ReplacementLook, responses=MAY_FAIL)
@for_session
async def look_at_replacement(
    project_id: ResourceId, body: ReplacementAsked, services: ServicesDependency
) -> ReplacementLook:
    """What would be replaced, hit by hit. Nothing is changed."""
    look = await services.replacements.look(project_id, query_of(body))
    return ReplacementLook(
        id=look.id,
        items=presented(look.lines),
        files=look.files,
        hits=look.hits,
        too_much=look.too_much,
    )


@router.post("", status_code=201, response_model=Replaced, responses=MAY_FAIL)
@for_session
async def replace_in_files(
    project_id: ResourceId, body: ReplacementMade, services: ServicesDependency
) -> Replaced:
    """Replace what was looked at. If the files have something else by now, nothing is: 409."""
    query = query_of(body)
    done = await services.replacements.replace(project_id, query, body.look, set(body.left_out))
    return Replaced.model_validate(done)


@router.post("/{replacement_id}/undo", response_model=Replaced, responses=MAY_FAIL)
@for_session
async def undo_replacement(
    project_id: ResourceId, replacement_id: ReplacementId, services: ServicesDependency
) -> Replaced:
    """Put back what was there before; what was written since stays."""
    done = await services.replacements.take_back(project_id, replacement_id)
    return Replaced.model_validate(done)


def query_of(body: ReplacementAsked) -> ReplacementQuery:
    """What was asked for, as the folder knows it."""
    return ReplacementQuery(
        query=body.query,
        replacement=body.replacement,
        regex=body.regex,
        case_sensitive=body.case_sensitive,
        whole_word=body.whole_word,
    )


def presented(lines: Sequence[FoundLine]) -> list[ReplacementLine]:
    """The first lines as the page shows them, each hit with its number among all."""
    shown: list[ReplacementLine] = []
    number = 0
    for line in lines[:MOST_SHOWN]:
        cut = max(0, line.spans[0].start - BEFORE) if line.spans else 0
        text = line.text[cut : cut + LONGEST]
        hits: list[ReplacementHit] = []
        for at, span in enumerate(line.spans, number):
            if span.end - cut <= len(text):
                start, end = in_utf16(text, (span.start - cut, span.end - cut))
                hits.append(ReplacementHit(number=at, start=start, end=end, new=span.new))
        number += len(line.spans)
        shown.append(ReplacementLine(path=line.path, line=line.line, text=text, hits=hits))
    return shown
