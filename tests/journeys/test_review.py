"""Reviewing in a real browser what a scripted model wrote: by hunk, by keys, after a reload."""

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.journeys.looks import DARK, LIGHT, OVERLAY, film_in, put_on
from tests.journeys.test_chat import answer, conversation, message, send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

SAMPLE = Path(__file__).parents[2] / "sample" / "tide-gauges"
METHODS, RESULTS = "manuscript/methods.md", "manuscript/results.md"
CODE = "pipeline/harmonics.py"
OLD = "ninety days of hourly levels, which is long enough to separate all of the constituents"
NEW = "369 days of hourly levels. Ninety would not do: S₂ and K₂ need 182.6 days to separate"
LINE = "    return 15 / abs(SPEED[first] - SPEED[second])\n"
LINES = "    degrees = abs(SPEED[first] - SPEED[second])\n    return 15 / degrees\n"


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto on the sample folder, whose Anthropic is the strict server on loopback."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    shutil.copytree(SAMPLE, folder)
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


def change(path: str, old: str, new: str) -> tuple[str, dict[str, object]]:
    return "edit_file", {"path": path, "old_string": old, "new_string": new}


async def let_it_edit(page: Page, upstream: AnthropicServer) -> None:
    """One turn that changes prose in two places and code in one."""
    upstream.answer(
        calls(*change(METHODS, OLD, NEW)),
        calls(*change(METHODS, "| M₂ | 27.6 days |", "| M₂ | 27.55 days |")),
        calls(*change(CODE, LINE, LINES)),
    )
    upstream.answer(says("I put a corrected paragraph up for review."))
    upstream.answer(says("Ninety days"))
    await expect(message(page)).to_be_visible()
    await send(page, "Use a full year, and say why in the code too.")
    await expect(conversation(page)).to_contain_text("up for review")
    # The next answer that is scripted must not be taken for the chat's title.
    await expect(page.get_by_role("heading", name="Ninety days")).to_be_visible()


def waiting(page: Page) -> Locator:
    """The foot of the files panel."""
    return page.get_by_role("region", name="Edits to review")


def edit(page: Page, number: int, of: int) -> Locator:
    return page.get_by_role("group", name=f"Edit {number} of {of} to review")


async def open_review(page: Page, name: str) -> Locator:
    """Open a file from the list of edits and wait until it can be edited."""
    await waiting(page).get_by_role("button", name=name).first.click()
    text = page.get_by_role("textbox", name=f"Text of {name}")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


async def until_told(page: Page, verdict: str) -> None:
    """Wait until the server has carried out a verdict: then the file is written, too."""
    await expect(page.locator(".cm-announced")).to_contain_text(verdict)


async def until_saved(page: Page, path: Path, part: str, *, there: bool = True) -> None:
    """Wait until the page says that it is saved, and look."""
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    saved = await anyio.Path(path).read_text(encoding="utf-8")
    assert (part in saved) is there, saved


def cell_accepted() -> str:
    """The methods as they were, but for one cell."""
    return (SAMPLE / METHODS).read_text(encoding="utf-8").replace("27.6 days", "27.55 days")


def words_of(text: str) -> list[str]:
    return text.split()


async def words_in(recto: Served, *, without: str) -> list[str]:
    """The words of the methods on disk, but for what was typed."""
    saved = await anyio.Path(recto.folder / METHODS).read_text(encoding="utf-8")
    return words_of(saved.replace(without, ""))


