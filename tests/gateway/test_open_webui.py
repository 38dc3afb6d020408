"""What Open WebUI's server does with an OpenAI address: asks for models, then streams a chat."""

import json
from typing import Any

import aiohttp
import pytest

from tests.fakes.callers import KEY
from tests.fakes.providers import says
from tests.gateway.world import UPSTREAMS, GatewayWorld

pytestmark = pytest.mark.anyio

# It tells who asks where its operator wants that, and knows no other protocol.
HEADERS = {
    "Authorization": f"Bearer {KEY}",
    "Content-Type": "application/json",
    "X-OpenWebUI-User-Name": "Ann",
    "X-OpenWebUI-User-Id": "u1",
    "X-OpenWebUI-User-Role": "user",
}


@pytest.mark.parametrize("model", UPSTREAMS)
async def test_open_webui_lists_models_and_streams_a_chat(world: GatewayWorld, model: str) -> None:
    world.upstreams[model].answer(says("At ", "noon."))
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "When is high water?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 1,
    }
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        async with session.get(f"{world.url}/v1/models") as listed:
            assert model in [one["id"] for one in (await listed.json())["data"]]
        async with session.post(f"{world.url}/v1/chat/completions", json=body) as answer:
            assert answer.status == 200
            # By this it knows a stream, and hands the lines on to the page.
            assert "text/event-stream" in answer.headers["Content-Type"]
            lines = [line.decode().strip() async for line in answer.content]
    told = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert told.pop() == "[DONE]"
    chunks: list[dict[str, Any]] = [json.loads(data) for data in told]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "At noon."
    assert chunks[-1]["usage"]["completion_tokens"] > 0
