"""What a key press costs the page: 1 MB of Markdown, shown as it reads, alone and with an answer.

The document has 200 comments in its margin, at passages that they stay with. Chromium types 300
letters into its middle in bursts, with pauses in which it saves itself: once alone, once while a
chat beside it streams 200 pieces a second. From the trace comes the processor time of the page's
main thread from each key's arrival until its letter is painted, the chat's included. In the same
run, alone on their page: a bare CodeMirror with Markdown's colours, and a textarea. Prints medians
and 95th percentiles, and Recto's as a ratio to the bare CodeMirror; fails when typing alone is over
1.15 × at the median or 1.2 × at 95 %, or opening takes over 500 ms.
"""

import asyncio
import json
import statistics
import sys
import tempfile
from bisect import bisect_left
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright, expect

from benchmarks.edit import document
from benchmarks.render import served as files_served
from benchmarks.render import text as answer_text
from recto.config import Home, Secret, save_keys
from tests.chromium import ARGUMENTS, find_chromium
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.journeys.markdown_page import bundle
from tests.journeys.test_chat import answer, send
from tests.served import Served, point_anthropic_at, served

SOURCE = Path(__file__).resolve().parent / "typing"
KEYS = 300
THREADS = 200
BURST = 50
KEY_S = 0.06
PAUSE_S = 1.6
PIECES_A_SECOND = 200
PIECE = 4
ALLOWED = (1.15, 1.2)
AIM_MS = 16.0
ALLOWED_OPENING_MS = 500.0
LETTERS = "the tide comes and goes "
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]
NOTE_KEYS = """() => {
  if (window.notes) return;
  window.notes = (event) => {
    performance.measure("key", { start: event.timeStamp, end: performance.now() });
  };
  addEventListener("keydown", window.notes, { capture: true });
}"""
TO_THE_MIDDLE = """(name) => {
  const { view } = document.querySelector(name).cmTile.root;
  const at = view.state.doc.toString().indexOf("records", view.state.doc.length / 2);
  view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
  view.focus();
}"""
COMMENT_ON_PASSAGES = """async ([name, count]) => {
  const { view } = document.querySelector(name).cmTile.root;
  const text = view.state.doc.toString();
  const project = new URLSearchParams(location.search).get("project");
  for (let number = 1; number <= count; number += 1) {
    const start = text.indexOf(`[the paper][${4 * number}] says`);
    const passage = { kind: "text", path: "paper.md", start, end: start + 20 };
    const answer = await fetch(`/api/v1/projects/${project}/threads`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Recto-Page": localStorage["recto.page-secret"].split(".")[0],
      },
      body: JSON.stringify({ passage, body: "Is that so?" }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}"""
OPENING = """(name) => new Promise((done) => {
  let began = 0;
  addEventListener("mousedown", (event) => { began ||= event.timeStamp; }, { capture: true });
  const look = () => {
    const text = document.querySelector(`.cm-content[aria-label="Text of ${name}"]`);
    if (text?.getAttribute("aria-readonly") !== "false") return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { subtree: true, childList: true, attributes: true });
})"""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the main thread's time, in microseconds; `work` is its processor time."""

    start: float
    end: float
    work: float


class Trace:
    """What the main thread of one page did."""

    def __init__(self, data: bytes) -> None:
        events: list[dict[str, Any]] = json.loads(data)["traceEvents"]
        measures = [
            event for event in events if event["cat"] == "blink.user_timing" and event["ph"] == "b"
        ]
        thread = (measures[0]["pid"], measures[0]["tid"])
        self._arrivals = sorted(item["ts"] for item in measures if item["name"] == "key")
        own = [
            event
            for event in events
            if (event["pid"], event["tid"]) == thread and event["ph"] == "X"
        ]
        self._tasks = spans(own, "RunTask")
        self._commits = spans(own, "Commit")
        inputs = [item for item in own if item["name"] == "EventDispatch"]
        self._inputs = spans([item for item in inputs if item["args"]["data"]["type"] == "input"])

    def work_ms(self) -> list[float]:
        """The main thread's work for each key, from its arrival until its letter is painted."""
        return [self._work(at) for at in self._arrivals]

    def _work(self, arrived: float) -> float:
        typed = first(self._inputs, arrived)
        painted = first(self._commits, typed.end)
        end = next(task.end for task in self._tasks if task.start <= painted.start <= task.end)
        return (
            sum(_task.work for _task in self._tasks if _task.end > arrived and _task.start < end)
            / 1000
        )


def spans(events: list[dict[str, Any]], name: str | None = None) -> list[Span]:
    """The events of a name, in order."""
    found = [
        Span(event["ts"], event["ts"] + event["dur"], event.get("tdur", 0))
        for event in events
        if name is None or event["name"] == name
    ]
    return sorted(found, key=lambda one: one.start)


def first(ordered: list[Span], after: float) -> Span:
    """The first that starts after a time."""
    return ordered[bisect_left(ordered, after, key=lambda one: one.start)]


