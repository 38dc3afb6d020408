"""What the pages show: figures of a month, the models, and the deployments with their health."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from recto.gateway.admission import caller_of
from recto.gateway.doors.model_lists import models_for
from recto.gateway.figure_schemas import OfferedModelView, OverviewView, ServedModelsView
from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.route_access import for_admins, for_members
from recto.gateway.services import GatewayDependency, OwnAccount
from recto.gateway.upstreams import Upstreams

router = APIRouter(tags=["figures"])

Month = Annotated[str | None, Query(pattern=r"^20\d\d-(0[1-9]|1[0-2])$")]
NO_MODELS = ApiProblem(
    503, "No models are served", "The gateway does not run.", remedy="Start it: recto gateway"
)


def upstreams_of(request: Request) -> Upstreams:
    """The models and deployments of this worker. A command that only asks for people has none."""
    found: Upstreams | None = request.app.state.upstreams
    if found is None:
        raise ApiRefused(NO_MODELS)
    return found


UpstreamsDependency = Annotated[Upstreams, Depends(upstreams_of)]


@router.get("/api/v1/overview", response_model=OverviewView)
@for_admins
async def gateway_overview(
    services: GatewayDependency, upstreams: UpstreamsDependency, month: Month = None
) -> OverviewView:
    """A month of the whole gateway: spend, requests, failures and latency by model."""
    return OverviewView.of(await services.figures.of_gateway(month), upstreams.names())


@router.get("/api/v1/usage/overview", response_model=OverviewView)
@for_members
async def own_overview(
    account: OwnAccount,
    services: GatewayDependency,
    upstreams: UpstreamsDependency,
    month: Month = None,
) -> OverviewView:
    """A month of one's own account: spend, requests, failures and latency by model."""
    return OverviewView.of(await services.figures.of_account(account, month), upstreams.names())


@router.get("/api/v1/models", response_model=list[OfferedModelView])
@for_members
async def offered_models(
    account: OwnAccount, services: GatewayDependency, upstreams: UpstreamsDependency
) -> list[OfferedModelView]:
    """The models that one may ask for."""
    caller = caller_of(account, None, services.usage.month, gateway_micros=None)
    offered = models_for(caller, upstreams.models.models)
    return [OfferedModelView.of(name, model) for name, model in offered]


@router.get("/api/v1/admin/models", response_model=ServedModelsView)
@for_admins
async def served_models(
    services: GatewayDependency, upstreams: UpstreamsDependency
) -> ServedModelsView:
    """Every model with its deployments, their health and their last half hour."""
    return ServedModelsView.of(upstreams, await services.figures.of_deployments())
