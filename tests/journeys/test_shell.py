"""What a person does with the page, in a real browser."""

import gzip
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Page, expect

from recto.server.page import STATIC
from tests.journeys.conftest import OpenTab
from tests.served import TOKEN, Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

MAX_SCRIPT_BYTES = 400_000
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


async def test_a_new_user_sees_the_folder_and_what_works(open_tab: OpenTab) -> None:
    page = await open_tab()
    await expect(row(page, "manuscript")).to_be_visible()
    await expect(page.get_by_role("heading", name="Recto is ready.")).to_be_visible()
    await expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    assert "/open/" not in page.url


async def test_a_file_opens_as_text_in_a_tab(open_tab: OpenTab) -> None:
    page = await open_tab()
    await open_file(page, "manuscript", "methods.md")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")
    await open_file(page, "pipeline", "harmonics.py")
    await expect(page.locator(".cm-content")).to_contain_text("def rayleigh()")
    await page.get_by_role("tab", name="methods.md").click()
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")


async def test_the_tree_follows_the_disk(open_tab: OpenTab, recto: Served) -> None:
    page = await open_tab()
    await row(page, "manuscript").click()
    await expect(row(page, "methods.md")).to_be_visible()
    folder = anyio.Path(recto.folder / "manuscript")
    await (folder / "new.md").write_text("new", encoding="utf-8")
    await expect(row(page, "new.md")).to_be_visible()
    await (folder / "new.md").rename(folder / "renamed.md")
    await expect(row(page, "renamed.md")).to_be_visible()
    await expect(row(page, "new.md")).to_have_count(0)
    await (folder / "renamed.md").unlink()
    await expect(row(page, "renamed.md")).to_have_count(0)
    await expect(row(page, "methods.md")).to_be_visible()


async def test_an_open_file_shows_what_others_write(open_tab: OpenTab, recto: Served) -> None:
    page = await open_tab()
    await open_file(page, "manuscript", "methods.md")
    file = anyio.Path(recto.folder / "manuscript" / "methods.md")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")
    await file.write_text("Written elsewhere.\n", encoding="utf-8")
    await expect(page.locator(".cm-content")).to_contain_text("Written elsewhere.")
    await file.unlink()
    await expect(page.get_by_text("was deleted")).to_be_visible()
    await expect(page.locator(".cm-content")).to_contain_text("Written elsewhere.")


@pytest.mark.parametrize("width", [1440, 1200])
async def test_tabs_and_buttons_of_the_left_panel_have_room(open_tab: OpenTab, width: int) -> None:
    page = await open_tab(width)
    edge = page.get_by_role("separator", name="Width of the left panel")
    for is_narrowest in (False, True):
        if is_narrowest:
            await edge.press("Home")
        for name in ("Files", "Contexts", "Chats"):
            await page.get_by_role("tab", name=name).click()
            await expect(page.locator(".left-actions")).to_be_visible()
            assert await page.evaluate(OVERLAPS) == []


