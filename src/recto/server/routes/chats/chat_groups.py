"""Chat groups: the folders that chats lie in, made, ordered, synced, changed, removed."""

from typing import Annotated

from fastapi import Header
from starlette.responses import Response

from recto.chats import ChatGroup as Found
from recto.chats import ClientGroup, GroupChange
from recto.server.access import for_session, takes_megabytes
from recto.server.problems import problem_response
from recto.server.responses import may_answer
from recto.server.routes.projects import NO_VERSION
from recto.server.routes.router import Router
from recto.server.rows import read_rows
from recto.server.schemas.base import ResourceId
from recto.server.schemas.chats.chat_groups import (
    ChatGroup,
    ChatGroupPage,
    ChatGroupUpdate,
    GroupOrder,
    GroupsToSync,
    NewChatGroup,
    SyncedGroup,
    SyncedGroupResult,
    SyncedGroups,
)
from recto.server.services import ServicesDependency
from recto.server.views.chat_list import present_group, present_synced_group

router = Router(prefix="/api/v1/projects/{project_id}/chat-groups", tags=["chat groups"])


@router.get("", response_model=ChatGroupPage, responses=may_answer(404, 422))
@for_session
async def list_groups(project_id: ResourceId, services: ServicesDependency) -> ChatGroupPage:
    """The folders of a project, in their order."""
    groups = await services.groups.list(project_id)
    return ChatGroupPage(items=[present_group(group) for group in groups])


@router.post(
    "", status_code=201, response_model=ChatGroup, responses=may_answer(400, 404, 409, 422)
)
@for_session
async def create_group(
    project_id: ResourceId, body: NewChatGroup, services: ServicesDependency, response: Response
) -> ChatGroup:
    """Make a folder, after all others."""
    group = await services.groups.add(
        project_id,
        GroupChange(
            name=body.name,
            color=body.color,
            parent_id=body.parent_id,
            default_context_ids=tuple(body.default_context_ids),
            default_skill_ids=tuple(body.default_skill_ids),
        ),
        id=body.id,
    )
    return tagged(group, response)


# Before the routes with an id: "reorder" and "bulk-sync" are none.
@router.post("/bulk-sync", response_model=SyncedGroups, responses=may_answer(400, 404, 413, 422))
@for_session
@takes_megabytes(16)
async def sync_groups(
    project_id: ResourceId, body: GroupsToSync, services: ServicesDependency
) -> SyncedGroups:
    """Bring the folders of a client and of the server together: the higher version wins."""
    rows = read_rows(SyncedGroup, body.groups)
    synced = await services.groups.sync(project_id, [row_of(row) for row in rows.read.values()])
    results = dict(zip(rows.read, map(present_synced_group, synced), strict=True))
    for place, row in rows.refused.items():
        results[place] = SyncedGroupResult(id=row.id, outcome="refused", reason=row.reason)
    return SyncedGroups(results=[results[place] for place in range(len(body.groups))])


@router.put("/reorder", response_model=ChatGroupPage, responses=may_answer(400, 404, 409, 422))
@for_session
async def reorder_groups(
    project_id: ResourceId, body: GroupOrder, services: ServicesDependency
) -> ChatGroupPage:
    """Put the named folders in another order, at the places they have; the others stay."""
    groups = await services.groups.reorder(project_id, body.ids)
    return ChatGroupPage(items=[present_group(group) for group in groups])


@router.put("/{group_id}", response_model=ChatGroup, responses=may_answer(400, 404, 412, 422, 428))
@for_session
async def update_group(
    project_id: ResourceId,
    group_id: ResourceId,
    body: ChatGroupUpdate,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"\d{1,18}"$')] = None,
) -> Response | ChatGroup:
    """Change a folder, or put it into another one."""
    if if_match is None:
        return problem_response(NO_VERSION)
    group = await services.groups.change(
        project_id,
        group_id,
        GroupChange(
            name=body.name,
            color=body.color,
            parent_id=body.parent_id,
            default_context_ids=tuple(body.default_context_ids),
            default_skill_ids=tuple(body.default_skill_ids),
        ),
        version=int(if_match.strip('"')),
    )
    return tagged(group, response)


@router.delete("/{group_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def delete_group(
    project_id: ResourceId, group_id: ResourceId, services: ServicesDependency
) -> None:
    """Remove a folder. Its chats lie in none then; the folders in it move up."""
    await services.groups.remove(project_id, group_id)


def tagged(group: Found, response: Response) -> ChatGroup:
    """The folder, with its version in the header."""
    response.headers["etag"] = f'"{group.version}"'
    return present_group(group)


def row_of(body: SyncedGroup) -> ClientGroup:
    """A folder as a client has it."""
    return ClientGroup(
        id=body.id,
        wanted=GroupChange(
            name=body.name,
            color=body.color,
            parent_id=body.parent_id,
            default_context_ids=tuple(body.default_context_ids),
            default_skill_ids=tuple(body.default_skill_ids),
        ),
        position=body.position,
        created_ms=body.created_at,
        version=body.version,
    )
