"""A Word document in a real browser: read, typed in, styled, changed by the AI, reviewed."""

import io
from collections.abc import AsyncGenerator
from pathlib import Path

import docx
import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.ghost_page import Answers, save_preferences
from tests.journeys.looks import DARK, LIGHT, film_in
from tests.journeys.test_chat import conversation, send
from tests.served import Served, point_anthropic_at, served
from tests.word.abstract import abstract
from tests.word.documents import parts_of

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

ABSTRACT = "manuscript/abstract.docx"
EXTENDED = "word/commentsExtended.xml"


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto on a folder with a document, whose Anthropic is the strict server on loopback."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    (folder / "manuscript").mkdir(parents=True)
    (folder / ABSTRACT).write_bytes(abstract())
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        # A suggestion stays as long as its pictures take.
        await save_preferences(running, {"suggestHideSeconds": 0})
        yield running


def leaf(page: Page) -> Locator:
    """The page of the document."""
    return page.get_by_role("textbox", name="Document text")


def standing(page: Page) -> Locator:
    """What is told of saving."""
    return page.locator(".running-head [role=status]")


def texts(folder: Path) -> list[str]:
    """The paragraphs as another program reads them."""
    data = (folder / ABSTRACT).read_bytes()
    return [item.text for item in docx.Document(io.BytesIO(data)).paragraphs]


SELECT_AND_PRESS = """(page) => {
  const words = [...page.querySelectorAll("strong")].find((one) => one.textContent === "Storms");
  getSelection().selectAllChildren(words);
  const key = { key: "i", code: "KeyI", ctrlKey: true, shiftKey: true };
  page.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
}"""


async def open_document(page: Page) -> None:
    """From the files to the page."""
    await page.get_by_role("treeitem", name="manuscript").click()
    await page.get_by_role("treeitem", name="abstract.docx").dblclick()
    await expect(leaf(page)).to_contain_text("records two things")


async def saved(page: Page, folder: Path, text: str) -> None:
    """What was done is told to be saved, and is in the file."""
    await expect(standing(page)).to_have_text("Saved")
    assert text in texts(folder)


async def let_it_answer(page: Page, upstream: AnthropicServer) -> None:
    """One turn in which the AI changes words and answers the comment."""
    change = {"path": ABSTRACT, "old_string": "ninety days", "new_string": "369 days"}
    answer = {"path": ABSTRACT, "answer_to": "0", "text": "2014 has five named storms."}
    upstream.answer(calls("edit_file", change), calls("add_comment", answer))
    upstream.answer(says("I put a full year in."))
    await send(page, "Use a full year, and answer the comment.")
    await expect(conversation(page)).to_contain_text("I put a full year in.")


async def write(page: Page, folder: Path) -> None:
    """Type, style, make bold, and replace everywhere, each at once."""
    await leaf(page).get_by_role("heading", name="Results").click()
    await page.keyboard.press("End")
    await page.keyboard.type(" of 2014")
    await saved(page, folder, "Results of 2014")
    await page.keyboard.press("Enter")
    await page.keyboard.type("Storms")
    await page.keyboard.press("Shift+Home")
    # The key is that of the panel, too, where nobody writes.
    await page.keyboard.press("Control+b")
    await expect(leaf(page).locator("strong", has_text="Storms")).to_be_visible()
    # A key may be faster than the browser's word of what is selected. By its title: for a moment
    # the bar over the selection may have a "Comment", too.
    await page.keyboard.press("End")
    await expect(page.get_by_title("Comment", exact=True)).to_be_disabled()
    await leaf(page).evaluate(SELECT_AND_PRESS)
    await expect(leaf(page).locator("em", has_text="Storms")).to_be_visible()
    await page.keyboard.press("Control+Alt+2")
    await expect(leaf(page).get_by_role("heading", name="Storms", level=2)).to_be_visible()
    await saved(page, folder, "Storms")
    await page.keyboard.press("Control+h")
    await page.get_by_placeholder("Find", exact=True).fill("gauge")
    await page.get_by_placeholder("Replace with").fill("station")
    await page.get_by_role("button", name="Replace all").click()
    await page.keyboard.press("Escape")
    await expect(leaf(page)).to_contain_text("A tide station records")
    await saved(page, folder, "Separating the tide from the surge at three Atlantic stations")


