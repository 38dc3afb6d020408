"""Writes src/recto/access/data/prices.json anew from the installed genai-prices package.

Only what Recto can be billed for is kept: text in, text out, cached text. Prices that are no longer
in force are left out; prices that are announced for a later day are kept with that day.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import (
    ClauseAnd,
    ClauseContains,
    ClauseEndsWith,
    ClauseEquals,
    ClauseOr,
    ClauseRegex,
    ClauseStartsWith,
    MatchLogic,
    ModelInfo,
    ModelPrice,
    StartDateConstraint,
    TieredPrices,
)

TARGET = Path(__file__).parent.parent / "src" / "recto" / "access" / "data" / "prices.json"

# Which of a provider's models we may meet: no speech, no pictures, no other firm's resales.
MODELS = {
    "anthropic": r"^claude-",
    "openai": r"^(gpt-[3-9]|o[1-9]|chatgpt)(?!.*(audio|realtime|image|transcribe|tts))",
    "google": r"^(gemini|gemma)-(?!.*(tts|image|live|embedding|omni|robotics|banana))",
    "openrouter": (
        r"^(anthropic|openai|google|deepseek|meta-llama|mistralai|moonshotai|qwen|x-ai|z-ai)/"
    ),
}
RATES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cacheRead": "cache_read_mtok",
    "cacheWrite": "cache_write_mtok",
    "cacheWriteLong": "cache_write_1h_mtok",
}
NEVER_USED = {
    "web_searches_kcount",
    "storage_searches_kcount",
    "input_audio_mtok",
    "cache_audio_read_mtok",
}


def main() -> None:
    """Write the file: one model a line, so that a change of price is one line in a diff."""
    today = datetime.now(UTC).date()
    sections = {
        provider.id: [row for model in provider.models for row in rows(provider.id, model, today)]
        for provider in get_snapshot().providers
        if provider.id in MODELS
    }
    lines = ",\n".join(
        f"{json.dumps(name)}: [\n"
        + ",\n".join(json.dumps(row, default=number) for row in found)
        + "\n]"
        for name, found in sorted(sections.items())
    )
    source = json.dumps(f"genai-prices {version('genai-prices')}")
    head = f'"source": {source},\n"exported": {json.dumps(str(today))},\n"providers": '
    TARGET.write_text("{\n" + head + "{\n" + lines + "\n}\n}\n", encoding="utf-8")
    print(f"{sum(map(len, sections.values()))} models, {TARGET.stat().st_size} bytes")


def rows(provider: str, model: ModelInfo, today: date) -> Iterator[dict[str, Any]]:
    """The model as a row, if it is one of ours and has a price."""
    if not re.search(MODELS[provider], model.id):
        return
    periods = [period(start, prices) for start, prices in in_force(model, today)]
    if all(item is not None for item in periods):
        yield {"id": model.id, "match": pattern(model.match), "prices": periods}


def in_force(model: ModelInfo, today: date) -> list[tuple[date | None, ModelPrice]]:
    """The price of today and those to come, each with its first day."""
    if isinstance(model.prices, ModelPrice):
        return [(None, model.prices)]
    dated = [(start_of(price.constraint), price.prices) for price in model.prices]
    past = [price for start, price in dated if start is None or start <= today]
    return [
        (None, past[-1]),
        *((start, price) for start, price in dated if start and start > today),
    ]


def start_of(constraint: object) -> date | None:
    """The first day of a price; a price by the time of day is nothing we know how to keep."""
    if constraint is None:
        return None
    if not isinstance(constraint, StartDateConstraint):
        raise SystemExit(f"Unknown kind of price condition: {constraint!r}")
    return constraint.start_date


def period(start: date | None, prices: ModelPrice) -> dict[str, Any] | None:
    """One price as it is written; None if it is not a price for text alone."""
    known = {key: value for key, value in vars(prices).items() if value is not None}
    if {"input_mtok", "output_mtok"} - known.keys() or known.keys() - {
        *RATES.values(),
        *NEVER_USED,
    }:
        return None
    found = {name: known[key] for name, key in RATES.items() if key in known}
    starts = sorted(
        {
            tier.start
            for value in found.values()
            if isinstance(value, TieredPrices)
            for tier in value.tiers
        }
    )
    base = {name: at(value, 0) for name, value in found.items()}
    tiers = [
        {"above": above, **{name: at(value, above + 1) for name, value in found.items()}}
        for above in starts
    ]
    return {
        **({"from": str(start)} if start else {}),
        **base,
        **({"tiers": tiers} if tiers else {}),
    }


def at(value: Decimal | TieredPrices, tokens: int) -> Decimal:
    """The rate for a prompt of this many tokens."""
    if isinstance(value, Decimal):
        return value
    reached = [tier.price for tier in value.tiers if tokens > tier.start]
    return reached[-1] if reached else value.base


def pattern(match: MatchLogic) -> str:
    """The names of a model as one regular expression over the lower-case name."""
    match match:
        case ClauseEquals(equals=text):
            return f"^{literal(text)}$"
        case ClauseStartsWith(starts_with=text):
            return f"^{literal(text)}"
        case ClauseEndsWith(ends_with=text):
            return f"{literal(text)}$"
        case ClauseContains(contains=text):
            return literal(text)
        case ClauseRegex(regex=text):
            return text
        case ClauseOr(or_=clauses):
            return "|".join(f"(?:{pattern(clause)})" for clause in clauses)
        case ClauseAnd(and_=clauses):
            return "^" + "".join(f"(?=.*?(?:{pattern(clause)}))" for clause in clauses)


def literal(text: str) -> str:
    """Text as a regular expression that a person can read."""
    return re.escape(text.lower()).replace(r"\-", "-")


def number(value: object) -> int | float:
    """A rate as JSON writes it; checked to be exact."""
    if not isinstance(value, Decimal):
        raise TypeError(repr(value))
    short = int(value) if value == int(value) else float(value)
    if Decimal(str(short)) != value:
        raise SystemExit(f"{value} can't be written exactly.")
    return short


if __name__ == "__main__":
    main()
