"""A log of twenty megabytes can be read, and a PDF is one, whatever its bytes are."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
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


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 900)])
async def test_a_large_log_is_read_part_by_part(
    open_tab: OpenTab, recto: Served, scheme: Literal["light", "dark"], width: int
) -> None:
    page = await open_tab(width=width, color_scheme=scheme)
    if width == 900:
        await page.get_by_role("button", name="Show files").click()
    await page.get_by_role("treeitem", name="gauge.log").click()
    text = page.get_by_role("textbox", name="Text of gauge.log")
    await expect(text).to_contain_text("gauge 000001 level")
    await expect(text).to_have_attribute("aria-readonly", "true")
    await expect(bar(page)).to_contain_text("read-only: Recto edits texts up to 10 MB")
    await expect(bar(page)).to_contain_text("Lines 1 to")
    await film(page, f"large-log-{scheme}-{width}")
    await text.click()
    await page.keyboard.type("nothing")
    await expect(text).to_contain_text("gauge 000001 level")
    await bar(page).get_by_role("button", name="Last").click()
    await expect(bar(page)).to_contain_text("to 300,000, part 24 of 24")
    await text.click()
    await page.keyboard.press("Control+End")
    await expect(text).to_contain_text("gauge 300000 level")
    with (recto.folder / "gauge.log").open("a", encoding="utf-8") as log:
        log.write("The station is off.\n")
    await expect(bar(page)).to_contain_text("to 300,001, part 24 of 24")
    await expect(text).to_contain_text("The station is off.")


async def test_a_hit_of_the_search_opens_the_part_that_it_is_in(open_tab: OpenTab) -> None:
    page = await open_tab()
    await expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    await page.keyboard.press("Control+Shift+f")
    await page.keyboard.type("gauge 234567 level")
    await page.get_by_role("button", name="Line 234567: gauge 234567").click()
    text = page.get_by_role("textbox", name="Text of many-lines.log")
    await expect(text).to_contain_text("gauge 234567 level")
    await expect(page.locator(".cm-lineNumbers")).to_contain_text("234567")


async def test_a_pdf_made_of_letters_is_shown_as_a_pdf(open_tab: OpenTab) -> None:
    page = await open_tab()
    await page.get_by_role("treeitem", name="letters.pdf").click()
    await expect(page.get_by_role("link", name="Open in a new tab")).to_be_visible()
    await expect(page.get_by_role("textbox", name="Text of letters.pdf")).to_have_count(0)
