"""Proposals: what models offer in cards, taken or dismissed."""

from typing import Annotated

from fastapi import Query

from recto import chats
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.proposals import Chosen, Proposal, ProposalList, ProposalOption
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1", tags=["proposals"])

MAY_FAIL = may_answer(400, 403, 404, 409, 412, 413, 415, 422)


@router.get("/proposals", response_model=ProposalList, responses=may_answer(404, 422))
@for_session
async def list_proposals(
    services: ServicesDependency, chat_id: Annotated[ResourceId, Query(alias="chatId")]
) -> ProposalList:
    """What was offered in a chat."""
    found = await services.proposals.of_chat(chat_id)
    return ProposalList(items=[present(item) for item in found])


@router.post("/proposals/{proposal_id}/apply", response_model=Proposal, responses=MAY_FAIL)
@for_session
async def apply(proposal_id: ResourceId, body: Chosen, services: ServicesDependency) -> Proposal:
    """Take an option; its edit then waits for review. 409 when the text has changed since."""
    return present(await services.proposals.apply(proposal_id, body.option))


@router.post("/proposals/{proposal_id}/dismiss", response_model=Proposal, responses=MAY_FAIL)
@for_session
async def dismiss(proposal_id: ResourceId, services: ServicesDependency) -> Proposal:
    """Say no to all of it."""
    return present(await services.proposals.dismiss(proposal_id))


@router.post("/proposals/{proposal_id}/reopen", response_model=Proposal, responses=MAY_FAIL)
@for_session
async def reopen(proposal_id: ResourceId, services: ServicesDependency) -> Proposal:
    """Take a dismissal back."""
    return present(await services.proposals.reopen(proposal_id))


def present(proposal: chats.Proposal) -> Proposal:
    """A proposal as the API tells it."""
    return Proposal(
        id=proposal.id,
        project_id=proposal.project_id,
        chat_id=proposal.chat_id,
        turn_id=proposal.run_id,
        call_id=proposal.call_id,
        thread_id=proposal.note_id,
        question=proposal.question,
        options=[ProposalOption.model_validate(dict(option)) for option in proposal.options],
        status=proposal.status,
        chosen=proposal.chosen,
        edit_id=proposal.edit_id,
        confidence=proposal.confidence,
        confidence_source=proposal.source,
        model=proposal.model_name,
        request_id=proposal.request_id,
        created_at=proposal.at_ms,
        decided_at=proposal.decided_ms,
    )
