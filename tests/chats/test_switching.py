"""One chat over four providers in turn, with tools and thoughts: each request is accepted."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    Provider,
    ResponsesServer,
    calls,
    says,
    thinks,
)
from tests.served import served
from tests.talk import Talk, ended, of_kind, talking, texts

pytestmark = pytest.mark.anyio

MODELS = {
    "anthropic": "anthropic/claude-sonnet-5-5",
    "openai": "openai/gpt-6.1-terra",
    "google": "google/gemini-3.8-flash",
    "ollama": "ollama/qwen3:8b",
}
PATHS = {"anthropic": "", "openai": "/v1", "google": "/v1beta", "ollama": "/v1"}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")


def address_of(server: Provider) -> str:
    """Where a strict server listens."""
    assert isinstance(server, AnthropicServer | ResponsesServer | GeminiServer | ChatServer)
    return server.url


@pytest.fixture
async def servers() -> AsyncGenerator[dict[str, Provider]]:
    async with AsyncExitStack() as stack:
        yield {
            "anthropic": await stack.enter_async_context(AnthropicServer()),
            "openai": await stack.enter_async_context(ResponsesServer()),
            "google": await stack.enter_async_context(GeminiServer()),
            "ollama": await stack.enter_async_context(ChatServer(flavour="ollama")),
        }


@pytest.fixture
async def talk(servers: dict[str, Provider], tmp_path: Path) -> AsyncGenerator[Talk]:
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    (folder / "a.md").write_text("Ebb and flow.\n", encoding="utf-8")
    urls = {name: {"url": address_of(server) + PATHS[name]} for name, server in servers.items()}
    (home / "models.json").write_text(json.dumps({"providers": urls}), encoding="utf-8")
    save_keys(Home(home), {name: Secret("test-key") for name in KEYS})
    async with served(home, folder) as recto, talking(recto) as talk:
        yield talk


async def test_a_chat_goes_from_provider_to_provider_and_back(
    talk: Talk, servers: dict[str, Provider]
) -> None:
    order = [*MODELS, *reversed(MODELS)]
    for number, name in enumerate(order):
        server = servers[name]
        server.answer(
            thinks("Hm."), says(f"Looking {number}."), calls("read_file", {"path": "a.md"})
        )
        server.answer(says(f"Answer {number}."))
        turn = await talk.say(f"Question {number}?", model=MODELS[name], files=["a.md"])
        await talk.until(ended(turn))
        assert [exchange.refusal for exchange in server.exchanges] == [None] * len(server.exchanges)

    said = [text for text in texts(await talk.entries()) if text.startswith("Answer")]
    assert said == [f"Answer {number}." for number in range(len(order))]


async def test_a_failed_switch_leaves_the_chat_as_it_was(
    talk: Talk, servers: dict[str, Provider]
) -> None:
    servers["anthropic"].answer(says("One."))
    await talk.ask("One?", model=MODELS["anthropic"])
    entries = await talk.ask("Two?", model="nobody/no-model")
    assert [entry["kind"] for entry in entries] == ["user", "error"]
    servers["anthropic"].answer(says("Three."))
    await talk.ask("Three?", model=MODELS["anthropic"])
    assert texts(await talk.entries()) == ["One.", "Three."]


async def test_a_title_is_asked_of_nobody_but_the_provider_that_answered(
    talk: Talk, servers: dict[str, Provider]
) -> None:
    address = f"/api/v1/projects/{talk.project_id}/chats"
    chat = (await talk.client.post(address, json={"model": MODELS["ollama"]})).json()
    untitled = Talk(talk.client, talk.project_id, chat["id"])
    servers["ollama"].answer(says("It stays here."))
    servers["ollama"].answer(says("A private talk"))
    await untitled.ask("Can you keep a secret?")
    renamed = await untitled.until(of_kind("chat"))
    assert renamed["title"] == "A private talk"
    assert [name for name, server in servers.items() if server.exchanges] == ["ollama"]


async def test_a_chat_is_named_by_its_first_request_however_many_tools_the_answer_uses(
    talk: Talk, servers: dict[str, Provider]
) -> None:
    address = f"/api/v1/projects/{talk.project_id}/chats"
    chat = (await talk.client.post(address, json={"model": MODELS["ollama"]})).json()
    untitled = Talk(talk.client, talk.project_id, chat["id"])
    for number in range(12):
        servers["ollama"].answer(calls("list_files", {"depth": number + 1}))
    servers["ollama"].answer(says("There is little here."))
    servers["ollama"].answer(says("A look around"))
    await untitled.ask("What is here?")
    renamed = await untitled.until(of_kind("chat"))
    assert renamed["title"] == "A look around"