async def typed(browser: Browser, page: Page) -> list[float]:
    """Type in bursts; the work for each key in ms."""
    await page.evaluate(NOTE_KEYS)
    await browser.start_tracing(page=page, categories=CATEGORIES)
    for number in range(KEYS):
        began = asyncio.get_running_loop().time()
        await page.keyboard.press(LETTERS[number % len(LETTERS)])
        last = number % BURST == BURST - 1
        left = began + (PAUSE_S if last else KEY_S) - asyncio.get_running_loop().time()
        await asyncio.sleep(max(0, left))
    return Trace(await browser.stop_tracing()).work_ms()


@asynccontextmanager
async def streaming(page: Page, upstream: AnthropicServer) -> AsyncGenerator[None]:
    """An answer that grows by so many pieces a second, until the block is left."""
    gate = Gate()
    text = answer_text()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    upstream.answer(says(*pieces), fault=Fault(drip=True, gate=gate))
    await send(page, "Write a long answer.")

    async def let_go() -> None:
        while True:
            gate.step(2)
            await asyncio.sleep(2 / PIECES_A_SECOND)

    async with asyncio.TaskGroup() as tasks:
        dripping = tasks.create_task(let_go())
        await expect(answer(page).last).to_contain_text("Station 1", timeout=30_000)
        yield
        dripping.cancel()
    await page.get_by_role("button", name="Stop").first.click()
    gate.open()


async def commented(page: Page) -> None:
    """Comment on many passages, and wait until the page knows of all of them."""
    await page.evaluate(COMMENT_ON_PASSAGES, [".cm-content", THREADS])
    tab = page.get_by_role("tab", name="Threads")
    await expect(tab).to_contain_text(str(THREADS), timeout=60_000)


async def ours(browser: Browser, folder: Path) -> tuple[float, dict[str, list[float]]]:
    """How long opening took, and the work for each key, alone and with an answer, in ms."""
    async with AnthropicServer() as upstream:
        home = folder / "home"
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(home, folder / "folder") as recto:
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            opening = await opened(page, recto)
            await commented(page)
            alone = await typed_in_the_middle(browser, page)
            async with streaming(page, upstream):
                streamed = await typed_in_the_middle(browser, page)
            await page.close()
    return opening, {"recto": alone, "with answer": streamed}


async def typed_in_the_middle(browser: Browser, page: Page) -> list[float]:
    """Type in the middle of the document, once it rests."""
    await page.evaluate(TO_THE_MIDDLE, ".cm-content")
    await asyncio.sleep(PAUSE_S)
    return await typed(browser, page)


async def opened(page: Page, recto: Served) -> float:
    """Open a small file, then the large one; how long the second took until it could be edited."""
    await page.goto(recto.ready.link)
    await page.get_by_role("treeitem", name="small.md").dblclick()
    await expect(page.locator(".cm-content")).to_have_attribute("aria-readonly", "false")
    opening = asyncio.ensure_future(page.evaluate(OPENING, "paper.md"))
    await page.get_by_role("treeitem", name="paper.md").dblclick()
    return await opening


async def others(browser: Browser, folder: Path) -> dict[str, list[float]]:
    """The work for each key in other editors."""
    found: dict[str, list[float]] = {}
    with files_served(bundle(SOURCE, folder / "others")) as url:
        for way in ("codemirror", "textarea"):
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            await page.goto(url)
            await page.wait_for_function("window.isReady")
            await page.evaluate(f"(text) => {way}(text)", document())
            await asyncio.sleep(PAUSE_S)
            found[way] = await typed(browser, page)
            await page.close()
    return found


async def measure(folder: Path) -> tuple[float, dict[str, list[float]]]:
    """Measure all in one browser, one after the other."""
    (folder / "folder").mkdir()
    (folder / "folder" / "small.md").write_text("# Small\n", encoding="utf-8")
    (folder / "folder" / "paper.md").write_text(document(), encoding="utf-8")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        opening, found = await ours(browser, folder)
        found |= await others(browser, folder)
        await browser.close()
    return opening, found


def main() -> None:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as folder:
        opening, found = asyncio.run(measure(Path(folder)))
    print(f"{'':12}{'median':>9}{'95 %':>9}   (ms of work a key, {KEYS} keys in 1 MB of Markdown)")
    taken = {
        name: (statistics.median(work), statistics.quantiles(work, n=20)[-1])
        for name, work in found.items()
    }
    bare = taken["codemirror"]
    for name, costs in taken.items():
        ratios = [cost / other for cost, other in zip(costs, bare, strict=True)]
        print(f"{name:12}{costs[0]:9.1f}{costs[1]:9.1f}   {ratios[0]:.2f} and {ratios[1]:.2f} ×")
    print(
        f"with an answer {AIM_MS:g} ms at 95 % are the aim; opening takes {opening:.0f} ms", end=" "
    )
    print(f"(at most {ALLOWED_OPENING_MS:g} allowed)", flush=True)
    limits = [limit * other for limit, other in zip(ALLOWED, bare, strict=True)]
    over = any(cost > limit for cost, limit in zip(taken["recto"], limits, strict=True))
    if over or opening > ALLOWED_OPENING_MS:
        sys.exit(
            "typing: more than {} and {} × a bare CodeMirror, or slow to open.".format(*ALLOWED)
        )


if __name__ == "__main__":
    main()
