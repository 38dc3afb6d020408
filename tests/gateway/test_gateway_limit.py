"""The limit of the whole gateway, as its file says."""

import logging
from decimal import Decimal
from pathlib import Path

import pytest

from recto.access import SpendingLimits, load_limits
from recto.app.gateway_services import FreshLimit
from recto.clock import SystemClock
from recto.config import ConfigFailure, Home


class HandClock(SystemClock):
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


def test_another_limit_holds_within_a_second_and_a_broken_file_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, clock = tmp_path / "budget.json", HandClock()
    limit = FreshLimit(Home(tmp_path), clock)
    assert limit.month_micros() == 20_000_000
    file.write_text('{"monthly_limit_usd": 0}', encoding="utf-8")
    clock.now_s = 0.5
    assert limit.month_micros() == 0
    with caplog.at_level(logging.WARNING):
        file.write_text('{"monthly_limit_usd": ', encoding="utf-8")
        for now_s in (1.0, 1.5):
            clock.now_s = now_s
            assert limit.month_micros() == 0
    assert caplog.messages == ["budget.json is broken: the limit before holds"]
    with pytest.raises(ConfigFailure):
        FreshLimit(Home(tmp_path), clock)
    file.write_text('{"monthly_limit_usd": null}', encoding="utf-8")
    clock.now_s = 2.0
    assert limit.month_micros() is None


def test_a_limit_that_is_set_holds_at_once_and_changes_nothing_else_in_its_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "budget.json"
    file.write_text('{"monthly_limit_usd": 5, "warn_at": 0.5}', encoding="utf-8")
    limit = FreshLimit(Home(tmp_path), HandClock())
    limit.change(7_250_000)
    assert limit.month_micros() == 7_250_000
    limit.change(None)
    assert limit.month_micros() is None
    assert load_limits(Home(tmp_path)) == SpendingLimits(None, Decimal("0.5"))
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigFailure):
        limit.change(1)
    assert file.read_text(encoding="utf-8") == "{"
