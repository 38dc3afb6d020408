import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.config import Settings
from recto.config.settings import ModelSettings
from tests.fakes.model_servers import Kind, ModelServer
from tests.fakes.providers import AnthropicServer, says
from tests.served import Served, point_anthropic_at, served

pytestmark = pytest.mark.anyio

KEY = "ANTHROPIC_API_KEY"


@pytest.fixture
async def ollama() -> AsyncGenerator[ModelServer]:
    async with ModelServer("ollama", "qwen3:8b", "nomic-embed-text:latest") as server:
        yield server


def looking_at(*addresses: str) -> Settings:
    return Settings(models=ModelSettings(servers=list(addresses)))


@asynccontextmanager
async def recto_beside(
    tmp_path: Path, *addresses: str, kept: dict[str, Any] | None = None
) -> AsyncGenerator[tuple[Served, httpx.AsyncClient]]:
    """A Recto that looks for servers at these addresses, with a models.json of the user's."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    if kept is not None:
        (home / "models.json").write_text(json.dumps(kept), encoding="utf-8")
    async with (
        served(home, tmp_path / "folder", looking_at(*addresses)) as recto,
        recto.script() as script,
    ):
        yield recto, script


def written(recto: Served) -> dict[str, Any]:
    return json.loads((recto.home.folder / "models.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("kind", "name", "window"),
    [
        ("ollama", "Ollama", None),
        ("lmstudio", "LM Studio", None),
        ("vllm", "vLLM", 16384),
        ("llamacpp", "llama.cpp", None),
    ],
)
async def test_a_running_server_is_found_with_its_models(
    tmp_path: Path, kind: Kind, name: str, window: int | None
) -> None:
    async with (
        ModelServer(kind, "qwen3:8b") as server,
        recto_beside(tmp_path, "http://127.0.0.1:9", server.url) as (_, script),
    ):
        found = (await script.get("/api/v1/servers/running")).json()["items"]
    model = {"model": "qwen3:8b", "window": window, "isChat": True}
    assert found == [{"id": kind, "name": name, "url": server.url, "models": [model]}]


async def test_a_server_that_is_added_answers_before_the_built_in_model(
    tmp_path: Path, ollama: ModelServer
) -> None:
    ollama.answer(says("Twice a day."))
    async with recto_beside(tmp_path, ollama.url) as (recto, script):
        (found,) = (await script.get("/api/v1/servers/running")).json()["items"]
        chats = [model["model"] for model in found["models"] if model["isChat"]]
        body = {"name": found["name"], "url": found["url"], "models": [{"model": chats[0]}]}
        saved = (await script.put(f"/api/v1/servers/{found['id']}", json=body)).json()
        models = (await script.get("/api/v1/models")).json()
        question = {"model": models["current"], "messages": [{"role": "user", "content": "When?"}]}
        answer = (await script.post("/api/ai/chat", json=question)).json()
        again = (await script.get("/api/v1/servers/running")).json()["items"]
        kept = written(recto)
    assert chats == ["qwen3:8b"], "a model that only makes vectors is told apart"
    assert saved["models"] == [{"model": "qwen3:8b", "name": "qwen3:8b", "window": None}]
    assert models["current"] == "ollama/qwen3:8b"
    assert answer["choices"][0]["message"]["content"] == "Twice a day."
    assert again == [], "what is used already is not offered again"
    assert kept == {
        "models": [
            {"id": "ollama/qwen3:8b", "name": "qwen3:8b", "provider": "ollama", "model": "qwen3:8b"}
        ],
        "providers": {"ollama": {"url": ollama.url}},
    }


async def test_what_stands_in_the_file_stays_when_a_server_is_changed_and_removed(
    tmp_path: Path, ollama: ModelServer
) -> None:
    mine: dict[str, Any] = {
        "default": "deep",
        "models": [
            {"id": "deep", "name": "Deep", "provider": "anthropic", "model": "claude-opus-5-5"},
            {
                "id": "desk",
                "name": "On my desk",
                "provider": "ollama",
                "model": "qwen3:8b",
                "contextWindow": 32768,
            },
        ],
        "providers": {"anthropic": {"url": "http://127.0.0.1:9"}},
    }
    async with recto_beside(tmp_path, kept=mine) as (recto, script):
        (server,) = (await script.get("/api/v1/servers")).json()["items"]
        more = {**server, "url": ollama.url, "models": [*server["models"], {"model": "llama4"}]}
        changed = await script.put(f"/api/v1/servers/{server['id']}", json=more)
        after_change = written(recto)
        same = await script.put(f"/api/v1/servers/{server['id']}", json=changed.json())
        after_same = written(recto)
        gone = await script.delete("/api/v1/servers/ollama")
        again = await script.delete("/api/v1/servers/ollama")
        after_removal = written(recto)
    added = {"id": "ollama/llama4", "name": "llama4", "provider": "ollama", "model": "llama4"}
    assert (changed.status_code, same.status_code) == (200, 200)
    assert after_change == after_same
    assert after_change["models"] == [*mine["models"], added]
    assert after_change["providers"] == {**mine["providers"], "ollama": {"url": ollama.url}}
    assert (gone.status_code, again.status_code) == (204, 404)
    assert after_removal == {**mine, "models": mine["models"][:1]}


async def test_any_compatible_address_is_looked_at_before_it_is_kept(tmp_path: Path) -> None:
    async with (
        ModelServer("vllm", "big-one", key="lab-secret") as lab,
        recto_beside(tmp_path) as (recto, script),
    ):
        look = "/api/v1/servers/look"
        without = await script.post(look, json={"url": lab.url})
        typed = await script.post(look, json={"url": f"{lab.url}/v1", "key": "lab-secret"})
        await script.put("/api/v1/keys/LAB_API_KEY", json={"value": "lab-secret"})
        elsewhere = await script.post(look, json={"url": lab.url, "keyName": "LAB_API_KEY"})
        body = {
            "name": "The lab",
            "url": f"{lab.url}/v1",
            "keyName": "LAB_API_KEY",
            "models": [{"model": "big-one", "name": "Big one", "window": 16384}],
        }
        saved = (await script.put("/api/v1/servers/the-lab", json=body)).json()
        kept = await script.post(look, json={"url": saved["url"], "keyName": "LAB_API_KEY"})
        file = written(recto)
    assert (without.status_code, without.json()["remedy"]) == (422, "Add the key of this server.")
    assert [model["model"] for model in typed.json()["models"]] == ["big-one"]
    assert elsewhere.status_code == 422, "a key that is set goes to no address but its own"
    assert kept.status_code == 200
    assert saved["keySource"] == "keys.env"
    assert file["providers"] == {
        "the-lab": {
            "name": "The lab",
            "url": f"{lab.url}/v1",
            "apiKeyEnv": "LAB_API_KEY",
            "protocol": "openai-chat",
        }
    }
    assert "lab-secret" not in json.dumps([typed.json(), saved, file])


@pytest.mark.parametrize(
    "url", ["ftp://a.example", "file:///etc/passwd", "javascript:alert(1)", "a.example", "http://"]
)
async def test_only_http_addresses_are_taken(tmp_path: Path, url: str) -> None:
    async with recto_beside(tmp_path) as (recto, script):
        looked = await script.post("/api/v1/servers/look", json={"url": url})
        saved = await script.put("/api/v1/servers/x", json={"name": "X", "url": url})
        assert (looked.status_code, saved.status_code) == (422, 422)
        assert not (recto.home.folder / "models.json").exists()


@pytest.mark.parametrize(
    ("server_id", "body"),
    [
        ("anthropic", {"name": "A", "url": "http://127.0.0.1:9"}),
        ("builtin", {"name": "B", "url": "http://127.0.0.1:9"}),
        ("mine", {"name": "C", "url": "http://127.0.0.1:9", "keyName": KEY}),
    ],
)
async def test_a_key_of_a_provider_goes_to_no_other_address(
    tmp_path: Path, server_id: str, body: dict[str, Any]
) -> None:
    async with recto_beside(tmp_path) as (_, script):
        assert (await script.put(f"/api/v1/servers/{server_id}", json=body)).status_code == 422


async def test_a_folder_can_never_add_a_server(tmp_path: Path, ollama: ModelServer) -> None:
    own = tmp_path / "folder" / ".recto"
    own.mkdir(parents=True)
    wanted = {"providers": {"ollama": {"url": ollama.url}}}
    (own / "models.json").write_text(json.dumps(wanted), encoding="utf-8")
    async with recto_beside(tmp_path) as (_, script):
        await script.get("/api/v1/models")
        assert (await script.get("/api/v1/servers")).json()["items"] == []
    assert ollama.exchanges == []


async def test_a_saved_key_is_tested_with_a_real_request(tmp_path: Path) -> None:
    async with AnthropicServer() as upstream:
        point_anthropic_at(tmp_path / "home", upstream.url)
        async with recto_beside(tmp_path) as (_, script):
            unset = await script.post(f"/api/v1/keys/{KEY}/test")
            await script.put(f"/api/v1/keys/{KEY}", json={"value": "test-key"})
            (right,) = (await script.post(f"/api/v1/keys/{KEY}/test")).json()["items"]
            await script.put(f"/api/v1/keys/{KEY}", json={"value": "wrong-key"})
            (wrong,) = (await script.post(f"/api/v1/keys/{KEY}/test")).json()["items"]
    assert unset.status_code == 404
    assert (right["provider"], right["ok"], right["detail"]) == (
        "anthropic",
        True,
        "The key works.",
    )
    assert (wrong["provider"], wrong["ok"]) == ("anthropic", False)


async def test_a_check_covers_own_servers_and_this_computer(
    tmp_path: Path, ollama: ModelServer
) -> None:
    async with recto_beside(tmp_path) as (_, script):
        models = [{"model": "qwen3:8b"}, {"model": "nomic-embed-text"}, {"model": "removed:1b"}]
        body = {"name": "Ollama", "url": ollama.url, "models": models}
        await script.put("/api/v1/servers/ollama", json=body)
        up = (await script.post("/api/v1/models/check")).json()["items"]
        async with ollama.away():
            down = (await script.post("/api/v1/models/check")).json()["items"]
    assert [(item["provider"], item["ok"], item["detail"]) for item in up] == [
        ("ollama", True, "2 models"),
        ("builtin", True, "1 model"),
    ]
    assert [item["id"] for item in up[0]["gone"]] == ["ollama/removed:1b"]
    assert [(item["provider"], item["ok"]) for item in down] == [
        ("ollama", False),
        ("builtin", True),
    ]
