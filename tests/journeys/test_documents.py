"""Editing a file in a real browser: two tabs, the disk, going offline, undo."""

import json

import anyio
import pytest
from playwright.async_api import Locator, Page, Route, WebSocketRoute, expect

from tests.journeys.conftest import OpenTab
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

METHODS = "# Separating the tide\n\nA tide gauge records *two* things.\n"


async def open_methods(page: Page) -> Locator:
    """Open the file and wait until it can be edited."""
    await page.get_by_role("treeitem", name="manuscript").click()
    await page.get_by_role("treeitem", name="methods.md").dblclick()
    text = page.get_by_role("textbox", name="Text of methods.md")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


def standing(page: Page) -> Locator:
    return page.locator(".running-head").get_by_role("status")


def disk(recto: Served) -> anyio.Path:
    return anyio.Path(recto.folder / "manuscript" / "methods.md")


async def until_saved(page: Page, recto: Served, content: str) -> None:
    """Wait until the page says that it is saved, and look."""
    await expect(standing(page)).to_have_text("Saved")
    assert await disk(recto).read_text(encoding="utf-8") == content


async def test_two_tabs_show_one_text_that_saves_itself_and_undo_takes_back_only_ones_own(
    open_tab: OpenTab, recto: Served
) -> None:
    one, other = await open_tab(), await open_tab()
    here, there = await open_methods(one), await open_methods(other)
    await here.press("Control+Home")
    await one.keyboard.type("Größe 😀 ")
    await expect(there).to_contain_text("Größe 😀 # Separating the tide")
    await there.press("Control+End")
    await other.keyboard.type("The end.")
    await expect(here).to_contain_text("The end.")
    written = "Größe 😀 " + METHODS + "The end."
    await until_saved(other, recto, written)
    await expect(standing(one)).to_have_text("Saved")

    await here.press("Control+Home")
    # At once: on a machine that is held up, letters become steps of their own.
    await one.keyboard.insert_text("mine ")
    await expect(there).to_contain_text("mine Größe")
    await there.press("Control+End")
    await other.keyboard.type("theirs")
    await expect(here).to_contain_text("theirs")
    await here.press("Control+z")
    await expect(here).not_to_contain_text("mine")
    await expect(there).to_contain_text("theirs")
    await here.press("Control+s")
    await until_saved(one, recto, written + "theirs")
    await here.press("Control+y")
    await until_saved(one, recto, "mine " + written + "theirs")


async def test_the_live_text_is_asked_for_while_the_file_is_still_read(
    open_tab: OpenTab, recto: Served
) -> None:
    await anyio.Path(recto.folder / "notes.md").write_text("Low water at six.\n", encoding="utf-8")
    page = await open_tab()
    asked, may_answer = anyio.Event(), anyio.Event()

    def hear(frame: str | bytes) -> None:
        if isinstance(frame, str) and json.loads(frame).get("path") == "notes.md":
            asked.set()

    async def hold(route: Route) -> None:
        await may_answer.wait()
        await route.continue_()

    page.on("websocket", lambda socket: socket.on("framesent", hear))
    await open_methods(page)
    await page.route("**/file?path=notes.md", hold)
    await page.get_by_role("treeitem", name="notes.md").dblclick()
    with anyio.fail_after(60):
        await asked.wait()
    may_answer.set()
    text = page.get_by_role("textbox", name="Text of notes.md")
    await expect(text).to_have_attribute("aria-readonly", "false")
    await expect(text).to_contain_text("Low water at six.")


async def test_what_is_typed_or_pasted_before_the_text_is_live_is_written_once_it_is(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    held: list[WebSocketRoute] = []
    await page.route_web_socket("**/documents/sync", lambda route: held.append(route))
    await page.get_by_role("treeitem", name="manuscript").click()
    await page.get_by_role("treeitem", name="methods.md").dblclick()
    text = page.get_by_role("textbox", name="Text of methods.md")
    await expect(text).to_have_attribute("aria-readonly", "true")
    for key in ("Control+Home", "Shift+End", "Control+C", "Control+Home"):
        await text.press(key)
    await page.keyboard.type("Draftt")
    for key in ("Backspace", "Enter", "Control+V"):
        await page.keyboard.press(key)
    await expect(text).not_to_contain_text("Draft")
    await page.unroute_all()
    await page.route_web_socket("**/documents/sync", lambda route: route.connect_to_server())
    await held[-1].close()
    await expect(text).to_contain_text("Draft")
    await page.keyboard.type("by hand. ")
    title = METHODS.partition("\n")[0]
    await until_saved(page, recto, f"Draft\n{title}by hand. {METHODS}")


async def test_edits_made_offline_wait_and_merge(open_tab: OpenTab, recto: Served) -> None:
    page = await open_tab()
    cuts: list[WebSocketRoute] = []

    async def pass_through(route: WebSocketRoute) -> None:
        cuts.append(route)
        route.connect_to_server()

    async def refuse(route: WebSocketRoute) -> None:
        await route.close()

    await page.route_web_socket("**/documents/sync", pass_through)
    text = await open_methods(page)
    await page.unroute_all()
    await page.route_web_socket("**/documents/sync", refuse)
    await cuts[-1].close()
    await text.press("Control+Home")
    await page.keyboard.type("ab")
    await expect(standing(page)).to_have_text("Offline, 2 edits waiting")
    await disk(recto).write_text(METHODS + "From outside.\n", encoding="utf-8")
    await page.route_web_socket("**/documents/sync", pass_through)
    await expect(text).to_contain_text("From outside.")
    await until_saved(page, recto, "ab" + METHODS + "From outside.\n")


async def test_a_conflict_shows_both_versions_and_a_deleted_file_is_saved_again(
    open_tab: OpenTab, recto: Served
) -> None:
    # What is typed has a letter that the file's encoding lacks: however slow the machine is, the
    # text is not saved before the file changes.
    await disk(recto).write_text("Marée haute.\n", encoding="latin-1")
    page = await open_tab()
    text = await open_methods(page)
    await text.press("Control+Home")
    await page.keyboard.type("mine → ")
    await expect(standing(page)).to_have_text("Not saved")
    await disk(recto).write_text("theirs: Marée haute.\n", encoding="latin-1")
    await expect(page.get_by_text("Both versions are kept")).to_be_visible()
    await page.get_by_role("button", name="Show the version on disk").click()
    await expect(page.locator(".document-other")).to_contain_text("theirs: Marée haute.")
    await expect(text).to_contain_text("mine → Marée haute.")
    await page.get_by_role("button", name="Take the one on disk").click()
    await expect(text).to_contain_text("theirs: Marée haute.")
    await expect(page.get_by_text("Both versions are kept")).to_have_count(0)
    await expect(standing(page)).to_have_text("Saved")
    assert await disk(recto).read_text(encoding="latin-1") == "theirs: Marée haute.\n"

    await disk(recto).unlink()
    await page.get_by_role("button", name="Save it again").click()
    await expect(page.get_by_text("was deleted")).to_have_count(0)
    await expect(standing(page)).to_have_text("Saved")
    assert await disk(recto).read_text(encoding="latin-1") == "theirs: Marée haute.\n"
