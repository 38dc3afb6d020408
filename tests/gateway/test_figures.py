"""Figures of a month: whose they are, and which days and months there are."""

import csv
import io
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from recto.gateway.figure_table import in_a_cell
from recto.gateway.figures import day_runs, days_of, months_since
from recto.storage import DayRun
from tests.fakes.providers import AnthropicServer, Fault, says
from tests.gateway.served import ServedGateway, served_gateway
from tests.gateway.test_whole_gateway import ask, key_of, lay_models

pytestmark = pytest.mark.anyio

HOUR = 60 * 60 * 1000
DAY = 24 * HOUR


@dataclass
class AskedGateway:
    """A gateway through which Ann has asked twice, the second time in vain; Bob never."""

    gateway: ServedGateway
    admin: str
    ann: str
    bob: str

    async def get(self, token: str, path: str) -> Any:
        async with self.gateway.client(token) as client:
            answer = await client.get(path)
            assert answer.status_code == 200, answer.text
            return answer.json()


@pytest.fixture(scope="module")
async def asked(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[AskedGateway]:
    home: Path = tmp_path_factory.mktemp("figures") / "home"
    async with AnthropicServer() as upstream:
        await lay_models(home, upstream)
        async with served_gateway(home) as gateway:
            admin = await gateway.admin()
            ann, bob = await gateway.member(admin, "ann"), await gateway.member(admin, "bob")
            key = await key_of(gateway, ann)
            upstream.answer(says("At noon."))
            assert (await ask(gateway, key)).status_code == 200
            upstream.script(Fault(status=529, message="Overloaded just now"))
            assert (await ask(gateway, key)).status_code == 529
            yield AskedGateway(gateway, admin, ann, bob)


async def test_each_person_sees_their_own_figures_and_an_admin_everybodys(
    asked: AskedGateway,
) -> None:
    own = await asked.get(asked.ann, "/api/v1/usage/overview")
    whole = await asked.get(asked.admin, "/api/v1/overview")
    others = await asked.get(asked.bob, "/api/v1/usage/overview")
    admins = await asked.get(asked.admin, "/api/v1/usage/overview")
    assert (own["totals"]["requests"], own["totals"]["failed"]) == (2, 1)
    assert own["totals"]["costMicros"] == own["spentMicros"] > 0
    [model] = own["models"]
    assert (model["id"], model["name"]) == ("anthropic/claude-sonnet-5-5", "Sonnet")
    assert own["failures"] == [{"cause": "overloaded", "requests": 1}]
    assert sum(day["costMicros"] for day in own["days"]) == own["spentMicros"]
    hours = own["recent"]["hours"]
    assert len(hours) == 48
    assert sum(hour["requests"] for hour in hours) == 2
    [first] = own["recent"]["firstTokens"]
    assert (first["name"], first["requests"]) == ("Sonnet", 1)
    assert 0 <= first["medianMs"] == first["p95Ms"]
    # An hour may have begun between the two.
    other = {"limitMicros", "recent"}
    assert {name: whole[name] for name in whole.keys() - other} == {
        name: own[name] for name in own.keys() - other
    }
    assert whole["recent"]["firstTokens"] == own["recent"]["firstTokens"]
    assert whole["limitMicros"] == 20_000_000
    for empty in (others, admins):
        assert empty["totals"]["requests"] == 0
        assert empty["days"] == empty["models"] == empty["failures"] == []
        assert empty["recent"]["firstTokens"] == []


async def test_a_month_without_requests_is_empty_and_one_that_is_none_is_refused(
    asked: AskedGateway,
) -> None:
    old = await asked.get(asked.admin, "/api/v1/overview?month=2020-02")
    assert (old["month"], old["totals"]["requests"], old["recent"]) == ("2020-02", 0, None)
    async with asked.gateway.client(asked.admin) as client:
        for month in ("2026-13", "2026", "next", "0000-01"):
            assert (await client.get(f"/api/v1/overview?month={month}")).status_code == 422


async def test_the_last_days_are_shown_whatever_months_they_lie_in(asked: AskedGateway) -> None:
    own = await asked.get(asked.ann, "/api/v1/usage/overview?days=90")
    whole = await asked.get(asked.admin, "/api/v1/overview?days=365")
    assert (len(own["dates"]), len(whole["dates"])) == (90, 365)
    assert own["totals"] == whole["totals"]
    assert [day["requests"] for day in own["days"]] == [2]
    assert own["days"][0]["date"] in own["dates"][-2:], "midnight may have passed since"
    assert (await asked.get(asked.bob, "/api/v1/usage/overview?days=90"))["days"] == []
    async with asked.gateway.client(asked.admin) as client:
        for days in ("0", "367", "many"):
            assert (await client.get(f"/api/v1/overview?days={days}")).status_code == 422


async def test_figures_come_as_a_table_too(asked: AskedGateway) -> None:
    async def rows(token: str, path: str) -> list[dict[str, str]]:
        async with asked.gateway.client(token) as client:
            answer = await client.get(path)
        assert answer.headers["content-type"].startswith("text/csv")
        assert "attachment" in answer.headers["content-disposition"]
        return list(csv.DictReader(io.StringIO(answer.text)))

    [row] = await rows(asked.admin, "/api/v1/overview.csv?days=90")
    assert (row["model"], row["name"]) == ("claude-sonnet-5-5", "Sonnet")
    assert (row["requests"], row["failed"]) == ("2", "1")
    spent = (await asked.get(asked.ann, "/api/v1/usage/overview"))["totals"]["costMicros"]
    assert Decimal(row["cost_usd"]) * 1_000_000 == spent
    assert await rows(asked.ann, "/api/v1/usage/overview.csv") == [row]
    assert await rows(asked.bob, "/api/v1/usage/overview.csv") == []
    async with asked.gateway.client(asked.ann) as client:
        assert (await client.get("/api/v1/overview.csv")).status_code == 403


def test_no_name_in_a_table_is_a_formula() -> None:
    assert [in_a_cell("=1+1"), in_a_cell("small")] == ["'=1+1", "small"]


async def test_an_admin_sees_the_deployments_with_what_happened_to_them(
    asked: AskedGateway,
) -> None:
    served = await asked.get(asked.admin, "/api/v1/admin/models")
    assert served["problem"] is None
    model = next(one for one in served["models"] if one["id"] == "sonnet")
    assert model["askedForAs"] == ["sonnet", "claude-sonnet-5-5"]
    [way] = model["deployments"]
    assert (way["provider"], way["state"]) == ("Anthropic", "failing")
    assert way["lastFailure"] == "overloaded (529)"
    assert (way["requests"], way["failed"], len(way["minutes"])) == (2, 1, 30)
    assert way["medianMs"] is not None


async def test_a_member_sees_only_the_models_they_may_ask_for(asked: AskedGateway) -> None:
    offered = await asked.get(asked.bob, "/api/v1/models")
    sonnet = next(one for one in offered if one["askedForAs"] == "sonnet")
    assert (sonnet["inputUsd"], sonnet["outputUsd"]) == (2, 10)
    async with asked.gateway.client(asked.admin) as client:
        people = (await client.get("/api/v1/people")).json()
        bob = next(one for one in people if one["name"] == "bob")
        limits = {"models": ["small"], "modelMap": {"small": "sonnet"}}
        await client.patch(f"/api/v1/people/{bob['id']}", json={"limits": limits})
    offered = await asked.get(asked.bob, "/api/v1/models")
    assert [(one["askedForAs"], one["name"]) for one in offered] == [("small", "Sonnet")]


def test_days_are_as_long_as_the_calendar_says() -> None:
    paris = ZoneInfo("Europe/Paris")
    march, utc_march = days_of("2026-03"), day_runs(days_of("2026-03"), UTC)
    start = round(datetime(2026, 2, 28, 23, tzinfo=UTC).timestamp() * 1000)
    assert len(march) == 31
    assert len(days_of("2028-02")) == 29
    assert utc_march == (DayRun(start + HOUR, 0, DAY),)
    # The 29th has 23 hours.
    assert day_runs(march, paris) == (
        DayRun(start, 0, DAY),
        DayRun(start + 28 * DAY, 28, DAY - HOUR),
        DayRun(start + 29 * DAY - HOUR, 29, DAY),
    )


def test_months_go_back_to_the_first_but_not_for_ever() -> None:
    def ms(year: int, month: int) -> int:
        return round(datetime(year, month, 15, tzinfo=UTC).timestamp() * 1000)

    assert months_since(ms(2025, 11), ms(2026, 2), UTC) == (
        "2026-02",
        "2026-01",
        "2025-12",
        "2025-11",
    )
    assert months_since(ms(2026, 3), ms(2026, 2), UTC) == ("2026-02",)
    assert len(months_since(0, ms(2026, 2), UTC)) == 36
