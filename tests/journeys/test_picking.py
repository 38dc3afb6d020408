"""Picking in a real browser what goes along: ticks in the tree, pills in the bar, pins."""

import json
import re
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.journeys.looks import OVERLAY, Look, put_on
from tests.journeys.test_chat import conversation, message, send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

SAMPLE = Path(__file__).parents[2] / "sample" / "tide-gauges"
MANUSCRIPT = ["manuscript/methods.md", "manuscript/results.md"]
DARK_SINGLE: Look = ("single", 400, "dark")
DIFFERS = re.compile("differs from the ticks")
PIPELINE = ["pipeline/harmonics.py", "pipeline/test_harmonics.py"]


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto on the sample folder with two contexts, whose Anthropic is the strict server."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    shutil.copytree(SAMPLE, folder)
    (folder / ".gitignore").write_text("build\n", encoding="utf-8")
    (folder / "build").mkdir()
    (folder / "build" / "out.txt").write_text("made\n", encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        await make(running, "Manuscript", MANUSCRIPT)
        await make(running, "Pipeline", PIPELINE)
        yield running


async def make(recto: Served, name: str, files: list[str]) -> None:
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()["id"]
        body = {"name": name, "files": files}
        made = await script.post(f"/api/v1/projects/{project}/contexts", json=body)
        assert made.status_code == 201, made.text


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name)


def tick(page: Page, name: str) -> Locator:
    return row(page, name).locator(".tree-tick")


def pill(page: Page, name: str) -> Locator:
    pills = page.get_by_role("list", name="Goes along with every message")
    return pills.get_by_role("button", name=name)


async def add(page: Page, *names: str) -> None:
    await page.get_by_role("button", name="Add a context or skill").click()
    for name in names:
        item = page.get_by_role("menuitemcheckbox", name=name)
        await item.click()
        await expect(item).to_be_checked()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("menu")).to_have_count(0)


async def choose(page: Page, of: Locator, item: str) -> None:
    await of.click()
    await page.get_by_role("menuitem", name=item).click()


def sent(upstream: AnthropicServer) -> list[str]:
    """The requests of chats, as text, without those that only name a chat."""
    bodies: list[dict[str, Any]] = [exchange.json for exchange in upstream.exchanges]
    return [json.dumps(body, ensure_ascii=False) for body in bodies if body.get("tools")]


async def test_what_is_ticked_and_on_is_what_the_model_gets_and_shows_in_every_look(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await row(page, "data").focus()
    await page.keyboard.press("End")
    await expect(row(page, "README.md")).to_be_focused()
    await page.keyboard.press("Space")
    await expect(row(page, "README.md")).to_be_checked()
    await tick(page, "references").click()
    await expect(row(page, "references")).to_be_checked()
    await add(page, "Manuscript", "Concise")
    await expect(row(page, "manuscript")).to_have_attribute("aria-checked", "mixed")
    await expect(pill(page, "Context Manuscript, ")).to_have_accessible_name(
        re.compile(r"\d+ tokens")
    )

    upstream.answer(says("It does."))
    upstream.answer(says("Tides"))
    await send(page, "Does the method fit the results?")
    await expect(conversation(page)).to_contain_text("It does.")
    request = sent(upstream)[0]
    for path in (*MANUSCRIPT, "README.md", "references/library.bib"):
        assert path in request, path
    assert "pipeline/harmonics.py" not in request.split("Does the method fit")[-1]
    along = conversation(page).get_by_role("list", name="Sent along")
    for name in ("Context Manuscript", "Skill Concise", "methods.md", "README.md"):
        await expect(along).to_contain_text(name)
    await expect(pill(page, "Skill Concise, ")).to_be_visible()
    await page.reload()
    await expect(pill(page, "Context Manuscript, ")).to_be_visible()
    await expect(row(page, "README.md")).to_be_checked()
    other = await open_tab()
    await expect(row(other, "README.md")).to_be_visible()
    await expect(row(other, "README.md")).not_to_be_checked()
    await other.context.close()
    await film_picks(page)


async def film_picks(page: Page) -> None:
    """Ticks in the tree, then the menus of the bar, in every look."""
    for folder in ("manuscript", "pipeline"):
        await row(page, folder).click()
    await tick(page, "test_harmonics.py").click()
    await expect(row(page, "pipeline")).to_have_attribute("aria-checked", "mixed")
    await film(page, "picking-light-1-ticks")
    await film_menus(page, "light")
    for look in (OVERLAY, DARK_SINGLE):
        await put_on(page, look)
        await page.get_by_role("button", name="Show files").click()
        await expect(row(page, "test_harmonics.py")).to_be_visible()
        await film(page, f"picking-{look[0]}-1-ticks")
        await page.keyboard.press("Escape")
        await expect(row(page, "test_harmonics.py")).to_have_count(0)
        assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    await film_menus(page, "single")


async def film_menus(page: Page, look: str) -> None:
    await page.get_by_role("button", name="Add a context or skill").click()
    await film_menu(page, f"picking-{look}-2-add")
    await pill(page, "Context Manuscript, ").click()
    await film_menu(page, f"picking-{look}-3-pill")
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")


async def film_menu(page: Page, name: str) -> None:
    """Film the page with the menu that opens, and close that."""
    await expect(page.get_by_role("menu")).to_be_visible()
    await film(page, name)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("menu")).to_have_count(0)


