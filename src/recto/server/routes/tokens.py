"""How many tokens files, contexts, skills and a prompt take together, before anything is sent."""

from recto.projects import TokenSelection
from recto.server.access import for_session, takes_megabytes
from recto.server.responses import may_answer
from recto.server.routes.contexts import LARGEST_BODY
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.contexts import TokenRequest, Tokens, UnreadableFile
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/tokens", tags=["tokens"])


@router.post("/calculate", response_model=Tokens, responses=may_answer(400, 404, 409, 413, 422))
@for_session
@takes_megabytes(LARGEST_BODY)
async def calculate_tokens(
    project_id: ResourceId, body: TokenRequest, services: ServicesDependency
) -> Tokens:
    """Count with a real tokenizer; what did not change since the last time is not read again."""
    chosen = TokenSelection(body.files, body.context_ids, body.skill_ids, body.additional_prompt)
    found = await services.tokens.calculate(project_id, chosen, body.model or "")
    return Tokens(
        total_tokens=found.total,
        deduplicated_tokens=found.deduplicated,
        file_tokens=dict(found.files),
        context_tokens=dict(found.contexts),
        skill_tokens=dict(found.skills),
        additional_prompt_tokens=found.additional_prompt,
        overlapping_files=list(found.overlapping),
        missing_files=list(found.missing),
        unreadable=[UnreadableFile(path=path, reason=why) for path, why in found.unreadable],
    )
