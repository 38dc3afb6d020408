"""The editor's settings as a person meets them: they hold at once, in each tab and in the file."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from recto.config import load_settings
from tests.journeys.conftest import OpenTab
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

FILE = "# Ada's own\n[chats]\nsteps = 40 # enough\n"
TEXT = "The record is ninety days long.\n"


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "folder"
    for made in (home, folder):
        made.mkdir()
    (folder / "methods.md").write_text(TEXT, encoding="utf-8")
    file = home / "settings.toml"
    file.write_text(FILE, encoding="utf-8")
    async with served(home, folder, load_settings(file)) as running:
        yield running


async def open_editor_settings(page: Page) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("link", name="Editor", exact=True).click()
    await expect(page.get_by_role("heading", name="Editor", level=1)).to_be_visible()


async def test_a_setting_holds_at_once_in_every_tab_and_in_the_file_whose_mistakes_are_told(
    open_tab: OpenTab, recto: Served
) -> None:
    page, other = await open_tab(), await open_tab()
    await open_editor_settings(page)
    await expect(page.get_by_role("textbox", name="Steps")).to_have_value("40")
    await page.get_by_text("After a pause", exact=True).click()
    await page.get_by_role("combobox", name="Suggest after").select_option("1 s")
    await page.get_by_role("button", name="Add a transform").click()
    await page.keyboard.type("As verse")
    await page.keyboard.press("Tab")
    await page.keyboard.type("Make it rhyme.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("button", name="Edit As verse")).to_be_focused()

    await other.get_by_role("treeitem", name="methods.md").dblclick()
    text = other.get_by_role("textbox", name="Text of methods.md")
    await expect(text).to_have_attribute("aria-readonly", "false")
    await text.press("Control+a")
    await expect(other.get_by_role("button", name="As verse")).to_be_visible()
    written = recto.home.settings_file.read_text(encoding="utf-8")
    assert written == FILE + (
        '\n[editor]\nsuggest = "pause"\nsuggest_pause_ms = 1000\n'
        '[[editor.transforms]]\ntitle = "As verse"\nprompt = "Make it rhyme."\n'
    )

    await page.get_by_role("button", name="Back from settings").click()
    recto.home.settings_file.write_text("[chats]\nsteps = 0\n", encoding="utf-8")
    await open_editor_settings(page)
    await expect(page.get_by_role("alert").first).to_contain_text("line 2: chats.steps must be")
    recto.home.settings_file.write_text("[chats]\nsteps = 9\n", encoding="utf-8")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("textbox", name="Steps")).to_have_value("9")
