"""The first minutes: a server of one's own, and a model that is fetched."""

import hashlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from recto.config import Settings
from recto.config.settings import ModelSettings
from tests.fakes.file_server import FileServer
from tests.fakes.model_servers import ModelServer
from tests.fakes.providers import says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.journeys.test_chat import message
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

README = "# Tide gauges\n\nThis project separates the tide from the weather.\n"
WEIGHTS = b"GGUF" + bytes(3 * 2**20)


@pytest.fixture
async def ollama() -> AsyncGenerator[ModelServer]:
    async with ModelServer("ollama", "qwen3:8b", "nomic-embed-text:latest") as server:
        yield server


@pytest.fixture
async def files() -> AsyncGenerator[FileServer]:
    async with FileServer(WEIGHTS, holds_at=2**20) as server:
        yield server


@pytest.fixture
def finds(request: pytest.FixtureRequest) -> bool:
    """Whether Recto looks where Ollama runs."""
    return getattr(request, "param", False)


@pytest.fixture
async def recto(
    tmp_path: Path, ollama: ModelServer, files: FileServer, finds: bool
) -> AsyncGenerator[Served]:
    """A Recto on a small folder, which may find Ollama on this computer."""
    folder = tmp_path / "tide-gauges"
    folder.mkdir()
    (folder / "README.md").write_text(README, encoding="utf-8")
    row = {
        "id": "tiny",
        "name": "Tiny",
        "about": "For tests.",
        "bytes": len(WEIGHTS),
        "memoryBytes": 400_000_000,
        "licence": "Apache-2.0",
        "url": files.url,
        "sha256": hashlib.sha256(WEIGHTS).hexdigest(),
    }
    (tmp_path / "list.json").write_text(json.dumps({"models": [row]}), encoding="utf-8")
    models = ModelSettings(
        servers=[ollama.url] if finds else [], file_list=str(tmp_path / "list.json")
    )
    async with served(tmp_path / "home", folder, Settings(models=models)) as running:
        yield running


async def settings(page: Page, section: str) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("link", name=section, exact=True).click()


@pytest.mark.parametrize("finds", [True], indirect=True)
async def test_a_running_ollama_is_offered_and_answers_after_one_click(
    open_tab: OpenTab, ollama: ModelServer
) -> None:
    ollama.answer(says("The tide, and the weather."))
    page = await open_tab()
    offer = page.get_by_role("group", name="Ollama runs on this computer")
    await expect(offer).to_contain_text("1 model")
    await film(page, "first-run-ollama")
    await offer.get_by_role("button", name="Use Ollama").click()
    await expect(page.get_by_text("qwen3:8b answers now, on this computer")).to_be_visible()
    await page.get_by_role("button", name="What is in this folder, in ten lines?").click()
    await message(page).press("Enter")
    log = page.get_by_role("log", name="Conversation")
    await expect(log.get_by_text("The tide, and the weather.")).to_be_visible()


async def test_a_server_is_added_changed_and_removed_in_the_settings(
    open_tab: OpenTab, recto: Served, ollama: ModelServer
) -> None:
    page = await open_tab()
    await settings(page, "Models")
    section = page.get_by_role("region", name="Your own servers")
    await section.get_by_role("button", name="Add a server").click()
    await section.get_by_label("Address").fill("127.0.0.1:9")
    await section.get_by_role("button", name="Find models").click()
    await expect(section.get_by_role("alert")).to_contain_text("Nothing answers")
    await section.get_by_label("Address").fill(ollama.url)
    await section.get_by_role("button", name="Find models").click()
    await expect(section.get_by_role("checkbox", name="qwen3:8b")).to_be_checked()
    await film(page, "own-server-form")
    await section.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("radio", name="qwen3:8b")).to_be_visible()
    await page.get_by_role("button", name="Check models").click()
    said = page.get_by_role("list", name="What the providers said")
    await expect(said).to_contain_text("Ollama 2 models")
    await expect(said).to_contain_text("Built-in 1 model")
    await section.get_by_role("button", name="Remove Ollama").click()
    await section.get_by_role("button", name="Remove server").click()
    await expect(page.get_by_role("radio", name="qwen3:8b")).to_have_count(0)
    kept = json.loads((recto.home.folder / "models.json").read_text(encoding="utf-8"))
    assert kept == {}


async def test_a_better_model_is_fetched_with_progress(
    open_tab: OpenTab, files: FileServer
) -> None:
    page = await open_tab()
    await settings(page, "Models")
    section = page.get_by_role("region", name="On this computer")
    await section.get_by_role("button", name="Get Tiny").click()
    await expect(section.get_by_text("1 MB of 3 MB")).to_be_visible()
    await film(page, "local-model-progress")
    files.go_on.set()
    await expect(section.get_by_text("Ready")).to_be_visible()
    await expect(page.get_by_role("radio", name="Tiny")).to_be_visible()
