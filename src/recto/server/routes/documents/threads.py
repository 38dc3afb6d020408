"""Threads and comments: made at a passage, listed, answered, sent, resolved, deleted."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Header, Query
from starlette.responses import Response

from recto.chats import AdmittedTurn, ThreadStatus
from recto.margin import AnswerPlace, Note, PlacedNote, TextPlace
from recto.server.access import for_session, takes_megabytes
from recto.server.problems import Problem, RequestProblem, problem_response
from recto.server.responses import may_answer
from recto.server.routes.chats.turns import said_with
from recto.server.routes.projects import NO_VERSION
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.threads import (
    NewThread,
    PassageOfAnswer,
    PassageOfText,
    SendComments,
    Thread,
    ThreadAdmitted,
    ThreadAnswer,
    ThreadList,
    ThreadMessage,
    ThreadPlace,
    ThreadSent,
    ThreadUpdate,
)
from recto.server.services import Services, ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/threads", tags=["threads"])

MAY_FAIL = may_answer(400, 403, 404, 409, 413, 415, 422)


@router.get("", response_model=ThreadList, responses=may_answer(404, 422))
@for_session
async def list_threads(
    project_id: ResourceId,
    services: ServicesDependency,
    path: Annotated[str | None, Query(max_length=4096)] = None,
) -> ThreadList:
    """The threads and comments of a project, or of one file, each where it is now."""
    await services.projects.get(project_id)
    return ThreadList(
        items=await presented(services, await services.notes.list(project_id, path=path))
    )


@router.post("", status_code=201, response_model=Thread, responses=MAY_FAIL)
@for_session
@takes_megabytes(32)
async def create_thread(
    project_id: ResourceId, body: NewThread, services: ServicesDependency, response: Response
) -> Thread:
    """Make a comment, or begin a thread, at a passage."""
    await services.projects.get(project_id)
    place = place_of(body.passage)
    if body.text is not None:
        said = said_with(body.text, body)
        note, _ = await services.threads.begin(project_id, place, said)
    else:
        note = await services.notes.add(project_id, place, body=body.body or "")
    return await tagged(services, note.id, response)


@router.post("/send", status_code=202, response_model=ThreadAdmitted, responses=MAY_FAIL)
@for_session
@takes_megabytes(32)
async def send_comments(
    project_id: ResourceId, body: SendComments, services: ServicesDependency
) -> ThreadAdmitted:
    """Send comments as one message; each answer attaches to its comment."""
    await services.projects.get(project_id)
    said = said_with(body.text, body)
    return admitted(await services.threads.send(project_id, body.ids, body.chat_id, said))


@router.get("/{thread_id}", response_model=Thread, responses=may_answer(404, 422))
@for_session
async def get_thread(
    project_id: ResourceId, thread_id: ResourceId, services: ServicesDependency, response: Response
) -> Thread:
    """One thread or comment; its version is the ETag."""
    await find(services, project_id, thread_id)
    return await tagged(services, thread_id, response)


@router.put("/{thread_id}", response_model=Thread, responses=may_answer(400, 404, 412, 422, 428))
@for_session
async def update_thread(
    project_id: ResourceId,
    thread_id: ResourceId,
    body: ThreadUpdate,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"\d{1,18}"$')] = None,
) -> Response | Thread:
    """Give a comment other words; resolve a thread, or take that back."""
    if if_match is None:
        return problem_response(NO_VERSION)
    await find(services, project_id, thread_id)
    version = int(if_match.strip('"'))
    await services.notes.change(thread_id, version=version, body=body.body, resolved=body.resolved)
    return await tagged(services, thread_id, response)


@router.delete("/{thread_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def delete_thread(
    project_id: ResourceId, thread_id: ResourceId, services: ServicesDependency
) -> None:
    """Remove a thread with its conversation. What that cost stays in the ledger."""
    await find(services, project_id, thread_id)
    await services.threads.delete(thread_id)


@router.post(
    "/{thread_id}/messages", status_code=202, response_model=ThreadAdmitted, responses=MAY_FAIL
)
@for_session
@takes_megabytes(32)
async def reply(
    project_id: ResourceId, thread_id: ResourceId, body: ThreadMessage, services: ServicesDependency
) -> ThreadAdmitted:
    """Say something in a thread; a comment becomes one by that."""
    await find(services, project_id, thread_id)
    return admitted(await services.threads.reply(thread_id, said_with(body.text, body)))


async def find(services: Services, project_id: str, thread_id: str) -> Note:
    """A thread of this project. Raises RequestProblem for one of another."""
    note = await services.notes.get(thread_id)
    if note.project_id != project_id:
        words = f"There is no thread {thread_id} in this project."
        raise RequestProblem(Problem(404, "Not found", words, remedy="Reload the list."))
    return note


def place_of(passage: PassageOfText | PassageOfAnswer) -> TextPlace | AnswerPlace:
    """The passage that somebody selected."""
    if isinstance(passage, PassageOfText):
        return TextPlace(
            passage.path, passage.start, passage.end, is_utf16=True, words=passage.text
        )
    return AnswerPlace(passage.chat_id, passage.entry_id, passage.text, passage.occurrence)


async def tagged(services: Services, thread_id: str, response: Response) -> Thread:
    """The thread, with its version in the header."""
    (thread,) = await presented(services, [await services.notes.placed(thread_id)])
    response.headers["etag"] = f'"{thread.version}"'
    return thread


async def presented(services: Services, placed: Sequence[PlacedNote]) -> list[Thread]:
    """Notes as the API tells them."""
    known = await services.threads.statuses([note.note for note in placed])
    return [present(note, known[note.note.id]) for note in placed]


def present(placed: PlacedNote, status: ThreadStatus) -> Thread:
    """A note, where it is and how it stands."""
    note, positions = placed.note, placed.positions
    return Thread(
        id=note.id,
        project_id=note.project_id,
        path=note.path or None,
        text=note.text,
        line=placed.line,
        is_detached=placed.is_detached,
        place=None
        if positions is None
        else ThreadPlace(epoch=positions[0], begin=positions[1], end=positions[2]),
        answer=None if note.answer is None else ThreadAnswer.model_validate(dict(note.answer)),
        body=note.body,
        author="person" if note.author == "person" else "ai",
        status=status.status,
        chat_id=note.chat_id,
        messages=status.messages,
        sent=sent_with(note) if status.is_sent else None,
        reply=status.reply,
        has_applied_edit=status.has_applied_edit,
        created_at=note.created_ms,
        updated_at=note.updated_ms,
        version=note.version,
    )


def sent_with(note: Note) -> ThreadSent | None:
    """The turn that a comment went with."""
    if note.sent is None:
        return None
    return ThreadSent(chat_id=note.sent["chatId"], turn_id=note.sent["turnId"])


def admitted(turn: AdmittedTurn) -> ThreadAdmitted:
    """The answer to a message that is stored."""
    return ThreadAdmitted(chat_id=turn.chat_id, turn_id=turn.turn_id, state=turn.state)
