"""Tags: offered while one is typed, listed with their notes; the front matter as properties."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film_schemes
from tests.journeys.test_notes import command, text_of
from tests.journeys.test_review import until_saved
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

NOTES = {
    "gauge.md": "---\ntitle: The gauge\ntags: [tide, work/now]\n---\n\nIt stands in the river.\n",
    "surge.md": "A #tide that is too high.\n",
}


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    """A Recto on a folder with tags."""
    folder = tmp_path / "gauges"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    async with served(tmp_path / "home", folder) as running:
        yield running


async def test_a_tag_is_offered_listed_and_leads_to_its_notes(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await page.get_by_role("treeitem", name="gauge.md").dblclick()
    gauge = text_of(page, "gauge.md")
    await gauge.press("Control+End")
    properties = gauge.get_by_role("group", name="Front matter")
    await expect(properties).to_contain_text("tags tide, work/now")

    await page.keyboard.type("About #ti")
    await page.get_by_role("option", name="tide").click()
    await page.keyboard.type(" of today.")
    await until_saved(page, recto.folder / "gauge.md", "About #tide of today.")
    await film_schemes(page, "properties")

    await command(page, "Show all tags…")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="tide 3")).to_be_visible()
    await expect(dialog.get_by_role("button", name="work/now 1")).to_be_visible()
    await film_schemes(page, "tags")
    await dialog.get_by_role("textbox", name="Find a tag").fill("#ti")
    await expect(dialog.get_by_role("button", name="work/now")).to_have_count(0)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    notes = page.get_by_role("dialog", name="#tide").get_by_role("group")
    await expect(notes.get_by_role("button")).to_have_count(2)
    await film_schemes(page, "tagged-notes")
    await notes.get_by_role("button", name="surge.md").click()
    await expect(text_of(page, "surge.md")).to_be_visible()

    await page.get_by_role("button", name="Open or make a file").click()
    await page.get_by_role("menuitem", name="New file…").click()
    await expect(page.get_by_role("dialog", name="New file")).to_be_visible()
    await page.keyboard.press("Escape")
