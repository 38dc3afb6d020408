"""One's own usage and keys. What belongs to somebody else is not found here."""

from fastapi import APIRouter
from starlette.responses import Response

from recto.gateway.route_access import for_members
from recto.gateway.schemas import KeyView, NewKeyView, OwnKeyBody, UsageView
from recto.gateway.services import GatewayDependency, OwnAccount

router = APIRouter(tags=["own"])


@router.get("/api/v1/usage", response_model=UsageView)
@for_members
async def own_usage(account: OwnAccount, services: GatewayDependency) -> UsageView:
    """What one's own account has used this month."""
    return UsageView.of(await services.usage.of_account(account))


@router.get("/api/v1/keys", response_model=list[KeyView])
@for_members
async def own_keys(account: OwnAccount, services: GatewayDependency) -> list[KeyView]:
    """One's own keys, the revoked ones too."""
    keys = await services.people.keys(account.id)
    spending = await services.usage.of_keys(keys)
    return [KeyView.of(key, spending[key.id]) for key in keys]


@router.post("/api/v1/keys", status_code=201, response_model=NewKeyView)
@for_members
async def add_own_key(
    body: OwnKeyBody, account: OwnAccount, services: GatewayDependency
) -> NewKeyView:
    """Make a key. It is shown in this answer, and never again."""
    made = await services.people.add_key(
        account.id,
        name=body.name,
        doors=body.doors,
        limits=body.limits.limits(),
        expires_ms=body.expires_ms,
    )
    spending = await services.usage.of_keys((made.record,))
    return NewKeyView(key=KeyView.of(made.record, spending[made.record.id]), secret=made.secret)


@router.delete("/api/v1/keys/{key_id}", status_code=204)
@for_members
async def revoke_own_key(key_id: str, account: OwnAccount, services: GatewayDependency) -> Response:
    """Have a key of one's own open nothing any more, within a second."""
    await services.people.revoke_key(key_id, owner_id=account.id)
    return Response(status_code=204)
