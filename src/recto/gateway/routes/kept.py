"""Prompts and answers that are kept: one's own, and for admins everybody's."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from recto.gateway.route_access import for_admins, for_members
from recto.gateway.routes.admin import person_view
from recto.gateway.schemas import KeepingBody, KeptCallView, KeptWordsView, PersonView
from recto.gateway.services import GatewayDependency, GatewayServices, OwnAccount

router = APIRouter(tags=["kept"])

Before = Annotated[str | None, Query(pattern=r"^\w{1,64}$")]
"""The last call that is known: those before it are meant."""


@router.get("/api/v1/kept", response_model=list[KeptCallView])
@for_members
async def own_kept(
    account: OwnAccount, services: GatewayDependency, before: Before = None
) -> list[KeptCallView]:
    """What is kept of one's own calls, newest first, some at a time."""
    return await kept_of(services, account.id, before)


@router.delete("/api/v1/kept", status_code=204)
@for_members
async def erase_own(account: OwnAccount, services: GatewayDependency) -> Response:
    """Erase all that is kept of one's own calls."""
    await services.kept_calls.erase(account.id)
    return Response(status_code=204)


@router.get("/api/v1/kept/{call_id}", response_model=KeptWordsView)
@for_members
async def read_own(call_id: str, account: OwnAccount, services: GatewayDependency) -> KeptWordsView:
    """One of one's own calls, with its words."""
    return KeptWordsView.model_validate(await services.kept_calls.read(account.id, call_id))


@router.delete("/api/v1/kept/{call_id}", status_code=204)
@for_members
async def erase_one_own(call_id: str, account: OwnAccount, services: GatewayDependency) -> Response:
    """Erase one of one's own calls."""
    await services.kept_calls.erase(account.id, call_id)
    return Response(status_code=204)


@router.put("/api/v1/people/{account_id}/keeping", response_model=PersonView)
@for_admins
async def switch_keeping(
    account_id: str, body: KeepingBody, services: GatewayDependency
) -> PersonView:
    """Keep somebody's prompts and answers from now on, or no more; then all of them are erased."""
    account = await services.kept_calls.switch(account_id, body.days)
    return await person_view(account, services)


@router.get("/api/v1/people/{account_id}/kept", response_model=list[KeptCallView])
@for_admins
async def list_kept(
    account_id: str, services: GatewayDependency, before: Before = None
) -> list[KeptCallView]:
    """What is kept of somebody's calls, newest first, some at a time."""
    await services.people.account(account_id)
    return await kept_of(services, account_id, before)


@router.delete("/api/v1/people/{account_id}/kept", status_code=204)
@for_admins
async def erase_kept(account_id: str, services: GatewayDependency) -> Response:
    """Erase all that is kept of somebody's calls."""
    await services.people.account(account_id)
    await services.kept_calls.erase(account_id)
    return Response(status_code=204)


@router.get("/api/v1/people/{account_id}/kept/{call_id}", response_model=KeptWordsView)
@for_admins
async def read_kept(account_id: str, call_id: str, services: GatewayDependency) -> KeptWordsView:
    """One of somebody's calls, with its words."""
    return KeptWordsView.model_validate(await services.kept_calls.read(account_id, call_id))


@router.delete("/api/v1/people/{account_id}/kept/{call_id}", status_code=204)
@for_admins
async def erase_one(account_id: str, call_id: str, services: GatewayDependency) -> Response:
    """Erase one of somebody's calls."""
    await services.kept_calls.erase(account_id, call_id)
    return Response(status_code=204)


async def kept_of(
    services: GatewayServices, account_id: str, before: str | None
) -> list[KeptCallView]:
    """Some calls of an account."""
    found = await services.kept_calls.of(account_id, before=before)
    return [KeptCallView.model_validate(call) for call in found]
