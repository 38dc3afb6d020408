"""Writing in a notebook with everything that texts have: suggestions, threads, finding, authors."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from recto.notebooks import parse
from tests.fakes.providers import AnthropicServer, Fault, Gate, Script, UseTool, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.ghost_page import Answers, answer_by, save_preferences, two_plusses
from tests.journeys.looks import DARK, LIGHT, OVERLAY, film_in
from tests.journeys.test_chat import conversation, message, send
from tests.journeys.test_notebooks import cell, code, open_notebook, text, write_notebook
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

FIT = "amp = fit(h, names)\nprint(amp)"


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    write_notebook(
        folder / "fit.ipynb",
        text("head", "## Residuals\n\nOne year is fitted at each gauge."),
        code("load", "names = ['M2', 'S2']\nh = read('brest')"),
        code("fit", FIT),
        code("plot", "plot(amp)"),
    )
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def write_at_end(page: Page, name: str) -> Locator:
    """Put the cursor at the end of a cell's words."""
    place = cell(page, name).locator(".cm-content")
    await place.click()
    await page.keyboard.press("Control+End")
    return place


async def test_a_suggestion_goes_on_from_the_cells_around_in_code_and_in_text(
    recto: Served, open_tab: OpenTab
) -> None:
    page, answers = await open_tab(), Answers()
    await save_preferences(recto, {"suggestHideSeconds": 0})
    await answer_by(page, answers)
    await open_notebook(page, "fit.ipynb")
    place = await write_at_end(page, "fit")
    await page.keyboard.press("Enter")
    answers.texts = ["for name in names:\n    print(name, amp[name])", "print(len(amp))"]
    await two_plusses(page)
    ghost = page.locator(".ghost-text")
    await expect(ghost).to_contain_text("for name in names:")
    await expect(ghost).to_be_in_viewport(ratio=1)
    await film_in(page, "notebook-suggestion", DARK, OVERLAY, LIGHT)
    asked = answers.asked[-1]
    assert (asked["path"], asked["language"]) == ("fit.ipynb", "Python")
    assert "# One year is fitted" in asked["prefix"]
    assert asked["prefix"].endswith(f"h = read('brest')\n\n{FIT}\n")
    assert asked["suffix"] == "\n\nplot(amp)"
    await page.keyboard.press("Tab")
    await expect(place).to_contain_text("print(name, amp[name])")
    assert [outcome["outcome"] for outcome in answers.outcomes] == ["accepted"]

    await cell(page, "head").dblclick()
    await page.keyboard.press("Control+End")
    answers.texts = [" The storms stay."]
    await page.keyboard.press("Alt+\\")
    await expect(ghost).to_have_text(" The storms stay.")
    assert "```\nnames = ['M2', 'S2']" in answers.asked[-1]["suffix"]
    await page.keyboard.press("Tab")
    await page.keyboard.press("Escape")
    await expect(cell(page, "head")).to_contain_text("each gauge. The storms stay.")


def bar(page: Page) -> Locator:
    return page.get_by_role("search", name="Find in the document")


async def test_words_are_found_and_replaced_in_all_cells(recto: Served, open_tab: OpenTab) -> None:
    page = await open_tab()
    await open_notebook(page, "fit.ipynb")
    await write_at_end(page, "load")
    await page.keyboard.press("Control+f")
    await page.keyboard.type("amp")
    await expect(bar(page).locator(".find-count")).to_have_text("3")
    for count in (1, 2, 3):
        await page.keyboard.press("Enter")
        await expect(bar(page).locator(".find-count")).to_have_text(f"{count} of 3")
    chosen = cell(page, "plot").locator(".cm-searchMatch-selected")
    await expect(chosen).to_have_text("amp")
    await film_in(page, "notebook-find", DARK, OVERLAY, LIGHT)
    await bar(page).get_by_label("Replace with").fill("level")
    await bar(page).get_by_role("button", name="Replace", exact=True).click()
    await expect(cell(page, "plot")).to_contain_text("plot(level)")
    await bar(page).get_by_role("button", name="Replace all").click()
    await expect(cell(page, "fit")).to_contain_text("print(level)")
    await page.keyboard.press("Escape")
    await expect(bar(page)).to_have_count(0)

    await page.keyboard.press("Control+Shift+f")
    await page.get_by_label("Text to search for").fill("read('brest')")
    await page.locator(".search-row").click()
    await expect(cell(page, "load").locator(".cm-content")).to_be_focused()


