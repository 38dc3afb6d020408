"""Citations that no service knows: read by the cheapest model, which may only repeat the text."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from recto.access import BudgetFile
from recto.assist import CitationReader
from recto.assist.citations import read_answer
from tests.assist.world import World, asking_at
from tests.fakes.providers import AnthropicServer, says

pytestmark = pytest.mark.anyio
TEXT = "K. Doodson and H. Warburg: Admiralty Manual of Tides. HMSO, London 1941, pp. 270."
READ: dict[str, Any] = {
    "sure": True,
    "type": "book",
    "title": "Admiralty Manual of Tides",
    "authors": [{"family": "Doodson", "given": "K."}, {"family": "Warburg", "given": "H."}],
    "year": 1941,
    "publisher": "HMSO",
    "pages": "270",
}


async def read(world: World, text: str = TEXT) -> dict[str, Any] | str:
    return await CitationReader(world.asking.questions, world.asking.models).read(text)


async def test_the_cheapest_model_reads_the_work_and_adds_nothing(tmp_path: Path) -> None:
    async with AnthropicServer() as server, asking_at(tmp_path / "home", anthropic=server) as world:
        server.answer(says(json.dumps({**READ, "doi": "10.1000/made-up", "volume": 7})))
        assert await read(world) == {
            "type": "book",
            "title": "Admiralty Manual of Tides",
            "author": READ["authors"],
            "issued": {"date-parts": [[1941]]},
            "publisher": "HMSO",
            "page": "270",
        }
        cheapest = world.asking.models.cheapest("anthropic")
        assert cheapest is not None
        assert [exchange.json["model"] for exchange in server.exchanges] == [cheapest.model]
        [spend] = await world.spends()
        assert spend.feature == "references"


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know this book.",
        json.dumps({**READ, "sure": False}),
        json.dumps({**READ, "title": "Admiralty Manual of Deep Tides"}),
        json.dumps({**READ, "authors": [{"family": "Darwin"}]}),
        json.dumps({**READ, "title": ""}),
        "{" * 5000 + "}",
    ],
)
async def test_what_it_is_not_sure_of_or_makes_up_is_nothing(answer: str) -> None:
    assert read_answer(answer, TEXT) == "a model is not sure what the text says"


async def test_over_budget_nobody_is_asked_and_it_is_said(tmp_path: Path) -> None:
    async with AnthropicServer() as server, asking_at(tmp_path / "home", anthropic=server) as world:
        world.asking.models.set_budget(BudgetFile(monthly_limit_usd=Decimal(0)))
        told = await read(world)
        assert (isinstance(told, str), server.exchanges) == (True, [])
        assert str(told).startswith("a model could read the text, but the budget does not allow it")


async def test_the_built_in_model_is_not_asked(tmp_path: Path) -> None:
    async with asking_at(tmp_path / "home") as world:
        assert await read(world) == "the built-in model is too small to read citations"
