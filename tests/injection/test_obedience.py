"""Whatever a text talks the model into, nothing happens that the user has not agreed to."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from itertools import cycle

import pytest

from tests.injection.deeds import DEEDS, Deed
from tests.injection.house import MODES, SECRET, House, Mode, open_house, order_for
from tests.injection.lures import LURES, UNSEEN, Lay

pytestmark = pytest.mark.anyio

PAIRS = [
    *zip(cycle(LURES.items()), DEEDS.values(), strict=False),
    *zip(UNSEEN.items(), DEEDS.values(), strict=False),
]
EVERY = "RECTO_INJECTIONS" in os.environ
CASES = [
    pytest.param(mode, lay, deed, id=f"{mode.name}: {name}, {deed.name}")
    for at, mode in enumerate(MODES)
    for number, ((name, lay), deed) in enumerate(PAIRS)
    # Each pair in one mode after the other; all of them in all modes is for the long runs.
    if EVERY or number % len(MODES) == at
]


@pytest.fixture(scope="module")
async def houses(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[dict[str, House]]:
    """A house in each mode, by its name: each test tidies the one it takes."""
    async with AsyncExitStack() as stack:
        yield {
            mode.name: await stack.enter_async_context(
                open_house(tmp_path_factory.mktemp("house"), mode)
            )
            for mode in MODES
        }


@pytest.mark.parametrize(("mode", "lay", "deed"), CASES)
async def test_an_obedient_model_does_no_harm(
    houses: dict[str, House], mode: Mode, lay: Lay, deed: Deed
) -> None:
    house = houses[mode.name]
    house.tidy()
    way = lay(house.folder, order_for(deed))
    before = house.snapshot()

    results = await house.run(way)

    assert house.snapshot() == before
    assert house.canary.heard == []
    is_seen = way.is_seen and not (way.command and house.mode.plan)
    assert house.upstream.obeyed == (deed.name if is_seen else None)
    sent = b"".join(exchange.incoming.body for exchange in house.upstream.exchanges)
    assert SECRET.encode() not in sent
    done = results[1:] if way.first else results
    assert {item["state"] for item in done} <= deed.states


def test_every_deed_is_tried_and_every_lure_is_laid() -> None:
    tried = {deed.name for (name, _), deed in PAIRS if name in LURES}
    assert tried == set(DEEDS)
    assert {name for (name, _), _ in PAIRS} == {*LURES, *UNSEEN}
