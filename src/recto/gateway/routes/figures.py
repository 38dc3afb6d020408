"""What the pages show: figures of a period, the models, and the deployments with their health."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from recto.gateway.admission import caller_of
from recto.gateway.doors.model_lists import models_for
from recto.gateway.figure_schemas import (
    ModelNames,
    OfferedModelView,
    OverviewView,
    ServedModelsView,
)
from recto.gateway.figure_table import write_table
from recto.gateway.figures import Period, PeriodFigures
from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.route_access import for_admins, for_members
from recto.gateway.services import GatewayDependency, OwnAccount
from recto.gateway.upstreams import Upstreams

router = APIRouter(tags=["figures"])

Month = Annotated[str | None, Query(pattern=r"^20\d\d-(0[1-9]|1[0-2])$")]
Days = Annotated[int | None, Query(ge=1, le=366)]
TABLE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {}}, "description": "One row each"}
}
NO_MODELS = ApiProblem(
    503, "No models are served", "The gateway does not run.", remedy="Start it: recto gateway"
)


def upstreams_of(request: Request) -> Upstreams:
    """The models and deployments of this worker. A command that only asks for people has none."""
    found: Upstreams | None = request.app.state.upstreams
    if found is None:
        raise ApiRefused(NO_MODELS)
    return found


def asked_period(month: Month = None, days: Days = None) -> Period:
    """The period that an address asks for: the last days, else a month."""
    return Period(days=days) if days is not None else Period(month)


UpstreamsDependency = Annotated[Upstreams, Depends(upstreams_of)]
AskedPeriod = Annotated[Period, Depends(asked_period)]


def table_of(figures: PeriodFigures, names: ModelNames) -> Response:
    """Figures as a table to be kept."""
    name = f"gateway-{figures.month if figures.is_month else f'{len(figures.days)}-days'}.csv"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(write_table(figures, names), media_type="text/csv", headers=headers)


@router.get("/api/v1/overview", response_model=OverviewView)
@for_admins
async def gateway_overview(
    services: GatewayDependency, upstreams: UpstreamsDependency, period: AskedPeriod
) -> OverviewView:
    """A month of the whole gateway: spend, requests, failures and latency by model."""
    return OverviewView.of(await services.figures.of_gateway(period), upstreams.names())


@router.get("/api/v1/overview.csv", response_class=Response, responses=TABLE)
@for_admins
async def gateway_table(
    services: GatewayDependency, upstreams: UpstreamsDependency, period: AskedPeriod
) -> Response:
    """The same as a table: a row for each day and model."""
    return table_of(await services.figures.of_gateway(period), upstreams.names())


@router.get("/api/v1/usage/overview", response_model=OverviewView)
@for_members
async def own_overview(
    account: OwnAccount,
    services: GatewayDependency,
    upstreams: UpstreamsDependency,
    period: AskedPeriod,
) -> OverviewView:
    """A month of one's own account: spend, requests, failures and latency by model."""
    return OverviewView.of(await services.figures.of_account(account, period), upstreams.names())


@router.get("/api/v1/usage/overview.csv", response_class=Response, responses=TABLE)
@for_members
async def own_table(
    account: OwnAccount,
    services: GatewayDependency,
    upstreams: UpstreamsDependency,
    period: AskedPeriod,
) -> Response:
    """The same as a table: a row for each day and model."""
    return table_of(await services.figures.of_account(account, period), upstreams.names())


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
