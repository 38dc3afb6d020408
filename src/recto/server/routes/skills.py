"""Skills: those that Recto brings, the user's own, and those found in a project's folder."""

from typing import Annotated

from fastapi import Depends, Header, Query
from starlette.responses import Response

from recto.server.access import for_session
from recto.server.problems import problem_response
from recto.server.responses import may_answer
from recto.server.routes.projects import NO_VERSION
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, SkillId
from recto.server.schemas.skills import Model, NewSkill, Skill, SkillPage, SkillTrust, SkillUpdate
from recto.server.services import ServicesDependency
from recto.skills import OwnSkill
from recto.skills import Skill as FoundSkill

router = Router(prefix="/api/v1/projects/{project_id}/skills", tags=["skills"])

PAGE_SIZE = 200


@router.get("", response_model=SkillPage, responses=may_answer(404, 422))
@for_session
async def list_skills(
    project_id: ResourceId,
    services: ServicesDependency,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = PAGE_SIZE,
    model: Annotated[Model | None, Query()] = None,
) -> SkillPage:
    """The built-in skills, the user's own (newest first), then those of the folder.

    Their tokens are as `model` counts them.
    """
    page = await services.skills.page(project_id, cursor, limit, model or "")
    return SkillPage.model_validate(page)


@router.post("", status_code=201, response_model=Skill, responses=may_answer(400, 404, 422))
@for_session
async def create_skill(
    project_id: ResourceId, body: NewSkill, services: ServicesDependency, response: Response
) -> Skill:
    """Make a skill of one's own."""
    return tagged(await services.skills.add(project_id, own(body)), response)


@router.get("/{skill_id}", response_model=Skill, responses=may_answer(404, 422))
@for_session
async def get_skill(
    project_id: ResourceId, skill_id: SkillId, services: ServicesDependency, response: Response
) -> Skill:
    """One skill; its version is the ETag."""
    return tagged(await services.skills.get(project_id, skill_id), response)


async def must_be_changeable(
    project_id: ResourceId, skill_id: SkillId, services: ServicesDependency
) -> None:
    """A skill that is not one's own is refused before anything is said about the change."""
    await services.skills.check_changeable(project_id, skill_id)


@router.put(
    "/{skill_id}",
    response_model=Skill,
    responses=may_answer(400, 403, 404, 412, 422, 428),
    dependencies=[Depends(must_be_changeable)],
)
@for_session
async def update_skill(
    project_id: ResourceId,
    skill_id: SkillId,
    body: SkillUpdate,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"\d{1,18}"$')] = None,
) -> Response | Skill:
    """Change a skill of one's own, if it is still in the version the caller saw."""
    if if_match is None:
        return problem_response(NO_VERSION)
    version = int(if_match.strip('"'))
    skill = await services.skills.update(project_id, skill_id, own(body), version=version)
    return tagged(skill, response)


@router.delete("/{skill_id}", status_code=204, responses=may_answer(403, 404, 422))
@for_session
async def delete_skill(
    project_id: ResourceId, skill_id: SkillId, services: ServicesDependency
) -> None:
    """Remove a skill of one's own. What was sent with it stays in the chats."""
    await services.skills.remove(project_id, skill_id)


@router.put(
    "/{skill_id}/trust", response_model=Skill, responses=may_answer(400, 403, 404, 409, 422)
)
@for_session
async def trust_skill(
    project_id: ResourceId,
    skill_id: SkillId,
    body: SkillTrust,
    services: ServicesDependency,
    response: Response,
) -> Skill:
    """Say whether the text of a skill that was found may be followed. Another text asks again."""
    skill = await services.skills.trust(project_id, skill_id, body.hash, is_trusted=body.trusted)
    return tagged(skill, response)


def own(body: NewSkill) -> OwnSkill:
    """What the user wrote."""
    return OwnSkill(
        name=body.name,
        description=body.description,
        prompt=body.prompt,
        color=body.color,
        files=tuple(body.files),
        tools=tuple(body.tools),
        model=body.model,
    )


def tagged(skill: FoundSkill, response: Response) -> Skill:
    """The skill, with its version in the header."""
    response.headers["etag"] = f'"{skill.version}"'
    return Skill.model_validate(skill)
