"""Models, keys, budget and usage as a person meets them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.fakes.providers import AnthropicServer, says
from tests.journeys.conftest import OpenTab
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

KEY = "ANTHROPIC_API_KEY"
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


async def settings(page: Page, section: str) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("link", name=section, exact=True).click()


async def test_a_key_is_added_once_and_never_shown_again(open_tab: OpenTab) -> None:
    page, other = await open_tab(), await open_tab()
    await settings(page, "Keys")
    await settings(other, "Keys")
    await page.get_by_role("button", name="Add key for Anthropic").click()
    await page.get_by_label("Key for Anthropic", exact=True).fill("test-key")
    await page.get_by_role("button", name="Save").click()
    for tab in (page, other):
        await expect(tab.get_by_role("button", name="Replace key for Anthropic")).to_be_visible()
        assert "test-key" not in await tab.content()


async def test_the_providers_are_asked_for_their_models(open_tab: OpenTab, recto: Served) -> None:
    async with recto.script() as script:
        await script.put(f"/api/v1/keys/{KEY}", json={"value": "test-key"})
    page = await open_tab()
    await settings(page, "Models")
    await page.get_by_role("button", name="Check models").click()
    said = page.get_by_role("list", name="What the providers said")
    await expect(said).to_contain_text("Anthropic")


async def test_a_limit_set_in_one_tab_holds_in_the_other(open_tab: OpenTab) -> None:
    page, other = await open_tab(), await open_tab()
    await settings(page, "Budget")
    await expect(other.get_by_role("link", name="of $20 this month")).to_be_visible()
    await page.get_by_role("textbox", name="Monthly limit").fill("3.50")
    await page.get_by_role("button", name="Save").click()
    for tab in (page, other):
        await expect(tab.get_by_role("link", name="of $3.50 this month")).to_be_visible()


async def test_a_request_shows_on_the_usage_page_by_itself(
    open_tab: OpenTab, recto: Served, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("Usage")
    await page.get_by_role("option", name="Usage").first.click()
    await expect(page.get_by_text("No requests yet this month.")).to_be_visible()
    upstream.answer(says("Yes."))
    async with recto.script() as script:
        await script.put(f"/api/v1/keys/{KEY}", json={"value": "test-key"})
        body = {"model": SONNET, "messages": [{"role": "user", "content": "Is it?"}]}
        assert (await script.post("/api/ai/chat", json=body)).status_code == 200
    await expect(page.get_by_role("heading", name="By model")).to_be_visible()
    await expect(page.get_by_role("main")).to_contain_text("Claude Sonnet 4.6")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nothing_in_the_settings_stands_in_anybodys_way(
    open_tab: OpenTab, scheme: str
) -> None:
    page = await open_tab(color_scheme=scheme)
    axe = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
    await page.evaluate(axe.read_text(encoding="utf-8"))
    await page.get_by_role("button", name="Settings").click()
    for section in ("Models", "Keys", "Budget", "Usage"):
        await page.get_by_role("link", name=section, exact=True).click()
        await expect(page.get_by_role("heading", name=section, level=1)).to_be_visible()
        found = await page.evaluate(
            """() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
                .then(result => result.violations.map(one => one.id))"""
        )
        assert (section, found) == (section, [])
