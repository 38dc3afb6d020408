"""Replace in all files, a cell of a table, and a commit, by somebody who works in a repository."""

from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film, film_looks, film_schemes
from tests.served import Served
from tests.workspace.test_git import run_git

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

LEVELS = b'station,"level, m",note\r\nHelgoland,3.20,"calm"\r\nCuxhaven,2.95,storm\r\n'
ROWS = 100_000


def prepare(folder: Path) -> None:
    """Make the folder a repository with a commit."""
    (folder / "levels.csv").write_bytes(LEVELS)
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "config", "user.name", "Ada")
    run_git(folder, "config", "user.email", "ada@example.org")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "begin")


def said(page: Page, words: str) -> Locator:
    return page.locator(".toast", has_text=words)


async def test_replace_in_all_files_a_cell_and_a_commit(open_tab: OpenTab, recto: Served) -> None:
    prepare(recto.folder)
    page = await open_tab()
    await replace_and_take_back(page, recto.folder)
    await edit_cell(page, recto.folder)
    await stage_and_commit(page, recto.folder)
    await page.set_viewport_size({"width": 400, "height": 800})
    await page.get_by_role("button", name="Show files").click()
    await film_schemes(page, "changes-400")


async def replace_and_take_back(page: Page, folder: Path) -> None:
    await page.get_by_role("button", name="Search in files").click()
    await page.get_by_role("button", name="Replace in files").click()
    await page.get_by_role("textbox", name="Text to search for").fill("tide")
    await page.get_by_role("textbox", name="What comes in its place").fill("level")
    hits = page.get_by_role("group", name="What would be replaced")
    await expect(hits.get_by_role("checkbox")).to_have_count(5)
    await hits.get_by_role("checkbox", name="Replace in line 1 of methods.md").uncheck()
    await film_looks(page, "replace-in-files")
    await page.get_by_role("button", name="Replace 2 hits").click()
    await expect(said(page, "Replaced 2 hits in 2 files.")).to_be_visible()
    methods = folder / "manuscript" / "methods.md"
    assert methods.read_text() == "# Separating the tide\n\nA level gauge records *two* things.\n"
    assert (folder / "README.md").read_text() == "# level gauges\n"
    await page.get_by_role("button", name="Take the last one back").click()
    await expect(said(page, "2 files are as before.")).to_be_visible()
    assert (folder / "README.md").read_text() == "# Tide gauges\n"
    assert run_git(folder, "status", "--porcelain") == ""
    await page.get_by_role("button", name="Back to files").click()


async def edit_cell(page: Page, folder: Path) -> None:
    await page.get_by_role("treeitem", name="levels.csv").dblclick()
    grid = page.get_by_role("grid", name="Table of levels.csv")
    await expect(grid.get_by_role("gridcell")).to_have_count(6)
    await grid.get_by_role("gridcell", name="calm").dblclick()
    await page.get_by_role("textbox", name="Value").fill('a "fresh" breeze')
    await page.keyboard.press("Enter")
    await expect(grid.get_by_role("gridcell", name='a "fresh" breeze')).to_be_visible()
    await grid.get_by_role("button", name="level, m").click()
    await expect(grid.get_by_role("gridcell").first).to_have_text("Cuxhaven")
    await film_looks(page, "table")
    await expect(page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    assert (folder / "levels.csv").read_bytes() == LEVELS.replace(
        b'"calm"', b'"a ""fresh"" breeze"'
    )


async def stage_and_commit(page: Page, folder: Path) -> None:
    (folder / "new.md").write_text("New.\n")
    await page.get_by_role("button", name="Branch main: show changes").click()
    await expect(page.get_by_role("button", name="new.md, new, not tracked by git")).to_be_visible()
    await page.get_by_role("button", name="levels.csv, modified: show the change").click()
    dialog = page.get_by_role("dialog", name="Changed in levels.csv")
    await expect(dialog).to_contain_text('a ""fresh"" breeze')
    await film_looks(page, "change")
    await dialog.get_by_role("button", name="Stage what changed from line 1").click()
    await expect(dialog).to_contain_text("No line differs here any more.")
    await dialog.get_by_role("button", name="Close").click()
    await expect(page.get_by_role("group", name="Staged", exact=True)).to_be_visible()
    await page.get_by_role("textbox", name="Message of the commit").fill("Say how it was")
    await film_looks(page, "changes")
    await page.get_by_role("button", name="Commit 1 file").click()
    await expect(said(page, "Committed 1 file as")).to_be_visible()
    assert run_git(folder, "log", "-1", "--format=%an: %s").strip() == "Ada: Say how it was"
    assert run_git(folder, "status", "--porcelain") == "?? new.md\n"


async def test_a_text_and_the_folders_are_as_they_were_left(
    open_tab: OpenTab, recto: Served
) -> None:
    lines = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(300))
    (recto.folder / "pipeline" / "long.py").write_text(lines)
    page = await open_tab()
    await page.get_by_role("treeitem", name="pipeline").click()
    await page.get_by_role("treeitem", name="long.py").dblclick()
    text = page.get_by_role("textbox", name="Text of long.py")
    await expect(text).to_have_attribute("aria-readonly", "false")
    await text.press("Control+Home")
    await page.locator(".cm-foldGutter .cm-gutterElement:visible > *").first.click()
    await expect(text.locator(".cm-foldPlaceholder")).to_have_count(1)
    await page.keyboard.press("Control+Alt+g")
    await page.keyboard.type("601")
    await page.keyboard.press("Enter")
    await expect(text.get_by_text("def f200()")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("treeitem", name="long.py")).to_be_visible()
    await expect(text).to_have_attribute("aria-readonly", "false")
    await expect(text.get_by_text("def f200()")).to_be_in_viewport()
    await text.press("Control+Home")
    await expect(text.locator(".cm-foldPlaceholder")).to_have_count(1)


async def test_a_table_of_a_hundred_thousand_rows_draws_what_is_seen(
    open_tab: OpenTab, recto: Served
) -> None:
    rows = "".join(f"{number},{number % 97},x\n" for number in range(ROWS))
    (recto.folder / "large.csv").write_text("n,m,word\n" + rows)
    page = await open_tab()
    await page.get_by_role("treeitem", name="large.csv").dblclick()
    grid = page.get_by_role("grid", name="Table of large.csv")
    await expect(grid).to_have_attribute("aria-rowcount", str(ROWS + 1))
    await grid.get_by_role("gridcell").first.focus()
    await page.keyboard.press("Control+End")
    await expect(grid.get_by_role("rowheader", name=str(ROWS + 1))).to_be_visible()
    assert await grid.get_by_role("row").count() < 100
    await film(page, "table-large")