async def test_the_palette_finds_a_file_by_some_of_its_letters(open_tab: OpenTab) -> None:
    page = await open_tab()
    await expect(row(page, "manuscript")).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("mtds")
    await expect(page.get_by_role("option", name="methods.md")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")


async def test_search_in_files_opens_the_line(open_tab: OpenTab) -> None:
    page = await open_tab()
    await expect(row(page, "manuscript")).to_be_visible()
    await page.keyboard.press("Control+Shift+f")
    await page.keyboard.type("182.6")
    await page.get_by_text("return 182.6").first.click()
    await expect(page.get_by_role("tab", name="harmonics.py")).to_be_visible()
    await expect(page.locator(".cm-content")).to_contain_text("return 182.6")


async def test_a_rename_in_one_tab_shows_in_the_other(open_tab: OpenTab, recto: Served) -> None:
    first, second = await open_tab(), await open_tab()
    await expect(second.get_by_role("button", name="Project tide-gauges")).to_be_visible()
    await expect(first.get_by_role("contentinfo")).to_contain_text("Live")
    await expect(second.get_by_role("contentinfo")).to_contain_text("Live")
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()
        answer = await script.put(
            f"/api/v1/projects/{project['id']}",
            json={"name": "Brest", "settings": project["settings"]},
            headers={"if-match": f'"{project["version"]}"'},
        )
        assert answer.status_code == 200
    for page in (first, second):
        await expect(page.get_by_role("button", name="Project Brest")).to_be_visible()


async def test_another_folder_is_opened_from_the_switcher(
    open_tab: OpenTab, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "only-here.md").touch()
    page = await open_tab()
    await page.get_by_role("button", name="Project tide-gauges").click()
    await page.get_by_role("button", name="Open folder").click()
    field = page.get_by_role("dialog").get_by_role("textbox")
    await field.fill(str(tmp_path / "nothing"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_contain_text("There is no folder")
    await field.fill(str(tmp_path / "other"))
    await page.keyboard.press("Enter")
    await expect(row(page, "only-here.md")).to_be_visible()


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


async def test_the_chosen_theme_stays_after_a_reload(open_tab: OpenTab) -> None:
    page = await open_tab(color_scheme="light")
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("radio", name="Dark").check(force=True)
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_open_files_are_there_again_after_a_reload(open_tab: OpenTab) -> None:
    page = await open_tab()
    await open_file(page, "manuscript", "methods.md")
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")
    await page.reload()
    await expect(page.locator(".cm-content")).to_contain_text("A tide gauge records")


async def test_the_token_signs_a_browser_in(recto: Served, browser: Browser) -> None:
    page = await (await browser.new_context()).new_page()
    await page.goto(recto.url)
    await page.get_by_label("Token").fill(TOKEN)
    await page.get_by_role("button", name="Sign in").click()
    await expect(row(page, "manuscript")).to_be_visible()


async def test_signing_out_says_so_and_shows_nothing(open_tab: OpenTab) -> None:
    page = await open_tab()
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("link", name="This session").click()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_text("This session has ended")).to_be_visible()
    await expect(page.get_by_role("tree")).to_have_count(0)


async def test_a_folder_of_a_hundred_thousand_files_keeps_few_rows(
    open_tab: OpenTab, recto: Served
) -> None:
    big = recto.folder / "big"
    big.mkdir()
    for number in range(100_000):
        (big / f"file-{number:06}.txt").touch()
    page = await open_tab()
    await row(page, "big").click()
    await expect(row(page, "file-000000.txt")).to_be_visible()
    await row(page, "big").focus()
    await page.keyboard.press("End")
    await expect(page.get_by_role("treeitem").last).to_be_visible()
    assert await page.get_by_role("treeitem").count() < 200
    await page.keyboard.press("Home")
    await expect(row(page, "big")).to_be_focused()


def test_the_first_load_is_small() -> None:
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    first = [path for path in STATIC.rglob("*.js") if path.name in index]
    assert first
    assert sum(len(gzip.compress(path.read_bytes())) for path in first) < MAX_SCRIPT_BYTES


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 900, 400])
async def test_nothing_stands_in_the_way_of_people_with_disabilities(
    open_tab: OpenTab, scheme: str, width: int
) -> None:
    page = await open_tab(width=width, color_scheme=scheme)
    if width == 1440:
        await open_file(page, "manuscript", "methods.md")
        await expect(page.locator(".cm-content")).to_contain_text("A tide gauge")
    else:
        await expect(page.get_by_role("heading", level=1)).to_be_attached()
    axe = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
    # The page's own policy forbids foreign scripts; the checker comes in by the debugger.
    await page.evaluate(axe.read_text(encoding="utf-8"))
    found = await page.evaluate(
        """() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
            .then(result => result.violations.map(one =>
                one.id + ": " + one.nodes.map(node => node.target).join(" ")))"""
    )
    assert found == []
