"""Puts together what is needed to ask a model: keys, prices, budget, transport, built-in model."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING

import anyio

from recto import llm
from recto.access import BUILTIN, Access, Budget, Gate, Models, Record, UsageReports
from recto.app.calibration import load_calibration, save_calibration
from recto.assist import Questions
from recto.clock import LocalZone, SystemClock, SystemIds, chance
from recto.config import Home, Secret, Settings
from recto.context import TokenCounter
from recto.llm import Provider, load_protocol, read_model_list
from recto.messages import Failure, Request, StreamEvent
from recto.storage import Storage

if TYPE_CHECKING:
    from recto.llm import BuiltinModel, Transport


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything about models, ready to use."""

    models: Models
    budget: Budget
    reports: UsageReports
    questions: Questions
    counter: TokenCounter
    lines: "Lines"
    zone: tzinfo


class Lines:
    """The ways to a model: over the network, or in a process of our own.

    Each is loaded when it is first taken: most starts ask nothing.
    """

    def __init__(self) -> None:
        self._transport: Transport | None = None
        self._builtin: BuiltinModel | None = None

    @property
    def transport(self) -> "Transport":
        """The way over the network."""
        if self._transport is None:
            self._transport = llm.Transport()
        return self._transport

    @property
    def builtin(self) -> "BuiltinModel":
        """The way to the model of our own."""
        if self._builtin is None:
            self._builtin = llm.BuiltinModel()
        return self._builtin

    async def send(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        """Carry a request to the model it is for."""
        if access.provider.id == BUILTIN.id:
            events = self.builtin.stream(request, record=record)
        else:
            endpoint = access.provider.endpoint(access.key)
            events = self.transport.stream(
                endpoint, request, access.traits, access.origin, record=record
            )
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def list_models(self, provider: Provider, key: Secret | None) -> frozenset[str] | Failure:
        """Ask a provider which models it has."""
        found = await self.transport.get(provider.endpoint(key), provider.models_path)
        return found if isinstance(found, Failure) else read_model_list(found)

    async def close(self) -> None:
        """End every connection and the built-in model."""
        if self._transport is not None:
            await self._transport.close()
        if self._builtin is not None:
            await self._builtin.close()


def mend(access: Access, failure: Failure, request: Request) -> tuple[Access, Request] | None:
    """What the protocol says to try once more with: less, or another protocol of the provider."""
    if access.provider.id == BUILTIN.id:
        return None
    protocol = load_protocol(access.provider.protocol)
    other = protocol.elsewhere(failure)
    if other in access.provider.speaks:
        return spoken_to_in(other, access), request
    found = protocol.mend(failure, request, access.traits)
    return None if found is None else (replace(access, traits=found[1]), found[0])


def spoken_to_in(protocol: str, access: Access) -> Access:
    """The same model by another protocol. What it said by the first is not its own there."""
    return replace(
        access,
        provider=replace(access.provider, protocol=protocol),
        origin=replace(access.origin, protocol=protocol),
    )


@asynccontextmanager
async def open_asking(
    home: Home, settings: Settings, storage: Storage, clock: SystemClock, ids: SystemIds
) -> AsyncGenerator[Asking]:
    """Everything about models, for the length of the block."""
    zone = LocalZone()
    models = Models(home, os.environ, clock=clock, zone=zone, has_builtin=llm.find_lack() is None)
    budget = Budget(storage, clock=clock, ids=ids, zone=zone, limits=lambda: models.limits)
    # SQLite has one process; what was held before belongs to one that is gone.
    await budget.recover(is_alone=not settings.storage.url)
    lines = Lines()
    gate = Gate(lines.send, budget, clock=clock, chance=chance, mend=mend)
    counter = TokenCounter(load_calibration(home))
    try:
        yield Asking(
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