async def go_on(page: Page, folder: Path) -> None:
    """Two plusses, and what is suggested is taken: a word of it, then the rest."""
    answers = Answers(texts=(" It blew for nine days.", " Ships stayed in port."))
    await page.route("**/api/v1/suggest", answers.suggest)
    await page.route("**/api/v1/suggestions/*/outcome", answers.outcome)
    await leaf(page).get_by_text("records two things").click()
    await page.keyboard.press("End")
    await page.keyboard.type("++")
    ghost = page.locator(".word-ghost .ghost-text")
    await expect(ghost).to_have_text(" It blew for nine days.")
    await film_in(page, "word-suggestion", DARK, LIGHT)
    await page.keyboard.press("Control+ArrowRight")
    await expect(ghost).to_have_text(" blew for nine days.")
    await page.keyboard.press("Tab")
    await expect(ghost).to_have_count(0)
    await expect(standing(page)).to_have_text("Saved")
    assert any("It blew for nine days." in text for text in texts(folder))
    assert "records two things" in answers.asked[0]["prefix"] + answers.asked[0]["suffix"]
    assert answers.outcomes == [{"outcome": "accepted", "index": 0, "characters": 23}]


async def transform(page: Page, upstream: AnthropicServer) -> None:
    """A heading is selected, and made shorter by a press on the bar; then a wish in words."""
    upstream.answer(calls("edit_document", {"find": "Results of 2014", "replace": "Results"}))
    upstream.answer(says("Shorter."))
    upstream.answer(says("Shorter results"))
    await leaf(page).get_by_role("heading", name="Results of 2014").click()
    await page.keyboard.press("Home")
    await page.keyboard.press("Shift+End")
    bar = page.get_by_role("toolbar", name="Selection")
    await film_in(page, "word-selection", DARK, LIGHT)
    await bar.get_by_role("button", name="Shorten").click()
    await expect(leaf(page).locator("del", has_text="of 2014")).to_be_visible()
    await expect(page.locator(".agent-line")).to_have_count(0)

    upstream.answer(calls("edit_document", {"find": "Results", "replace": "Findings"}))
    upstream.answer(says("Done."))
    await page.keyboard.press("Control+i")
    await page.get_by_role("textbox", name="Change in").fill("Call it findings")
    await page.keyboard.press("Enter")
    await expect(leaf(page).locator("ins", has_text="Findings")).to_be_visible()
    await expect(page.locator(".agent-line")).to_have_count(0)
    tracked = page.get_by_role("group", name="Tracked changes")
    await tracked.get_by_role("button", name="Accept the AI’s").click()
    await expect(leaf(page).locator("ins", has_text="Findings")).to_have_count(0)
    await expect(leaf(page).get_by_role("heading", name="Findings")).to_be_visible()


async def put_into_the_comment(page: Page, folder: Path, upstream: AnthropicServer) -> None:
    """The AI is asked about a comment, and what it says becomes an answer there."""
    upstream.answer(says("That winter had nine storms in a row."))
    comment = page.get_by_role("group", name="Comment on the winter of 2014", exact=True)
    await comment.get_by_role("button", name="Ask the AI").click()
    said = comment.get_by_role("group", name="What the AI would answer")
    await expect(said).to_contain_text("nine storms in a row")
    comments = parts_of((folder / ABSTRACT).read_bytes())["word/comments.xml"]
    assert b"nine storms" not in comments
    await film_in(page, "word-answer", DARK, LIGHT)
    await said.get_by_role("button", name="Put into the comment").click()
    await expect(said).to_have_count(0)
    await expect(comment).to_contain_text("nine storms in a row")
    comments = parts_of((folder / ABSTRACT).read_bytes())["word/comments.xml"]
    assert b"nine storms" in comments


async def resolve_and_open_again(page: Page, folder: Path) -> None:
    """A comment is resolved as Word says it, and opened again."""
    margin = page.get_by_role("complementary", name="Comments and changes")
    await margin.get_by_role("button", name="Resolve", exact=True).click()
    comment = page.get_by_role("group", name="Comment on the winter of 2014", exact=True)
    await expect(comment).to_have_count(0)
    assert b'w15:done="1"' in parts_of((folder / ABSTRACT).read_bytes())[EXTENDED]
    await margin.get_by_role("button", name="Show 1 resolved comment").click()
    await film_in(page, "word-resolved", DARK, LIGHT)
    await margin.get_by_role("button", name="Open again").click()
    await expect(comment).to_be_visible()
    assert b'w15:done="1"' not in parts_of((folder / ABSTRACT).read_bytes())[EXTENDED]


