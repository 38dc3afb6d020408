"""Writing as people know it: forms by keys, notes that link to each other, and the way back."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film_schemes
from tests.journeys.test_review import until_saved
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

LEFT_TO_BROWSER = """text => text.dispatchEvent(new KeyboardEvent(
  "keydown", {key: "ArrowLeft", altKey: true, bubbles: true, cancelable: true}))"""


def text_of(page: Page, name: str) -> Locator:
    return page.get_by_role("textbox", name=f"Text of {name}")


async def test_a_note_is_written_linked_and_left_and_the_way_back_is_the_browsers(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await page.get_by_role("treeitem", name="README.md").dblclick()
    readme = text_of(page, "README.md")
    await expect(readme).to_have_attribute("aria-readonly", "false")
    await readme.press("Control+End")
    await page.keyboard.type("The gauge was wrong.\n\n[[har")
    # The folder's files are offered, and the choice closes the link.
    await expect(page.get_by_role("option", name="harmonics")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+Backspace")
    await page.keyboard.type("meth")
    await expect(page.get_by_role("option", name="methods")).to_be_visible()
    await film_schemes(page, "writing-1-link")
    await page.keyboard.press("Enter")
    await until_saved(page, recto.folder / "README.md", "[[methods]]")
    # Bold where somebody writes; the panel stays.
    await readme.press("Control+Home")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("End")
    await page.keyboard.press("Control+Shift+ArrowLeft")
    await page.keyboard.press("Control+Shift+ArrowLeft")
    await page.keyboard.press("Control+B")
    await expect(page.get_by_role("tree", name="Files")).to_be_visible()
    await until_saved(page, recto.folder / "README.md", "The gauge was **wrong.**")
    toolbar = page.get_by_role("toolbar", name="Selection")
    await toolbar.get_by_role("button", name="Italic").click()
    await until_saved(page, recto.folder / "README.md", "The gauge was ***wrong.***")
    await film_schemes(page, "writing-2-bold")
    await to_a_new_note_and_back(page, recto)


async def to_a_new_note_and_back(page: Page, recto: Served) -> None:
    readme = text_of(page, "README.md")
    # A note that nobody has written yet is made where its link leads.
    await readme.press("Control+End")
    await page.keyboard.type(" and [[Surges]] ")
    await readme.get_by_text("Surges").click(modifiers=["Control"])
    await expect(text_of(page, "Surges.md")).to_have_attribute("aria-readonly", "false")
    assert (recto.folder / "Surges.md").read_text(encoding="utf-8") == ""
    await page.go_back()
    await expect(readme).to_be_visible()
    await page.go_forward()
    await expect(text_of(page, "Surges.md")).to_be_visible()
    # The browser's own keys for it stay the browser's, also in the text.
    assert await text_of(page, "Surges.md").evaluate(LEFT_TO_BROWSER)
    await page.go_back()
    await expect(readme).to_be_visible()
    # What was closed comes back.
    tab = page.get_by_role("tab", name=re.compile("Surges"))
    await tab.click(button="middle")
    await expect(tab).to_have_count(0)
    await page.keyboard.press("Control+Alt+Z")
    await expect(tab).to_have_attribute("aria-selected", "true")
