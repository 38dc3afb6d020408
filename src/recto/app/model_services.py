"""Puts together what is needed to ask a model: keys, prices, budget, transport, built-in model."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

import anyio

from recto import llm
from recto.access import Budget, ModelGate, Models, UsageReports
from recto.access.connections import ModelConnections, mend
from recto.assist import Questions
from recto.assist.token_calibration import load_calibration, save_calibration
from recto.clock import LocalZone, SystemClock, SystemIds, chance
from recto.config import Home, Settings
from recto.context import TokenCounter
from recto.storage import Storage

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class ModelServices:
    """Everything about models, ready to use."""

    models: Models
    budget: Budget
    reports: UsageReports
    questions: Questions
    counter: TokenCounter
    lines: ModelConnections
    zone: tzinfo


@asynccontextmanager
async def open_model_services(
    home: Home, settings: Settings, storage: Storage, clock: SystemClock, ids: SystemIds
) -> AsyncGenerator[ModelServices]:
    """Everything about models, for the length of the block."""
    zone = LocalZone()
    models = Models(
        home, os.environ, clock=clock, zone=zone, has_builtin=llm.find_missing_requirement() is None
    )
    budget = Budget(storage, clock=clock, ids=ids, zone=zone, limits=lambda: models.limits)
    # SQLite has one process; what was held before belongs to one that is gone.
    await budget.recover(is_alone=not settings.storage.url)
    lines = ModelConnections(home, clock)
    counter = TokenCounter(load_calibration(home))
    gate = ModelGate(lines.send, budget, clock=clock, chance=chance, mend=mend, estimate=counter)
    try:
        yield ModelServices(
            models=models,
            budget=budget,
            reports=UsageReports(storage, clock=clock, zone=zone),
            questions=Questions(gate, models, ids=ids, counter=counter),
            counter=counter,
            lines=lines,
            zone=zone,
        )
    finally:
        with anyio.CancelScope(shield=True):
            await lines.close()
            save_calibration(home, counter.calibration)
