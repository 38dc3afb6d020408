"""budget.json: how much may be spent in a month, on a project, in one turn of a chat.

A scope is a name that spending is summed under. The month is in the name, so nothing is ever reset:
in a new month there is a new scope. Months are those of the user's calendar, wherever they live.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from recto.access.json_file import JsonSection, load_json, write_json
from recto.config import Home

FILE = "budget.json"
MICROS = 1_000_000

Limit = Annotated[Decimal, Field(strict=False, ge=0, le=10_000_000, decimal_places=6)]
Share = Annotated[Decimal, Field(strict=False, gt=0, le=1)]


class BudgetFile(JsonSection):
    """The file. A monthly limit of null means that there is none."""

    monthly_limit_usd: Limit | None = Decimal(20)
    warn_at: Share = Decimal("0.8")
    per_turn_usd: Limit | None = None
    per_project_usd: dict[str, Limit] = {}


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The limits in micro-dollars; None is no limit."""

    month_micros: int | None
    warn_at: Decimal = Decimal("0.8")
    turn_micros: int | None = None
    project_micros: Mapping[str, int] = field(default_factory=dict[str, int])
    """Each project's own limit in a month."""


@dataclass(frozen=True, slots=True)
class SpendingScope:
    """What spending is summed under, and how much of it there may be."""

    name: str
    limit_micros: int | None
    words: str
    """The limit as a person is told of it."""
    counts_markup: bool = True
    """Whether the limit is on what is charged, or only on what providers charge."""


def load_budget(home: Home) -> BudgetFile:
    """The file of this user; 20 dollars a month until they say otherwise."""
    return load_json(home.folder / FILE, BudgetFile)


def load_limits(home: Home) -> SpendingLimits:
    """The limits that the user's file means."""
    return limits_of(load_budget(home))


def save_limits(home: Home, budget: BudgetFile) -> SpendingLimits:
    """Write the file whole."""
    home.replace(home.folder / FILE, write_json(budget))
    return limits_of(budget)


def limits_of(budget: BudgetFile) -> SpendingLimits:
    """The limits that a file means."""
    return SpendingLimits(
        month_micros=_micros(budget.monthly_limit_usd),
        warn_at=budget.warn_at,
        turn_micros=_micros(budget.per_turn_usd),
        project_micros={name: int(usd * MICROS) for name, usd in budget.per_project_usd.items()},
    )


def scopes_of(
    limits: SpendingLimits, month: str, *, project_id: str | None = None, turn_id: str | None = None
) -> tuple[SpendingScope, ...]:
    """Every scope a request counts in. One without a limit counts too: it may get one later."""
    found = [SpendingScope(month_scope(month), limits.month_micros, "the monthly limit")]
    if project_id is not None:
        limit = limits.project_micros.get(project_id)
        found.append(
            SpendingScope(project_scope(project_id, month), limit, "this project's monthly limit")
        )
    if turn_id is not None:
        found.append(
            SpendingScope(turn_scope(turn_id), limits.turn_micros, "the limit for one turn")
        )
    return tuple(found)


def month_scope(month: str) -> str:
    """The scope of everything in a month."""
    return f"month:{month}"


def project_scope(project_id: str, month: str) -> str:
    """The scope of everything in a project in a month."""
    return f"project:{project_id}:{month}"


def turn_scope(turn_id: str) -> str:
    """The scope of everything in one turn of a chat."""
    return f"turn:{turn_id}"


def month_of(now_ms: int, zone: tzinfo) -> str:
    """The calendar month in a time zone, such as 2026-11."""
    return _local(now_ms, zone).strftime("%Y-%m")


def month_bounds(now_ms: int, zone: tzinfo) -> tuple[int, int]:
    """When the month began and when the next one begins, in milliseconds."""
    # Where midnight comes twice, the month begins with the first one.
    first = _local(now_ms, zone).replace(day=1, hour=0, minute=0, second=0, microsecond=0, fold=0)
    month = first.month % 12 + 1
    following = first.replace(year=first.year + (month == 1), month=month)
    return round(first.timestamp() * 1000), round(following.timestamp() * 1000)


def dollars(micros: int) -> str:
    """An amount for people: cents, and more places only where cents would show nothing."""
    usd = Decimal(micros) / MICROS
    return f"${usd:.2f}" if micros == 0 or usd >= Decimal("0.01") else f"${usd:.6f}".rstrip("0")


def _local(now_ms: int, zone: tzinfo) -> datetime:
    # Whole seconds: a float of milliseconds could be rounded up into the next month.
    return datetime.fromtimestamp(now_ms // 1000, zone)


def _micros(usd: Decimal | None) -> int | None:
    return None if usd is None else int(usd * MICROS)
