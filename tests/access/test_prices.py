import re
from datetime import UTC, date, datetime, time
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

import genai_prices
import pytest
from genai_prices.data_snapshot import get_snapshot
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.access import FREE, Price, Rates, Tier, load_prices
from recto.access.prices import price_of
from recto.messages import Usage
from scripts.prices import MODELS
from tests.examples import examples

PRICES = load_prices()
LATER = date(2027, 2, 1)
CORRECTED = re.compile(r"^claude-sonnet-5-5$")


def priced_models() -> list[tuple[str, str]]:
    return [
        (provider.id, model.id)
        for provider in get_snapshot().providers
        if provider.id in MODELS
        for model in provider.models
        if PRICES.find(provider.id, model.id, PRICES.exported) and not CORRECTED.match(model.id)
    ]


def oracle(provider: str, model: str, usage: Usage, day: date) -> int:
    found = genai_prices.calc_price(
        genai_prices.Usage(
            input_tokens=usage.prompt,
            cache_read_tokens=usage.cache_read,
            cache_write_tokens=usage.cache_write,
            cache_write_1h_tokens=usage.cache_write_long,
            output_tokens=usage.output,
        ),
        model,
        provider_id=provider,
        genai_request_timestamp=datetime.combine(day, time(12), UTC),
    )
    return int((found.total_price * 1_000_000).to_integral_value(ROUND_CEILING))


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    count = st.integers(0, 400_000)
    write = draw(count)
    return Usage(
        input=draw(count),
        cache_read=draw(count),
        cache_write=write,
        cache_write_long=draw(st.integers(0, write)),
        output=draw(st.integers(0, 130_000)),
    )


def test_hundreds_of_models_have_a_price() -> None:
    assert len(priced_models()) > 400


@settings(max_examples=examples(300), deadline=None)
@given(model=st.sampled_from(priced_models()), usage=usages(), late=st.booleans())
def test_a_cost_is_what_the_price_list_says_rounded_up(
    model: tuple[str, str], usage: Usage, late: bool
) -> None:
    day = LATER if late else PRICES.exported
    price = PRICES.find(*model, day)

    assert price is not None
    assert price.cost(usage) == oracle(*model, usage, day)


@settings(max_examples=examples(150))
@given(model=st.sampled_from(priced_models()), usage=usages(), more=st.integers(0, 300_000))
def test_no_cost_is_above_the_worst_that_was_feared(
    model: tuple[str, str], usage: Usage, more: int
) -> None:
    price = PRICES.find(*model, LATER)

    assert price is not None
    assert price.cost(usage) <= price.worst(usage.prompt + more, usage.output)


@settings(max_examples=examples(150))
@given(
    model=st.sampled_from(priced_models()),
    micros=st.integers(0, 50_000_000),
    prompt=st.integers(0, 400_000),
)
def test_affordable_output_is_the_most_that_fits(
    model: tuple[str, str], micros: int, prompt: int
) -> None:
    price = PRICES.find(*model, LATER)
    assert price is not None
    output = price.affordable_output(micros, prompt)

    if output is None:
        assert price.worst(prompt, 10**9) <= micros
    elif output > 0:
        assert price.worst(prompt, output) <= micros < price.worst(prompt, output + 1)
    else:
        assert price.worst(prompt, 1) > micros


def test_the_whole_request_pays_the_rate_of_its_tier() -> None:
    price = PRICES.find("anthropic", "claude-haiku-5-5", PRICES.exported)

    assert price is not None
    assert price.cost(Usage(input=90_000, output=1_000)) == 9_500
    assert price.cost(Usage(input=150_000, output=1_000)) == 77_500


def test_a_price_that_was_announced_holds_from_its_day_on() -> None:
    found = [PRICES.find("google", "gemini-4-argon", day) for day in (date(2026, 11, 30), LATER)]

    assert [price.rates.input for price in found if price] == [Decimal(2), Decimal(4)]


def test_our_own_correction_stands_before_the_list() -> None:
    price = PRICES.find("anthropic", "claude-sonnet-5-5-20260901", PRICES.exported)

    assert price is not None
    assert (price.rates.cache_read, price.source) == (Decimal("0.2"), "recto")


@pytest.mark.parametrize(
    ("provider", "model"),
    [("anthropic", "claude-mythos-9"), ("openai", "nobody"), ("somebody", "gpt-5")],
)
def test_a_price_nobody_knows_is_none(provider: str, model: str) -> None:
    assert PRICES.find(provider, model, PRICES.exported) is None


def test_this_machine_costs_nothing() -> None:
    assert FREE.cost(Usage(input=1_000_000, output=1_000_000)) == 0
    assert FREE.affordable_output(0, 1_000) is None


def test_what_a_stated_price_leaves_out_costs_as_much_as_input() -> None:
    price = price_of(input=Decimal(3), output=Decimal(15), source="models.json")

    assert price.rates == Rates(Decimal(3), Decimal(15), Decimal(3), Decimal(3), Decimal(3))


def test_a_fraction_of_a_micro_dollar_is_rounded_up() -> None:
    price = price_of(input=Decimal("0.1"), output=Decimal(0), source="models.json")

    assert [price.cost(Usage(input=tokens)) for tokens in (0, 1, 10, 11)] == [0, 1, 1, 2]


def test_a_price_is_written_into_the_ledger_whole() -> None:
    rates = Rates(Decimal(2), Decimal(10), Decimal("0.2"), Decimal("2.5"), Decimal(4))
    written: dict[str, Any] = {
        "input": "2",
        "output": "10",
        "cacheRead": "0.2",
        "cacheWrite": "2.5",
        "cacheWriteLong": "4",
    }
    price = Price(rates, (Tier(200_000, rates),), "test")

    assert price.record() == {
        **written,
        "source": "test",
        "tiers": [{"above": 200_000, **written}],
    }


def test_the_list_stays_small() -> None:
    file = Path(__file__).parents[2] / "src" / "recto" / "access" / "data" / "prices.json"

    assert file.stat().st_size < 150_000
