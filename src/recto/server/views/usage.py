"""The budget and a month's usage as people and scripts see them."""

from collections.abc import Mapping

from recto.access import Budget, Models, MonthlyUsage, UsageSum
from recto.server.schemas.models import BudgetState, ModelCost, UsageDay, UsageReport, UsageRow


async def present_budget(models: Models, budget: Budget) -> BudgetState:
    """The month's limit and what is left of it."""
    status = await budget.month_status()
    limit = models.budget.monthly_limit_usd
    return BudgetState(
        month=status.month,
        monthly_limit_usd=None if limit is None else f"{limit.normalize():f}",
        warn_at=float(models.budget.warn_at),
        spent_micros=status.spending.settled_micros,
        held_micros=status.spending.held_micros,
        unpriced_requests=status.spending.unpriced_rows,
        is_warning=status.is_warning,
        is_stopped=status.is_stopped,
    )


def present_usage(
    report: MonthlyUsage, models: Models, projects: Mapping[str, str], chats: Mapping[str, str]
) -> UsageReport:
    """A month, with names for people."""
    return UsageReport(
        month=report.month,
        months=list(report.months),
        days=[
            UsageDay(
                date=day.date,
                cost_micros=day.total.cost_micros,
                unpriced=day.total.unpriced,
                requests=day.total.requests,
                models=[
                    ModelCost(model=model, cost_micros=cost) for model, cost in day.models.items()
                ],
            )
            for day in report.days
        ],
        models=[present_row(item, models.name_of(item.id)) for item in report.models],
        features=[present_row(feature, feature.id) for feature in report.features],
        projects=[present_row(project, projects[project.id]) for project in report.projects],
        chats=[present_row(chat, chats[chat.id]) for chat in report.chats],
        totals=present_row(report.total, "Total"),
        cache_saved_micros=report.cache_saved_micros,
    )


def present_row(one: UsageSum, name: str) -> UsageRow:
    """Some requests together, with a name for people."""
    return UsageRow(
        id=one.id,
        name=name,
        requests=one.requests,
        input_tokens=one.input_tokens,
        cache_read_tokens=one.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens,
        output_tokens=one.output_tokens,
        reasoning_tokens=one.reasoning_tokens,
        cost_micros=one.cost_micros,
        unpriced=one.unpriced,
    )
