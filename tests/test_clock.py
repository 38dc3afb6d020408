import time
from collections.abc import Generator
from datetime import datetime

import pytest

from recto.clock import ID_LENGTH, LocalZone, SystemClock, SystemIds, chance
from tests.fakes import FakeClock


def test_ids_sort_in_the_order_they_were_made() -> None:
    ids = SystemIds(SystemClock())
    made = [ids.new() for _ in range(10_000)]
    assert made == sorted(set(made))


def test_ids_count_on_when_the_clock_steps_back() -> None:
    clock = FakeClock()
    ids = SystemIds(clock)
    before = ids.new()
    clock.pass_time(-3600)
    assert ids.new() > before


def test_an_id_is_26_characters_that_cannot_be_misread() -> None:
    made = SystemIds(SystemClock()).new()
    assert len(made) == ID_LENGTH
    assert not set(made) - set("0123456789abcdefghjkmnpqrstvwxyz")


def test_secrets_are_256_bits_and_differ() -> None:
    ids = SystemIds(SystemClock())
    made = {ids.secret() for _ in range(1000)}
    assert len(made) == 1000
    assert {len(secret) for secret in made} == {64}


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Generator[LocalZone]:
    """A computer that stands in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield LocalZone()
    monkeypatch.undo()
    time.tzset()


def test_local_time_follows_the_year(berlin: LocalZone) -> None:
    summer = datetime.fromtimestamp(1_784_116_800, berlin)
    winter = datetime.fromtimestamp(1_768_478_400, berlin)
    assert (summer.isoformat(), summer.tzname()) == ("2026-07-15T14:00:00+02:00", "CEST")
    assert (winter.isoformat(), winter.tzname()) == ("2026-01-15T13:00:00+01:00", "CET")


def test_every_hour_of_a_year_is_the_same_moment_there_and_back(berlin: LocalZone) -> None:
    start = 1_767_222_000
    moments = [start + hour * 3600 for hour in range(24 * 365)]
    back = [round(datetime.fromtimestamp(moment, berlin).timestamp()) for moment in moments]
    assert back == moments, "also the hour that the clock shows twice in autumn"


def test_chance_lies_between_nothing_and_one() -> None:
    drawn = [chance() for _ in range(1000)]
    assert 0 <= min(drawn) < max(drawn) < 1
