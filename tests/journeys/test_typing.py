"""Typing as people know it: Tab and Enter in code and lists, tabs that stay, keys that are safe."""

from collections.abc import AsyncGenerator

import anyio
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.journeys.film import film
from tests.journeys.shared_tab import shared_tab
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

CODE = "def tide(day):\n    if day:\n        return 1\n    return 0\n"
LISTS = "# Lists\n\n- one\n- two\n- three\n\n1. first\n2. second\n3. third\n"


FILES = {
    "code.py": CODE,
    "main.go": "package main\n",
    "rendered.md": LISTS,
    "source.md": LISTS,
    "left.py": CODE,
    "preview.py": CODE,
    "other.go": "package other\n",
    "next.md": LISTS,
    "wish.md": LISTS,
}
"""A file for each test: they share a tab."""


@pytest.fixture(scope="module")
async def recto(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    place = tmp_path_factory.mktemp("typing")
    folder = place / "tide-gauges"
    (folder / "tabbed").mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    config = "root = true\n[*.py]\nindent_style = tab\n"
    (folder / "tabbed" / ".editorconfig").write_text(config, encoding="utf-8")
    (folder / "tabbed" / "tabs.py").write_text(CODE, encoding="utf-8")
    async with served(place / "home", folder) as running:
        yield running


@pytest.fixture(scope="module")
async def page(chromium: Browser, recto: Served) -> AsyncGenerator[Page]:
    async with shared_tab(chromium, recto) as tab:
        yield tab


async def open_file(page: Page, name: str, *, kept: bool = True) -> Locator:
    row = page.get_by_role("treeitem", name=name)
    await (row.dblclick() if kept else row.click())
    text = page.get_by_role("textbox", name=f"Text of {name}")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


async def press(page: Page, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def saved(page: Page, recto: Served, name: str, content: str) -> None:
    await page.keyboard.press("Control+s")
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    assert await anyio.Path(recto.folder / name).read_text(encoding="utf-8") == content


async def test_code_is_indented_as_its_file_is(page: Page, recto: Served) -> None:
    text = await open_file(page, "code.py")
    await text.press("Control+End")
    await page.keyboard.type("for day in days:")
    await press(page, "Enter")
    await page.keyboard.type("tide(day)")
    await press(page, "Enter", "Tab")
    await page.keyboard.type("deep")
    await press(page, "Shift+Tab", "Shift+Tab")
    await expect(text).to_be_focused()
    await saved(page, recto, "code.py", CODE + "for day in days:\n    tide(day)\ndeep")
    await film(page, "typing-code")
    go = await open_file(page, "main.go")
    await go.press("Control+End")
    await press(page, "Tab")
    await page.keyboard.type("x")
    await expect(go).to_be_focused()
    await saved(page, recto, "main.go", "package main\n\tx")


async def test_the_folders_editorconfig_counts_before_the_lines_of_a_file(
    page: Page, recto: Served
) -> None:
    await page.get_by_role("treeitem", name="tabbed").click()
    text = await open_file(page, "tabs.py")
    await text.press("Control+End")
    await press(page, "Tab")
    await page.keyboard.type("x")
    await saved(page, recto, "tabbed/tabs.py", f"{CODE}\tx")


@pytest.mark.parametrize("name", ["rendered.md", "source.md"])
async def test_items_of_lists_nest_and_lists_go_on_and_end(
    page: Page, recto: Served, name: str
) -> None:
    text = await open_file(page, name)
    shape = "Source" if name == "source.md" else "Rendered"
    button = page.get_by_role("button", name=shape, exact=True)
    await button.click()
    await expect(button).to_have_attribute("aria-pressed", "true")
    await text.get_by_text("two").click()
    await press(page, "Tab", "End", "Enter")
    await page.keyboard.type("deeper")
    await press(page, "Tab", "Enter", "Shift+Tab")
    await page.keyboard.type("beside")
    await text.get_by_text("second").click()
    await press(page, "Tab")
    await text.get_by_text("third").click()
    await press(page, "End", "Enter", "Enter")
    await page.keyboard.type("After.")
    await expect(text).to_be_focused()
    await film(page, f"typing-lists-{shape.lower()}")
    nested = "- one\n  - two\n    - deeper\n  - beside\n- three\n"
    whole = f"# Lists\n\n{nested}\n1. first\n   1. second\n2. third\n\nAfter.\n"
    await saved(page, recto, name, whole)


async def test_escape_and_tab_leave_the_text(page: Page) -> None:
    text = await open_file(page, "left.py")
    await text.press("Control+Home")
    await press(page, "Escape", "Tab")
    await expect(text).not_to_be_focused()
    await expect(text).to_contain_text("def tide(day):")
    await text.focus()
    await press(page, "Control+Home", "Shift+End")
    await expect(page.get_by_role("toolbar", name="Selection")).to_be_visible()
    await press(page, "Alt+Enter")
    bar = page.get_by_role("toolbar", name="Selection")
    await expect(bar.get_by_role("button", name="Ask")).to_be_focused()
    await press(page, "Escape")
    await expect(text).to_be_focused()
    await press(page, "Tab")
    await expect(text).to_be_focused()
    await expect(text).to_contain_text("    def tide(day):")


async def test_a_preview_that_was_edited_stays_with_its_undo(page: Page, recto: Served) -> None:
    text = await open_file(page, "preview.py", kept=False)
    await text.press("Control+Home")
    await page.keyboard.insert_text("# Mine ")  # at once: one step of undo on any machine
    await open_file(page, "other.go", kept=False)
    await open_file(page, "next.md", kept=False)
    await expect(page.get_by_role("tab", name="other.go")).to_have_count(0)
    await page.get_by_role("tab", name="preview.py").click()
    await expect(text).to_contain_text("# Mine")
    await text.press("Control+z")
    await saved(page, recto, "preview.py", CODE)


async def test_the_key_for_a_wish_goes_to_its_field_also_when_that_is_open(
    page: Page, recto: Served
) -> None:
    text = await open_file(page, "wish.md")
    await text.press("Control+i")
    field = page.get_by_role("textbox", name="Change in wish.md")
    await expect(field).to_be_focused()
    await text.focus()
    await press(page, "Control+a", "Control+i")
    field = page.get_by_role("textbox", name="Change in the selection")
    await expect(field).to_be_focused()
    await page.keyboard.type("Make it short.")
    await expect(field).to_have_value("Make it short.")
    await press(page, "Escape")
    await saved(page, recto, "wish.md", LISTS)
