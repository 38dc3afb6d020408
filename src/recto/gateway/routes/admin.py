"""What admins and the operator's commands do: people, invitations, limits, everybody's keys."""

from fastapi import APIRouter
from starlette.responses import Response

from recto.config import ConfigFailure
from recto.gateway.people import InvitedAccount
from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.route_access import for_admins
from recto.gateway.schemas import (
    InvitedView,
    KeyView,
    LimitsBody,
    MonthLimitBody,
    NewKeyBody,
    NewKeyView,
    NewPersonBody,
    PersonChangesBody,
    PersonView,
    UsageView,
)
from recto.gateway.services import GatewayDependency, GatewayServices
from recto.storage import AccountChanges, AccountRecord, ApiKeyRecord

router = APIRouter(tags=["admin"])


@router.get("/api/v1/people", response_model=list[PersonView])
@for_admins
async def list_people(services: GatewayDependency) -> list[PersonView]:
    """Everybody, with their limits and what they have spent."""
    accounts = await services.people.accounts()
    spending = await services.usage.of_accounts(accounts)
    invited = await services.people.open_invitations()
    return [
        PersonView.of(account, spending[account.id], invited.get(account.id))
        for account in accounts
    ]


@router.post("/api/v1/people", status_code=201, response_model=InvitedView)
@for_admins
async def add_person(body: NewPersonBody, services: GatewayDependency) -> InvitedView:
    """Make an account and a link that lets somebody choose its password, once."""
    made = await services.people.add(body.name, role=body.role, limits=body.limits.limits())
    return await invited_view(made, services)


@router.patch("/api/v1/people/{account_id}", response_model=PersonView)
@for_admins
async def change_person(
    account_id: str, body: PersonChangesBody, services: GatewayDependency
) -> PersonView:
    """Change role and limits, disable; every worker knows soon."""
    account = await services.people.account(account_id)
    changes: AccountChanges = {}
    if body.role is not None:
        changes["role"] = body.role
    if body.is_disabled is not None:
        changes["is_disabled"] = body.is_disabled
    if body.limits is not None:
        spending = await services.usage.of_accounts((account,))
        changes["limits"] = body.limits.limits(spent_micros=spending[account_id].all_micros)
    if changes:
        account = await services.people.change(account_id, changes)
    return await person_view(account, services)


@router.post("/api/v1/people/{account_id}/invitation", status_code=201, response_model=InvitedView)
@for_admins
async def invite_again(account_id: str, services: GatewayDependency) -> InvitedView:
    """A new link; the one before does not work any more."""
    return await invited_view(await services.people.invite_again(account_id), services)


@router.delete("/api/v1/people/{account_id}/invitation", response_model=PersonView)
@for_admins
async def withdraw_invitation(account_id: str, services: GatewayDependency) -> PersonView:
    """Have the link that was given out open nothing any more."""
    account = await services.people.withdraw_invitation(account_id)
    return await person_view(account, services)


@router.get("/api/v1/people/{account_id}/usage", response_model=UsageView)
@for_admins
async def usage_of(account_id: str, services: GatewayDependency) -> UsageView:
    """What somebody has used this month."""
    account = await services.people.account(account_id)
    return UsageView.of(await services.usage.of_account(account))


@router.put("/api/v1/limit", response_model=MonthLimitBody)
@for_admins
async def limit_gateway(body: MonthLimitBody, services: GatewayDependency) -> MonthLimitBody:
    """Give the whole gateway another monthly limit; every worker of this machine knows soon."""
    try:
        services.limit.change(body.month_micros)
    except ConfigFailure as failure:
        raise ApiRefused(
            ApiProblem(409, "budget.json is broken", failure.message, remedy=failure.remedy)
        ) from failure
    return MonthLimitBody(month_micros=services.limit.month_micros())


@router.get("/api/v1/admin/keys", response_model=list[KeyView])
@for_admins
async def list_keys(services: GatewayDependency) -> list[KeyView]:
    """Everybody's keys, without the keys."""
    keys = await services.people.keys()
    spending = await services.usage.of_keys(keys)
    return [KeyView.of(key, spending[key.id]) for key in keys]


@router.post("/api/v1/people/{account_id}/keys", status_code=201, response_model=NewKeyView)
@for_admins
async def add_key(account_id: str, body: NewKeyBody, services: GatewayDependency) -> NewKeyView:
    """Make a key for somebody. It is shown in this answer, and never again."""
    made = await services.people.add_key(
        account_id,
        name=body.name,
        doors=body.doors,
        limits=body.limits.limits(),
        expires_ms=body.expires_ms,
    )
    return NewKeyView(key=await key_view(made.record, services), secret=made.secret)


@router.put("/api/v1/admin/keys/{key_id}/limits", response_model=KeyView)
@for_admins
async def limit_key(key_id: str, body: LimitsBody, services: GatewayDependency) -> KeyView:
    """Give a key other limits; every worker knows soon."""
    key = await services.people.key(key_id)
    spending = await services.usage.of_keys((key,))
    limits = body.limits(spent_micros=spending[key_id].all_micros)
    return await key_view(await services.people.limit_key(key_id, limits), services)


@router.delete("/api/v1/admin/keys/{key_id}", status_code=204)
@for_admins
async def revoke_key(key_id: str, services: GatewayDependency) -> Response:
    """Have anybody's key open nothing any more, within a second."""
    await services.people.revoke_key(key_id)
    return Response(status_code=204)


async def person_view(account: AccountRecord, services: GatewayServices) -> PersonView:
    """An account, with what it has spent."""
    spending = await services.usage.of_accounts((account,))
    invited = await services.people.open_invitations()
    return PersonView.of(account, spending[account.id], invited.get(account.id))


async def key_view(key: ApiKeyRecord, services: GatewayServices) -> KeyView:
    """A key, with what it has spent."""
    return KeyView.of(key, (await services.usage.of_keys((key,)))[key.id])


async def invited_view(made: InvitedAccount, services: GatewayServices) -> InvitedView:
    """Somebody who was invited, and the link."""
    link = invitation_link(services.address.url, made.code)
    return InvitedView(person=await person_view(made.account, services), link=link)


def invitation_link(url: str, code: str) -> str:
    """Where somebody chooses their password."""
    return f"{url}/invitation/{code}"
