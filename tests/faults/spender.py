"""A worker of a gateway without doors: sets aside and books on leases, as fast as it can.

Says `ready`, then `booked` for each call that is booked, and `refused` when a limit is reached;
stays until it is ended.
"""

import asyncio
import random
import sys
from decimal import Decimal

from recto.access import BudgetHold, LeasedBudget, Purpose, SpendingScope, TokenBounds
from recto.access.prices import price_of
from recto.clock import SystemClock, SystemIds
from recto.messages import Usage
from recto.storage import Storage

CALLERS = 4
RENEW_EVERY = 7
PRICE = price_of(input=Decimal(2), output=Decimal(10), source="test")


def scopes(limit: int) -> tuple[SpendingScope, ...]:
    """What every call counts in."""
    return (
        SpendingScope("key", limit, "the key's limit"),
        SpendingScope("account", limit + limit // 10, "the account's limit"),
        SpendingScope("gateway", None, "the gateway's limit"),
    )


async def spend(url: str, limit: int, seed: int) -> None:
    """Have some callers call until somebody ends this."""
    clock = SystemClock()
    storage = await Storage.open(url, clock=clock)
    budget = LeasedBudget(storage, clock=clock, ids=SystemIds(clock))
    purpose = Purpose("gateway", "anthropic", "claude", scopes=scopes(limit))
    chance = random.Random(seed)

    async def call() -> None:
        while True:
            prompt, output = chance.randrange(1, 900), chance.randrange(1, 400)
            hold = await budget.reserve(purpose, TokenBounds(prompt, output), PRICE)
            if not isinstance(hold, BudgetHold):
                say("refused")
                await asyncio.sleep(0.05)
                continue
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            # Providers say anything; what is booked is never more than was set aside.
            used = Usage(
                input=chance.choice([0, prompt, 10**9]), output=chance.randrange(output + 1)
            )
            await budget.settle(hold, used, outcome="finished", body={})
            say("booked")

    async def renew() -> None:
        while True:
            for _ in range(RENEW_EVERY):
                await budget.written()
                await asyncio.sleep(0.01)
            await budget.renew()
            await budget.sweep()

    say("ready")
    await asyncio.gather(budget.keep_books(), renew(), *(call() for _ in range(CALLERS)))


def say(word: str) -> None:
    """Tell whoever watches, at once."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main() -> None:
    """Spend what the arguments say."""
    asyncio.run(spend(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
