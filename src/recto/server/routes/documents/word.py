"""Word documents as pages: shown, edited, commented on."""

import json
from typing import Annotated, Any

import anyio
import msgspec
from fastapi import Query
from pydantic import StringConstraints
from starlette.responses import Response

from recto.projects import PageChanges, PageSplice, TakenPart, WordPage, account_name
from recto.server.access import for_embedding, for_session
from recto.server.media import media_type_of, policy_of
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Text
from recto.server.schemas.documents.word import (
    ForeignText,
    NewWordComment,
    TabName,
    WordAnswer,
    WordCommentMade,
    WordEdits,
    WordFile,
    WordPageView,
    WordResolution,
    WordSplice,
    WordTab,
)
from recto.server.schemas.file_operations import FilePath
from recto.server.services import ServicesDependency
from recto.word import PageEdit

router = Router(prefix="/api/v1/projects/{project_id}/word", tags=["files"])

MAY_FAIL = may_answer(400, 404, 409, 412, 413, 422, 507)
NO_PICTURE = Problem(
    415,
    "Not a picture",
    "The document keeps this picture in a form that browsers don't show.",
    remedy="Open the document in Word.",
    kind="urn:recto:problem:not-a-picture",
)
PageHash = Annotated[Text, StringConstraints(max_length=200)]
PartName = Annotated[Text, StringConstraints(min_length=1, max_length=1000)]


# A page was encoded by the process that read the document: it is passed on as it is.
@router.get("", responses={**MAY_FAIL, 200: {"model": WordPageView}}, response_class=Response)
@for_session
async def read_word_page(
    project_id: ResourceId,
    path: Annotated[FilePath, Query()],
    tab: Annotated[TabName, Query()],
    services: ServicesDependency,
    shown: Annotated[PageHash, Query()] = "",
) -> Response:
    """A Word document as a page draws it: only what is other, for one that is `shown` by hash."""
    found = await services.word_pages.read(project_id, path, tab, shown)
    return Response(await anyio.to_thread.run_sync(page_json, found), media_type="application/json")


@router.post("/edits", responses={**MAY_FAIL, 200: {"model": WordSplice}}, response_class=Response)
@for_session
async def edit_word_page(
    project_id: ResourceId, body: WordEdits, services: ServicesDependency
) -> Response:
    """Change a Word document; it is saved when this answers."""
    edits = msgspec.convert([item.model_dump(by_alias=True) for item in body.edits], list[PageEdit])
    taken = [TakenPart(item.text, item.suggestion or "") for item in body.taken]
    changes = PageChanges(body.hash, body.tab, body.is_tracked, edits, taken)
    found = await services.word_pages.edit(project_id, body.path, changes)
    data = await anyio.to_thread.run_sync(splice_json, found)
    return Response(data, media_type="application/json")


@router.post("/comments", response_model=WordCommentMade, responses=MAY_FAIL)
@for_session
async def comment_on_word(
    project_id: ResourceId, body: NewWordComment, services: ServicesDependency
) -> WordCommentMade:
    """Say something about words of a document."""
    place = min(body.start, body.end), max(body.start, body.end)
    made = await services.word_pages.comment(
        project_id, body.path, body.paragraph, place, body.text
    )
    return WordCommentMade(id=made)


@router.post("/comments/answer", response_model=WordCommentMade, responses=MAY_FAIL)
@for_session
async def answer_word_comment(
    project_id: ResourceId, body: WordAnswer, services: ServicesDependency
) -> WordCommentMade:
    """Answer a comment."""
    made = await services.word_pages.answer(project_id, body.path, body.comment, body.text)
    return WordCommentMade(id=made)


@router.post("/comments/resolve", status_code=204, responses=MAY_FAIL)
@for_session
async def resolve_word_comment(
    project_id: ResourceId, body: WordResolution, services: ServicesDependency
) -> None:
    """Resolve a comment, or open it again."""
    await services.word_pages.resolve(project_id, body.path, body.comment, done=body.is_resolved)


@router.post("/tab", status_code=204, responses=MAY_FAIL)
@for_session
async def take_word_document(
    project_id: ResourceId, body: WordTab, services: ServicesDependency
) -> None:
    """Edit a document in this tab from now on, or let others."""
    if body.takes:
        services.word_pages.editors.take(project_id, body.path, body.tab)
    else:
        services.word_pages.editors.leave(project_id, body.path, body.tab)


@router.get(
    "/picture",
    response_class=Response,
    responses={
        **may_answer(404, 409, 413, 415, 422),
        200: {"description": "A picture", "content": {"image/*": {}}},
    },
)
@for_embedding
async def read_word_picture(
    project_id: ResourceId,
    path: Annotated[FilePath, Query()],
    part: Annotated[PartName, Query()],
    services: ServicesDependency,
) -> Response:
    """A picture in a document, by the part that holds it."""
    data = await services.word_pages.part(project_id, path, part)
    media_type = media_type_of(data)
    if media_type is None or not media_type.startswith("image/"):
        raise RequestProblem(NO_PICTURE)
    headers = {
        "cache-control": "private, max-age=300",
        "content-security-policy": policy_of(media_type),
    }
    return Response(data, media_type=media_type, headers=headers)


@router.post("/markdown", response_model=WordFile, status_code=201, responses=MAY_FAIL)
@for_session
async def copy_word_as_markdown(
    project_id: ResourceId, body: WordFile, services: ServicesDependency
) -> WordFile:
    """Write a document as Markdown beside it, with its pictures; the path of the Markdown."""
    return WordFile(path=await services.word_pages.copy(project_id, body.path))


@router.get("/foreign", response_model=ForeignText, responses=MAY_FAIL)
@for_session
async def read_foreign_document(
    project_id: ResourceId, path: Annotated[FilePath, Query()], services: ServicesDependency
) -> ForeignText:
    """The text of a document of another word processor (.odt, .rtf), as Markdown."""
    return ForeignText(text=await services.word_pages.foreign(project_id, path))


def page_json(page: WordPage) -> bytes:
    """A page."""
    head = {
        "hash": page.hash,
        "openedBy": page.opened_by,
        "isElsewhere": page.is_elsewhere,
        "author": account_name(),
        "isWhole": page.is_whole,
        "start": page.start,
        "end": page.end,
    }
    return whole(head, page.frame, page.blocks)


def splice_json(found: PageSplice) -> bytes:
    """What an edit made of a page."""
    head = {
        "hash": found.hash,
        "isWhole": found.is_whole,
        "start": found.start,
        "end": found.end,
        "made": [{"asked": asked, "number": number} for asked, number in found.made.items()],
        "conflicts": msgspec.to_builtins(found.conflicts),
    }
    return whole(head, found.frame, found.blocks)


def whole(head: dict[str, Any], frame: bytes, blocks: tuple[bytes, ...]) -> bytes:
    """One object of what is encoded already."""
    opening = json.dumps(head).encode()[:-1]
    return opening + b', "frame": ' + frame + b', "blocks": [' + b",".join(blocks) + b"]}"