async def take_away_and_undo(page: Page, folder: Path) -> None:
    """A new row and an item of a list by keys alone; all of it deleted, saved, and undone."""
    before = texts(folder)
    await leaf(page).get_by_text("0.50").click()
    # The browser tells of a new selection a moment after it: keys may be faster than that.
    await expect(page.get_by_role("button", name="Add a row below")).to_be_visible()
    await page.keyboard.press("End")
    await page.keyboard.press("Tab")
    await page.keyboard.type("Ruth")
    await expect(standing(page)).to_have_text("Saved")
    assert rows_of(folder)[-1][0] == "Ruth"
    await page.keyboard.press("Control+a")
    await page.keyboard.press("Delete")
    await expect(leaf(page)).not_to_contain_text("Summary")
    await expect(standing(page)).to_have_text("Saved")
    assert "Summary" not in texts(folder)
    await page.keyboard.press("Control+z")
    await expect(leaf(page)).to_contain_text("Summary")
    await expect(standing(page)).to_have_text("Saved")
    assert texts(folder) == before
    assert rows_of(folder)[-1][0] == "Ruth"


def rows_of(folder: Path) -> list[list[str]]:
    """The cells of the table."""
    table = docx.Document(io.BytesIO((folder / ABSTRACT).read_bytes())).tables[0]
    return [[cell.text for cell in row.cells] for row in table.rows]


async def review(page: Page) -> None:
    """Accept what the AI changed."""
    await page.get_by_role("button", name="Next change").click()
    margin = page.get_by_role("complementary", name="Comments and changes")
    await expect(margin).to_contain_text("Recto (Claude")
    await film_in(page, "word-changed", DARK, LIGHT)
    await margin.get_by_role("button", name="Accept", exact=True).click()
    await expect(leaf(page).locator("ins", has_text="369")).to_have_count(0)
    await expect(leaf(page)).to_contain_text("constituents to 369 days")
    await expect(page.get_by_role("region", name="Edits to review")).to_have_count(0)


async def change_cell(page: Page) -> None:
    """Another figure in the table, tracked."""
    await page.get_by_role("button", name="Tracked").click()
    await leaf(page).get_by_text("0.36").click()
    await page.keyboard.press("End")
    await page.keyboard.press("Backspace")
    await page.keyboard.type("9")
    await expect(leaf(page).locator("del", has_text="6")).to_be_visible()
    await expect(standing(page)).to_have_text("Saved")


async def test_a_document_is_typed_in_changed_by_the_ai_reviewed_and_taken_over(
    recto: Served, open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    asked: list[str] = []
    page.on("response", lambda one: asked.append(one.url) if one.status == 415 else None)
    await open_document(page)
    assert asked == []  # no text is asked of a file that has none
    comment = page.get_by_role("group", name="Comment on the winter of 2014")
    await expect(comment).to_contain_text("why this winter")
    await write(page, recto.folder)
    await go_on(page, recto.folder)
    await transform(page, upstream)
    await let_it_answer(page, upstream)
    await expect(comment).to_contain_text("2014 has five named storms.")
    await review(page)
    await put_into_the_comment(page, recto.folder, upstream)
    await resolve_and_open_again(page, recto.folder)
    await take_away_and_undo(page, recto.folder)
    await change_cell(page)

    other = await open_tab()
    await open_document(other)
    await expect(leaf(other).locator("del", has_text="6")).to_be_visible()
    await other.get_by_role("button", name="Take over").click()
    tracked = other.get_by_role("group", name="Tracked changes")
    await tracked.get_by_role("button", name="Reject all").click()
    await expect(leaf(other).locator("ins, del")).to_have_count(0)
    await expect(leaf(other)).to_contain_text("list of storms")
    await expect(leaf(page).locator("ins, del")).to_have_count(0)
    tables = docx.Document(io.BytesIO((recto.folder / ABSTRACT).read_bytes())).tables
    assert tables[0].cell(2, 2).text == "0.36"
