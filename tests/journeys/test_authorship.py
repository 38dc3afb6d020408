"""Who wrote what, and what a text was before: marks, figures, a statement, versions."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film, film_looks, film_schemes
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

TEXT = (
    "# Methods\n\n"
    "The record is ninety days long.\n\n"
    "Hourly levels were read from the paper charts and checked by hand.\n"
)
LONGER = "The record is 369 days long, which separates all eight constituents of the tide."


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
    async with served(home, folder) as running:
        yield running


async def open_methods(page: Page) -> Locator:
    await page.get_by_role("treeitem", name="methods.md").dblclick()
    text = page.get_by_role("textbox", name="Text of methods.md")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


async def run_edit(page: Page, upstream: AnthropicServer, old: str, new: str) -> None:
    """Have the model edit the file, and accept what it did."""
    upstream.answer(
        calls("edit_file", {"path": "methods.md", "old_string": old, "new_string": new})
    )
    upstream.answer(says("It is changed."))
    upstream.answer(says("A change"))
    message = page.get_by_role("textbox", name="Message")
    await message.fill("Change it.")
    await message.press("Enter")
    await expect(page.get_by_role("log")).to_contain_text("It is changed.")


async def choose(page: Page, name: str) -> None:
    """Choose from the document's menu."""
    await page.get_by_role("button", name="More for this file").click()
    await page.get_by_role("menuitem", name=name).click()


def marked(text: Locator, kind: str) -> Locator:
    return text.locator(f".author-{kind}")


async def test_who_wrote_what_is_told_in_figures_and_shown_in_the_text_as_it_is_typed(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    text = await open_methods(page)
    await run_edit(page, upstream, "The record is ninety days long.", LONGER)
    await page.get_by_role("button", name="Accept").last.click()
    await expect(page.locator(".folio")).to_contain_text("% written by AI")
    await save_statement(page)

    await choose(page, "Show who wrote what")
    legend = page.get_by_role("group", name="Who wrote what")
    await expect(legend).to_contain_text("Claude")
    await expect(marked(text, "ai").first).to_be_visible()
    await text.press("Control+End")
    await page.keyboard.type("Typed by hand.")
    await expect(legend).to_contain_text("Typed")
    await expect(legend.get_by_role("listitem")).to_have_count(3)
    await text.evaluate(
        """content => {
            const data = new DataTransfer();
            data.setData("text/plain", " Pasted from a letter.");
            content.dispatchEvent(new ClipboardEvent("paste",
                {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    await expect(marked(text, "pasted")).to_have_text(" Pasted from a letter.")
    await expect(legend).to_contain_text("Pasted")
    await type_into_the_ais_sentence(page, text)

    await marked(text, "ai").first.hover()
    card = page.locator(".author-card")
    await expect(card).to_contain_text("Claude")
    await expect(card).to_contain_text("Prompt")
    await film(page, "authorship-card")
    await card.get_by_role("button", name="Open its chat").click()
    await expect(page.get_by_role("log")).to_contain_text("It is changed.")
    await film_looks(page, "authorship")
    await legend.get_by_role("button", name="Hide who wrote what").click()
    await expect(marked(text, "ai")).to_have_count(0)


async def save_statement(page: Page) -> None:
    """The figures of the file, and what can be handed in with it."""
    await choose(page, "Who wrote this…")
    dialog = page.get_by_role("dialog", name="Who wrote methods.md")
    await expect(dialog).to_contain_text("written by AI")
    await expect(dialog.get_by_role("row")).to_have_count(3)
    await film_looks(page, "authorship-dialog")
    async with page.expect_download() as started:
        await dialog.get_by_role("link", name="Save as statement").click()
    download = await started.value
    assert download.suggested_filename == "methods.md authorship.md"
    statement = await anyio.Path(await download.path()).read_text(encoding="utf-8")
    assert "Written by AI" in statement
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


async def type_into_the_ais_sentence(page: Page, text: Locator) -> None:
    """Words of one's own in it are plain at once."""
    await text.press("Control+Home")
    for key in ("ArrowDown", "ArrowDown", "End", *["ArrowLeft"] * len("tide.")):
        await page.keyboard.press(key)
    await page.keyboard.type("spring ")
    await expect(text).to_contain_text("of the spring tide.")
    assert "spring" not in "".join(await marked(text, "ai").all_text_contents())
    # The full stop was there before.
    await expect(marked(text, "ai").last).to_have_text("tide")


async def test_a_version_is_compared_and_restored(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    text = await open_methods(page)
    await choose(page, "Versions…")
    dialog = page.get_by_role("dialog", name="Versions of methods.md")
    await expect(dialog).to_contain_text("No versions yet.")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await run_edit(page, upstream, "The record is ninety days long.", LONGER)
    await page.get_by_role("button", name="Accept").last.click()
    await choose(page, "Versions…")
    await expect(dialog).to_contain_text("The text is as this edit left it.")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await text.press("Control+End")
    await page.keyboard.type("The end.")
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    await choose(page, "Versions…")
    difference = dialog.get_by_label("Difference")
    # What one saves oneself stands beside what the AI did, the newest first.
    versions = dialog.get_by_role("list", name="Versions").get_by_role("button")
    await expect(versions).to_have_count(2)
    await expect(versions.first).to_contain_text("your own words")
    await expect(dialog).to_contain_text("The text is as you saved it then.")
    await dialog.get_by_role("button", name="What it changed").click()
    await expect(difference).to_contain_text("+The end.")
    await dialog.get_by_role("button", name="With the text now").click()
    await versions.last.click()
    await expect(difference).to_contain_text("+The end.")
    await dialog.get_by_role("button", name="What it changed").click()
    await expect(difference).to_contain_text("−The record is ninety days long.")
    await expect(difference).to_contain_text(f"+{LONGER}")
    await film_schemes(page, "versions")
    await dialog.get_by_role("button", name="Restore what was before it").click()
    await expect(dialog).to_have_count(0)
    await expect(text).to_contain_text("ninety days")
    await expect(text).not_to_contain_text("The end.")
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    saved = await anyio.Path(recto.folder / "methods.md").read_text(encoding="utf-8")
    assert saved == TEXT
    await text.press("Control+z")
    await expect(text).to_contain_text("The end.")
