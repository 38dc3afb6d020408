"""What a request costs, in whole micro-dollars, rounded up. An unknown price is None, never 0.

A rate in dollars per million tokens is the same number in micro-dollars per token.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from recto.messages import Usage


@dataclass(frozen=True, slots=True)
class Rates:
    """Dollars per million tokens of each kind."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    cache_write_long: Decimal

    @property
    def prompt(self) -> Decimal:
        """The most that a token of the prompt can cost."""
        # Writing to a cache can cost more than plain input.
        return max(self.input, self.cache_read, self.cache_write, self.cache_write_long)


@dataclass(frozen=True, slots=True)
class Tier:
    """The rates for every token of a request whose prompt is longer than `above`."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True)
class Price:
    """A model's price on one day."""

    rates: Rates
    tiers: tuple[Tier, ...] = ()
    """From the lowest to the highest."""
    source: str = ""
    """Who says so."""
    flat_micros: int = 0
    """What each request costs, whatever it uses: that is how searches are paid."""

    def cost(self, usage: Usage) -> int:
        """What a request cost."""
        rates = self.at(usage.prompt)
        short = usage.cache_write - usage.cache_write_long
        return self.flat_micros + math.ceil(
            usage.input * rates.input
            + usage.cache_read * rates.cache_read
            + short * rates.cache_write
            + usage.cache_write_long * rates.cache_write_long
            + usage.output * rates.output
        )

    def worst(self, prompt: int, output: int) -> int:
        """The most that a request can cost with at most this many tokens of each."""
        if not self.tiers:
            tokens = prompt * self.rates.prompt + output * self.rates.output
            return self.flat_micros + math.ceil(tokens)
        tokens = prompt * self._dearest_prompt(prompt) + output * self._dearest(prompt)
        return self.flat_micros + math.ceil(tokens)

    def affordable_output(self, micros: int, prompt: int) -> int | None:
        """How many tokens of output fit into an amount after the prompt; None: any number."""
        rate = self._dearest(prompt)
        left = micros - self.flat_micros - prompt * self._dearest_prompt(prompt)
        if left < 0:
            return 0
        return int(left // rate) if rate else None

    def record(self) -> Mapping[str, Any]:
        """The price as a ledger row keeps it."""
        tiers = [{"above": tier.above, **_written(tier.rates)} for tier in self.tiers]
        return {
            **_written(self.rates),
            "source": self.source,
            **({"tiers": tiers} if tiers else {}),
            **({"flatMicros": self.flat_micros} if self.flat_micros else {}),
        }

    def at(self, prompt: int) -> Rates:
        """The rates of a request whose prompt is so long."""
        reached = [tier.rates for tier in self.tiers if prompt > tier.above]
        return reached[-1] if reached else self.rates

    def _dearest_prompt(self, prompt: int) -> Decimal:
        return max(rates.prompt for rates in self._possible(prompt))

    def _dearest(self, prompt: int) -> Decimal:
        return max(rates.output for rates in self._possible(prompt))

    def _possible(self, prompt: int) -> list[Rates]:
        """The prompt may turn out shorter than feared, so lower tiers count too."""
        return [self.rates, *(tier.rates for tier in self.tiers if prompt > tier.above)]


def price_of(
    *,
    input: Decimal,
    output: Decimal,
    cache_read: Decimal | None = None,
    cache_write: Decimal | None = None,
    source: str,
) -> Price:
    """A price somebody states; what they leave out costs as much as plain input."""
    given = {"input": input, "output": output, "cacheRead": cache_read, "cacheWrite": cache_write}
    stated = {name: rate for name, rate in given.items() if rate is not None}
    return Price(_rates(stated), source=source)


def flat_price(micros: int, *, source: str) -> Price:
    """A price for each request, and nothing for what it uses."""
    return replace(price_of(input=Decimal(0), output=Decimal(0), source=source), flat_micros=micros)


def read_price(record: Mapping[str, Any]) -> Price:
    """A price as `Price.record` wrote it. Raises ValueError."""
    try:
        price = _tiered(record, str(record.get("source", "")))
        return replace(price, flat_micros=int(record.get("flatMicros", 0)))
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ValueError("This is not a price.") from error


class Prices:
    """The price list: our own corrections before the list that others maintain."""

    def __init__(
        self, listed: Mapping[str, Any], overrides: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> None:
        self.source: str = listed["source"]
        self.exported = date.fromisoformat(listed["exported"])
        self._rows: dict[str, list[tuple[Mapping[str, Any], str]]] = {
            provider: [(row, self.source) for row in rows]
            for provider, rows in listed["providers"].items()
        }
        for provider, rows in overrides.items():
            # In front: the first row that matches counts.
            corrected = [(row, "recto") for row in rows]
            self._rows[provider] = corrected + self._rows.get(provider, [])

    def find(self, provider: str, model: str, day: date) -> Price | None:
        """What a model costs on a day, if anybody knows."""
        for row, source in self._rows.get(provider, ()):
            if re.search(row["match"], model.lower()):
                return _price(row["prices"], day, source)
        return None


@cache
def load_prices() -> Prices:
    """The price list that came with this Recto."""
    return Prices(_data("prices.json"), _data("price_overrides.json"))


def _data(name: str) -> Any:
    text = (resources.files("recto.access") / "data" / name).read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal)


def _price(periods: Sequence[Mapping[str, Any]], day: date, source: str) -> Price:
    begun = [
        period
        for period in periods
        if "from" not in period or date.fromisoformat(period["from"]) <= day
    ]
    return _tiered(begun[-1], source)


def _tiered(stated: Mapping[str, Any], source: str) -> Price:
    tiers = (Tier(tier["above"], _rates(tier)) for tier in stated.get("tiers", ()))
    return Price(_rates(stated), tuple(tiers), source)


def _rates(stated: Mapping[str, Any]) -> Rates:
    plain = Decimal(stated["input"])
    write = Decimal(stated.get("cacheWrite", plain))
    return Rates(
        input=plain,
        output=Decimal(stated["output"]),
        cache_read=Decimal(stated.get("cacheRead", plain)),
        cache_write=write,
        cache_write_long=Decimal(stated.get("cacheWriteLong", write)),
    )


def _written(rates: Rates) -> dict[str, str]:
    return {
        "input": str(rates.input),
        "output": str(rates.output),
        "cacheRead": str(rates.cache_read),
        "cacheWrite": str(rates.cache_write),
        "cacheWriteLong": str(rates.cache_write_long),
    }


FREE = price_of(input=Decimal(0), output=Decimal(0), source="this machine")
