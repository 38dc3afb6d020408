"""What will be sent, seen before it is: the token bar, the dialog, and what the provider gets."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says, thinks
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.journeys.test_chat import is_titled
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

SMALL = {
    "id": "small",
    "name": "Small window",
    "provider": "anthropic",
    "model": "claude-sonnet-4-6",
    "contextWindow": 22_000,
    "maxOutput": 2000,
    "price": {"input": "3", "output": "15", "cacheRead": "0.3", "cacheWrite": "3.75"},
}


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
def default() -> str:
    """The model that is asked."""
    return "anthropic/claude-sonnet-4-6"


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer, default: str) -> AsyncGenerator[Served]:
    """A Recto with a scripted Anthropic, and a model of it whose window is soon full."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    home.mkdir()
    folder.mkdir()
    (folder / "methods.md").write_text("# Methods\n\n" + "Ninety days. " * 150, encoding="utf-8")
    (folder / "long.md").write_text("Ebb and flow. " * 3_000, encoding="utf-8")
    models: dict[str, Any] = {
        "default": default,
        "models": [SMALL],
        "providers": {"anthropic": {"url": upstream.url}},
    }
    (home / "models.json").write_text(json.dumps(models), encoding="utf-8")
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def bar(page: Page) -> Locator:
    return page.get_by_role("contentinfo", name="Status")


def token_button(page: Page) -> Locator:
    return bar(page).get_by_role("button", name="see what will be sent")


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="What will be sent")


def rows(page: Page) -> Locator:
    return dialog(page).locator("details")


async def send(page: Page, text: str) -> None:
    await message(page).fill(text)
    await message(page).press("Enter")


async def tick(page: Page, name: str) -> None:
    await page.get_by_role("treeitem", name="long.md").focus()
    if name != "long.md":
        await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Space")
    await expect(page.get_by_role("treeitem", name=name)).to_have_attribute("aria-checked", "true")


async def look(page: Page) -> None:
    await token_button(page).click()
    await expect(rows(page).first).to_be_visible()


async def texts(page: Page) -> list[str]:
    """Every part as the dialog shows it, unfolded one after the other."""
    found: list[str] = []
    for row in await rows(page).all():
        await row.locator("summary").click()
        found.append(await row.locator("pre").text_content() or "")
        await row.locator("summary").click()
    return found


def blocks(body: dict[str, Any]) -> list[str]:
    """What the provider got, as the dialog shows it."""
    found = [block["text"] for block in body["system"]]
    for turn in body["messages"]:
        for block in turn["content"]:
            match block["type"]:
                case "text":
                    found.append(block["text"])
                case "thinking":
                    found.append(block["thinking"])
                case "tool_use":
                    found.append(f"{block['name']} {json.dumps(block['input'])}")
                case _:
                    found.append("\n".join(part["text"] for part in block["content"]))
    return found


async def test_what_the_dialog_shows_is_what_the_provider_gets(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await message(page).fill("How long is the record?")
    await expect(token_button(page)).to_contain_text("of 1M")
    await expect(token_button(page)).to_contain_text("$")
    await page.keyboard.press("Control+Alt+p")
    await expect(rows(page)).to_have_count(3)
    await expect(dialog(page)).to_contain_text("What you say now: How long is the record?")
    first = await texts(page)
    await page.keyboard.press("Escape")
    await expect(message(page)).to_be_focused()

    upstream.answer(thinks("Hm."), says("Looking."), calls("read_file", {"path": "methods.md"}))
    upstream.answer(says("Ninety days."))
    upstream.answer(says("The record"))
    await message(page).press("Enter")
    await expect(page.get_by_role("log")).to_contain_text("Ninety days.")
    assert first[1:] == blocks(upstream.exchanges[0].json)
    await is_titled(page, "The record")

    await tick(page, "methods.md")
    await message(page).fill("Is that enough?")
    await look(page)
    await expect(dialog(page)).to_contain_text("Attached to this message")
    await expect(dialog(page)).to_contain_text("Remembered up to here")
    await film(page, "glass-light")
    await rows(page).nth(1).locator("summary").click()
    await expect(
        dialog(page).get_by_role("region", name="The text of System prompt")
    ).to_be_visible()
    await film(page, "glass-text-light")
    await rows(page).nth(1).locator("summary").click()
    second = await texts(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    sent = len(upstream.exchanges)
    upstream.answer(says("No."))
    await message(page).press("Enter")
    await expect(page.get_by_role("log")).to_contain_text("No.")
    assert second[1:] == blocks(upstream.exchanges[sent].json)


async def test_what_breaks_the_cache_is_said_before_it_costs_and_a_part_is_left_out(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab(color_scheme="dark")
    upstream.answer(says("Ninety days."))
    upstream.answer(says("The record"))
    await send(page, "How long is the record?")
    await expect(page.get_by_role("log")).to_contain_text("Ninety days.")
    await tick(page, "methods.md")
    await page.get_by_role("button", name="Plan mode").click()
    await expect(token_button(page)).to_contain_text("cache breaks")
    await look(page)
    await expect(dialog(page)).to_contain_text("What the provider remembers breaks off at “Tools”.")
    await expect(dialog(page)).to_contain_text("The tools changed:")
    await film(page, "glass-dark")

    await dialog(page).get_by_role("button", name="Leave out methods.md").click()
    await expect(dialog(page).get_by_role("button", name="Leave out methods.md")).to_have_count(0)
    await expect(dialog(page)).not_to_contain_text("Attached to this message")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Plan mode").click()
    await expect(token_button(page)).not_to_contain_text("cache breaks")


class TestASmallWindow:
    @pytest.fixture
    def default(self) -> str:
        return "small"

    async def test_a_nearly_full_one_warns_and_an_overfull_one_says_what_is_too_long(
        self, open_tab: OpenTab
    ) -> None:
        page = await open_tab(width=900, height=800)
        await message(page).fill("@long")
        await page.get_by_role("option", name="long.md").click()
        await expect(bar(page).get_by_role("meter")).to_have_attribute("data-level", "high")
        await expect(page.locator(".composer-count")).to_have_attribute("data-level", "high")
        await look(page)
        await film(page, "glass-narrow")
        await page.keyboard.press("Escape")

        await message(page).fill("ebb and flow " * 9_000)
        await expect(token_button(page)).to_contain_text("too long")
        await look(page)
        await expect(dialog(page).get_by_role("alert")).to_contain_text("This can’t be sent.")
        await film(page, "glass-too-long")
        await page.set_viewport_size({"width": 420, "height": 800})
        await film(page, "glass-smallest")
