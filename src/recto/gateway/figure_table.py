"""Figures as a table that spreadsheets read: a row for each day and model."""

import csv
import io
from decimal import Decimal

from recto.gateway.figure_schemas import ModelNames
from recto.gateway.figures import PeriodFigures

COLUMNS = (
    "date",
    "provider",
    "model",
    "name",
    "requests",
    "failed",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "cost_usd",
    "unpriced_requests",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_table(figures: PeriodFigures, names: ModelNames) -> str:
    """The table, with a line of names above."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for row in figures.models:
        # What was booked after its month belongs to the month's last day.
        day = figures.days[min(row.day, len(figures.days) - 1)]
        table.writerow(
            (
                day.isoformat(),
                in_a_cell(row.provider),
                in_a_cell(row.model),
                in_a_cell(names.get((row.provider, row.model), row.model)),
                row.requests,
                row.failed,
                row.input_tokens,
                row.cache_read_tokens,
                row.cache_write_tokens,
                row.output_tokens,
                f"{Decimal(row.cost_micros) / 1_000_000}",
                row.unpriced,
            )
        )
    return out.getvalue()


def in_a_cell(name: str) -> str:
    """A name as a spreadsheet shows it: none is taken for a formula."""
    return f"'{name}" if name.startswith(FORMULA) else name