async def test_a_thread_on_words_of_a_cell_is_answered_stays_with_them_and_is_resolved(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await open_notebook(page, "fit.ipynb")
    await write_at_end(page, "plot")
    await page.keyboard.press("Shift+Home")
    tools = page.get_by_role("toolbar", name="Selection")
    await expect(tools).to_be_visible()
    await film_in(page, "notebook-selection", DARK, OVERLAY, LIGHT)
    await tools.get_by_role("button", name="Thread", exact=True).click()
    panel = page.locator("#threads-panel")
    await expect(panel.locator("blockquote")).to_have_text("plot(amp)")
    upstream.answer(says("It draws the amplitudes."))
    await expect(message(page)).to_be_focused()
    await send(page, "What does it draw?")
    await expect(conversation(page)).to_contain_text("It draws the amplitudes.")
    dot = cell(page, "plot").get_by_role("button", name="Thread on “plot(amp)”")
    await expect(dot).to_be_visible()
    await film_in(page, "notebook-thread", DARK, OVERLAY, LIGHT)

    await write_at_end(page, "plot")
    await page.keyboard.press("Home")
    await page.keyboard.type("axes = ")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+Shift+ArrowUp")
    await expect(page.locator(".cell").nth(2)).to_contain_text("axes = plot(amp)")
    await expect(page.locator(".cell").nth(2).locator(".thread-mark")).to_have_text("plot(amp)")
    await expect(page.get_by_text("Saved")).to_be_visible()
    await page.reload()
    await expect(cell(page, "plot").locator(".thread-mark")).to_have_text("plot(amp)")
    await dot.click()
    await expect(message(page)).to_be_focused()
    await page.keyboard.press("Control+Shift+Enter")
    await expect(dot).to_have_count(0)


async def test_who_wrote_what_is_shown_in_cells_and_a_selection_is_transformed(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await open_notebook(page, "fit.ipynb")
    await write_at_end(page, "plot")
    await page.keyboard.press("Shift+Home")
    change = {"find": "plot(amp)", "replace": "plot(amp, names)"}
    upstream.answer(calls("edit_document", change))
    upstream.answer(says("It is done."))
    upstream.answer(says("A title"))
    await page.get_by_role("button", name="Improve").click()
    place = cell(page, "plot")
    await expect(place).to_contain_text("plot(amp, names)")
    await place.get_by_role("button", name="Accept").first.click()
    await page.get_by_role("button", name="More for this file").click()
    await page.get_by_role("menuitem", name="Show who wrote what").click()
    await expect(page.get_by_role("group", name="Who wrote what")).to_contain_text("Claude")
    written = place.locator(".author-ai").first
    await expect(written).to_be_visible()
    await written.hover()
    await expect(page.locator(".author-card")).to_contain_text("Claude")
    await film_in(page, "notebook-authors", DARK, OVERLAY, LIGHT)


async def test_several_cells_are_selected_moved_taken_away_and_brought_back_by_keys(
    open_tab: OpenTab,
) -> None:
    page = await open_tab()
    await open_notebook(page, "fit.ipynb")
    await write_at_end(page, "load")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Shift+ArrowDown")
    await expect(page.locator(".cell[data-chosen]")).to_have_count(2)
    await film_in(page, "notebook-several", DARK, LIGHT)
    await page.keyboard.press("Control+Shift+ArrowDown")
    cells = page.locator(".cell")
    await expect(cells.nth(1)).to_contain_text("plot(amp)")
    await page.keyboard.press("x")
    await expect(cells).to_have_count(2)
    await page.keyboard.press("v")
    await expect(cells).to_have_count(4)
    await page.keyboard.press("Shift+M")
    await expect(cells).to_have_count(3)
    await expect(cells.nth(2)).to_contain_text("print(amp)")
    await page.keyboard.press("z")
    await page.keyboard.press("z")
    await page.keyboard.press("z")
    await expect(cells).to_have_count(4)
    await expect(cells.nth(1)).to_contain_text("plot(amp)")
    await page.keyboard.press("h")
    await expect(page.get_by_role("region", name="Keys of the notebook")).to_be_visible()
    await film_in(page, "notebook-keys", DARK, OVERLAY, LIGHT)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("region", name="Keys of the notebook")).to_have_count(0)
    await page.keyboard.press("2")
    await expect(page.get_by_role("heading", level=2)).not_to_have_count(0)


async def test_a_cell_is_seen_while_the_ai_writes_it_and_reviewed_in_its_place(
    recto: Served, open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page, other = await open_tab(), await open_tab()
    for tab in (page, other):
        await open_notebook(tab, "fit.ipynb")
    data = await anyio.Path(recto.folder, "fit.ipynb").read_bytes()
    source = "".join(f"step_{number} = {number}\n" for number in range(60))
    edit = {"path": "fit.ipynb", "cell": "fit", "version": parse(data).cell("fit").version}
    words = json.dumps({**edit, "source": source})
    pieces = tuple(words[at : at + 20] for at in range(0, len(words), 20))
    gate = Gate()
    held = Fault(drip=True, gate=gate)
    upstream.script(Script((UseTool("edit_cell", pieces),), fault=held))
    upstream.answer(says("It is written."))
    upstream.answer(says("A title"))
    gate.step(len(pieces) - 10)
    await send(page, "Write the fit anew.")
    # Who only looks on sees it, too.
    place = cell(other, "fit")
    draft = place.get_by_role("group", name="What the AI is writing here")
    await expect(draft).to_contain_text("step_5 = 5")
    await expect(place.locator(".cm-content")).to_contain_text("amp = fit")
    await expect(place.locator(".cm-content")).not_to_contain_text("step_5")
    await film_in(other, "notebook-draft", DARK, OVERLAY, LIGHT)
    gate.open()
    await expect(draft).to_have_count(0)
    await expect(place.locator(".cm-content")).to_contain_text("step_59 = 59")
    await place.get_by_role("button", name="Reject").first.click()
    await expect(place.locator(".cm-content")).to_contain_text("amp = fit")
