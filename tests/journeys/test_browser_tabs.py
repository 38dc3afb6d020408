"""Tabs of one browser: each has its own chat, files and draft, and no draft is lost."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.chats_page import lay_shelf, row, show_chats
from tests.journeys.conftest import OpenTab
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def title(page: Page) -> Locator:
    return page.locator(".recto-running h2")


async def open_chat(page: Page, name: str) -> None:
    await show_chats(page)
    await row(page, name).click()
    await expect(title(page)).to_have_text(name)


async def open_file(page: Page, name: str) -> None:
    await page.get_by_role("tab", name="Files", exact=True).click()
    await page.get_by_role("treeitem", name=name).click()
    await expect(file_tab(page, name)).to_be_visible()


def file_tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tablist", name="Open files").get_by_role("tab", name=name)


async def another_tab(page: Page) -> Page:
    """A new tab of the same browser: it shares what the browser remembers, nothing else."""
    other = await page.context.new_page()
    await other.goto(page.url)
    await expect(message(other)).to_be_visible()
    return other


async def duplicate(page: Page) -> Page:
    """A copy of a tab, as the browser makes it: with all that the tab remembers."""
    async with page.context.expect_page() as opened:
        await page.evaluate("window.open(location.href)")
    copy = await opened.value
    await expect(message(copy)).to_be_visible()
    return copy


async def test_a_reload_shows_the_chat_the_files_and_the_draft_of_that_tab(
    open_tab: OpenTab, recto: Served
) -> None:
    async with recto.script() as script:
        await lay_shelf(script)
    first = await open_tab()
    await open_chat(first, "Storm list")
    await open_file(first, "README.md")
    await message(first).fill("Mine")
    second = await another_tab(first)
    await expect(title(second)).to_have_text("Storm list")
    await expect(message(second)).to_have_value("")
    await message(second).fill("Yours")
    await open_chat(second, "Gauge at the pier")
    await message(second).fill("About the pier")
    await file_tab(second, "README.md").click(button="middle")

    await first.reload()
    await second.reload()

    await expect(title(first)).to_have_text("Storm list")
    await expect(message(first)).to_have_value("Mine")
    await expect(file_tab(first, "README.md")).to_be_visible()
    await expect(title(second)).to_have_text("Gauge at the pier")
    await expect(message(second)).to_have_value("About the pier")
    await expect(file_tab(second, "README.md")).to_have_count(0)
    await open_chat(second, "Storm list")
    await expect(message(second)).to_have_value("Yours")


async def test_a_copy_of_a_tab_has_a_draft_of_its_own(open_tab: OpenTab) -> None:
    first = await open_tab()
    await message(first).fill("Mine")
    copy = await duplicate(first)
    await expect(message(copy)).to_have_value("")
    await message(copy).fill("Of the copy")
    await first.reload()
    await copy.reload()
    await expect(message(first)).to_have_value("Mine")
    await expect(message(copy)).to_have_value("Of the copy")
    await message(copy).fill("")
    await first.reload()
    await expect(message(first)).to_have_value("Mine")


async def test_the_drafts_of_closed_tabs_are_found_again(open_tab: OpenTab) -> None:
    first = await open_tab()
    second = await another_tab(first)
    third = await another_tab(first)
    clock = first.context.clock
    for tab, words, second_of_the_day in ((second, "Earlier words", 1), (third, "Later words", 2)):
        await clock.set_fixed_time(second_of_the_day * 1000)
        await message(tab).fill(words)
        await tab.close()
    # Long enough after that these tabs are not loading again.
    await clock.set_fixed_time(60_000)
    await first.reload()
    await expect(message(first)).to_have_value("Later words")
    left = first.get_by_role("note", name="Unsent message")
    await expect(left).to_contain_text("“Earlier words”")
    await left.get_by_role("button", name="Add it").click()
    await expect(message(first)).to_have_value("Later words\n\nEarlier words")
    await expect(left).to_have_count(0)
    await first.reload()
    await expect(message(first)).to_have_value("Later words\n\nEarlier words")
