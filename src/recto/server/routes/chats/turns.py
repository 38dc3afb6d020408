"""Turns: what people say, and what they answer while a model works."""

import base64
from dataclasses import replace

from recto.chats import (
    AdmittedTurn,
    ChosenTransform,
    OpenDocument,
    PagePassage,
    SelectedPassage,
    UserMessage,
)
from recto.messages import Image
from recto.server.access import for_session, takes_megabytes
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.chats import turns
from recto.server.schemas.chats.turns import (
    Answer,
    EntryEdit,
    GoesAlong,
    NewImage,
    NewTurn,
    Retry,
    Steer,
    Summarise,
    Transform,
    TransformList,
    TurnAdmitted,
)
from recto.server.schemas.mcp import ElicitationReply
from recto.server.services import ServicesDependency
from recto.tools import ElicitationAnswer

router = Router(prefix="/api/v1", tags=["turns"])

MAY_FAIL = may_answer(400, 403, 404, 409, 413, 415, 422)


@router.post(
    "/chats/{chat_id}/turns", status_code=202, response_model=TurnAdmitted, responses=MAY_FAIL
)
@for_session
@takes_megabytes(32)
async def say(chat_id: ResourceId, body: NewTurn, services: ServicesDependency) -> TurnAdmitted:
    """Say something. It is stored, then a turn begins, or it waits for the one that runs."""
    return admitted(await services.chats.say(chat_id, said(body)))


@router.get("/transforms", response_model=TransformList, responses=may_answer(422))
@for_session
async def list_transforms(services: ServicesDependency) -> TransformList:
    """The quick transforms of a passage: those that Recto brings, then the user's own."""
    return TransformList(
        items=[Transform.model_validate(transform) for transform in services.chats.transforms()]
    )


@router.post(
    "/chats/{chat_id}/entries/{entry_id}/edit",
    status_code=202,
    response_model=TurnAdmitted,
    responses=MAY_FAIL,
)
@for_session
@takes_megabytes(32)
async def edit(
    chat_id: ResourceId, entry_id: ResourceId, body: EntryEdit, services: ServicesDependency
) -> TurnAdmitted:
    """Say something else instead; what followed no longer counts and stays readable."""
    return admitted(await services.chats.edit(chat_id, entry_id, said(body)))


@router.post(
    "/chats/{chat_id}/entries/{entry_id}/retry",
    status_code=202,
    response_model=TurnAdmitted,
    responses=MAY_FAIL,
)
@for_session
async def retry(
    chat_id: ResourceId, entry_id: ResourceId, body: Retry, services: ServicesDependency
) -> TurnAdmitted:
    """Ask again for an answer, with the same model or another."""
    return admitted(await services.chats.retry(chat_id, entry_id, body.model))


@router.post(
    "/chats/{chat_id}/summary", status_code=202, response_model=TurnAdmitted, responses=MAY_FAIL
)
@for_session
async def summarise(
    chat_id: ResourceId, body: Summarise, services: ServicesDependency
) -> TurnAdmitted:
    """Have the conversation so far summarised; it goes on from there."""
    return admitted(await services.chats.summarise(chat_id, body.model))


@router.delete(
    "/chats/{chat_id}/summary/{entry_id}", status_code=204, responses=may_answer(404, 409, 422)
)
@for_session
async def take_off(chat_id: ResourceId, entry_id: ResourceId, services: ServicesDependency) -> None:
    """Take a checkpoint off: what came before it is sent again."""
    await services.chats.take_off(chat_id, entry_id)


@router.post("/turns/{turn_id}/cancel", status_code=204, responses=may_answer(404, 409, 422))
@for_session
async def cancel(turn_id: ResourceId, services: ServicesDependency) -> None:
    """Stop a turn; what there is of it stays."""
    await services.chats.stop(turn_id)


@router.post(
    "/turns/{turn_id}/steer", status_code=202, response_model=TurnAdmitted, responses=MAY_FAIL
)
@for_session
async def steer(turn_id: ResourceId, body: Steer, services: ServicesDependency) -> TurnAdmitted:
    """Say something to a running turn; it joins at the next step."""
    return admitted(await services.chats.steer(turn_id, body.text))


@router.post(
    "/turns/{turn_id}/continue", status_code=202, response_model=TurnAdmitted, responses=MAY_FAIL
)
@for_session
async def go_on(turn_id: ResourceId, services: ServicesDependency) -> TurnAdmitted:
    """Continue where a turn ended, or start one that waits."""
    return admitted(await services.chats.go_on(turn_id))


@router.delete("/turns/{turn_id}", status_code=204, responses=may_answer(404, 409, 422))
@for_session
async def remove(turn_id: ResourceId, services: ServicesDependency) -> None:
    """Take back a message that waits."""
    await services.chats.remove(turn_id)


@router.post("/approvals/{approval_id}", status_code=204, responses=may_answer(400, 409, 422))
@for_session
async def answer(approval_id: ResourceId, body: Answer, services: ServicesDependency) -> None:
    """Answer a tool that asks."""
    await services.chats.answer(approval_id, body.answer)


@router.post("/elicitations/{elicitation_id}", status_code=204, responses=may_answer(400, 409, 422))
@for_session
async def reply(
    elicitation_id: ResourceId, body: ElicitationReply, services: ServicesDependency
) -> None:
    """Answer an MCP server that asks."""
    content = body.content if body.action == "accept" else None
    answer = ElicitationAnswer(body.action, content)
    await services.chats.answer_elicitation(elicitation_id, answer)


def said(body: NewTurn) -> UserMessage:
    """What a person sends. Raises RequestProblem for a picture that is none."""
    chosen = body.transform
    return replace(
        said_with(body.text, body),
        document=None if body.document is None else open_document(body.document),
        transform=None if chosen is None else ChosenTransform(chosen.id, chosen.argument),
    )


def said_with(text: str, body: GoesAlong) -> UserMessage:
    """Words and what goes along with them. Raises RequestProblem for a picture that is none."""
    passage = body.selection
    return UserMessage(
        text=text,
        files=body.files,
        context_ids=body.context_ids,
        except_files=body.except_files,
        skill_ids=body.skill_ids,
        additional_prompt=body.additional_prompt,
        selection=None
        if passage is None
        else SelectedPassage(passage.path, passage.before, passage.text, passage.after),
        images=[picture(image) for image in body.images],
        model=body.model,
        plan=body.plan,
        open_tabs=body.open_tabs,
        active_tab=body.active_tab,
    )


def open_document(body: turns.OpenDocument) -> OpenDocument:
    """The document that the document agent is asked about."""
    place, passage = body.selection, body.passage
    return OpenDocument(
        body.path,
        None if place is None else (place.start, place.end),
        None
        if passage is None
        else PagePassage(passage.paragraph, passage.start, passage.last, passage.end),
    )


def picture(image: NewImage) -> Image:
    """The bytes of a picture."""
    try:
        return Image(image.media_type, base64.b64decode(image.data, validate=True))
    except ValueError as error:  # not base64, or not even ASCII
        words = "A picture is not valid base64."
        raise RequestProblem(
            Problem(422, "Not a picture", words, remedy="Attach it again.")
        ) from error


def admitted(turn: AdmittedTurn) -> TurnAdmitted:
    """The answer to a turn that is stored."""
    return TurnAdmitted(turn_id=turn.turn_id, state=turn.state)
