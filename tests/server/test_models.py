import json
import stat
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from openai import AsyncOpenAI, NotFoundError

from recto.assist.confidence import NOT_TOLD
from recto.server.routes.models import ai
from tests.fakes.providers import AnthropicServer, Fault, Gate, Script, says, thinks
from tests.served import TOKEN, Served, point_anthropic_at, served
from tests.server.test_events import following

pytestmark = pytest.mark.anyio

KEY = "ANTHROPIC_API_KEY"
SECRET = "sk-ant-canary-0123456789"
SONNET = "anthropic/claude-sonnet-4-6"


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto whose Anthropic is the strict server on loopback."""
    point_anthropic_at(tmp_path / "home", upstream.url)
    async with served(tmp_path / "home", tmp_path / "folder") as running:
        yield running


async def set_key(script: httpx.AsyncClient, value: str = "test-key") -> None:
    assert (await script.put(f"/api/v1/keys/{KEY}", json={"value": value})).status_code == 204


async def test_a_key_goes_in_and_never_comes_out(recto: Served) -> None:
    async with recto.script() as script:
        await set_key(script, SECRET)
        answers = [
            (await script.get(path)).text
            for path in ("/api/v1/providers", "/api/v1/models", "/api/v1/doctor")
        ]
        provider = next(
            item
            for item in (await script.get("/api/v1/providers")).json()["items"]
            if item["keyName"] == KEY
        )
        gone = await script.delete(f"/api/v1/keys/{KEY}")
        again = await script.delete(f"/api/v1/keys/{KEY}")
    assert [text for text in answers if SECRET in text] == []
    assert provider["keySource"] == "keys.env"
    assert (gone.status_code, again.status_code) == (204, 404)
    written = {
        path.name
        for path in recto.home.folder.iterdir()
        if path.is_file() and SECRET.encode() in path.read_bytes()
    }
    assert written == set()
    assert stat.S_IMODE(recto.home.keys_file.stat().st_mode) == 0o600


@pytest.mark.parametrize("value", ["", "two words", "line\nbreak", "x" * 5000])
async def test_a_value_that_is_no_key_is_refused_without_repeating_it(
    emptied_recto: Served, value: str
) -> None:
    async with emptied_recto.script() as script:
        answer = await script.put(f"/api/v1/keys/{KEY}", json={"value": value})
    assert answer.status_code == 422
    assert not value or value not in answer.text


async def test_the_models_say_what_they_need_and_cost(recto: Served) -> None:
    async with recto.script() as script:
        before = (await script.get("/api/v1/models")).json()
        await set_key(script)
        after = (await script.put("/api/v1/models/default", json={"id": SONNET})).json()
        wrong = await script.put("/api/v1/models/default", json={"id": "nobody/nothing"})
    sonnet = next(item for item in before["items"] if item["id"] == SONNET)
    assert (before["default"], before["current"]) == (None, "builtin/smollm2-135m")
    assert sonnet["missingKey"] == KEY
    assert sonnet["price"]["output"] > sonnet["price"]["input"] > 0
    assert (after["default"], after["current"]) == (SONNET, SONNET)
    assert wrong.status_code == 422


async def test_the_models_of_a_project_are_named_as_its_folder_says(recto: Served) -> None:
    file = recto.folder / ".recto" / "models.json"
    file.parent.mkdir()
    file.write_text(
        json.dumps({"default": SONNET, "models": [{"id": SONNET, "name": "The lab's model"}]})
    )
    async with recto.script() as script:
        await set_key(script)
        project = (await script.get("/api/v1/projects/current")).json()["id"]
        for_project = {"projectId": project}
        here = (await script.get("/api/v1/models", params=for_project)).json()
        elsewhere = (await script.get("/api/v1/models")).json()
        file.write_text('{"providers": {}}')
        broken = (await script.get("/api/v1/models", params=for_project)).json()
        unknown = await script.get("/api/v1/models", params={"projectId": "0" * 26})

    assert (here["current"], here["folderDefault"]) == (SONNET, SONNET)
    assert (name_of(here, SONNET), here["folderProblem"]) == ("The lab's model", None)
    assert name_of(elsewhere, SONNET) != "The lab's model"
    assert broken["folderProblem"].startswith(".recto/models.json, line 1")
    assert unknown.status_code == 404


async def test_a_level_of_thinking_is_chosen_for_a_model(recto: Served) -> None:
    async with recto.script() as script:
        address = "/api/v1/models/thinking"
        before = (await script.get("/api/v1/models")).json()
        high = (await script.put(address, json={"id": SONNET, "thinking": "high"})).json()
        own = (await script.put(address, json={"id": SONNET, "thinking": None})).json()
        wrong = await script.put(address, json={"id": SONNET, "thinking": "minimal"})
    sonnet = next(item for item in before["items"] if item["id"] == SONNET)
    assert sonnet["thinkingLevels"] == ["none", "low", "medium", "high", "max"]
    assert (sonnet["thinking"], sonnet["usualThinking"]) == (None, "medium")
    assert [item["thinking"] for item in high["items"] if item["id"] == SONNET] == ["high"]
    assert own == before
    assert wrong.status_code == 422


def name_of(models: dict[str, Any], id: str) -> str:
    return next(item["name"] for item in models["items"] if item["id"] == id)


async def test_a_check_asks_the_provider_with_the_key(recto: Served) -> None:
    async with recto.script() as script:
        await set_key(script)
        right = (await script.post("/api/v1/models/check")).json()["items"]
        await set_key(script, "wrong-key")
        wrong = (await script.post("/api/v1/models/check")).json()["items"]
    here = ("builtin", True)
    assert [(item["provider"], item["ok"]) for item in right] == [("anthropic", True), here]
    assert [(item["provider"], item["ok"]) for item in wrong] == [("anthropic", False), here]


async def test_the_budget_is_told_and_changed(recto: Served) -> None:
    async with recto.script() as script:
        before = (await script.get("/api/v1/budget")).json()
        changed = await script.put("/api/v1/budget", json={"monthlyLimitUsd": "0.5", "warnAt": 0.9})
        none = await script.put("/api/v1/budget", json={"monthlyLimitUsd": None, "warnAt": 0.9})
        wrong = await script.put("/api/v1/budget", json={"monthlyLimitUsd": "-1", "warnAt": 0.9})
    assert (before["monthlyLimitUsd"], before["spentMicros"], before["isStopped"]) == (
        "20",
        0,
        False,
    )
    assert changed.json()["monthlyLimitUsd"] == "0.5"
    assert none.json()["monthlyLimitUsd"] is None
    assert wrong.status_code == 422


def question(text: str, **more: Any) -> dict[str, Any]:
    return {"model": SONNET, "messages": [{"role": "user", "content": text}], **more}


async def test_the_official_client_streams_an_answer(
    recto: Served, upstream: AnthropicServer
) -> None:
    upstream.answer(thinks("Hm."), says("The tide ", "turns."))
    async with recto.script() as script:
        await set_key(script)
    async with AsyncOpenAI(base_url=f"{recto.url}/api/ai", api_key=TOKEN, max_retries=0) as client:
        stream = await client.chat.completions.create(
            model=SONNET, messages=[{"role": "user", "content": "When?"}], stream=True
        )
        chunks = [chunk async for chunk in stream]
    text = "".join(
        choice.delta.content or "" for chunk in chunks for choice in (chunk.choices or [])
    )
    assert text == "The tide turns."
    metadata = chunks[-1].model_dump()["metadata"]
    assert (metadata["confidence"], metadata["confidence_source"]) == (None, "unknown")
    assert metadata["confidence_reason"] == NOT_TOLD
    assert metadata["provenance"]["model_id"] == SONNET
    assert len(metadata["provenance"]["prompt_hash"]) == 64


async def test_an_answer_in_one_piece_is_booked_and_told_to_every_tab(
    recto: Served, upstream: AnthropicServer
) -> None:
    upstream.answer(says("Yes."))
    async with recto.script() as script, recto.browser() as browser:
        await set_key(script)
        async with following(browser) as tab:
            answer = (await script.post("/api/ai/chat", json=question("Is it?"))).json()
            kind = (await tab.must_next())[2]["kind"]
        report = (await script.get("/api/v1/usage")).json()
        table = (await script.get("/api/v1/usage.csv")).text.splitlines()
        budget = (await script.get("/api/v1/budget")).json()
    assert answer["choices"][0]["message"]["content"] == "Yes."
    assert kind == "usage"
    assert [(model["id"], model["requests"]) for model in report["models"]] == [(SONNET, 1)]
    assert report["totals"]["costMicros"] == budget["spentMicros"] > 0
    assert len(table) == 2
    assert "claude-sonnet-4-6" in table[1]


@pytest.mark.parametrize("stream", [True, False])
async def test_what_fails_before_the_first_word_is_an_http_error(
    recto: Served, stream: bool
) -> None:
    async with recto.script() as script:
        await set_key(script, "wrong-key")
        wrong_key = await script.post("/api/ai/chat", json=question("?", stream=stream))
        nobody = await script.post(
            "/api/ai/chat", json={**question("?", stream=stream), "model": "nobody/nothing"}
        )
        nonsense = await script.post("/api/ai/chat", content=b"{")
    assert wrong_key.status_code == 401
    assert (nobody.status_code, nobody.json()["error"]["code"]) == (404, "model_not_found")
    assert nonsense.status_code == 400


async def test_over_the_limit_nothing_is_asked(recto: Served, upstream: AnthropicServer) -> None:
    async with recto.script() as script:
        await set_key(script)
        await script.put("/api/v1/budget", json={"monthlyLimitUsd": "0.000001", "warnAt": 0.8})
        answer = await script.post("/api/ai/chat", json=question("?"))
        report = (await script.get("/api/v1/usage")).json()
    assert answer.status_code in (402, 403, 429)
    assert "limit" in answer.json()["error"]["message"]
    assert upstream.exchanges == []
    assert report["totals"]["requests"] == 0


async def test_W14_leaving_in_the_middle_closes_the_way_to_the_model(
    recto: Served, upstream: AnthropicServer
) -> None:
    gate = Gate()
    upstream.script(Script((says("One ", "two ", "three."),), fault=Fault(hold_at=700, gate=gate)))
    async with recto.script() as script:
        await set_key(script)
        async with script.stream("POST", "/api/ai/chat", json=question("?", stream=True)) as answer:
            await anext(answer.aiter_bytes())
        with anyio.fail_after(60):
            await upstream.exchanges[-1].gone.wait()
        async with following(script, last_id="0") as tab:
            kinds = [(await tab.must_next())[2]["kind"] for _ in range(2)]
        report = (await script.get("/api/v1/usage")).json()
    assert kinds == ["models", "usage"]
    assert report["totals"]["costMicros"] > 0, "what was answered is never free"


@pytest.mark.parametrize("hold_at", [0, 700], ids=["before-the-first-word", "between-two-words"])
async def test_W13_a_silent_model_keeps_the_connection_alive(
    recto: Served, upstream: AnthropicServer, monkeypatch: pytest.MonkeyPatch, hold_at: int
) -> None:
    monkeypatch.setattr(ai, "KEEP_ALIVE_S", 0.02)
    gate = Gate()
    fault = Fault(hold_at=hold_at, gate=gate)
    upstream.script(Script((says("One ", "two ", "three."),), fault=fault))
    told = b""
    async with recto.script() as script:
        await set_key(script)
        async with script.stream("POST", "/api/ai/chat", json=question("?", stream=True)) as answer:
            with anyio.fail_after(60):
                async for piece in answer.aiter_bytes():
                    told += piece
                    if told.count(b": keep-alive\n\n") >= 3:
                        gate.open()
    frames = [item for item in told.split(b"\n\n") if item and item != b": keep-alive"]
    chunks = [json.loads(frame.removeprefix(b"data: ")) for frame in frames[:-1]]
    words = [
        choice["delta"].get("content", "")
        for chunk in chunks
        for choice in chunk.get("choices", ())
    ]
    assert "".join(words) == "One two three."
    assert frames[-1] == b"data: [DONE]"


async def test_a_failure_after_signs_of_life_is_told_in_the_stream(
    recto: Served, upstream: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ai, "KEEP_ALIVE_S", 0.02)
    gate = Gate()
    upstream.script(Fault(hold_headers=True, gate=gate, status=400, message="Not like that."))
    told = b""
    async with recto.script() as script:
        await set_key(script)
        async with script.stream("POST", "/api/ai/chat", json=question("?", stream=True)) as answer:
            with anyio.fail_after(60):
                async for piece in answer.aiter_bytes():
                    told += piece
                    gate.open()
    assert answer.status_code == 200
    assert b"Not like that." in told


async def test_W14_leaving_before_the_first_word_closes_the_way_to_the_model(
    recto: Served, upstream: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ai, "KEEP_ALIVE_S", 0.02)
    gate = Gate()
    upstream.script(Fault(hold_headers=True, gate=gate))
    async with recto.script() as script:
        await set_key(script)
        async with script.stream("POST", "/api/ai/chat", json=question("?", stream=True)) as answer:
            # Kept, because one that nobody has any more closes the answer.
            pieces = answer.aiter_bytes()
            await anext(pieces)
            with anyio.fail_after(60):
                await gate.arrived.wait()
        with anyio.fail_after(60):
            await upstream.exchanges[-1].gone.wait()


@pytest.mark.parametrize("model", [SONNET, "builtin/smollm2-135m"])
async def test_W23_tokens_are_counted_for_any_model_without_asking_it(
    recto: Served, upstream: AnthropicServer, model: str
) -> None:
    async with recto.script() as script:
        await set_key(script)
        counts = [
            (await script.post("/api/ai/count_tokens", json={**question(words), "model": model}))
            for words in ("Tide", "Tide " * 100)
        ]
        wrong = await script.post("/api/ai/count_tokens", content=b"{")
        nobody = await script.post(
            "/api/ai/count_tokens", json={**question("?"), "model": "nobody/x"}
        )
    short, long = (answer.json()["input_tokens"] for answer in counts)
    assert 1 <= short < 20 < 90 < long < 120
    assert (wrong.status_code, nobody.status_code) == (400, 404)
    assert upstream.exchanges == []


async def test_an_unknown_model_is_told_to_the_official_client_as_its_own_error(
    recto: Served,
) -> None:
    async with AsyncOpenAI(base_url=f"{recto.url}/api/ai", api_key=TOKEN, max_retries=0) as client:
        with pytest.raises(NotFoundError):
            await client.chat.completions.create(
                model="nobody/x", messages=[{"role": "user", "content": "?"}]
            )
