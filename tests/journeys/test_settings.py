"""Models, keys, budget and usage as a person meets them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.fakes.providers import AnthropicServer, says
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, film_in
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

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


async def turn_to(page: Page, section: str) -> None:
    """Show a section of the settings, which are open."""
    sections = page.get_by_role("navigation", name="Sections")
    await sections.get_by_role("link", name=section, exact=True).click()
    await expect(page.get_by_role("heading", name=section, level=1)).to_be_visible()


async def test_what_is_set_in_one_tab_holds_in_the_other_and_stands_in_nobodys_way(
    open_tab: OpenTab, recto: Served, upstream: AnthropicServer
) -> None:
    page, other = await open_tab(), await open_tab()
    for tab in (page, other):
        await tab.get_by_role("button", name="Settings").click()
        await turn_to(tab, "Keys")
    await add_a_key(page)
    for tab in (page, other):
        await expect(tab.get_by_role("button", name="Replace key for Anthropic")).to_be_visible()
        assert "test-key" not in await tab.content()

    await turn_to(page, "Models")
    await page.get_by_role("button", name="Check models").click()
    said = page.get_by_role("list", name="What the providers said")
    await expect(said).to_contain_text("Anthropic")

    await expect(other.get_by_role("link", name="of $20 this month")).to_be_visible()
    await turn_to(page, "Budget")
    await page.get_by_role("textbox", name="Monthly limit").fill("3.50")
    await page.get_by_role("button", name="Save").click()
    for tab in (page, other):
        await expect(tab.get_by_role("link", name="of $3.50 this month")).to_be_visible()

    await use_something(page, recto, upstream)
    await film_sections(page)


async def add_a_key(page: Page) -> None:
    await page.get_by_role("button", name="Add key for Anthropic").click()
    await page.get_by_label("Key for Anthropic", exact=True).fill("test-key")
    await page.get_by_role("button", name="Save").click()


async def use_something(page: Page, recto: Served, upstream: AnthropicServer) -> None:
    """A request shows on the usage page by itself."""
    await page.keyboard.press("Control+k")
    await page.get_by_role("dialog").get_by_role("combobox").fill("Usage")
    await page.get_by_role("option", name="Usage").first.click()
    await expect(page.get_by_text("No requests yet this month.")).to_be_visible()
    upstream.answer(says("Yes."))
    async with recto.script() as script:
        body = {"model": SONNET, "messages": [{"role": "user", "content": "Is it?"}]}
        assert (await script.post("/api/ai/chat", json=body)).status_code == 200
    await expect(page.get_by_role("heading", name="By model")).to_be_visible()
    await expect(page.get_by_role("main")).to_contain_text("Claude Sonnet 4.6")


async def film_sections(page: Page) -> None:
    for section in ("Models", "Keys", "Budget", "Usage"):
        await turn_to(page, section)
        await film_in(page, f"settings-{section.lower()}", DARK, LIGHT)
