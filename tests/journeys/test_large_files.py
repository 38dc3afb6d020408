"""A log of twenty megabytes can be read, and a PDF is one, whatever its bytes are."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, film_in, put_on
from tests.journeys.test_editor_tools import PAPER
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

LINE = "2026-11-17T21:00:00Z gauge {:06} level 1.2 m, sent by the station at the pier\n"
LINES = 300_000


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    folder = tmp_path / "tide-gauges"
    folder.mkdir()
    lines = "".join(LINE.format(number) for number in range(1, LINES + 1))
    (folder / "gauge.log").write_text(lines, encoding="utf-8")
    short = "".join(f"gauge {number:06} level 1.2\n" for number in range(1, 250_001))
    (folder / "many-lines.log").write_text(short, encoding="utf-8")
    (folder / "letters.pdf").write_bytes(PAPER.replace(b"\x00", b""))
    async with served(tmp_path / "home", folder) as running:
        yield running


def bar(page: Page) -> Locator:
    return page.get_by_role("group", name="Large file")


async def test_what_is_too_large_to_edit_is_read_part_by_part(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await page.get_by_role("treeitem", name="gauge.log").click()
    text = page.get_by_role("textbox", name="Text of gauge.log")
    await expect(text).to_contain_text("gauge 000001 level")
    await expect(text).to_have_attribute("aria-readonly", "true")
    await expect(bar(page)).to_contain_text("read-only: Recto edits texts up to 10 MB")
    await expect(bar(page)).to_contain_text("Lines 1 to")
    await film_in(page, "large-log", DARK, OVERLAY, LIGHT)
    await text.click()
    await page.keyboard.type("nothing")
    await expect(text).not_to_contain_text("nothing")
    await bar(page).get_by_role("button", name="Last").click()
    await expect(bar(page)).to_contain_text("to 300,000, part 24 of 24")
    await text.click()
    await page.keyboard.press("Control+End")
    await expect(text).to_contain_text("gauge 300000 level")
    with (recto.folder / "gauge.log").open("a", encoding="utf-8") as log:
        log.write("The station is off.\n")
    await expect(bar(page)).to_contain_text("to 300,001, part 24 of 24")
    await expect(text).to_contain_text("The station is off.")

    await find_a_hit(page)

    await put_on(page, OVERLAY)
    await page.get_by_role("button", name="Show files").click()
    await page.get_by_role("tab", name="Files").click()
    await page.get_by_role("treeitem", name="letters.pdf").click()
    await expect(page.get_by_role("link", name="Save a copy")).to_be_visible()
    await expect(page.get_by_role("textbox", name="Text of letters.pdf")).to_have_count(0)


async def find_a_hit(page: Page) -> None:
    """A hit of the search opens the part that it is in."""
    await page.keyboard.press("Control+Shift+f")
    await page.get_by_role("textbox", name="Text to search for").fill("gauge 234567 level")
    await page.get_by_role("button", name="Line 234567: gauge 234567").click()
    text = page.get_by_role("textbox", name="Text of many-lines.log")
    await expect(text).to_contain_text("gauge 234567 level")
    await expect(page.locator(".cm-lineNumbers")).to_contain_text("234567")
