"""The Chats tab as a person meets it: folders, dragging, keys, search, and every other tab."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from recto.config import Home, Secret, save_keys
from tests.chats.foreign import CHATGPT, packed, zipped
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.journeys.chats_page import (
    LOUD,
    Shelf,
    choose,
    drag,
    expect_outline,
    lay_shelf,
    row,
    show_chats,
    tree,
)
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film, film_schemes
from tests.journeys.ghost_page import type_letters
from tests.journeys.test_chat import conversation, send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

BEGINNING = (
    "Methods",
    "  Tide tables",
    "    Which constituents",
    "  Harmonic analysis",
    "Field work",
    "A long one",
    "Gauge at the pier",
    "Storm list",
)


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    (folder / "methods.md").write_text("# Methods\n\nNinety days.\n", encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


@pytest.fixture
async def shelf(recto: Served) -> Shelf:
    async with recto.script() as script:
        return await lay_shelf(script)


async def test_the_tab_looks_right_and_has_no_barriers(open_tab: OpenTab, shelf: Shelf) -> None:
    page = await open_tab()
    await film_tab(page, "wide", film_schemes)
    await page.get_by_role("textbox", name="Search in all chats").fill("")
    await page.set_viewport_size({"width": 900, "height": 900})
    await expect(page.get_by_role("button", name="Show files")).to_be_visible()
    await film_tab(page, "narrow", film)


async def film_tab(page: Page, look: str, film: Callable[[Page, str], Awaitable[None]]) -> None:
    """Everything that the tab shows, in a window of one width."""
    await show_chats(page)
    await expect_outline(page, BEGINNING)
    await row(page, "Storm list").hover()
    await film(page, f"chats-{look}-1-folders")
    await row(page, "Methods").click(button="right")
    await expect(page.get_by_role("menuitem", name="Colour and defaults…")).to_be_visible()
    await film(page, f"chats-{look}-2-menu")
    await page.get_by_role("menuitem", name="Colour and defaults…").click()
    await expect(page.get_by_role("dialog", name="Folder “Methods”")).to_be_visible()
    await film(page, f"chats-{look}-3-defaults")
    await page.keyboard.press("Escape")
    await choose(page, "Storm list", "Move to…")
    await expect(page.get_by_role("dialog", name="Move “Storm list”")).to_be_visible()
    await film(page, f"chats-{look}-4-move")
    await page.keyboard.press("Escape")
    await row(page, "Gauge at the pier").press("F2")
    await expect(page.get_by_role("textbox", name="Title of the chat")).to_be_focused()
    await film(page, f"chats-{look}-5-rename")
    await page.keyboard.press("Escape")
    await row(page, "Storm list").press("Delete")
    await expect(page.get_by_role("button", name="Delete", exact=True)).to_be_visible()
    await film(page, f"chats-{look}-6-delete")
    await page.keyboard.press("Escape")
    await page.get_by_role("textbox", name="Search in all chats").fill("tide")
    await expect(page.get_by_role("list", name="Places in chats")).to_contain_text("Storm list")
    await film(page, f"chats-{look}-7-search")


async def test_chats_and_folders_are_dragged_to_their_places(
    open_tab: OpenTab, shelf: Shelf
) -> None:
    page = await open_tab()
    await show_chats(page)
    await drag(page, "Storm list", "Field work")
    await expect(row(page, "Field work")).to_have_attribute("aria-label", "Field work, 1 chat")
    await drag(page, "Field work", "Methods", at=0.1)
    await expect(row(page, "Field work")).to_have_attribute("aria-posinset", "1")
    await drag(page, "Tide tables", "Field work")
    await expect(row(page, "Tide tables")).to_have_attribute("aria-posinset", "1")
    await expect(row(page, "Field work")).to_have_attribute("aria-label", "Field work, 2 chats")
    await drag(page, "Harmonic analysis", "A long one")
    wanted = [
        "Field work",
        "  Tide tables",
        "    Which constituents",
        "  Storm list",
        "Methods",
        "A long one",
        "Gauge at the pier",
        "Harmonic analysis",
    ]
    await expect_outline(page, wanted)
    # A folder does not go into what lies in it.
    await drag(page, "Field work", "Tide tables")
    await expect_outline(page, wanted)
    await page.reload()
    await show_chats(page)
    await expect_outline(page, wanted)


async def test_everything_works_without_a_mouse(open_tab: OpenTab, shelf: Shelf) -> None:
    page = await open_tab()
    await show_chats(page)
    await page.get_by_role("button", name="New folder").focus()
    await page.keyboard.press("Enter")
    await expect(tree(page).get_by_role("textbox")).to_be_focused()
    await page.keyboard.type("Calibration")
    await page.keyboard.press("Enter")
    await expect(row(page, "Calibration")).to_be_focused()
    await page.keyboard.press("Alt+ArrowUp")
    await page.keyboard.press("Alt+ArrowUp")
    await expect(row(page, "Calibration")).to_have_attribute("aria-posinset", "1")
    await expect(row(page, "Calibration")).to_be_focused()
    await type_letters(page, "sto")
    await expect(row(page, "Storm list")).to_be_focused()
    await page.keyboard.press("Shift+F10")
    await page.get_by_role("menuitem", name="Move to…").press("Enter")
    await expect(page.get_by_role("combobox", name="Where to")).to_be_focused()
    await page.keyboard.type("calib")
    await expect(page.get_by_role("option", selected=True)).to_contain_text("Calibration")
    await page.keyboard.press("Enter")
    await expect(row(page, "Storm list")).to_have_attribute("aria-level", "2")
    await expect(row(page, "Storm list")).to_be_focused()
    await page.keyboard.press("ArrowLeft")
    await expect(row(page, "Calibration")).to_be_focused()
    await page.keyboard.press("Delete")
    # What offers the undo goes after a while, unless the pointer is on it.
    undo = page.get_by_role("button", name="Undo")
    await undo.hover()
    await expect(row(page, "Calibration")).to_have_count(0)
    await expect(row(page, "Storm list")).to_have_attribute("aria-level", "1")
    await undo.press("Enter")
    await expect(row(page, "Storm list")).to_have_attribute("aria-level", "2")


async def rename(page: Page, name: str, title: str) -> None:
    """Begin to rename a chat; Enter or Escape is for the test."""
    await row(page, name).press("F2")
    await expect(page.get_by_role("textbox", name="Title of the chat")).to_be_focused()
    await page.keyboard.type(title)


async def test_what_one_tab_does_shows_in_another_whose_clock_stands_still(
    open_tab: OpenTab, shelf: Shelf
) -> None:
    """No timer lies between a change and its showing: it shows with all timers stopped."""
    watching = await open_tab()
    await watching.clock.install()
    await show_chats(watching)
    await watching.clock.pause_at("2100-01-01")
    page = await open_tab()
    await show_chats(page)

    await drag(page, "Storm list", "Field work")
    await expect(row(watching, "Storm list")).to_have_attribute("aria-level", "2")
    await rename(page, "Storm list", "Surges")
    await page.keyboard.press("Enter")
    await expect(row(watching, "Surges")).to_be_visible()
    await row(page, "Field work").press("Alt+ArrowUp")
    await expect(row(watching, "Field work")).to_have_attribute("aria-posinset", "1")
    await row(page, "Field work").press("Delete")
    await expect(row(watching, "Field work")).to_have_count(0)
    await expect(row(watching, "Surges")).to_have_attribute("aria-level", "1")
    await row(page, "Surges").press("Delete")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(row(watching, "Surges")).to_have_count(0)


async def test_a_tab_that_heard_nothing_is_told_and_not_obeyed(
    open_tab: OpenTab, shelf: Shelf
) -> None:
    stale, page = await open_tab(), await open_tab()
    for item in (stale, page):
        await show_chats(item)
    await stale.route_web_socket("**/api/v1/events**", lambda socket: socket.close())
    await stale.evaluate("window.dispatchEvent(new Event('offline'))")
    await stale.reload()
    await show_chats(stale)
    await rename(stale, "Storm list", "Mine")

    await rename(page, "Storm list", "Theirs")
    await page.keyboard.press("Enter")
    await expect(row(page, "Theirs")).to_be_visible()
    await drag(page, "Gauge at the pier", "Field work")
    await expect(row(page, "Gauge at the pier")).to_have_attribute("aria-level", "2")

    await stale.keyboard.press("Enter")
    told = tree(stale).get_by_role("alert")
    await expect(told).to_contain_text("This chat is called “Theirs” now")
    await expect(stale.get_by_role("textbox", name="Title of the chat")).to_have_value("Mine")
    await stale.keyboard.press("Escape")
    await expect(row(stale, "Theirs")).to_be_visible()
    await drag(stale, "Gauge at the pier", "Methods")
    await expect(stale.get_by_text("This chat was moved elsewhere meanwhile.")).to_be_visible()
    await expect(row(page, "Gauge at the pier")).to_have_attribute("aria-level", "2")
    await expect(row(page, "Theirs")).to_be_visible()


async def test_a_place_that_was_found_shows_in_the_middle_of_a_long_chat(
    open_tab: OpenTab, shelf: Shelf
) -> None:
    page = await open_tab()
    await show_chats(page)
    await page.get_by_role("textbox", name="Search in all chats").fill("barometer")
    hit = page.get_by_role("list", name="Places in chats").get_by_role("button")
    await hit.click()
    place = conversation(page).get_by_text(LOUD)
    await expect(place).to_be_in_viewport()
    marked = "() => [...CSS.highlights.get('recto-found')].map(range => range.toString())"
    # The mark is made once the messages before the place are there.
    await page.wait_for_function("() => CSS.highlights.has('recto-found')")
    assert await page.evaluate(marked) == ["barometer"]
    await film(page, "chats-8-place")
    # Somewhere else in the same chat, without opening it anew.
    await page.get_by_role("textbox", name="Search in all chats").fill("89")
    await hit.filter(has_text="Reading 89").click()
    await expect(conversation(page).get_by_text("Reading 89 of").first).to_be_in_viewport()
    await expect(place).not_to_be_in_viewport()


async def test_pins_and_running_chats_show_in_every_tab(
    open_tab: OpenTab, shelf: Shelf, upstream: AnthropicServer
) -> None:
    page, other = await open_tab(), await open_tab()
    for item in (page, other):
        await show_chats(item)
        await row(item, "Storm list").click()
        await expect(conversation(item)).to_contain_text("About storm list")
    await conversation(page).get_by_text("About storm list").hover()
    await conversation(page).get_by_role("button", name="Pin", exact=False).first.click()
    await expect(conversation(other).get_by_text("Pinned")).to_be_visible()

    gate = Gate()
    upstream.answer(says("It ", "rises."), fault=Fault(drip=True, gate=gate))
    upstream.answer(says("Storms"))
    await send(page, "And now?")
    await expect(row(other, "Storm list")).to_have_attribute("aria-label", "Storm list, running")
    gate.open()
    await expect(conversation(other)).to_contain_text("It rises.")
    await expect(row(other, "Storm list")).not_to_have_attribute(
        "aria-label", "Storm list, running"
    )


async def test_a_chat_goes_to_another_project_and_into_every_project(
    open_tab: OpenTab, shelf: Shelf, recto: Served, tmp_path: Path
) -> None:
    (tmp_path / "storm-list").mkdir()
    async with recto.script() as script:
        body = {"path": str(tmp_path / "storm-list")}
        answer = await script.post("/api/v1/projects", json=body)
        assert answer.status_code == 201, answer.text
    page = await open_tab()
    await show_chats(page)
    await choose(page, "Storm list", "Move to…")
    await page.get_by_role("combobox", name="Where to").fill("storm")
    await page.get_by_role("option", name="storm-list").click()
    await expect(row(page, "Storm list")).to_have_count(0)
    await choose(page, "Gauge at the pier", "Show in every project")
    await expect(row(page, "Gauge at the pier").locator(".lucide-globe")).to_be_visible()
    await switch_project(page, "storm-list")
    await show_chats(page, first="Storm list")
    await expect_outline(page, ["Gauge at the pier", "Storm list"])


async def switch_project(page: Page, name: str) -> None:
    await page.get_by_role("button", name="Project tide-gauges, switch").click()
    await page.get_by_role("option", name=name).click()
    await expect(page.get_by_role("button", name=f"Project {name}, switch")).to_be_visible()


async def test_a_zip_archive_is_imported_as_it_was_downloaded(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await page.get_by_role("button", name="Earlier chats").first.click()
    archive = zipped(conversations=packed(CHATGPT))
    await page.get_by_label("Import…").set_input_files(
        {"name": "export.zip", "mimeType": "application/zip", "buffer": archive}
    )
    await expect(page.locator(".toast", has_text="imported.")).to_be_visible()
    await expect(page.get_by_role("button", name="Plot of the data").first).to_be_visible()