async def test_picks_are_pinned_to_a_chat_and_come_back_with_it(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    upstream.answer(says("They do."))
    upstream.answer(says("Two tides"))
    await send(page, "Do they fit?")
    await expect(page.get_by_role("heading", name="Two tides")).to_be_visible()
    await add(page, "Pipeline", "Debug Mode")
    await tick(page, "README.md").click()
    await expect(pill(page, "Context Pipeline, ")).to_have_accessible_name(DIFFERS)
    await choose(page, page.get_by_role("button", name="Add a context or skill"), "Pin to this")
    await expect(page.get_by_text("Pinned: opening this chat brings it back.")).to_be_visible()

    await page.get_by_role("button", name="New chat").click()
    await expect(pill(page, "")).to_have_count(0)
    await tick(page, "README.md").click()
    await page.get_by_role("button", name="Earlier chats").click()
    await page.get_by_role("button", name="Two tides").first.click()
    await expect(pill(page, "Context Pipeline, ")).to_be_visible()
    await expect(pill(page, "Skill Debug Mode, ")).to_be_visible()
    await expect(row(page, "README.md")).to_be_checked()

    await choose(page, pill(page, "Context Pipeline, "), "Update to match the ticks")
    await expect(page.get_by_text("has 3 files now")).to_be_visible()
    await expect(pill(page, "Context Pipeline, ")).not_to_have_accessible_name(DIFFERS)
    await pill(page, "Skill Debug Mode, ").focus()
    await page.keyboard.press("Delete")
    await expect(pill(page, "Skill Debug Mode, ")).to_have_count(0)


async def test_a_folder_is_ticked_as_far_as_its_files_are(
    open_tab: OpenTab, recto: Served, upstream: AnthropicServer
) -> None:
    (recto.folder / "pipeline" / "chart.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    page = await open_tab()
    await expect(message(page)).to_be_visible()
    await tick(page, "pipeline").click()
    upstream.answer(says("Three programs."))
    upstream.answer(says("Programs"))
    await send(page, "What is this?")
    await expect(conversation(page)).to_contain_text("Three programs.")
    await expect(page.get_by_text("1 ticked file is not text, or too large")).to_be_visible()
    await page.get_by_role("button", name="Untick", exact=True).click()
    await expect(row(page, "pipeline")).to_have_attribute("aria-checked", "mixed")
    (recto.folder / "pipeline" / "chart.png").unlink()
    await expect(row(page, "pipeline")).to_be_checked()
    await expect(pill(page, "3 files, ")).to_be_visible()
    (recto.folder / "pipeline" / "new.py").write_text("new = 1\n", encoding="utf-8")
    await expect(row(page, "pipeline")).to_have_attribute("aria-checked", "mixed")
    await tick(page, "pipeline").click()
    await expect(row(page, "pipeline")).to_be_checked()
    (recto.folder / "pipeline" / "new.py").unlink()
    await expect(page.get_by_text("1 ticked file is gone")).to_be_visible()
    await page.get_by_role("button", name="Untick", exact=True).click()
    await expect(row(page, "pipeline")).to_be_checked()
    await tick(page, "pipeline").click()
    await expect(row(page, "pipeline")).not_to_be_checked()
    await tick(page, "build").click()
    await expect(page.get_by_text("Ignored files are ticked one by one.")).to_be_visible()
