"""The JSON bodies of the figures that the pages show."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from recto.access import DeployedModel, Deployment
from recto.gateway.figures import RECENT_HOURS, RECENT_MINUTES, PeriodFigures, RecentDeployments
from recto.gateway.schemas import ApiSchema
from recto.gateway.upstreams import DeploymentStatus, Upstreams
from recto.storage import ModelDay

ModelNames = Mapping[tuple[str, str], str]
PER_MILLION = 1_000_000
SUMS = (
    "requests",
    "failed",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "cost_micros",
    "unpriced",
)


class FigureRowView(ApiSchema):
    """Some requests together. `unpriced` counts those whose price nobody knows."""

    id: str
    name: str
    requests: int
    failed: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced: int

    @classmethod
    def of(cls, id: str, name: str, rows: Iterable[ModelDay]) -> "FigureRowView":
        """The sum of some days."""
        found = list(rows)
        sums = {field: sum(getattr(row, field) for row in found) for field in SUMS}
        return cls(id=id, name=name, **sums)


class ModelCostView(ApiSchema):
    """What a model cost on a day."""

    model: str
    cost_micros: int


class FigureDayView(ApiSchema):
    """One day's requests."""

    date: str
    requests: int
    failed: int
    cost_micros: int
    models: list[ModelCostView]


class FailureCountView(ApiSchema):
    """How often requests ended without a whole answer, for one cause."""

    cause: str
    requests: int


class HourView(ApiSchema):
    """One hour's requests."""

    start_ms: int
    requests: int
    failed: int


class FirstTokensView(ApiSchema):
    """How long a model took until there was something to show."""

    id: str
    name: str
    requests: int
    median_ms: int
    p95_ms: int


class RecentView(ApiSchema):
    """The last two days, by hour."""

    hours: list[HourView]
    first_tokens: list[FirstTokensView]


class OverviewView(ApiSchema):
    """A month, or the last days, of the whole gateway or of one account.

    What was spent of which limit is always of the month.
    """

    month: str
    months: list[str]
    dates: list[str] | None
    """The days, where they are not those of the month."""
    totals: FigureRowView
    days: list[FigureDayView]
    models: list[FigureRowView]
    failures: list[FailureCountView]
    spent_micros: int
    held_micros: int
    limit_micros: int | None
    recent: RecentView | None

    @classmethod
    def of(cls, figures: PeriodFigures, names: ModelNames) -> "OverviewView":
        """Figures, with names for people."""
        by_day: dict[int, list[ModelDay]] = defaultdict(list)
        by_model: dict[tuple[str, str], list[ModelDay]] = defaultdict(list)
        for row in figures.models:
            # What was booked after its month belongs to the month's last day.
            by_day[min(row.day, len(figures.days) - 1)].append(row)
            by_model[row.provider, row.model].append(row)
        models = [
            FigureRowView.of(model_id(*key), names.get(key, key[1]), rows)
            for key, rows in by_model.items()
        ]
        return cls(
            month=figures.month,
            months=list(figures.months),
            dates=None if figures.is_month else [day.isoformat() for day in figures.days],
            totals=FigureRowView.of("total", "Total", figures.models),
            days=[
                FigureDayView(
                    date=figures.days[number].isoformat(),
                    requests=sum(row.requests for row in rows),
                    failed=sum(row.failed for row in rows),
                    cost_micros=sum(row.cost_micros for row in rows),
                    models=[
                        ModelCostView(
                            model=model_id(row.provider, row.model), cost_micros=row.cost_micros
                        )
                        for row in rows
                    ],
                )
                for number, rows in sorted(by_day.items())
            ],
            models=sorted(models, key=lambda row: (-row.cost_micros, -row.requests, row.id)),
            failures=[FailureCountView.model_validate(one) for one in figures.failures],
            spent_micros=figures.spending.settled_micros,
            held_micros=figures.spending.held_micros,
            limit_micros=figures.limit_micros,
            recent=recent_view(figures, names),
        )


