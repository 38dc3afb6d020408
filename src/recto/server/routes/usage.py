"""The budget and what was used, computed from the ledger."""

import csv
import io
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from recto.access import Report
from recto.projects import NotFound
from recto.server.access import for_session
from recto.server.model_schemas import BudgetState, BudgetUpdate, Month, UsageReport
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.services import Given, Services
from recto.server.usage_view import present_budget, present_usage

router = APIRouter(prefix="/api/v1", tags=["usage"])

COLUMNS = (
    "time",
    "feature",
    "provider",
    "model",
    "project",
    "chat",
    "input",
    "cache_read",
    "cache_write",
    "output",
    "reasoning",
    "cost_usd",
    "outcome",
)


@router.get("/budget", response_model=BudgetState, responses=NOT_SIGNED_IN)
@for_session
async def get_budget(services: Given) -> BudgetState:
    """The month's limit and what is left of it."""
    return await present_budget(services.models, services.budget)


@router.put("/budget", response_model=BudgetState, responses=may_answer(400, 422))
@for_session
async def set_budget(body: BudgetUpdate, services: Given) -> BudgetState:
    """Set another limit."""
    limit = body.monthly_limit_usd
    changed: dict[str, object] = {
        "monthly_limit_usd": None if limit is None else Decimal(limit),
        "warn_at": Decimal(str(body.warn_at)),
    }
    services.models.set_budget(services.models.budget.model_copy(update=changed))
    await services.feed.announce("budget")
    return await present_budget(services.models, services.budget)


@router.get("/usage", response_model=UsageReport, responses=may_answer(422))
@for_session
async def get_usage(services: Given, month: Annotated[Month | None, Query()] = None) -> UsageReport:
    """A month, seen from every side."""
    report = await services.reports.month(month)
    return present_usage(report, services.models, await project_names(report, services))


@router.get(
    "/usage.csv",
    response_class=Response,
    responses={
        **may_answer(422),
        200: {"content": {"text/csv": {}}, "description": "One row each"},
    },
)
@for_session
async def export_usage(services: Given, month: Annotated[Month | None, Query()] = None) -> Response:
    """Every request of a month as a table."""
    rows = await services.reports.rows(month)
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for row in rows:
        spend = row.spend
        cost = "" if spend.cost_micros is None else f"{Decimal(spend.cost_micros) / 1_000_000}"
        table.writerow(
            (
                services.reports.time_of(row).isoformat(),
                spend.feature,
                spend.provider,
                spend.model,
                spend.project_id or "",
                spend.chat_id or "",
                spend.input_tokens,
                spend.cache_read_tokens,
                spend.cache_write_tokens,
                spend.output_tokens,
                spend.reasoning_tokens,
                cost,
                spend.outcome,
            )
        )
    name = f"recto-usage-{month or 'this-month'}.csv"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(out.getvalue(), media_type="text/csv", headers=headers)


async def project_names(report: Report, services: Services) -> dict[str, str]:
    """The names of the report's projects; what a deleted one cost stays."""
    names: dict[str, str] = {}
    for one in report.projects:
        try:
            names[one.id] = (await services.projects.get(one.id)).name
        except NotFound:
            names[one.id] = f"Deleted project {one.id}"
    return names
