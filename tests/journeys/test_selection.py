"""A passage asked about and transformed, and a document changed by a wish."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import EditorSettings, Home, Secret, Settings, save_keys
from recto.config.settings import OwnTransform
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

TEXT = (
    "# Methods\n\n"
    "Teh record is ninety days long, which is long enough for most of what follows.\n\n"
    "Hourly levels were read from teh paper charts and checked by hand.\n"
)


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    (folder / "methods.md").write_text(TEXT, encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    own = OwnTransform(title="As a question", prompt="Make it a question.")
    settings = Settings(editor=EditorSettings(transforms=[own]))
    async with served(home, folder, settings) as running:
        yield running


async def open_methods(page: Page) -> Locator:
    await page.get_by_role("treeitem", name="methods.md").dblclick()
    text = page.get_by_role("textbox", name="Text of methods.md")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


async def select_line(page: Page, text: Locator, downs: int) -> None:
    """Select a line by keys alone."""
    await text.press("Control+Home")
    for _ in range(downs):
        await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Home")
    await page.keyboard.press("Shift+End")


async def select_word(page: Page, word: str) -> None:
    """Select a word of the text with the mouse."""
    place = await page.evaluate(
        """word => {
            const walk = document.createTreeWalker(document.querySelector(".cm-content"), 4);
            for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                const at = node.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + word.length);
                const box = range.getBoundingClientRect();
                return {x: box.x + box.width / 2, y: box.y + box.height / 2};
            }
        }""",
        word,
    )
    await page.mouse.dblclick(place["x"], place["y"])


def bar(page: Page) -> Locator:
    return page.get_by_role("toolbar", name="Selection")


def line(page: Page) -> Locator:
    return page.locator(".agent-line")


async def test_the_bar_comes_with_a_selection_beside_it_and_takes_no_keys(
    open_tab: OpenTab,
) -> None:
    page = await open_tab()
    text = await open_methods(page)
    await expect(bar(page)).to_have_count(0)
    await select_word(page, "ninety")
    await expect(bar(page).get_by_role("button")).to_have_text(
        ["Ask", "Thread", "Comment", "Improve", "Shorten", "Expand", "Fix", ""]
    )
    over, selected = await bar(page).bounding_box(), await selection_box(page)
    assert over is not None
    assert over["y"] + over["height"] <= selected["top"], "it covers nothing that is selected"
    await film(page, "selection-bar")

    await page.keyboard.type("90")
    await expect(text).to_contain_text("Teh record is 90 days long")
    await expect(bar(page)).to_have_count(0)
    await select_line(page, text, 0)
    below = await bar(page).bounding_box()
    heading = await selection_box(page)
    assert below is not None
    assert below["y"] >= heading["bottom"] or below["y"] + below["height"] <= heading["top"]
    await page.keyboard.press("Escape")
    await expect(bar(page)).to_have_count(0)


async def selection_box(page: Page) -> dict[str, float]:
    """What the drawn selection covers on the screen."""
    return await page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll(".cm-selectionBackground")]
                .map(one => one.getBoundingClientRect());
            return {top: Math.min(...boxes.map(one => one.top)),
                    bottom: Math.max(...boxes.map(one => one.bottom))};
        }"""
    )


