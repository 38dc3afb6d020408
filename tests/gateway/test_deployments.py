"""Several ways to one model: shares, failover, rest after failures, and a file that changes."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from recto.access import BOOKS_CLOSED, Deployment
from recto.config import Home
from recto.gateway import DeploymentHealth, GatewayModels
from recto.gateway.doors.health import LONGEST_REST_S, SHORTEST_REST_S, moves_on
from recto.messages import Failure
from tests.access.world import access
from tests.fakes import FakeClock
from tests.fakes.providers import Fault, says
from tests.gateway.world import (
    ENVIRONMENT,
    PRICE,
    GatewayWorld,
    Upstream,
    models_file,
    running_gateway,
)

pytestmark = pytest.mark.anyio

DOWN = Failure("upstream", "It is down.")


@dataclass
class Dice:
    """Chance that counts through the same numbers again and again."""

    thrown: int = 0

    def __call__(self) -> float:
        self.thrown += 1
        return ((self.thrown * 0.6180339887) % 1) or 0.5


def way(name: str, *, weight: int = 1, order: int = 0) -> Deployment:
    return Deployment(name, access(), weight, order)


def test_the_first_one_is_drawn_by_weight_within_the_lowest_order() -> None:
    health = DeploymentHealth(FakeClock().monotonic, Dice())
    ways = [way("a", weight=3), way("b", weight=1), way("spare", order=1)]
    turns = [[found.id for found in health.in_turn(ways)] for _ in range(400)]
    assert {turn[-1] for turn in turns} == {"spare"}
    assert 240 < sum(turn[0] == "a" for turn in turns) < 360


def test_a_deployment_rests_longer_with_each_failure_and_one_call_tries_it() -> None:
    clock = FakeClock()
    health = DeploymentHealth(clock.monotonic, Dice())
    ways = [way("a")]
    for _ in range(2):
        health.failed("a", DOWN)
        # One failure, or two, hold nobody else up.
        health.began("a")
        assert [found.id for found in health.in_turn(ways)] == ["a"]
    health.failed("a", DOWN)
    assert health.in_turn(ways) == []
    assert health.wait_s(ways) == SHORTEST_REST_S * 4
    clock.pass_time(SHORTEST_REST_S * 4)
    assert [found.id for found in health.in_turn(ways)] == ["a"]
    health.began("a")
    # Whether it is well again is found out by one call, not by all that wait.
    assert health.in_turn(ways) == []
    for _ in range(9):
        health.failed("a", DOWN)
    assert health.wait_s(ways) == LONGEST_REST_S
    health.succeeded("a")
    assert [found.id for found in health.in_turn(ways)] == ["a"]


def test_retry_after_is_obeyed_and_faults_of_requests_are_nobodys() -> None:
    clock = FakeClock()
    health = DeploymentHealth(clock.monotonic, Dice())
    ways = [way("a")]
    health.failed("a", Failure("rate_limit", "Slow down.", retry_after_s=90))
    clock.pass_time(89)
    assert health.in_turn(ways) == []
    clock.pass_time(1)
    assert len(health.in_turn(ways)) == 1
    health.succeeded("a")
    for kind in ("invalid_request", "context_length", "budget", "cancelled"):
        for _ in range(5):
            health.failed("a", Failure(kind, "It is the request's."))
    # Nor is it a deployment's fault that the gateway can't write.
    health.failed("a", BOOKS_CLOSED)
    assert not moves_on(BOOKS_CLOSED)
    assert (len(health.in_turn(ways)), health.state("a").failures) == (1, 1)


@asynccontextmanager
async def team(home: Path, *ways: dict[str, Any]) -> AsyncGenerator[GatewayWorld]:
    """A gateway with one model, which several deployments serve."""

    def file(upstreams: dict[str, Upstream]) -> dict[str, Any]:
        model = {"id": "team", "name": "Team", "provider": "anthropic", "price": PRICE}
        model |= {"model": "claude-opus-4-6", "deployments": list(ways)}
        return {**models_file(upstreams), "models": [model]}

    async with running_gateway(home, file=file) as world:
        yield world


CLAUDE = {"provider": "anthropic"}
CHAT = {"provider": "deepseek", "model": "qwen3:8b", "order": 1}
ASKED: dict[str, Any] = {
    "model": "team",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hi"}],
}


@pytest.mark.parametrize("door", ["/v1/messages", "/v1/chat/completions"])
@pytest.mark.parametrize("stream", [False, True])
async def test_another_deployment_answers_before_the_first_byte(
    tmp_path: Path, door: str, stream: bool
) -> None:
    async with team(tmp_path, CLAUDE, CHAT) as own:
        for fault in (Fault(status=529), Fault(reset=True), Fault(status=401)):
            own.upstreams["claude"].script(fault)
            own.upstreams["chat"].answer(says("The other one."))
            async with own.client() as client:
                answer = await client.post(door, json={**ASKED, "stream": stream})
            assert answer.status_code == 200, answer.text
            assert "The other one." in answer.text
            own.application.health.succeeded("team#0")
        models = [row.spend.model for row in await own.spent()]
        assert models == ["claude-opus-4-6", "qwen3:8b"] * 3
        assert await own.storage.ledger.held() == ()


async def test_who_is_told_that_all_are_busy_is_told_when_to_come_back(tmp_path: Path) -> None:
    async with team(tmp_path, CLAUDE) as own, own.client() as client:
        for status in (529, 429):
            own.upstreams["claude"].script(Fault(status=status))
            answer = await client.post("/v1/chat/completions", json=ASKED)
            assert answer.status_code in (429, 503)
            assert int(answer.headers["retry-after"]) >= SHORTEST_REST_S


async def test_what_is_wrong_with_a_request_is_not_tried_elsewhere(tmp_path: Path) -> None:
    async with team(tmp_path, CLAUDE, CHAT) as own:
        own.upstreams["claude"].script(Fault(status=400))
        async with own.client() as client:
            answer = await client.post("/v1/chat/completions", json=ASKED)
        assert answer.status_code == 400
        assert own.upstreams["chat"].exchanges == []


async def test_nothing_is_tried_elsewhere_once_something_was_shown(tmp_path: Path) -> None:
    async with team(tmp_path, CLAUDE, CHAT) as own:
        fault = Fault(error_event="overloaded_error", error_at=4)
        own.upstreams["claude"].answer(says("One ", "two ", "three"), fault=fault)
        async with own.client() as client:
            answer = await client.post("/v1/chat/completions", json={**ASKED, "stream": True})
        assert "One " in answer.text
        assert '"error"' in answer.text
        assert own.upstreams["chat"].exchanges == []
        assert own.application.health.state("team#0").failures == 1


async def test_each_deployment_has_its_own_key(tmp_path: Path) -> None:
    async with team(tmp_path, {**CLAUDE, "apiKeyEnv": "SECOND_API_KEY"}) as own:
        async with own.client() as client:
            await client.post("/v1/chat/completions", json=ASKED)
        assert own.upstreams["claude"].last.account == "account-2"


async def test_a_model_that_only_rests_is_said_to_be_back_soon(tmp_path: Path) -> None:
    async with team(tmp_path, CLAUDE) as own:
        own.upstreams["claude"].script(Fault(status=429, headers={"retry-after": "30"}))
        async with own.client() as client:
            first = await client.post("/v1/messages", json=ASKED)
            second = await client.post("/v1/messages", json=ASKED)
        assert (first.status_code, first.headers["retry-after"]) == (429, "30")
        assert second.status_code == 529
        assert 25 <= int(second.headers["retry-after"]) <= 30
        assert len(own.upstreams["claude"].exchanges) == 1


def test_a_broken_file_keeps_the_last_good_one_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    file = tmp_path / "models.json"
    entry = {"id": "one", "name": "One", "provider": "anthropic", "model": "claude-opus-5"}
    file.write_text(json.dumps({"models": [entry]}), encoding="utf-8")
    models = GatewayModels(
        Home(tmp_path), ENVIRONMENT, clock=clock, today=lambda: date(2026, 11, 18)
    )
    assert models.find("one") is not None
    file.write_text('{"models": [{"id": "two",', encoding="utf-8")
    assert models.find("one") is not None
    clock.pass_time(2)
    assert (models.find("one") is not None, models.find("two")) == (True, None)
    assert models.problem is not None
    assert "line 1" in models.problem
    assert "served on" in caplog.text
    ways = [{"provider": "nobody"}]
    broken = {"models": [{**entry, "deployments": ways}]}
    file.write_text(json.dumps(broken), encoding="utf-8")
    clock.pass_time(2)
    assert models.find("one") is not None
    assert "no provider 'nobody'" in models.problem
    file.write_text(json.dumps({"models": [{**entry, "id": "two"}]}), encoding="utf-8")
    clock.pass_time(2)
    assert (models.find("one"), models.find("two") is not None) == (None, True)
    assert models.problem is None
