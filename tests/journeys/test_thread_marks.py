"""Threads in the text: marks and dots follow it in two windows, while closed, and on disk."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.journeys.conftest import Complaints
from tests.journeys.looks import DARK, LIGHT, OVERLAY, film_in
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

TEXT = """\
# Separating the tide from the surge

A tide gauge records two things at once: the tide, which astronomy fixes, and everything else.

| Constituent | Separated after |
| --- | ---: |
| M₂, principal lunar | 14.8 days |
| K₂, lunisolar | 182.6 days |

The model is fitted to ninety days of hourly levels, which is *long enough* for all of them.

The residual is what remains after the fit, and clock errors of old records leave a trace in it.
"""
CODE = "def rayleigh() -> float:\n    return 182.6  # days\n"
FIXED, LEVELS, CLOCKS = "which astronomy fixes", "hourly levels", "clock errors of old records"
NAMES = ("begun", "typed", "closed", "lost", "statuses", "keys", "many", "look")


@dataclass(frozen=True)
class Desk:
    """One Recto and two windows on it, for all the tests here; each has a file of its own."""

    recto: Served
    upstream: AnthropicServer
    script: httpx.AsyncClient
    one: Page
    other: Page

    async def threads(self, name: str) -> list[dict[str, Any]]:
        """The threads of a file, as the server tells them."""
        answer = await self.script.get("/threads", params={"path": f"{name}.md"})
        return answer.json()["items"]

    async def make(self, path: str, passage: str, **words: str) -> None:
        """A thread or comment on a passage, made by a script."""
        text = CODE if path.endswith(".py") else TEXT
        start = text.index(passage)
        place = {"kind": "text", "path": path, "start": start, "end": start + len(passage)}
        made = await self.script.post("/threads", json={"passage": place, **words})
        assert made.status_code == 201, made.text


async def open_window(browser: Browser, script: httpx.AsyncClient, complaints: Complaints) -> Page:
    """A window, signed in by a fresh link."""
    context = await browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    page = await context.new_page()
    address = str(script.base_url).partition("/api/")[0]
    complaints.listen(page, address)
    await page.goto((await script.post(f"{address}/api/v1/session/link")).json()["url"])
    return page


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> AsyncGenerator[Desk]:
    place = tmp_path_factory.mktemp("threads")
    home, folder = place / "home", place / "tide-gauges"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.md").write_text(TEXT, encoding="utf-8")
    (folder / "harmonics.py").write_text(CODE, encoding="utf-8")
    complaints = Complaints()
    async with AnthropicServer() as upstream:
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(home, folder) as recto, recto.script() as script:
            project = (await script.get("/api/v1/projects/current")).json()["id"]
            script.base_url = httpx.URL(f"{recto.url}/api/v1/projects/{project}")
            one, other = [await open_window(chromium, script, complaints) for _ in range(2)]
            yield Desk(recto, upstream, script, one, other)
            for page in (one, other):
                await page.context.close()
    assert complaints == Complaints()


async def open_file(page: Page, name: str) -> Locator:
    """Open a file and wait until it can be edited."""
    await page.get_by_role("treeitem", name=name).dblclick()
    text = page.get_by_role("textbox", name=f"Text of {name}")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


def marks(page: Page) -> Locator:
    return page.locator(".thread-mark")


def dots(page: Page) -> Locator:
    return page.get_by_role("group", name="Threads in this text").get_by_role("button")


def dot(page: Page, name: str) -> Locator:
    return dots(page).and_(page.get_by_role("button", name=name, exact=True))


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def panel(page: Page) -> Locator:
    return page.get_by_role("tabpanel", name="Threads")


def place(page: Page, words: str) -> Locator:
    """Where the list says that a thread is."""
    return panel(page).get_by_text(words, exact=True)


async def list_threads(page: Page) -> None:
    """Show the list of threads on the right page."""
    await page.get_by_role("tab", name="Threads").click()
    back = panel(page).get_by_role("button", name="All threads")
    if await back.count():
        await back.click()


EDGES = """async passage => {
    // A font that comes late would move the passage away from the click.
    await document.fonts.ready;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const walk = document.createTreeWalker(document.querySelector(".cm-content"), 4);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const at = node.data.indexOf(passage);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + passage.length);
        const boxes = [...range.getClientRects()];
        const [first, last] = [boxes[0], boxes.at(-1)];
        return [[first.left, (first.top + first.bottom) / 2],
                [last.right, (last.top + last.bottom) / 2]];
    }
}"""


async def select(page: Page, passage: str) -> None:
    """Select a passage with the mouse."""
    start, end = await page.evaluate(EDGES, passage)
    await page.mouse.click(start[0] + 0.5, start[1])
    await page.keyboard.down("Shift")
    await page.mouse.click(end[0] - 0.5, end[1])
    await page.keyboard.up("Shift")


async def click_into(page: Page, passage: str) -> None:
    """Put the cursor before a passage."""
    start, _ = await page.evaluate(EDGES, passage)
    await page.mouse.click(start[0] + 0.5, start[1])


async def test_a_thread_begins_at_the_selection_and_its_dot_tells_how_it_stands(desk: Desk) -> None:
    page = desk.one
    text = await open_file(page, "begun.md")
    await select(page, LEVELS)
    await page.keyboard.press("Control+Shift+C")
    await expect(message(page)).to_be_focused()
    await expect(marks(page)).to_have_text([LEVELS])
    assert await desk.threads("begun") == [], "nothing is stored before the first words"
    gate = Gate()
    desk.upstream.answer(says("Not for K₂."), fault=Fault(hold_headers=True, gate=gate))
    await page.keyboard.type("Is that enough?")
    # Another window writes before the passage meanwhile: the thread is about the same words.
    there = await open_file(desk.other, "begun.md")
    await there.press("Control+Home")
    await desk.other.keyboard.type("Draft: ")
    await expect(text).to_contain_text("Draft: ")
    await message(page).press("Enter")
    await expect(dot(page, f"Thread on “{LEVELS}”, answering")).to_be_visible()
    await expect(dot(desk.other, f"Thread on “{LEVELS}”, answering")).to_be_visible()
    gate.open()
    await expect(dot(page, f"Thread on “{LEVELS}”")).to_have_attribute("aria-current", "true")
    await expect(dot(desk.other, f"Thread on “{LEVELS}”")).not_to_have_attribute(
        "aria-current", "true"
    )
    assert [(thread["text"], thread["line"]) for thread in await desk.threads("begun")] == [
        (LEVELS, 10)
    ]


async def test_marks_follow_what_is_typed_in_two_windows(desk: Desk) -> None:
    await desk.make("typed.md", FIXED, body="Does it?")
    await desk.make("typed.md", CLOCKS, body="Which?")
    for page in (desk.one, desk.other):
        await open_file(page, "typed.md")
        await expect(marks(page)).to_have_text([FIXED, CLOCKS])
    await click_into(desk.one, "astronomy fixes")
    await desk.one.keyboard.insert_text("only ")  # at once: one step of undo on any machine
    await click_into(desk.other, "clock errors")
    await desk.other.keyboard.type("all ")
    for page in (desk.one, desk.other):
        await expect(marks(page)).to_have_text(["which only astronomy fixes", CLOCKS])
    await desk.one.keyboard.press("Control+z")
    for page in (desk.one, desk.other):
        await expect(marks(page)).to_have_text([FIXED, CLOCKS])
        await expect(dots(page)).to_have_count(2)


async def test_a_passage_is_found_after_its_file_was_closed_and_changed_on_disk(desk: Desk) -> None:
    page = desk.one
    await desk.make("closed.md", CLOCKS, body="Which?")
    await open_file(page, "closed.md")
    await list_threads(page)
    await expect(marks(page)).to_have_text([CLOCKS])
    await page.get_by_role("tab", name="closed.md").press("Delete")
    disk = anyio.Path(desk.recto.folder / "closed.md")
    await disk.write_text(TEXT.replace("| K₂, lunisolar | 182.6 days |\n", ""), encoding="utf-8")
    await open_file(page, "closed.md")
    await expect(marks(page)).to_have_text([CLOCKS])
    await expect(place(page, "closed.md, line 11")).to_be_visible()
    await disk.write_text(TEXT.replace("old records", "old paper records"), encoding="utf-8")
    await expect(marks(page)).to_have_text(["clock errors of old paper records"])


async def test_a_passage_that_was_deleted_leaves_a_thread_without_a_place(desk: Desk) -> None:
    page = desk.one
    await desk.make("lost.md", FIXED, body="Does it?")
    await open_file(page, "lost.md")
    await list_threads(page)
    await expect(dots(page)).to_have_count(1)
    await select(page, FIXED)
    await page.keyboard.press("Delete")
    await expect(dots(page)).to_have_count(0)
    row = place(page, "lost.md, no longer in the text")
    await expect(row).to_be_visible()
    await expect(panel(page).locator(".thread-row", has_text="no longer")).to_contain_text(FIXED)
    await page.get_by_role("textbox", name="Text of lost.md").press("Control+z")
    await expect(dots(page)).to_have_count(1)
    await expect(marks(page)).to_have_text([FIXED])
    await expect(place(page, "lost.md, line 3")).to_be_visible()


async def test_a_status_is_told_by_shape_and_line_and_words(desk: Desk) -> None:
    page, gate = desk.one, Gate()
    desk.upstream.answer(says("A sum."))
    await desk.make("statuses.md", FIXED, text="Does it?")
    await expect_dot(page, "statuses.md", f"Thread on “{FIXED}”")
    desk.upstream.script(Fault(status=400, message="No."))
    await desk.make("statuses.md", LEVELS, text="How many?")
    await expect(dot(page, f"Thread on “{LEVELS}”, failed")).to_be_visible()
    desk.upstream.answer(says("Yes."), fault=Fault(hold_headers=True, gate=gate))
    await desk.make("statuses.md", CLOCKS, text="Which?")
    await expect(dot(page, f"Thread on “{CLOCKS}”, answering")).to_be_visible()
    assert [await look(page, passage) for passage in (FIXED, LEVELS, CLOCKS)] == [
        {"line": "dotted", "turn": "none"},
        {"line": "dotted", "turn": "45deg"},
        {"line": "solid", "turn": "none"},
    ]
    gate.open()
    await expect(dot(page, f"Thread on “{CLOCKS}”")).to_be_visible()


async def expect_dot(page: Page, name: str, called: str) -> None:
    await open_file(page, name)
    await expect(dot(page, called)).to_be_visible()


async def look(page: Page, passage: str) -> dict[str, str]:
    """The line under a passage, and whether its dot is turned into a diamond."""
    return await page.evaluate(
        """passage => {
            const all = selector => [...document.querySelectorAll(selector)];
            const mark = all(".thread-mark").find(one => one.textContent === passage);
            const dot = all(".thread-dot").find(one => one.title.includes(passage));
            return {line: getComputedStyle(mark).textDecorationStyle,
                    turn: getComputedStyle(dot, "::before").rotate};
        }""",
        passage,
    )


async def test_threads_are_reached_opened_and_resolved_by_keys(desk: Desk) -> None:
    page = desk.one
    text = await open_file(page, "keys.md")
    desk.upstream.answer(says("A sum."))
    await desk.make("keys.md", FIXED, text="Does it?")
    await expect(dot(page, f"Thread on “{FIXED}”")).to_be_visible()
    desk.upstream.script(Fault(status=400, message="No."))
    await desk.make("keys.md", LEVELS, text="How many?")
    await expect(dot(page, f"Thread on “{LEVELS}”, failed")).to_be_visible()
    await desk.make("keys.md", CLOCKS, body="Which?")
    await expect(dots(page)).to_have_count(3)
    await text.press("Control+Home")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    await expect(dot(page, f"Thread on “{FIXED}”")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await expect(dot(page, f"Comment on “{CLOCKS}”: Which?")).to_be_focused()
    await page.keyboard.press("Home")
    await page.keyboard.press("Enter")
    await expect(message(page)).to_be_focused()
    await expect(panel(page)).to_contain_text("A sum.")
    await expect(dot(page, f"Thread on “{FIXED}”")).to_have_attribute("aria-current", "true")
    await page.keyboard.press("Control+Shift+Enter")
    await expect(dots(page)).to_have_count(2)
    await page.get_by_role("main").get_by_role("button", name="Reopen").click()
    await expect(dots(page)).to_have_count(3)

    await text.press("Control+Home")
    await page.keyboard.press("F8")
    await page.keyboard.press("F8")
    await expect(dot(page, f"Thread on “{LEVELS}”, failed")).to_have_attribute(
        "aria-current", "true"
    )
    await expect(text).to_be_focused()
    await list_threads(page)
    await text.press("Shift+F8")
    await page.keyboard.press("Control+Shift+C")
    await expect(dot(page, f"Thread on “{FIXED}”")).to_have_attribute("aria-current", "true")
    await expect(message(page)).to_be_focused()


async def test_a_comment_is_kept_by_keys_and_waits_beside_its_words(desk: Desk) -> None:
    page = desk.one
    await open_file(page, "statuses.md")
    await select(page, "The model")
    await page.keyboard.press("Control+Shift+M")
    await expect(message(page)).to_be_focused()
    await page.keyboard.type("Which one?")
    await page.keyboard.press("Enter")
    await expect(dot(page, "Comment on “The model”: Which one?")).to_be_visible()
    await expect(panel(page)).to_contain_text("Which one?")


async def test_dots_stand_side_by_side_beside_code_and_leave_tables_as_they_are(desk: Desk) -> None:
    page = desk.one
    await open_file(page, "many.md")
    cells = page.locator(".cm-table .cm-cell")
    before = await cells.all_inner_texts()
    for passage in ("principal lunar", "14.8 days", "K₂, lunisolar"):
        await desk.make("many.md", passage, body="Source?")
    await expect(marks(page)).to_have_text(["principal lunar", "14.8 days", "K₂, lunisolar"])
    assert await cells.all_inner_texts() == before
    tops = [await top_of(dots(page).nth(index)) for index in range(3)]
    assert tops[0] == tops[1] < tops[2]
    for word in ("A tide", "gauge", "records", "two", "things"):
        await desk.make("many.md", word, body="Source?")
    await expect(page.get_by_role("button", name="more threads on this line")).to_be_visible()

    await desk.make("harmonics.py", "182.6", body="Source?")
    await open_file(page, "harmonics.py")
    await expect(marks(page)).to_have_text(["182.6"])
    await expect(dot(page, "Comment on “182.6”: Source?")).to_be_visible()


async def top_of(button: Locator) -> float:
    box = await button.bounding_box()
    assert box is not None
    return round(box["y"])


async def test_marks_and_dots_in_every_light(desk: Desk) -> None:
    page = desk.one
    desk.upstream.answer(says("The positions of moon and sun do."))
    await desk.make("look.md", FIXED, text="Does it?")
    await expect_dot(page, "look.md", f"Thread on “{FIXED}”")
    desk.upstream.script(Fault(status=400, message="No."))
    await desk.make("look.md", CLOCKS, text="Which?")
    await expect(dot(page, f"Thread on “{CLOCKS}”, failed")).to_be_visible()
    await desk.make("look.md", LEVELS, body="Say how many.")
    await expect(dots(page)).to_have_count(3)
    await dot(page, f"Thread on “{FIXED}”").click()
    await expect(message(page)).to_be_focused()
    await expect(panel(page)).to_contain_text("moon and sun")
    await film_in(page, "thread-marks", DARK, OVERLAY, LIGHT)
