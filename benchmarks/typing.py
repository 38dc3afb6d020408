"""What a key press costs the page: 1 MB of Markdown, shown as it reads, alone and with an answer.

The document has 200 comments in its margin, at passages that they stay with. Chromium types 300
letters into its middle in bursts, with pauses in which it saves itself: once alone, once while a
chat beside it streams 200 pieces a second. From the trace comes the processor time of the page's
main thread from each key's arrival until its letter is painted, the chat's included. In the same
run, alone on their page: a bare CodeMirror with Markdown's colours, and a textarea. Prints medians
and 95th percentiles, as ratios to the bare CodeMirror, and from the click how long Recto and that
CodeMirror take to open the text. Fails when typing alone is over 1.15 × at the median or 1.2 × at
95 %, with an answer over both 16 ms and 1.3 × at 95 %, or opening over both 500 ms and 1.3 ×.
Names measure only these: `alone`, `answer`, `codemirror`, `textarea`.
"""

import asyncio
import json
import shutil
import statistics
import sys
import tempfile
from bisect import bisect_left
from collections.abc import AsyncGenerator, Sequence
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
PARTS = ("alone", "answer", "codemirror", "textarea")
ALLOWED_MS, ALLOWED_RATIO = 16.0, 1.3
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
OPENING = """(selector) => new Promise((done) => {
  let began = 0;
  addEventListener("mousedown", (event) => { began ||= event.timeStamp; }, { capture: true });
  const look = () => {
    if (!document.querySelector(selector)) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { subtree: true, childList: true, attributes: true });
})"""


EDITABLE = ".cm-content[aria-label='Text of {}'][aria-readonly=false]"


@dataclass(frozen=True, slots=True)
class Openings:
    """Milliseconds from the click until a text can be edited."""

    recto: float
    bare: float


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


async def ours(
    browser: Browser, folder: Path, parts: Sequence[str]
) -> tuple[float, dict[str, list[float]]]:
    """How long opening took, and the work for each key, alone and with an answer, in ms."""
    found: dict[str, list[float]] = {}
    async with AnthropicServer() as upstream:
        home = folder / "home"
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(home, folder / "folder") as recto:
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            opening = await opened(page, recto)
            await commented(page)
            if "alone" in parts:
                found["alone"] = await typed_in_the_middle(browser, page)
            if "answer" in parts:
                async with streaming(page, upstream):
                    found["answer"] = await typed_in_the_middle(browser, page)
            await page.close()
    return opening, found


async def typed_in_the_middle(browser: Browser, page: Page) -> list[float]:
    """Type in the middle of the document, once it rests."""
    await page.evaluate(TO_THE_MIDDLE, ".cm-content")
    await asyncio.sleep(PAUSE_S)
    return await typed(browser, page)


async def opened(page: Page, recto: Served) -> float:
    """Open a small file, then the large one; how long the second took until it could be edited."""
    await page.goto(recto.ready.link)
    await page.get_by_role("treeitem", name="small.md").dblclick()
    await expect(page.locator(EDITABLE.format("small.md"))).to_be_visible()
    opening = asyncio.ensure_future(page.evaluate(OPENING, EDITABLE.format("paper.md")))
    await page.get_by_role("treeitem", name="paper.md").dblclick()
    return await opening


async def opened_bare(browser: Browser, url: str) -> float:
    """The same with a bare CodeMirror: a button fetches the text and shows it."""
    page = await browser.new_page(viewport={"width": 1440, "height": 900})
    await page.goto(url)
    await page.wait_for_function("window.isReady")
    await page.get_by_role("button", name="small.md").dblclick()
    await expect(page.locator(".cm-content", has_text="Small")).to_be_visible()
    shown = ".cm-content[aria-label='paper.md']"
    opening = asyncio.ensure_future(page.evaluate(OPENING, shown))
    await page.get_by_role("button", name="paper.md").dblclick()
    took = await opening
    await page.close()
    return took


async def others(
    browser: Browser, folder: Path, parts: Sequence[str]
) -> tuple[float, dict[str, list[float]]]:
    """How long a bare CodeMirror took to open the text, and the work for each key in others."""
    found: dict[str, list[float]] = {}
    built = bundle(SOURCE, folder / "others")
    for name in ("small.md", "paper.md"):
        shutil.copy(folder / "folder" / name, built / name)
    with files_served(built) as url:
        opening = await opened_bare(browser, url)
        for way in ("codemirror", "textarea"):
            if way not in parts:
                continue
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            await page.goto(url)
            await page.wait_for_function("window.isReady")
            await page.evaluate(f"(text) => {way}(text)", document())
            await asyncio.sleep(PAUSE_S)
            found[way] = await typed(browser, page)
            await page.close()
    return opening, found


async def measure(folder: Path, parts: Sequence[str]) -> tuple[Openings, dict[str, list[float]]]:
    """Measure all in one browser, one after the other."""
    (folder / "folder").mkdir()
    (folder / "folder" / "small.md").write_text("# Small\n", encoding="utf-8")
    (folder / "folder" / "paper.md").write_text(document(), encoding="utf-8")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        opening, found = await ours(browser, folder, parts)
        bare, besides = await others(browser, folder, parts)
        await browser.close()
    return Openings(opening, bare), found | besides


def judged(openings: Openings, taken: dict[str, tuple[float, float]]) -> list[str]:
    """What is over its limit."""
    over: list[str] = []
    bare = taken.get("codemirror")
    if bare and "alone" in taken:
        limits = [limit * other for limit, other in zip(ALLOWED, bare, strict=True)]
        if any(cost > limit for cost, limit in zip(taken["alone"], limits, strict=True)):
            over.append("typing alone is more than {} and {} × a bare CodeMirror".format(*ALLOWED))
    if bare and "answer" in taken and taken["answer"][1] > max(ALLOWED_MS, ALLOWED_RATIO * bare[1]):
        over.append(f"with an answer more than {ALLOWED_MS:g} ms and {ALLOWED_RATIO} × at 95 %")
    if openings.recto > max(ALLOWED_OPENING_MS, ALLOWED_RATIO * openings.bare):
        over.append(f"opening takes more than {ALLOWED_OPENING_MS:g} ms and {ALLOWED_RATIO} ×")
    return over


def main() -> None:
    """Measure, print, and judge."""
    parts = sys.argv[1:] or PARTS
    with tempfile.TemporaryDirectory() as folder:
        openings, found = asyncio.run(measure(Path(folder), parts))
    print(f"{'':12}{'median':>9}{'95 %':>9}   (ms of work a key, {KEYS} keys in 1 MB of Markdown)")
    taken = {
        name: (statistics.median(work), statistics.quantiles(work, n=20)[-1])
        for name, work in found.items()
    }
    bare = taken.get("codemirror")
    for name, costs in taken.items():
        ratios = [cost / other for cost, other in zip(costs, bare or costs, strict=True)]
        told = f"   {ratios[0]:.2f} and {ratios[1]:.2f} ×" if bare else ""
        print(f"{name:12}{costs[0]:9.1f}{costs[1]:9.1f}{told}")
    ratio = openings.recto / openings.bare
    print(f"opening {openings.recto:.0f} ms, a bare CodeMirror {openings.bare:.0f}: {ratio:.2f} ×")
    over = judged(openings, taken)
    if over:
        sys.exit(f"typing: {'; '.join(over)}.")


if __name__ == "__main__":
    main()
