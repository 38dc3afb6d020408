"""What a person does with the page, in a real browser."""

import gzip
import re
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Page, expect

from recto.server.page import STATIC
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, Look, film_in, put_on
from tests.served import TOKEN, Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

MAX_SCRIPT_BYTES = 400_000
RING_IS_WHOLE = """() => {
  const focused = document.activeElement;
  const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(focused);
  const { top, left } = focused.getBoundingClientRect();
  const reach = parseFloat(outlineOffset) + parseFloat(outlineWidth);
  return outlineStyle !== "none" && top >= reach && left >= reach;
}"""
DARK_SINGLE: Look = ("single-dark", 400, "dark")
OVERLAPS = """() => {
  const tabs = [...document.querySelectorAll(".left-tab")];
  const buttons = [...document.querySelectorAll(".left-actions button")];
  const inPanel = document.querySelector(".panel-left").getBoundingClientRect().right;
  const over = (one, other) => {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return a.right > b.left && b.right > a.left && a.bottom > b.top && b.bottom > a.top;
  };
  return tabs.flatMap((tab) => [
    ...buttons.filter((one) => over(tab, one)).map((one) => `${tab.textContent} ${one.ariaLabel}`),
    ...(tab.getBoundingClientRect().right > inPanel ? [tab.textContent] : []),
  ]);
}"""
"""Which tabs of the left panel lie under a button, or outside of the panel."""


def row(page: Page, name: str):
    """A row of the file tree."""
    return page.get_by_role("treeitem", name=name)


async def open_file(page: Page, folder: str, name: str) -> None:
    await row(page, folder).click()
    await row(page, name).dblclick()
    await expect(page.get_by_role("tab", name=name)).to_be_visible()


async def test_a_new_user_sees_the_folder_and_reads_files_in_tabs(open_tab: OpenTab) -> None:
    page = await open_tab()
    await expect(row(page, "manuscript")).to_be_visible()
    await expect(page.get_by_role("heading", name="Recto is ready.")).to_be_visible()
    await expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    assert "/open/" not in page.url
    await film_in(page, "shell", OVERLAY, DARK_SINGLE, LIGHT)

    await open_file(page, "manuscript", "methods.md")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")
    await film_in(page, "shell-file", DARK, LIGHT)
    await open_file(page, "pipeline", "harmonics.py")
    await expect(page.locator(".cm-content")).to_contain_text("def rayleigh()")
    await page.get_by_role("tab", name="methods.md").click()
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")
    await page.reload()
    await expect(page.get_by_role("tab", name="harmonics.py")).to_be_visible()
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")


async def test_the_page_follows_what_is_done_elsewhere(open_tab: OpenTab, recto: Served) -> None:
    page = await open_tab()
    await open_file(page, "manuscript", "methods.md")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")
    folder = anyio.Path(recto.folder / "manuscript")
    await (folder / "new.md").write_text("new", encoding="utf-8")
    await expect(row(page, "new.md")).to_be_visible()
    await (folder / "new.md").rename(folder / "renamed.md")
    await expect(row(page, "renamed.md")).to_be_visible()
    await expect(row(page, "new.md")).to_have_count(0)
    await (folder / "renamed.md").unlink()
    await expect(row(page, "renamed.md")).to_have_count(0)

    await (folder / "methods.md").write_text("Written elsewhere.\n", encoding="utf-8")
    await expect(page.locator(".cm-content")).to_contain_text("Written elsewhere.")
    await (folder / "methods.md").unlink()
    await expect(page.get_by_text("was deleted")).to_be_visible()
    await expect(page.locator(".cm-content")).to_contain_text("Written elsewhere.")

    await expect(page.get_by_role("button", name="Project tide-gauges")).to_be_visible()
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()
        answer = await script.put(
            f"/api/v1/projects/{project['id']}",
            json={"name": "Brest", "settings": project["settings"]},
            headers={"if-match": f'"{project["version"]}"'},
        )
        assert answer.status_code == 200
    await expect(page.get_by_role("button", name="Project Brest")).to_be_visible()


async def test_tabs_and_buttons_of_the_left_panel_have_room(open_tab: OpenTab) -> None:
    page = await open_tab()
    edge = page.get_by_role("separator", name="Width of the left panel")
    for width in (1440, 1200):
        await put_on(page, ("", width, "light"))
        await edge.dblclick()  # as wide as it is by itself
        for is_narrowest in (False, True):
            if is_narrowest:
                await edge.press("Home")
            for name in ("Files", "Contexts", "Chats"):
                tab = page.get_by_role("tab", name=name)
                await tab.click()
                await expect(tab).to_have_attribute("aria-selected", "true")
                await expect(page.locator(".left-actions")).to_be_visible()
                assert await page.evaluate(OVERLAPS) == []


