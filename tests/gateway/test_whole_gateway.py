"""A key of a real account through real doors: what it may spend, and what is booked."""

import json
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, says
from tests.gateway.served import ServedGateway, served_gateway
from tests.gateway.world import PRICE

pytestmark = pytest.mark.anyio

ASKED = {
    "model": "sonnet",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "When is high water?"}],
}


async def lay_models(home: Path, upstream: AnthropicServer) -> None:
    """One model, which a strict server answers for."""
    model = {"id": "sonnet", "name": "Sonnet", "provider": "anthropic", "price": PRICE}
    file = {
        "models": [{**model, "model": "claude-sonnet-5-5"}],
        "providers": {"anthropic": {"url": upstream.url}},
    }
    await anyio.Path(home).mkdir()
    await anyio.Path(home, "models.json").write_text(json.dumps(file), encoding="utf-8")
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})


async def key_of(gateway: ServedGateway, token: str, **limits: Any) -> str:
    async with gateway.client(token) as client:
        made = await client.post("/api/v1/keys", json=limits)
        assert made.status_code == 201, made.text
        return made.json()["secret"]


async def ask(gateway: ServedGateway, key: str) -> httpx.Response:
    async with gateway.client() as program:
        return await program.post("/v1/messages", headers={"x-api-key": key}, json=ASKED)


async def test_a_key_spends_what_it_may_and_is_booked_to_its_account(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with AnthropicServer() as upstream:
        await lay_models(home, upstream)
        async with served_gateway(home) as gateway:
            member = await gateway.member(await gateway.admin(), "ann")
            key = await key_of(gateway, member)
            upstream.answer(says("At noon."))
            answered = await ask(gateway, key)
            poor = await ask(gateway, await key_of(gateway, member, limits={"monthlyMicros": 0}))
            stranger = await ask(gateway, "sk-nobody")
            async with gateway.client(member) as client:
                usage = (await client.get("/api/v1/usage")).json()
    assert answered.status_code == 200, answered.text
    assert answered.json()["content"][0]["text"] == "At noon."
    counted = answered.json()["usage"]
    cost = counted["input_tokens"] * PRICE["input"] + counted["output_tokens"] * PRICE["output"]
    assert [(row["model"], row["requests"], row["costMicros"]) for row in usage["models"]] == [
        ("claude-sonnet-5-5", 1, cost)
    ]
    assert len(upstream.exchanges) == 1, "who may spend nothing reaches no provider"
    assert poor.json()["type"] == stranger.json()["type"] == "error"
    assert stranger.status_code == 401
