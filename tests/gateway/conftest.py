"""Stores of both engines, and people in them."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC

import pytest

from recto.clock import SystemIds
from recto.gateway.admission import StoredCallers
from recto.gateway.people import People
from recto.gateway.sign_ins import SignIns
from recto.gateway.usage import UsageBooks
from recto.storage import Storage
from tests.fakes.callers import ANYBODY, KEY
from tests.gateway.world import GatewayWorld, running_gateway
from tests.storage.conftest import (
    StepClock,
    address,
    clock,
    ids,
    postgres_server,
    postgres_tables,
    postgres_url,
    sqlite_path,
    storage,
)

__all__ = [
    "address",
    "clock",
    "ids",
    "postgres_server",
    "postgres_tables",
    "postgres_url",
    "sqlite_path",
    "storage",
]

NOVEMBER_2026_MS = 1_794_000_000_000


class PlainPasswords:
    """Passwords kept as they are: the real ones take a tenth of a second each."""

    async def hash(self, password: str) -> str:
        return f"hash of {password}"

    async def matches(self, password: str, kept: str | None) -> bool:
        return kept == f"hash of {password}"


@dataclass
class Worker:
    """A process of the gateway, on a store that others may share."""

    storage: Storage
    clock: StepClock
    queue_s: float = 0.0
    gateway_micros: int | None = None

    def __post_init__(self) -> None:
        ids = SystemIds(self.clock)
        passwords = PlainPasswords()
        self.people = People(self.storage, passwords, clock=self.clock, ids=ids)
        self.sign_ins = SignIns(self.storage, passwords, clock=self.clock, ids=ids)
        self.usage = UsageBooks(self.storage, clock=self.clock, zone=UTC)
        self.callers = StoredCallers(
            self.storage,
            clock=self.clock,
            ids=ids,
            zone=UTC,
            gateway_micros=lambda: self.gateway_micros,
            queue_s=self.queue_s,
        )


@pytest.fixture
def worker(storage: Storage, clock: StepClock) -> Worker:
    clock.ms = NOVEMBER_2026_MS
    return Worker(storage, clock)


@pytest.fixture
async def two_workers(postgres_url: str, clock: StepClock) -> AsyncGenerator[tuple[Worker, Worker]]:
    """Two processes on one PostgreSQL."""
    clock.ms = NOVEMBER_2026_MS
    first = await Storage.open(postgres_url, clock=clock)
    second = await Storage.open(postgres_url, clock=clock)
    yield Worker(first, clock), Worker(second, clock)
    await second.close()
    await first.close()


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[GatewayWorld]:
    async with running_gateway(tmp_path_factory.mktemp("gateway")) as world:
        yield world


@pytest.fixture(autouse=True)
def as_new(request: pytest.FixtureRequest) -> None:
    """What a test told upstreams and callers is not for the next one."""
    if "world" not in request.fixturenames:
        return
    world: GatewayWorld = request.getfixturevalue("world")
    world.callers.known = {KEY: replace(ANYBODY)}
    world.callers.refusal = None
    for name, server in world.upstreams.items():
        world.application.health.succeeded(f"{name}#0")
        server.queue.clear()
        server.always = None