async def test_everything_is_reached_by_keyboard_alone(open_tab: OpenTab) -> None:
    page = await open_tab()
    await expect(row(page, "manuscript")).to_be_visible()
    await row(page, "manuscript").focus()
    await page.keyboard.press("ArrowRight")
    await expect(row(page, "methods.md")).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await expect(row(page, "methods.md")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("tab", name="methods.md")).to_be_visible()
    await page.keyboard.press("Control+b")
    await expect(page.get_by_role("tree")).to_be_hidden()
    await page.keyboard.press("Control+b")
    await expect(page.get_by_role("tree")).to_be_visible()

    await page.keyboard.press("Control+Shift+f")
    await expect(page.get_by_role("textbox", name="Text to search for")).to_be_focused()
    await page.keyboard.type("182.6")
    await page.get_by_text("return 182.6").first.click()
    await expect(page.get_by_role("tab", name="harmonics.py")).to_be_visible()
    await expect(page.locator(".cm-content")).to_contain_text("return 182.6")

    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    await page.keyboard.type("mtds")
    found = page.get_by_role("option", name="methods.md")
    await expect(found).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("Enter")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")

    await page.get_by_role("button", name=re.compile("^Project .*, switch$")).focus()
    assert await page.evaluate(RING_IS_WHOLE)
    await page.get_by_role("button", name="Settings").press("Enter")
    await page.get_by_role("button", name="Back from settings").focus()
    assert await page.evaluate(RING_IS_WHOLE)


async def test_another_folder_a_theme_and_the_end_of_the_session(
    open_tab: OpenTab, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "only-here.md").touch()
    page = await open_tab(color_scheme="light")
    await page.get_by_role("button", name="Project tide-gauges").click()
    await page.get_by_role("button", name="Open folder").click()
    field = page.get_by_role("dialog").get_by_role("textbox")
    await field.fill(str(tmp_path / "nothing"))
    await field.press("Enter")
    await expect(page.get_by_role("dialog")).to_contain_text("There is no folder")
    await field.fill(str(tmp_path / "other"))
    await field.press("Enter")
    await expect(row(page, "only-here.md")).to_be_visible()

    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("radio", name="Dark").check(force=True)
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    await page.get_by_role("link", name="This session").click()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_text("This session has ended")).to_be_visible()
    await expect(page.get_by_role("tree")).to_have_count(0)


async def test_the_token_signs_a_browser_in(recto: Served, browser: Browser) -> None:
    page = await (await browser.new_context()).new_page()
    await page.goto(recto.url)
    await page.get_by_label("Token").fill(TOKEN)
    await page.get_by_role("button", name="Sign in").click()
    await expect(row(page, "manuscript")).to_be_visible()


async def test_a_folder_of_very_many_files_keeps_few_rows(
    open_tab: OpenTab, recto: Served, tmp_path: Path
) -> None:
    # Filled before it is in the folder: the watcher hears of one folder, not of each file.
    big = tmp_path / "big"
    big.mkdir()
    for number in range(5_000):
        (big / f"file-{number:06}.txt").touch()
    big.rename(recto.folder / "big")
    page = await open_tab()
    await row(page, "big").click()
    await expect(row(page, "file-000000.txt")).to_be_visible()
    await row(page, "big").focus()
    await page.keyboard.press("End")
    await expect(page.get_by_role("treeitem").last).to_be_focused()
    assert await page.get_by_role("treeitem").count() < 200
    await page.keyboard.press("Home")
    await expect(row(page, "big")).to_be_focused()


def test_the_first_load_is_small() -> None:
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    first = [path for path in STATIC.rglob("*.js") if path.name in index]
    assert first
    assert sum(len(gzip.compress(path.read_bytes())) for path in first) < MAX_SCRIPT_BYTES


# Smaller letters than these, and a phone enlarges the whole page for the field.
SMALLEST = 16
SIZES = """() => [...document.querySelectorAll("textarea, input, select")]
  .filter(field => field.checkVisibility() && !["checkbox", "radio"].includes(field.type))
  .map(field => parseFloat(getComputedStyle(field).fontSize))"""


async def test_no_field_makes_a_phone_enlarge_the_page(open_tab: OpenTab) -> None:
    page = await open_tab(400, 800, has_touch=True, is_mobile=True)
    message = page.get_by_role("textbox", name="Message")
    await expect(message).to_be_visible()
    assert min(await page.evaluate(SIZES)) >= SMALLEST
    await page.keyboard.press("Control+Shift+f")
    await expect(page.get_by_role("textbox", name="Text to search for")).to_be_visible()
    assert min(await page.evaluate(SIZES)) >= SMALLEST
