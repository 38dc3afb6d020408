"""One Recto and one page on which suggestions are tried, with answers that the test decides."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from playwright.async_api import Browser, Locator, Page, Route, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer
from tests.journeys.conftest import Complaints
from tests.served import Served, point_anthropic_at, served

ID = "01jz5egst00000000000000000"
PREFERENCES = "/api/v1/preferences"
VIEW = "content => content.cmTile.root.view"
"""The editor behind its element, for what the screen does not tell: where exactly the cursor is."""
LOOK = f"""async content => {{
  const frame = () => new Promise(done => requestAnimationFrame(done));
  await frame(); await frame();
  const {{state}} = ({VIEW})(content);
  const drawn = document.querySelector(".ghost-text");
  return {{
    text: state.doc.toString(),
    at: state.selection.main.head,
    ghost: drawn && drawn.textContent !== "" ? drawn.textContent : null,
  }};
}}"""
PUT = f"""(content, [text, at]) => {{
  const view = ({VIEW})(content);
  view.dispatch({{changes: {{from: 0, to: view.state.doc.length, insert: text}}}});
  view.dispatch({{selection: {{anchor: at}}}});
  view.focus();
}}"""


@dataclass
class Answers:
    """What the page is told when it asks, instead of what a model would say."""

    texts: Sequence[str] = ()
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    outcomes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    late: anyio.Event | None = None
    """Answers wait for this."""

    async def suggest(self, route: Route) -> None:
        self.asked.append(json.loads(route.request.post_data or ""))
        if self.late:
            await self.late.wait()
        known = {"confidence": 0.86, "confidenceSource": "logprobs", "confidenceReason": ""}
        events: list[tuple[str, dict[str, Any]]] = [
            ("suggestion", {"id": ID, "index": index, "text": text, **known})
            for index, text in enumerate(self.texts)
        ]
        done: dict[str, Any] = {"id": ID, "count": len(events), "confidences": [], "reason": None}
        done["unansweredInstructions"] = []
        body = "".join(
            f"event: {name}\ndata: {json.dumps(data)}\n\n"
            for name, data in [*events, ("done", done)]
        )
        await route.fulfill(body=body, content_type="text/event-stream")

    async def outcome(self, route: Route) -> None:
        self.outcomes.append(json.loads(route.request.post_data or ""))
        await route.fulfill(status=204)


@dataclass(frozen=True, slots=True)
class Look:
    """What a page shows: the text, the cursor in it as a bar, and what is suggested."""

    text: str
    ghost: str | None


@dataclass
class Stage:
    """A page with an open file, and who answers it."""

    recto: Served
    upstream: AnthropicServer
    browser: Browser
    page: Page
    answers: Answers
    complaints: Complaints

    def text(self, name: str) -> Locator:
        return self.page.get_by_role("textbox", name=f"Text of {name}")

    async def open(self, name: str) -> Locator:
        """Open a file and wait until it can be edited."""
        text = await open_file(self.page, name)
        await put(text, "x", 0)
        return text

    async def prefer(self, page: Page | None = None, **editor: object) -> None:
        """Change settings of suggestions and wait until a page knows them."""
        told = page or self.page
        async with told.expect_response(f"**{PREFERENCES}") as heard:
            await save_preferences(self.recto, editor)
        await (await heard.value).finished()
        # The answer is there; a frame later the page has read it.
        await told.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")


async def save_preferences(recto: Served, editor: dict[str, object]) -> None:
    """Change settings of suggestions."""
    async with recto.script() as script:
        now = await script.get(PREFERENCES)
        body = now.json()
        body["editor"] |= editor
        saved = await script.put(PREFERENCES, json=body, headers={"if-match": now.headers["etag"]})
        assert saved.status_code == 200, saved.text


Compose = Callable[[str], Awaitable[None]]


async def input_method(page: Page) -> tuple[Compose, Compose]:
    """What an input method does: show what is being composed, and write it."""
    debugger: Any = await page.context.new_cdp_session(page)

    async def compose(words: str) -> None:
        ends = {"selectionStart": len(words), "selectionEnd": len(words)}
        await debugger.send("Input.imeSetComposition", {"text": words, **ends})

    async def commit(words: str) -> None:
        await debugger.send("Input.insertText", {"text": words})

    return compose, commit


PLUS = {"key": "+", "code": "Equal", "text": "+", "modifiers": 8, "windowsVirtualKeyCode": 187}


async def two_plusses(page: Page) -> None:
    """Type both at once: the second must not wait until a busy page has dealt with the first."""
    await type_at_once(page, [PLUS, PLUS])


async def type_letters(page: Page, letters: str) -> None:
    """Type small letters at once."""
    keys = [{"key": letter, "code": f"Key{letter.upper()}", "text": letter} for letter in letters]
    await type_at_once(page, keys)


async def type_at_once(page: Page, keys: Sequence[dict[str, Any]]) -> None:
    debugger: Any = await page.context.new_cdp_session(page)
    sent = [
        debugger.send("Input.dispatchKeyEvent", {"type": kind, **key})
        for key in keys
        for kind in ("keyDown", "keyUp")
    ]
    await asyncio.gather(*sent)
    await debugger.detach()


async def open_file(page: Page, name: str) -> Locator:
    """Open a file and wait until it can be edited."""
    if await page.get_by_role("button", name="Show files").is_visible():
        await page.get_by_role("button", name="Show files").click()
    await page.get_by_role("treeitem", name=name, exact=True).dblclick()
    text = page.get_by_role("textbox", name=f"Text of {name}")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


async def put(text: Locator, words: str, at: int | None = None) -> None:
    """Write a whole text and put the cursor where a bar stands in it, or at a place."""
    place = words.index("|") if at is None else at
    await text.evaluate(PUT, [words.replace("|", "", 1) if at is None else words, place])


async def look(text: Locator) -> Look:
    """The text with a bar for the cursor, and the suggestion."""
    seen = await text.evaluate(LOOK)
    words: str = seen["text"]
    return Look(words[: seen["at"]] + "|" + words[seen["at"] :], seen["ghost"])


@asynccontextmanager
async def staged(browser: Browser, place: Path, folder: Path) -> AsyncGenerator[Stage]:
    """Run Recto on a folder, and open a page of it in the browser."""
    home = place / "home"
    complaints, answers = Complaints(), Answers()
    async with AnthropicServer() as upstream:
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(home, folder) as recto:
            # On a machine that is held up, a suggestion would be gone before the next key.
            await save_preferences(recto, {"suggestHideSeconds": 0})
            page = await open_page(browser, recto, complaints)
            await answer_by(page, answers)
            yield Stage(recto, upstream, browser, page, answers, complaints)
            for context in browser.contexts:
                await context.close()
    assert complaints == Complaints()


async def answer_by(page: Page, answers: Answers) -> None:
    """Have a page's questions answered by the test."""
    await page.route("**/api/v1/suggest", answers.suggest)
    await page.route("**/api/v1/suggestions/*/outcome", answers.outcome)


async def open_page(
    browser: Browser, recto: Served, complaints: Complaints, **options: Any
) -> Page:
    """A page of a Recto, signed in, in a window of its own."""
    given: dict[str, Any] = {
        "viewport": {"width": 1440, "height": 900},
        "reduced_motion": "reduce",
        **options,
    }
    page = await (await browser.new_context(**given)).new_page()
    complaints.listen(page, recto.url)
    async with recto.script() as script:
        await page.goto((await script.post("/api/v1/session/link")).json()["url"])
    return page
