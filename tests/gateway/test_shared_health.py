"""Workers on one PostgreSQL know of each other's failures, and of limits before they are hit."""

from pathlib import Path

import pytest

from recto.gateway import DeploymentHealth, SharedHealth
from recto.gateway.doors.health import SHORTEST_REST_S
from recto.gateway.doors.rate_headers import full_for_s
from recto.messages import Failure
from recto.storage import Storage
from tests.fakes.providers import Fault, Script, says
from tests.gateway.conftest import Worker
from tests.gateway.test_deployments import ASKED, CHAT, CLAUDE, way
from tests.gateway.test_deployments import team as team_of
from tests.storage.conftest import StepClock

pytestmark = pytest.mark.anyio

DOWN = Failure("upstream", "It is down.", status=500)
WAYS = [way("a")]


def shared(storage: Storage, clock: StepClock) -> tuple[DeploymentHealth, SharedHealth]:
    health = DeploymentHealth(clock.monotonic, lambda: 0.5)
    return health, SharedHealth(health, storage, clock)


def ready(health: DeploymentHealth) -> list[str]:
    return [found.id for found in health.in_turn(WAYS)]


async def test_failures_count_together_and_one_call_of_all_workers_tries_again(
    two_workers: tuple[Worker, Worker], clock: StepClock
) -> None:
    workers = [shared(worker.storage, clock) for worker in two_workers]
    (here, here_shared), (there, there_shared) = workers
    here.failed("a", DOWN)
    here.failed("a", DOWN)
    await here_shared.exchange()
    there.failed("a", DOWN)
    assert (ready(here), ready(there)) == (["a"], ["a"]), "each has seen too few"
    await there_shared.exchange()
    await here_shared.exchange()
    assert (ready(here), ready(there)) == ([], [])
    assert here.state("a").failures == there.state("a").failures == 3
    assert here.wait_s(WAYS) == there.wait_s(WAYS) == SHORTEST_REST_S * 4
    clock.ms += round(SHORTEST_REST_S * 4000)
    assert (ready(here), ready(there)) == (["a"], ["a"])
    assert await here_shared.may_try("a")
    assert not await there_shared.may_try("a"), "one call finds out"
    here.began("a")
    here.succeeded("a")
    await here_shared.exchange()
    await there_shared.exchange()
    assert (ready(here), ready(there)) == (["a"], ["a"])
    assert await there_shared.may_try("a")
    assert there.state("a").in_a_row == 0


async def test_a_deployment_that_answers_one_worker_is_untried_for_none(
    two_workers: tuple[Worker, Worker], clock: StepClock
) -> None:
    (here, here_shared), (there, there_shared) = [shared(one.storage, clock) for one in two_workers]
    await there_shared.exchange()
    assert not there.state("a").is_known
    here.began("a")
    here.succeeded("a")
    await here_shared.exchange()
    await there_shared.exchange()
    assert there.state("a").is_known
    assert (ready(here), ready(there)) == (["a"], ["a"])


async def test_a_trial_whose_client_leaves_is_given_back(
    two_workers: tuple[Worker, Worker], clock: StepClock
) -> None:
    (here, here_shared), (_, there_shared) = [shared(one.storage, clock) for one in two_workers]
    here.failed("a", Failure("rate_limit", "Slow down.", retry_after_s=1))
    await here_shared.exchange()
    await there_shared.exchange()
    clock.ms += 1000
    assert await here_shared.may_try("a")
    here.began("a")
    here.left("a")
    await here_shared.exchange()
    await there_shared.exchange()
    assert await there_shared.may_try("a")


async def test_a_limit_that_is_used_up_is_known_to_all(
    two_workers: tuple[Worker, Worker], clock: StepClock
) -> None:
    (here, here_shared), (there, there_shared) = [shared(one.storage, clock) for one in two_workers]
    here.is_full("a", 12)
    await here_shared.exchange()
    await there_shared.exchange()
    assert (ready(there), there.wait_s(WAYS)) == ([], 12)
    clock.ms += 12_000
    assert ready(there) == ["a"]
    assert await there_shared.may_try("a"), "nothing has failed: all may go there"


def test_headers_of_providers_say_when_there_is_room_again() -> None:
    now_ms = 1_794_000_000_000
    anthropic = {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-06T21:20:30Z",
        "anthropic-ratelimit-tokens-remaining": "4000",
        "anthropic-ratelimit-tokens-reset": "2026-11-06T22:00:00Z",
    }
    assert full_for_s(anthropic, now_ms) == 30
    openai = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}
    assert full_for_s(openai, now_ms) == 360
    assert full_for_s({**openai, "x-ratelimit-reset-tokens": "20ms"}, now_ms) == 0.02
    assert full_for_s({**openai, "x-ratelimit-reset-tokens": "soon"}, now_ms) is None
    assert full_for_s({**openai, "x-ratelimit-remaining-tokens": "1"}, now_ms) is None


@pytest.mark.parametrize("door", ["/v1/messages", "/v1/chat/completions"])
async def test_a_deployment_that_says_it_is_full_is_left_alone(tmp_path: Path, door: str) -> None:
    async with team_of(tmp_path, CLAUDE, CHAT) as world, world.client() as client:
        full = {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2999-01-01T00:00:00Z",
        }
        claude, chat = world.upstreams["claude"], world.upstreams["chat"]
        claude.script(Script((says("The last one."),), fault=Fault(headers=full)))
        for _ in range(2):
            answer = await client.post(door, json=ASKED)
            assert answer.status_code == 200, answer.text
        assert (len(claude.exchanges), len(chat.exchanges)) == (1, 1)


async def test_a_stated_rate_is_kept_before_its_provider_refuses(tmp_path: Path) -> None:
    stated = {**CLAUDE, "requestsPerMinute": 2}
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    async with team_of(tmp_path / "first", stated, CHAT) as world, world.client() as client:
        for _ in range(3):
            answer = await client.post("/v1/messages", json=ASKED)
            assert answer.status_code == 200, answer.text
        claude, chat = world.upstreams["claude"], world.upstreams["chat"]
        assert (len(claude.exchanges), len(chat.exchanges)) == (2, 1)
    async with team_of(tmp_path / "second", stated) as world, world.client() as client:
        answers = [await client.post("/v1/messages", json=ASKED) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 61
