from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from recto.access import (
    BudgetFile,
    SpendingLimits,
    dollars,
    load_limits,
    month_bounds,
    month_of,
    save_limits,
)
from recto.access.limits import SpendingScope, scopes_of
from recto.config import ConfigFailure, Home

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",  # the clock goes back over midnight
    "America/Asuncion",  # midnight of a first of the month was skipped
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
)


def ms(*when: int, zone: str = "UTC") -> int:
    return round(datetime(*when, tzinfo=ZoneInfo(zone)).timestamp() * 1000)  # pyright: ignore[reportArgumentType] - a date and perhaps a time


@pytest.mark.parametrize("zone", ZONES)
def test_every_month_of_four_years_begins_and_ends_with_the_calendar(zone: str) -> None:
    place = ZoneInfo(zone)
    at = ms(2023, 1, 1, 12, zone=zone)
    for number in range(48):
        year, month = divmod(2023 * 12 + number, 12)
        name = f"{year}-{month + 1:02}"
        begin, end = month_bounds(at, place)

        assert month_of(at, place) == name
        assert (month_of(begin, place), month_of(end - 1, place)) == (name, name)
        assert month_of(begin - 1, place) < name < month_of(end, place)
        assert month_bounds(begin, place) == month_bounds(end - 1, place) == (begin, end)
        at = end


@pytest.mark.parametrize("zone", ZONES)
def test_every_hour_of_four_years_lies_in_the_month_that_its_calendar_shows(zone: str) -> None:
    place = ZoneInfo(zone)
    moment = datetime(2023, 12, 31, tzinfo=UTC)
    while moment.year < 2027:
        local = moment.astimezone(place)
        assert month_of(round(moment.timestamp() * 1000), place) == f"{local:%Y-%m}"
        moment += timedelta(hours=7)


def test_a_leap_day_is_february() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    late = ms(2024, 2, 29, 23, 59, 59, zone="Europe/Berlin")

    assert month_of(late, berlin) == "2024-02"
    assert month_of(late + 1_000, berlin) == "2024-03"
    assert month_of(late + 999, berlin) == "2024-02"


def test_the_month_is_that_of_where_the_user_is() -> None:
    eve = ms(2026, 10, 31, 23, 30)

    assert month_of(eve, ZoneInfo("UTC")) == "2026-10"
    assert month_of(eve, ZoneInfo("Asia/Tokyo")) == "2026-11"


def test_a_month_with_a_change_of_the_clock_is_an_hour_shorter_or_longer() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    hours = [
        (end - begin) // 3_600_000
        for begin, end in (month_bounds(ms(2026, month, 9), berlin) for month in (3, 5, 10))
    ]
    assert hours == [31 * 24 - 1, 31 * 24, 31 * 24 + 1]


def test_until_the_user_says_otherwise_the_limit_is_20_dollars(tmp_path: Path) -> None:
    assert load_limits(Home(tmp_path)) == SpendingLimits(20_000_000, Decimal("0.8"))


def test_all_limits_are_kept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    budget = BudgetFile(
        monthly_limit_usd=Decimal("12.34"),
        warn_at=Decimal("0.5"),
        per_turn_usd=Decimal("0.000001"),
        per_project_usd={"p1": Decimal(3)},
    )
    saved = save_limits(home, budget)

    assert saved == SpendingLimits(12_340_000, Decimal("0.5"), 1, {"p1": 3_000_000})
    assert load_limits(home) == saved


def test_no_limit_is_kept_as_no_limit(tmp_path: Path) -> None:
    home = Home(tmp_path)
    save_limits(home, BudgetFile(monthly_limit_usd=None))

    assert load_limits(home).month_micros is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{\n"monthlyLimit": 5}',
            "line 2: monthlyLimit is not known. Allowed here: monthlyLimitUsd",
        ),
        ('{"monthlyLimitUsd": -1}', "line 1: monthlyLimitUsd must be at least 0"),
        (
            '{"monthlyLimitUsd": NaN}',
            "line 1: monthlyLimitUsd must be a number that is not infinite",
        ),
        ('{"perProjectUsd": {\n"p": "x"}}', "line 2: perProjectUsd.p must be a number"),
        ('{"warnAt": 80}', "line 1: warnAt must be at most 1"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "budget.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigFailure) as caught:
        load_limits(Home(tmp_path))

    assert said in str(caught.value)


def test_a_request_counts_in_its_month_its_project_and_its_turn() -> None:
    limits = SpendingLimits(10, turn_micros=3, project_micros={"p1": 5})

    assert scopes_of(limits, "2026-11", project_id="p1", turn_id="t1") == (
        SpendingScope("month:2026-11", 10, "the monthly limit"),
        SpendingScope("project:p1:2026-11", 5, "this project's monthly limit"),
        SpendingScope("turn:t1", 3, "the limit for one turn"),
    )
    assert scopes_of(limits, "2026-11", project_id="p2")[1].limit_micros is None


@pytest.mark.parametrize(
    ("micros", "words"),
    [
        (0, "$0.00"),
        (20_000_000, "$20.00"),
        (10_000, "$0.01"),
        (9_999, "$0.009999"),
        (1_500, "$0.0015"),
    ],
)
def test_an_amount_in_words(micros: int, words: str) -> None:
    assert dollars(micros) == words
