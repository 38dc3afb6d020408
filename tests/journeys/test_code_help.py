"""What the kernel knows, in a cell: names go on by Tab, and Shift+Tab says what they are."""

import pytest
from playwright.async_api import expect

from tests.journeys.conftest import OpenTab
from tests.journeys.test_notebooks import cell, code, open_notebook, write_notebook
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
DEFINES = "def tide_level(hour):\n    'How high the water is.'\n    return hour\ntide_table = [1]"


async def test_names_of_the_kernel_go_on_by_tab_and_are_explained_by_shift_tab(
    recto: Served, open_tab: OpenTab
) -> None:
    write_notebook(
        recto.folder / "help.ipynb",
        code("one", DEFINES),
        code("two", "s = '😀'\n"),
        code("three", ""),
    )
    page = await open_tab()
    await open_notebook(page, "help.ipynb")
    two = cell(page, "two")
    await two.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("tide_l")
    await page.keyboard.press("Tab")
    await expect(page.get_by_text("No kernel is running yet")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_text("No kernel is running yet")).to_have_count(0)

    await cell(page, "one").get_by_role("button", name="Run this cell").click()
    await expect(cell(page, "one").locator(".cell-count")).to_have_text("1")
    # Its number comes when it begins; while it runs, the kernel answers nothing else.
    await expect(page.locator('.kernel-dot[data-state="idle"]')).to_be_visible()
    await two.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.press("Tab")
    # Behind a sign of two units the place is right, too.
    await expect(two.locator(".cm-line").last).to_have_text("tide_level")
    await page.keyboard.type("(")
    await page.keyboard.press("Shift+Tab")
    await expect(page.locator(".cell-help")).to_contain_text("How high the water is.")
    await page.keyboard.press("Escape")
    # The first Escape is the card's, the second leaves the cell.
    await expect(page.locator(".cell-help")).to_have_count(0)
    await expect(two.locator(".cm-content")).to_be_focused()
    await page.keyboard.type("3) + len(tide_")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("option", name="tide_table")).to_be_visible()
    await page.keyboard.type("ta")
    offered = page.locator(".cm-tooltip-autocomplete").get_by_role("option")
    await expect(offered).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(two.locator(".cm-line").last).to_contain_text("tide_level(3) + len(tide_table")
