"""What a request that is not sent yet would cost, without its answer. An unknown price is None."""

import math
from decimal import Decimal

from recto.access import Access
from recto.chats.turns.built_request import BuiltRequest

FREE = Decimal(0)


def remembers(access: Access) -> bool:
    """Whether a model's provider remembers prompts, so far as its price tells."""
    price = access.price
    is_cheaper = price is not None and price.rates.cache_read < price.rates.input
    return access.traits.cache_marks or is_cheaper


def token_rates(built: BuiltRequest) -> tuple[Decimal, Decimal] | None:
    """What a token costs that is remembered, and one that is not."""
    price = built.access.price
    if price is None:
        return None
    rates = price.at(built.tokens)
    # Where we mark what is to be remembered, everything that is new is also written down.
    return rates.cache_read, rates.cache_write if built.access.traits.cache_marks else rates.input


def part_costs(built: BuiltRequest, cached: int) -> list[int | None]:
    """What each part costs when the first ones are remembered; all together cost the whole."""
    rates = token_rates(built)
    if rates is None:
        return [None] * len(built.parts)
    costs: list[int | None] = []
    total, paid = FREE, 0
    for at, part in enumerate(built.parts):
        total += part.slice.tokens * (rates[0] if at < cached else rates[1])
        costs.append(math.ceil(total) - paid)
        paid = math.ceil(total)
    return costs


def cost_of(built: BuiltRequest, cached: int) -> int | None:
    """What the whole request costs when its first parts are remembered."""
    costs = part_costs(built, cached)
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def extra_cost(built: BuiltRequest, tokens: int) -> int | None:
    """What it costs more to send so many tokens again instead of having them remembered."""
    rates = token_rates(built)
    return None if rates is None else math.ceil(tokens * max(rates[1] - rates[0], FREE))
