"""The sample folder's MCP server: seen, approved, used in a chat, and its question answered."""

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, film_in
from tests.journeys.test_chat import conversation, is_titled, message, send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SAMPLE = Path(__file__).parents[2] / "sample" / "tide-gauges"


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto on the sample folder, whose Anthropic is the strict server on loopback."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    shutil.copytree(SAMPLE, folder)
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def test_the_samples_server_is_approved_used_and_answered(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await page.get_by_role("button", name="Settings").click()
    sections = page.get_by_role("navigation", name="Sections")
    await sections.get_by_role("link", name="MCP servers", exact=True).click()
    main = page.get_by_role("main")
    await expect(main).to_contain_text("python3 .recto/tides.py")
    await film_in(page, "mcp-approve", DARK, LIGHT)
    await page.get_by_role("button", name="Approve and start").click()
    await expect(main.get_by_text("Running")).to_be_visible()
    for tool in ("constituents", "separation", "label_station"):
        await expect(main.get_by_text(tool, exact=True)).to_be_visible()
    # The note beside the tools is read without scrolling.
    await expect(main.get_by_text("is shown and not believed")).to_be_in_viewport(ratio=1)
    await film_in(page, "mcp-servers", DARK, LIGHT)
    await page.keyboard.press("Escape")

    upstream.answer(calls("tides__separation", {"first": "M2", "second": "N2"}))
    upstream.answer(calls("tides__label_station", {}))
    upstream.answer(says("Twenty-eight days, at Roscoff."))
    upstream.answer(says("Separation"))
    await send(page, "How long must the record be?")
    ask = page.get_by_role("button", name="Once")
    await ask.click()
    await expect(conversation(page)).to_contain_text("tides: separation")
    await expect(conversation(page)).to_contain_text("27.55")
    await ask.click()
    card = page.get_by_role("form", name="tides asks")
    await card.get_by_label("Station").fill("Roscoff")
    await film_in(page, "mcp-elicitation", DARK, LIGHT)
    await card.get_by_role("button", name="Send").click()
    await expect(conversation(page)).to_contain_text("Twenty-eight days, at Roscoff.")
    await is_titled(page, "Separation")
    assert "Roscoff (Chart datum)" in upstream.exchanges[2].incoming.body.decode()
    await use_its_prompt_and_mention_its_resource(page, upstream)


async def use_its_prompt_and_mention_its_resource(page: Page, upstream: AnthropicServer) -> None:
    """A prompt behind /, filled in as the server completes it; a resource behind @."""
    field = message(page)
    await field.press_sequentially("/rec")
    await page.get_by_role("option", name="tides: Record length").click()
    card = page.get_by_role("form", name="tides: Record length")
    await expect(card.get_by_label("first")).to_be_focused()
    await card.get_by_label("first").fill("k")
    completed = card.locator("datalist").first.locator("option")
    await expect(completed).to_have_count(2)
    await card.get_by_label("first").fill("K1")
    await card.get_by_role("button", name="Use").click()
    await expect(card.get_by_text("This is needed.")).to_be_visible()
    await card.get_by_label("second").fill("O1")
    await film_in(page, "mcp-prompt", DARK, LIGHT)
    await card.get_by_role("button", name="Use").click()
    await expect(field).to_have_value("How long must a record be to tell K1 from O1?")
    await field.press_sequentially(" See @tides")
    await page.get_by_role("option", name="one constituent").click()
    await expect(page.get_by_role("option", name="N2")).to_be_visible()
    await film_in(page, "mcp-mention", DARK, LIGHT)
    await page.get_by_role("option", name="K1").click()
    upstream.answer(says("Fourteen days."))
    await field.press("Enter")
    await expect(conversation(page)).to_contain_text("Fourteen days.")
    assert "K1: 15.0410686 degrees per hour" in upstream.last.incoming.body.decode()