async def test_what_the_ai_wrote_is_shown_and_decided_edit_by_edit(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    await let_it_edit(page, upstream)
    await expect(answer(page).get_by_text("2 files to review")).to_be_visible()
    await open_review(page, "harmonics.py")
    await expect(edit(page, 1, 1)).to_be_visible()
    await film_in(page, "review-code", DARK, OVERLAY, LIGHT)
    await open_review(page, "methods.md")
    await expect(edit(page, 2, 2)).to_be_visible()
    await film_in(page, "review-prose", DARK, LIGHT, OVERLAY)
    await page.get_by_role("button", name="Show files").click()
    await expect(waiting(page)).to_be_visible()
    await film(page, "review-narrow-files")
    await page.keyboard.press("Escape")
    await put_on(page, LIGHT)

    await decide_prose(page, recto)
    await decide_code(page, recto)


async def decide_prose(page: Page, recto: Served) -> None:
    """One edit is accepted and another rejected after typing in it, and brought back by undo."""
    await edit(page, 1, 2).get_by_role("button", name="Accept").click()
    await expect(edit(page, 1, 1)).to_be_visible()
    await until_told(page, "Accepted.")
    await until_saved(page, recto.folder / METHODS, "27.55 days")

    await page.locator("ins", has_text="Ninety would not do").click()
    await page.keyboard.press("End")
    await page.keyboard.type(" Or so.")
    await expect(edit(page, 1, 1)).to_be_visible()
    await page.keyboard.press("Control+Alt+Enter")
    await expect(page.get_by_role("group", name="to review")).to_have_count(0)
    await until_told(page, "Rejected.")
    await until_saved(page, recto.folder / METHODS, " Or so.")
    assert await words_in(recto, without=" Or so.") == words_of(cell_accepted())

    await page.keyboard.press("Control+z")
    await expect(edit(page, 1, 1)).to_be_visible()
    await until_saved(page, recto.folder / METHODS, " Or so.")
    await page.reload()
    await expect(edit(page, 1, 1)).to_be_visible()
    await until_saved(page, recto.folder / METHODS, " Or so.")
    assert await words_in(recto, without=" Or so.") == words_of(cell_accepted().replace(OLD, NEW))
    await expect(page.locator(".hunk-old")).to_contain_text("ninety days of hourly levels, which")


async def decide_code(page: Page, recto: Served) -> None:
    """Words that were typed inside of a proposal stay when it is rejected."""
    await open_review(page, "harmonics.py")
    line = page.locator(".cm-line", has_text="degrees = abs")
    await line.click()
    await page.keyboard.press("End")
    top = await line.bounding_box()
    await page.keyboard.type("  # per hour")
    assert await line.bounding_box() == top
    await edit(page, 1, 1).get_by_role("button", name="Reject").click()
    await expect(page.get_by_role("group", name="to review")).to_have_count(0)
    await until_told(page, "Rejected.")
    await until_saved(page, recto.folder / CODE, "# per hour")
    await until_saved(page, recto.folder / CODE, "degrees = abs", there=False)


async def test_everything_is_done_with_the_keyboard_alone_and_a_whole_answer_is_rejected(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    await let_it_edit(page, upstream)
    await waiting(page).get_by_role("button", name="methods.md").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Text of methods.md")).to_be_focused()
    await expect(page.get_by_text("Edit 1 of 2", exact=True)).to_be_visible()
    await page.keyboard.press("Alt+ArrowDown")
    await expect(page.get_by_text("Edit 2 of 2", exact=True)).to_be_visible()
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_text("1 edit to review", exact=True)).to_be_visible()
    await until_told(page, "Accepted.")
    await page.keyboard.press("Alt+ArrowUp")
    await expect(page.get_by_text("Edit 1 of 1", exact=True)).to_be_visible()
    await page.keyboard.press("Control+Alt+Enter")
    await expect(page.get_by_role("group", name="to review")).to_have_count(0)
    await until_told(page, "Rejected.")
    await until_saved(page, recto.folder / METHODS, NEW)
    await until_saved(page, recto.folder / METHODS, "27.55 days", there=False)
    await reject_an_answer(page, upstream, recto)


async def reject_an_answer(page: Page, upstream: AnthropicServer, recto: Served) -> None:
    """All that an answer did is taken back at once: files come and go."""
    upstream.answer(
        calls(*change(RESULTS, "Results", "Findings")),
        calls("create_file", {"path": "notes.md", "content": "# Notes\n"}),
        calls("delete_file", {"path": "pipeline/test_harmonics.py"}),
    )
    upstream.answer(says("Done."))
    await send(page, "Tidy up.")
    await page.get_by_role("group", name="Delete").get_by_role("button", name="Once").click()
    last = answer(page).last
    await expect(last.get_by_text("3 files to review")).to_be_visible()
    await expect(waiting(page).get_by_text("Deleted")).to_be_visible()
    await film(page, "review-light-4-whole")
    await last.get_by_role("button", name="Reject all").click()
    await expect(page.get_by_text("3 files rejected.")).to_be_visible()
    await expect(waiting(page).get_by_text("Deleted")).to_have_count(0)
    there = [(recto.folder / path).exists() for path in ("notes.md", "pipeline/test_harmonics.py")]
    assert there == [False, True]
    now = await anyio.Path(recto.folder / RESULTS).read_text(encoding="utf-8")
    assert now == (SAMPLE / RESULTS).read_text(encoding="utf-8")
