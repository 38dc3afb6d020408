"""`POST /api/ai/chat` as ordinary clients of OpenAI use it."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import httpx
import pytest
from openai import AsyncOpenAI

from recto.config import Home, Secret, save_keys
from recto.server.routes.models import ai
from tests.fakes.providers import AnthropicServer, Fault, Gate, Script, says
from tests.served import TOKEN, Served, point_anthropic_at, served

pytestmark = pytest.mark.anyio

SONNET = "anthropic/claude-sonnet-4-6"
YEAR_2020_S = 1_577_836_800


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home = tmp_path / "home"
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, tmp_path / "folder") as running:
        yield running


def question(**more: object) -> dict[str, object]:
    return {"model": SONNET, "messages": [{"role": "user", "content": "When?"}], **more}


async def test_a_plain_loop_over_the_stream_meets_only_valid_chunks(
    recto: Served, upstream: AnthropicServer
) -> None:
    """The loop of the client's own README, which takes the first choice where there is one."""
    upstream.answer(says("The tide ", "turns."))
    text = ""
    async with AsyncOpenAI(base_url=f"{recto.url}/api/ai", api_key=TOKEN, max_retries=0) as client:
        stream = await client.chat.completions.create(
            model=SONNET, messages=[{"role": "user", "content": "When?"}], stream=True
        )
        chunks = [chunk async for chunk in stream]
    for chunk in chunks:
        assert chunk.object == "chat.completion.chunk"
        assert chunk.id.startswith("chatcmpl-")
        assert chunk.created > YEAR_2020_S
        for choice in chunk.choices:
            text += choice.delta.content or ""
    assert text == "The tide turns."
    assert chunks[-1].choices == []
    assert "confidence" in chunks[-1].model_dump()["metadata"]


async def test_a_whole_answer_says_when_it_was_made(
    recto: Served, upstream: AnthropicServer
) -> None:
    upstream.answer(says("Soon."))
    async with recto.script() as script:
        answer = (await script.post("/api/ai/chat", json=question())).json()
    assert answer["created"] > YEAR_2020_S


async def test_leaving_an_unstreamed_call_ends_the_question_to_the_model(
    recto: Served, upstream: AnthropicServer
) -> None:
    gate = Gate()
    upstream.script(Script((says("One ", "two."),), fault=Fault(hold_at=300, gate=gate)))
    async with recto.script() as script:
        asking = asyncio.create_task(script.post("/api/ai/chat", json=question()))
        with anyio.fail_after(60):
            await gate.arrived.wait()
            asking.cancel()
            await upstream.exchanges[-1].gone.wait()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_body_of_32_megabytes_is_read_and_a_larger_one_refused_as_openai_does(
    recto: Served, upstream: AnthropicServer
) -> None:
    upstream.answer(says("Yes."))
    picture = "data:image/png;base64," + "A" * (20 * 1024 * 1024)
    content = [
        {"type": "image_url", "image_url": {"url": picture}},
        {"type": "text", "text": "What is it?"},
    ]
    async with recto.script() as script:
        body = {"model": "nobody/x", "messages": [{"role": "user", "content": content}]}
        large = await script.post("/api/ai/chat", json=body)
        larger = await script.post("/api/ai/chat", content=b" " * (33 * 1024 * 1024))
    assert large.json()["error"]["code"] == "model_not_found", "it was read"
    assert larger.status_code == 413
    assert larger.json()["error"]["message"].startswith("The request is too large")


async def test_every_error_has_the_shape_that_clients_read(
    recto: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    async with recto.script() as script, httpx.AsyncClient(base_url=recto.url) as stranger:
        answers = [
            await stranger.post("/api/ai/chat", json=question()),
            await script.post("/api/ai/embeddings", json={}),
            await script.get("/api/ai/chat"),
            await script.post("/api/ai/chat", json=question(temperature=9)),
            await script.post("/api/ai/chat", json={"model": SONNET, "messages": []}),
        ]
        monkeypatch.setattr(ai, "find", broken)
        answers.append(await script.post("/api/ai/chat", json=question()))
    assert [answer.status_code for answer in answers] == [401, 405, 404, 400, 400, 500]
    for answer in answers:
        error = answer.json()["error"]
        assert sorted(error) == ["code", "message", "param", "type"]
        assert error["message"]
