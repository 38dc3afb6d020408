"""The budget and what was used, computed from the ledger."""

import csv
import io
from collections.abc import Sequence, Set
from decimal import Decimal
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from recto.projects import RecordNotFound
from recto.server.access import for_embedding, for_session
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.routes.router import Router
from recto.server.schemas.models import BudgetState, BudgetUpdate, Month, UsageReport
from recto.server.services import Services, ServicesDependency
from recto.server.views.usage import present_budget, present_usage

router = Router(prefix="/api/v1", tags=["usage"])

COLUMNS = (
    "time",
    "feature",
    "provider",
    "model",
    "model_name",
    "project",
    "project_name",
    "chat",
    "chat_title",
    "input",
    "cache_read",
    "cache_write",
    "output",
    "reasoning",
    "cost_usd",
    "outcome",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would calculate instead of showing it."""


@router.get("/budget", response_model=BudgetState, responses=NOT_SIGNED_IN)
@for_session
async def get_budget(services: ServicesDependency) -> BudgetState:
    """The month's limit and what is left of it."""
    return await present_budget(services.models, services.budget)


@router.put("/budget", response_model=BudgetState, responses=may_answer(400, 422))
@for_session
async def set_budget(body: BudgetUpdate, services: ServicesDependency) -> BudgetState:
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
async def get_usage(
    services: ServicesDependency, month: Annotated[Month | None, Query()] = None
) -> UsageReport:
    """A month, seen from every side."""
    report = await services.reports.month(month)
    projects = await project_names([project.id for project in report.projects], services)
    chats = await services.chats.titles([chat.id for chat in report.chats])
    return present_usage(report, services.models, projects, chats)


@router.get(
    "/usage.csv",
    response_class=Response,
    responses={
        **may_answer(422),
        200: {"content": {"text/csv": {}}, "description": "One row each"},
    },
)
@for_embedding
async def export_usage(
    services: ServicesDependency, month: Annotated[Month | None, Query()] = None
) -> Response:
    """Every request of a month as a table."""
    rows = await services.reports.rows(month)
    projects = await project_names(known({row.spend.project_id for row in rows}), services)
    chats = await services.chats.titles(known({row.spend.chat_id for row in rows}))
    used = {services.reports.model_of(row) for row in rows}
    models = {item: services.models.name_of(item) for item in used}
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
                in_a_cell(models[services.reports.model_of(row)]),
                spend.project_id or "",
                in_a_cell(projects.get(spend.project_id or "", "")),
                spend.chat_id or "",
                in_a_cell(chats.get(spend.chat_id or "", "")),
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


async def project_names(ids: Sequence[str], services: Services) -> dict[str, str]:
    """What people call these projects; what a deleted one cost stays."""
    names: dict[str, str] = {}
    for item in ids:
        try:
            names[item] = (await services.projects.get(item)).name
        except RecordNotFound:
            names[item] = "A deleted project"
    return names


def known(ids: Set[str | None]) -> list[str]:
    """Ids without those that are missing."""
    return sorted(item for item in ids if item)


def in_a_cell(name: str) -> str:
    """A name as a spreadsheet shows it: none is taken for a formula."""
    return f"'{name}" if name.startswith(FORMULA) else name