class MinuteView(ApiSchema):
    """One minute's requests to a deployment."""

    requests: int
    failed: int


class DeploymentView(ApiSchema):
    """One way to a model: the health is this worker's, the figures are everybody's."""

    id: str
    provider: str
    model: str
    weight: int
    order: int
    state: Literal["answers", "resting", "failing", "untried"]
    rests_s: float
    last_failure: str | None
    requests: int
    failed: int
    median_ms: int | None
    minutes: list[MinuteView]

    @classmethod
    def of(
        cls, way: Deployment, status: DeploymentStatus, recent: RecentDeployments
    ) -> "DeploymentView":
        """A deployment, and its last half hour."""
        minutes = [MinuteView(requests=0, failed=0) for _ in range(RECENT_MINUTES)]
        for count in recent.counts:
            if count.deployment == way.id and count.at < RECENT_MINUTES:
                minutes[count.at] = MinuteView(requests=count.requests, failed=count.failed)
        return cls(
            id=way.id,
            provider=way.access.provider.name,
            model=way.access.model,
            weight=way.weight,
            order=way.order,
            state=status.state,
            rests_s=status.rests_s,
            last_failure=status.last_failure,
            requests=sum(minute.requests for minute in minutes),
            failed=sum(minute.failed for minute in minutes),
            median_ms=recent.median_ms.get(way.id),
            minutes=minutes,
        )


class ServedModelView(ApiSchema):
    """A model with its deployments."""

    id: str
    name: str
    asked_for_as: list[str]
    deployments: list[DeploymentView]


class ServedModelsView(ApiSchema):
    """Every model that is served, and why models.json as it is now is not, if so."""

    problem: str | None
    models: list[ServedModelView]

    @classmethod
    def of(cls, upstreams: Upstreams, recent: RecentDeployments) -> "ServedModelsView":
        """What is served, with what happened in the last half hour."""
        models = [
            ServedModelView(
                id=model.id,
                name=model.name,
                asked_for_as=upstreams.names_of(model),
                deployments=[
                    DeploymentView.of(way, upstreams.status(way), recent)
                    for way in model.deployments
                ],
            )
            for model in upstreams.models.models
        ]
        return cls(problem=upstreams.models.problem, models=models)


class OfferedModelView(ApiSchema):
    """A model that one may ask for, by the name that one asks by; prices are for a million."""

    asked_for_as: str
    name: str
    window: int
    max_output: int
    input_usd: float | None
    output_usd: float | None

    @classmethod
    def of(cls, name: str, model: DeployedModel) -> "OfferedModelView":
        """A model under a name."""
        access = model.first
        rates = None if access.price is None else access.price.rates
        return cls(
            asked_for_as=name,
            name=model.name,
            window=access.window,
            max_output=access.max_output,
            input_usd=None if rates is None else float(rates.input),
            output_usd=None if rates is None else float(rates.output),
        )


def recent_view(figures: PeriodFigures, names: ModelNames) -> RecentView | None:
    """The last two days, also the hours in which nobody asked."""
    recent = figures.recent
    if recent is None:
        return None
    counts = {one.at: one for one in recent.hours}
    hours = [
        HourView(
            start_ms=recent.start_ms + at * 60 * 60 * 1000,
            requests=counts[at].requests if at in counts else 0,
            failed=counts[at].failed if at in counts else 0,
        )
        for at in range(RECENT_HOURS)
    ]
    first_tokens = [
        FirstTokensView(
            id=model_id(one.provider, one.model),
            name=names.get((one.provider, one.model), one.model),
            requests=one.requests,
            median_ms=one.median_ms,
            p95_ms=one.p95_ms,
        )
        for one in recent.first_tokens
    ]
    return RecentView(hours=hours, first_tokens=first_tokens)


def model_id(provider: str, model: str) -> str:
    """A model of a provider, in one word."""
    return f"{provider}/{model}"
