"""PDFs in the page: read, searched and asked about; nothing in them acts by itself."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.pdf_files import locked, pdf
from tests.served import Served, served

INKED = """canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  .data.some((value, at) => at % 4 < 3 && value < 64)"""
pytestmark = pytest.mark.anyio


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    folder = tmp_path / "papers"
    folder.mkdir()
    paper = pdf(1000, acting=True, words={900: "A needle in it."})
    (folder / "paper.pdf").write_bytes(paper)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n\x00" + bytes(range(256)) * 8)
    (folder / "locked.pdf").write_bytes(locked(pdf(1)))
    async with served(tmp_path / "home", folder) as running:
        yield running


def page_of(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Page {number}", exact=True)


async def test_a_pdf_is_read_and_asked_about_and_nothing_in_it_acts(open_tab: OpenTab) -> None:
    """Requests elsewhere and script errors fail every journey."""
    page = await open_tab()
    acted: list[str] = []
    page.on("dialog", lambda dialog: acted.append(dialog.message))
    page.on("popup", lambda popup: acted.append(popup.url))
    page.on("download", lambda download: acted.append(download.url))
    address = page.url.split("/?")[0]
    await page.get_by_role("treeitem", name="paper.pdf").click()
    await expect(page_of(page, 1)).to_contain_text("Tides of page 1.")
    await see_only_links_that_lead_somewhere(page)
    await ask_about_it(page)
    await read_the_rest(page)
    for name, why in (("broken", "damaged or incomplete"), ("locked", "only with its password")):
        await page.get_by_role("treeitem", name=f"{name}.pdf").click()
        await expect(page.get_by_text(f"{name}.pdf is not shown.")).to_be_visible()
        await expect(page.get_by_text(why)).to_be_visible()
    assert (acted, page.url.startswith(address)) == ([], True)


async def see_only_links_that_lead_somewhere(page: Page) -> None:
    """A link to the web says where it leads; what would run or launch something is no link."""
    links = page_of(page, 1).locator(".pdf-link")
    await expect(links).to_have_count(3)
    await expect(links.first).to_have_attribute("href", "https://evil.example/clicked")
    await expect(links.first).to_have_attribute("rel", "noopener noreferrer")
    await links.first.hover()
    await expect(page.locator(".pdf-lead")).to_have_text("https://evil.example/clicked")
    other = "https://evil.example/other.pdf#"
    assert (await links.nth(1).get_attribute("href") or "").startswith(other)
    await links.nth(2).click()
    await expect(page.get_by_role("spinbutton", name="Page")).to_have_value("3")
    await page.get_by_role("group", name="Pages of paper.pdf").press("Home")
    await expect(page.get_by_role("spinbutton", name="Page")).to_have_value("1")


async def ask_about_it(page: Page) -> None:
    """The selected words go into the message."""
    await page_of(page, 1).get_by_text("Tides of page 1.").select_text()
    await page.get_by_role("toolbar", name="Selection").get_by_role("button", name="Ask").click()
    await expect(page.get_by_text("paper.pdf, a passage")).to_be_visible()
    await expect(page.locator(".chip[title='Tides of page 1.']")).to_have_count(1)
    assert await page_of(page, 1).locator("canvas").evaluate(INKED)


async def read_the_rest(page: Page) -> None:
    """Any page, by its number, keys and words; those out of sight are not in the page."""
    stage = page.get_by_role("group", name="Pages of paper.pdf")
    number = page.get_by_role("spinbutton", name="Page")
    await number.fill("700")
    await number.press("Enter")
    await expect(page_of(page, 700)).to_contain_text("Tides of page 700.")
    await expect(page_of(page, 300)).to_have_count(0)
    await stage.focus()
    await stage.press("ArrowRight")
    await expect(number).to_have_value("701")
    await stage.press("Control+j")
    await page.get_by_role("combobox", name="a page such as").fill(":699")
    await page.get_by_role("option", name="Page 699").click()
    await expect(number).to_have_value("699")
    await number.fill("701")
    await number.press("Enter")
    for key, scale in (("1", "100 %"), ("+", "140 %"), ("-", "100 %")):
        await stage.press(key)
        await expect(page.locator(".picture-scale")).to_have_text(scale)
    await expect(number).to_have_value("701")
    await page.keyboard.press("Control+f")
    await page.get_by_role("textbox", name="Find").fill("A NEEDLE  in")
    await expect(page.get_by_role("search").get_by_role("status")).to_have_text("1 of 1")
    await expect(page_of(page, 900)).to_contain_text("A needle in it.")
    await expect(number).to_have_value("900")
    await page.wait_for_function("CSS.highlights.get('recto-pdf-now')?.size === 1")
    assert await page.locator(".pdf-page").count() < 10
    await page.keyboard.press("Escape")
    await expect(stage).to_be_focused()
