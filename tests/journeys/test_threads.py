"""Talking about a passage in a real browser: from a selection to a reviewed edit, comments too."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says, thinks
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.journeys.looks import DARK, LIGHT, SINGLE, film_in, put_on
from tests.journeys.test_chat import conversation, message, send
from tests.journeys.test_review import until_saved
from tests.journeys.test_selection import select_line
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

PASSAGE = "Only amplitudes and phases are fitted."
BETTER = "Only amplitudes and phases are fitted; the nodal factors follow from the date."
TEXT = f"# Methods\n\n{PASSAGE}\n\nNinety days are enough.\n"
CODE = "def rayleigh() -> float:\n    return 182.6\n"
ANSWER = """### Comment 1

Say *which* amplitudes.

### Comment 2

They are not: K₂ and S₂ need half a year.

### Comment 3

It returns days."""


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto with two texts and a program."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    for name in ("methods.md", "comments.md"):
        (folder / name).write_text(TEXT, encoding="utf-8")
    (folder / "harmonics.py").write_text(CODE, encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def open_text(page: Page, name: str) -> Locator:
    await page.get_by_role("treeitem", name=name).dblclick()
    text = page.get_by_role("textbox", name=f"Text of {name}")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


def panel(page: Page) -> Locator:
    return page.locator("#threads-panel")


def row(page: Page, passage: str) -> Locator:
    return panel(page).get_by_role("listitem").filter(has_text=passage)


async def test_a_thread_goes_from_a_selection_to_an_applied_and_reviewed_edit(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab(height=800)
    await begin_thread(page, upstream)
    await apply_and_review(page)
    await until_saved(page, recto.folder / "methods.md", BETTER)
    await resolve(page)


async def begin_thread(page: Page, upstream: AnthropicServer) -> None:
    """Select a passage, ask about it, and get an edit offered."""
    text = await open_text(page, "methods.md")
    await select_line(page, text, 2)
    await page.keyboard.press("Control+Shift+C")
    await expect(panel(page).locator("blockquote")).to_have_text(PASSAGE)
    await expect(message(page)).to_be_focused()
    await film_in(page, "thread-1-begun", DARK, LIGHT)

    upstream.answer(
        thinks("The nodal factors are computed."),
        says("Yes: the factors *f* and *u* are **computed** from the date. One clause says so:"),
        calls("propose_edit", {"old_string": PASSAGE, "new_string": BETTER, "note": "Say why."}),
    )
    upstream.answer(says("Nothing has changed yet."))
    await send(page, "Is that true once the nodal corrections are in?")
    await expect(conversation(page)).to_contain_text("Nothing has changed yet.")
    await expect(message(page)).to_be_focused()
    await expect(card(page).get_by_role("status")).to_have_text("Not applied yet")
    await expect(card(page).locator("ins")).to_have_text("; the nodal factors follow from the date")
    await film_in(page, "thread-2-proposed", DARK, LIGHT)
    await put_on(page, SINGLE)
    await page.get_by_role("button", name="Threads").click()
    await expect(card(page)).to_be_visible()
    await film(page, "thread-2-proposed-single")


def card(page: Page) -> Locator:
    return page.get_by_role("group", name="Proposed edit")


async def apply_and_review(page: Page) -> None:
    """Take the edit in a narrow window; it is then reviewed like every edit of an AI."""
    await card(page).get_by_role("button", name="Apply").click()
    edit = page.get_by_role("group", name="Edit 1 of 1 to review")
    await expect(edit).to_be_visible()
    await film_in(page, "thread-3-review", SINGLE, DARK, LIGHT)
    await edit.get_by_role("button", name="Accept").click()
    await expect(edit).to_have_count(0)


async def resolve(page: Page) -> None:
    """Settle the thread, which then lies at the end of the list."""
    await expect(card(page).get_by_role("status")).to_contain_text("Applied")
    await film_in(page, "thread-4-applied", DARK, LIGHT)
    await put_on(page, SINGLE)
    await page.get_by_role("button", name="Threads").click()
    await expect(card(page).get_by_role("status")).to_contain_text("Applied")
    await film(page, "thread-4-applied-single")
    state = panel(page).get_by_role("group", name="State of this thread")
    await state.get_by_role("button", name="Resolve").click()
    await expect(state).to_contain_text("Resolved.")
    await panel(page).get_by_role("button", name="All threads").click()
    await panel(page).locator("summary", has_text="Resolved").click()
    await expect(row(page, "methods.md")).to_be_visible()


async def test_comments_over_two_files_are_answered_together_and_an_answer_is_commented(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    text = await open_text(page, "comments.md")
    await comment(page, text, 2, "Which ones?")
    await comment(page, text, 4, "Is that so?")
    await comment(page, await open_text(page, "harmonics.py"), 0, "What is it?")
    await film(page, "comments-1-waiting")

    upstream.answer(says(ANSWER))
    upstream.answer(says("Three comments"))
    batch = panel(page).get_by_role("form", name="Send comments")
    await expect(batch).to_contain_text("3 comments")
    await batch.get_by_role("textbox").fill("Be brief.")
    await batch.get_by_role("button", name="Send").click()
    await expect(conversation(page)).to_contain_text("It returns days.")

    await page.get_by_role("tab", name="Threads").click()
    for passage, words in (
        (PASSAGE, "Say which amplitudes."),
        ("Ninety days", "They are not: K₂ and S₂ need half a year."),
        ("def rayleigh", "It returns days."),
    ):
        await expect(row(page, passage)).to_contain_text(words)
    await film(page, "comments-2-answered")
    await row(page, PASSAGE).get_by_role("button").click()
    reply = panel(page).get_by_role("article", name="Answer to this comment")
    await expect(reply.locator("em")).to_have_text("which")
    await comment_on_the_answer(page)


async def comment(page: Page, text: Locator, line: int, words: str) -> None:
    """Keep a comment on a line, by keys alone."""
    await select_line(page, text, line)
    await page.keyboard.press("Control+Shift+M")
    await expect(message(page)).to_have_attribute("placeholder", "Write a comment")
    await expect(message(page)).to_be_focused()
    await page.keyboard.type(words)
    await page.keyboard.press("Enter")
    await expect(row(page, words)).to_be_visible()


async def comment_on_the_answer(page: Page) -> None:
    """Select words of an answer with the mouse, and comment them."""
    await page.get_by_role("tab", name="Chat", exact=True).click()
    words = conversation(page).get_by_text("It returns days.")
    await words.click(click_count=3, position={"x": 5, "y": 8})
    bar = page.get_by_role("toolbar", name="Selection in the answer")
    await expect(bar).to_be_visible()
    await film(page, "comments-3-selected")
    await bar.get_by_role("button", name="Comment").click()
    await expect(message(page)).to_be_focused()
    await page.keyboard.type("Since when?")
    await page.keyboard.press("Enter")
    await expect(row(page, "Since when?")).to_contain_text("It returns days.")

    await page.get_by_role("tab", name="Chat", exact=True).click()
    notes = conversation(page).get_by_role("list", name="Comments on this answer")
    await expect(notes.get_by_role("button", name="Since when?")).to_be_visible()
    marked = "() => [...CSS.highlights.get('recto-comment')].map(range => range.toString())"
    assert await page.evaluate(marked) == ["It returns days."]
    await film(page, "comments-4-marked")
