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
from tests.journeys.looks import DARK, LIGHT, OVERLAY, film_in
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
    for name in ("methods.md", "asked.md", "german.md", "wished.md"):
        (folder / name).write_text(TEXT, encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    own = OwnTransform(title="As a question", prompt="Make it a question.")
    settings = Settings(editor=EditorSettings(transforms=[own]))
    async with served(home, folder, settings) as running:
        yield running


async def open_text(page: Page, name: str) -> Locator:
    await page.get_by_role("treeitem", name=name).dblclick()
    text = page.get_by_role("textbox", name=f"Text of {name}")
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
        """async word => {
            // A font that comes late would move the word away from the click.
            await document.fonts.ready;
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
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


async def is_beside_the_selection(page: Page) -> bool:
    """Whether the bar lies above or below of what is selected, once both are drawn."""
    await expect(bar(page)).to_be_visible()
    return await page.evaluate(
        """async () => {
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            const bar = document.querySelector("[role=toolbar][aria-label=Selection]")
                .getBoundingClientRect();
            const boxes = [...document.querySelectorAll(".cm-selectionBackground")]
                .map(one => one.getBoundingClientRect());
            return boxes.length > 0 && (bar.bottom <= Math.min(...boxes.map(one => one.top))
                || bar.top >= Math.max(...boxes.map(one => one.bottom)));
        }"""
    )


async def test_the_bar_comes_with_a_selection_and_takes_no_keys_and_asks_and_translates(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await meet_the_bar(page)
    await ask(page, upstream)
    await translate(page, upstream)


async def meet_the_bar(page: Page) -> None:
    """It stands beside the selection, in every look, and typing goes to the text."""
    text = await open_text(page, "methods.md")
    await expect(bar(page)).to_have_count(0)
    await select_word(page, "ninety")
    await expect(bar(page).get_by_role("button")).to_have_text(
        # Signs follow the words: forms of Markdown, then what else there is.
        ["Ask", "Thread", "Comment", "Improve", "Shorten", "Expand", "Fix", *[""] * 5]
    )
    for form in ("Bold", "Italic", "Code in a line", "Link"):
        await expect(bar(page).get_by_role("button", name=form, exact=True)).to_be_visible()
    assert await is_beside_the_selection(page)
    await film_in(page, "selection", OVERLAY, DARK, LIGHT)
    await page.keyboard.press("Control+i")
    await expect(page.get_by_role("textbox", name="Change in the selection")).to_be_focused()
    await film_in(page, "agent-field", OVERLAY, DARK, LIGHT)
    await page.keyboard.press("Escape")
    await expect(text).to_be_focused()

    await select_word(page, "ninety")
    await page.keyboard.type("90")
    await expect(text).to_contain_text("Teh record is 90 days long")
    await expect(bar(page)).to_have_count(0)
    await select_line(page, text, 0)
    assert await is_beside_the_selection(page)
    await page.keyboard.press("Escape")
    await expect(bar(page)).to_have_count(0)


async def ask(page: Page, upstream: AnthropicServer) -> None:
    """The passage goes into the message."""
    await open_text(page, "asked.md")
    await select_word(page, "ninety")
    await bar(page).get_by_role("button", name="Ask").click()
    message = page.get_by_role("textbox", name="Message")
    await expect(message).to_be_focused()
    await expect(page.get_by_label("Goes along", exact=True)).to_have_text("asked.md, a passage")
    upstream.answer(says("Because."))
    upstream.answer(says("A question"))
    await message.fill("Why?")
    await message.press("Enter")
    await expect(page.get_by_role("log")).to_contain_text("Because.")
    assert "ninety" in str(upstream.exchanges[0].json)
    # The next answer that is scripted must not be taken for the chat's title.
    await expect(page.get_by_role("heading", name="A question")).to_be_visible()


async def translate(page: Page, upstream: AnthropicServer) -> None:
    """By keys alone; own prompts are in the same menu, and it asks for the language."""
    text = await open_text(page, "german.md")
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
    asked = len(upstream.exchanges)
    await field.fill("German")
    await page.keyboard.press("Enter")
    await expect(text).to_contain_text("neunzig")
    await expect(text).to_be_focused()
    assert "German" in str(upstream.exchanges[asked].json)


async def test_a_transform_is_reviewed_and_a_wish_is_followed_in_one_line(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    await transform(page, upstream, recto)
    await wish(page, upstream)


async def transform(page: Page, upstream: AnthropicServer, recto: Served) -> None:
    """A passage made shorter arrives as an edit to review."""
    text = await open_text(page, "methods.md")
    await select_line(page, text, 2)
    writing, naming = Gate(), Gate()
    passage = "Teh record is ninety days long, which is long enough for most of what follows."
    upstream.answer(
        calls("edit_document", {"find": passage, "replace": "The record spans ninety days."}),
        fault=Fault(hold_headers=True, gate=writing),
    )
    upstream.answer(says("It is shorter now."))
    upstream.answer(says("Shorter"), fault=Fault(hold_headers=True, gate=naming))
    await bar(page).get_by_role("button", name="Shorten").click()
    await expect(line(page).get_by_role("status")).to_have_text("Writing… · 1/8")
    await film(page, "selection-writing")
    writing.open()
    await expect(page.get_by_role("main")).to_contain_text("1 edit made. It is shorter now.")
    await expect(text).to_contain_text("The record spans ninety days.")
    await expect(page.get_by_role("group", name="Edit 1 of 1 to review")).to_be_visible()
    await expect(line(page)).to_have_count(0)
    await expect(bar(page)).to_have_count(0)
    await film(page, "selection-transformed")
    saved = await anyio.Path(recto.folder / "methods.md").read_text(encoding="utf-8")
    assert saved == TEXT.replace(passage, "The record spans ninety days.")
    with anyio.fail_after(60):
        await naming.arrived.wait()  # else it would take the next answer that is scripted
    naming.open()


async def wish(page: Page, upstream: AnthropicServer) -> None:
    """A wish about the document outlives a reload and can be stopped."""
    text = await open_text(page, "wished.md")
    await text.press("Control+i")
    field = page.get_by_role("textbox", name="Change in wished.md")
    await expect(field).to_be_focused()
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