async def test_ask_puts_the_passage_into_the_message(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await open_methods(page)
    await select_word(page, "ninety")
    await bar(page).get_by_role("button", name="Ask").click()
    message = page.get_by_role("textbox", name="Message")
    await expect(message).to_be_focused()
    await expect(page.get_by_label("Goes along", exact=True)).to_have_text("methods.md, a passage")
    upstream.answer(says("Because."))
    upstream.answer(says("A question"))
    await message.fill("Why?")
    await message.press("Enter")
    await expect(page.get_by_role("log")).to_contain_text("Because.")
    assert "ninety" in str(upstream.exchanges[0].json)


async def test_a_transform_arrives_as_an_edit_to_review(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    text = await open_methods(page)
    await select_line(page, text, 2)
    gate = Gate()
    passage = "Teh record is ninety days long, which is long enough for most of what follows."
    upstream.answer(
        calls("edit_document", {"find": passage, "replace": "The record spans ninety days."}),
        fault=Fault(hold_headers=True, gate=gate),
    )
    upstream.answer(says("It is shorter now."))
    upstream.answer(says("Shorter"))
    await bar(page).get_by_role("button", name="Shorten").click()
    await expect(line(page).get_by_role("status")).to_have_text("Writing… · 1/8")
    await film(page, "selection-writing")
    gate.open()
    await expect(page.get_by_role("main")).to_contain_text("1 edit made. It is shorter now.")
    await expect(text).to_contain_text("The record spans ninety days.")
    await expect(page.get_by_role("group", name="Edit 1 of 1 to review")).to_be_visible()
    await expect(line(page)).to_have_count(0)
    await expect(bar(page)).to_have_count(0)
    await film(page, "selection-transformed")
    saved = await anyio.Path(recto.folder / "methods.md").read_text(encoding="utf-8")
    assert saved == TEXT.replace(passage, "The record spans ninety days.")


async def test_translate_asks_for_the_language_and_own_prompts_are_in_the_menu(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    text = await open_methods(page)
    await select_word(page, "ninety")
    await expect(bar(page)).to_be_visible()  # until then, Tab leaves the text
    await page.keyboard.press("Tab")
    await expect(bar(page).get_by_role("button", name="Ask")).to_be_focused()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    menu = page.get_by_role("menu", name="More for the selection")
    await expect(menu.get_by_role("menuitem")).to_have_text(["Translate…", "As a question"])
    await film(page, "selection-menu")
    await menu.get_by_role("menuitem", name="Translate…").click()
    field = page.get_by_role("textbox", name="Translate")
    await expect(field).to_be_focused()
    upstream.answer(calls("edit_document", {"find": "ninety", "replace": "neunzig"}))
    upstream.answer(says("Translated."))
    upstream.answer(says("German"))
    await field.fill("German")
    await page.keyboard.press("Enter")
    await expect(text).to_contain_text("neunzig")
    await expect(text).to_be_focused()
    assert "German" in str(upstream.exchanges[0].json)


async def test_a_wish_about_the_document_is_followed_in_one_line_and_can_be_stopped(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    text = await open_methods(page)
    await text.press("Control+i")
    field = page.get_by_role("textbox", name="Change in methods.md")
    await film(page, "agent-field")
    gate = Gate()
    upstream.answer(calls("search_document", {"query": "teh"}))
    upstream.answer(
        calls("edit_document", {"find": "Teh record", "replace": "The record"}),
        fault=Fault(hold_headers=True, gate=gate),
    )
    await field.fill("Fix all the typos.")
    await field.press("Enter")
    status = line(page).get_by_role("status")
    await expect(status).to_have_text("Searching for “teh” · 1/8")
    await expect(text).to_be_focused()
    await film(page, "agent-searching")
    await page.keyboard.press("Control+End")
    await page.keyboard.type("The end.")
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    await page.reload()
    await expect(status).to_have_text("Searching for “teh” · 1/8")
    await page.get_by_role("button", name="New chat").click()
    await expect(status).to_have_text("Searching for “teh” · 1/8")
    await line(page).get_by_role("button", name="Stop").click()
    await expect(line(page).get_by_role("button", name="Stop")).to_have_count(0)
    await expect(line(page)).to_contain_text("topped")
    await film(page, "agent-stopped")
    await line(page).get_by_role("button", name="Dismiss").click()
    await expect(line(page)).to_have_count(0)
    await expect(text).to_contain_text("The end.")


async def test_a_selection_in_a_narrow_window_and_in_the_dark(open_tab: OpenTab) -> None:
    for name, options in {
        "dark": {"color_scheme": "dark"},
        "900": {"width": 900, "height": 700},
    }.items():
        page = await open_tab(**options)
        if name == "900":
            # One click: it closes the panel, and a second one would be on the text behind it.
            await page.get_by_role("button", name="Show files").click()
            await page.get_by_role("treeitem", name="methods.md").click()
            text = page.get_by_role("textbox", name="Text of methods.md")
            await expect(text).to_have_attribute("aria-readonly", "false")
        else:
            await open_methods(page)
        await select_word(page, "ninety")
        await expect(bar(page)).to_be_visible()
        await film(page, f"selection-{name}")
        await page.keyboard.press("Control+i")
        await expect(page.get_by_role("textbox", name="Change in the selection")).to_be_focused()
        await film(page, f"agent-field-{name}")
