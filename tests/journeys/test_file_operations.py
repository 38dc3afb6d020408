"""Files made, renamed, moved, deleted and brought back in a real browser."""

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film, film_schemes
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name, exact=True)


async def lies_at(page: Page, name: str, level: int) -> None:
    """The tree shows a file at one level; while it moves, both rows may be there for a moment."""
    rows = page.locator(f'[role="treeitem"][title="{name}"]')
    await expect(rows.and_(page.locator(f'[aria-level="{level}"]'))).to_be_visible()
    await expect(rows).to_have_count(1)


async def give_name(page: Page, name: str) -> None:
    await page.get_by_role("textbox", name="Name", exact=True).fill(name)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def hold_undo(page: Page) -> None:
    """Keep the offer to undo: it goes after six seconds, unless the pointer is on it."""
    await page.get_by_role("button", name="Undo").hover()


async def text_of(recto: Served, path: str) -> str:
    return await anyio.Path(recto.folder / path).read_text(encoding="utf-8")


async def test_a_file_is_made_written_renamed_moved_and_both_tabs_follow(
    open_tab: OpenTab, recto: Served
) -> None:
    page, other = await open_tab(), await open_tab()
    await page.get_by_role("button", name="New file or folder").click()
    await page.get_by_role("menuitem", name="New file…").click()
    await page.get_by_role("textbox", name="Name", exact=True).fill("README.md")
    await expect(page.get_by_text("“README.md” exists already here.")).to_be_visible()
    await film(page, "file-name-taken")
    await give_name(page, "draft.md")
    text = page.get_by_role("textbox", name="Text of draft.md")
    await expect(text).to_be_focused()
    await expect(text).to_have_attribute("aria-readonly", "false")
    await page.keyboard.insert_text("High water at noon.")
    await row(other, "draft.md").dblclick()
    there = other.get_by_role("textbox", name="Text of draft.md")
    await expect(there).to_contain_text("High water at noon.")

    await row(page, "draft.md").focus()
    await page.keyboard.press("F2")
    await give_name(page, "tides.md")
    for tab in (page, other):
        await expect(tab.get_by_role("tab", name="tides.md")).to_be_visible()
        await expect(tab.get_by_role("tab", name="draft.md")).to_have_count(0)
    moved = page.get_by_role("textbox", name="Text of tides.md")
    await expect(moved).to_have_attribute("aria-readonly", "false")
    await moved.press("Control+End")
    await page.keyboard.insert_text(" Low at six.")
    await expect(other.get_by_role("textbox", name="Text of tides.md")).to_contain_text(
        "High water at noon. Low at six."
    )
    await moved.press("Control+z")
    await moved.press("Control+z")
    await expect(moved).not_to_contain_text("High water")
    await moved.press("Control+y")
    await moved.press("Control+y")

    await row(page, "tides.md").drag_to(row(page, "manuscript"))
    await hold_undo(page)
    await expect(page.get_by_text("“tides.md” is in “manuscript” now.")).to_be_visible()
    await lies_at(page, "tides.md", 2)
    await moved.press("Control+s")
    await expect(page.locator(".running-head").get_by_role("status")).to_have_text("Saved")
    assert await text_of(recto, "manuscript/tides.md") == "High water at noon. Low at six."
    await page.get_by_role("button", name="Undo").click()
    await lies_at(page, "tides.md", 1)


async def test_what_is_deleted_is_brought_back_by_undo_and_from_the_trash(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await row(page, "manuscript").click(button="right")
    delete = page.get_by_role("menuitem", name="Delete")
    await expect(delete).to_be_visible()
    await film_schemes(page, "file-menu")
    await delete.click()
    await hold_undo(page)
    await expect(row(page, "manuscript")).to_have_count(0)
    assert not await anyio.Path(recto.folder / "manuscript").exists()
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "manuscript")).to_be_visible()
    assert await text_of(recto, "manuscript/methods.md")

    await row(page, "README.md").focus()
    await page.keyboard.press("Delete")
    await expect(row(page, "README.md")).to_have_count(0)
    await open_trash(page)
    restore = page.get_by_role("button", name="Restore README.md")
    await expect(restore).to_be_visible()
    await film_schemes(page, "trash")
    await restore.click()
    await page.get_by_role("button", name="Close", exact=True).last.click()
    await expect(row(page, "README.md")).to_be_visible()
    assert await text_of(recto, "README.md") == "# Tide gauges\n"

    await row(page, "README.md").press("Delete")
    await expect(row(page, "README.md")).to_have_count(0)
    await page.set_viewport_size({"width": 900, "height": 900})
    await page.get_by_role("button", name="Show files").click()
    await row(page, "manuscript").click(button="right")
    await expect(delete).to_be_visible()
    await film(page, "file-menu-narrow")
    await page.keyboard.press("Escape")
    await open_trash(page)
    await expect(restore).to_be_visible()
    await film(page, "trash-narrow")


async def open_trash(page: Page) -> None:
    await page.get_by_role("button", name="More for files").click()
    await page.get_by_role("menuitem", name="Deleted files…").click()


async def test_the_instructions_are_made_when_there_are_none(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await page.keyboard.press("Control+k")
    await (
        page.get_by_role("dialog", name="Palette")
        .get_by_role("combobox")
        .fill(">Open the instructions")
    )
    await page.get_by_role("option", name="Open the instructions").click()
    await expect(page.get_by_role("textbox", name="Text of _instructions.md")).to_be_focused()
    assert await text_of(recto, "_instructions.md") == ""
