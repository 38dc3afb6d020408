"""Whatever a model writes: no script runs, nothing is sent, the page stays where it is."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.async_api import Browser, Page

from tests.journeys.hostile_markdown import TAGS, payloads
from tests.journeys.markdown_page import ORIGIN, ROOT, build, serve

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

SOURCES = ROOT / "web" / "src"
SCRIPT = f"""
import {{ MarkdownView }} from "{(SOURCES / "markdown" / "index.ts").as_posix()}";
import {{ languages }} from "{(SOURCES / "editor" / "syntax" / "languages.ts").as_posix()}";

window.runs = [];
window.violations = [];
window.ran = (what) => window.runs.push(what);
addEventListener("securitypolicyviolation", (event) => window.violations.push(event.blockedURI));

const parserOf = async (name) => {{
  const found = languages.find((one) => one.extensions.includes(name));
  return found ? (await found.load()).language.parser : null;
}};
const options = {{ openLink: () => {{}}, openFile: () => {{}}, copy: async () => true, parserOf }};
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

window.render = async (text, size) => {{
  const host = document.body.appendChild(document.createElement("div"));
  const view = new MarkdownView(host, options);
  for (let at = 0; at < text.length; at += size) {{
    view.append(text.slice(at, at + size));
    if (size < text.length) await frame();
  }}
  view.finish();
  await view.drawn();
  return host;
}};
window.shown = true;
"""

# What is in a rendered text that must not be there. Then everything is touched as a person would.
INSPECT = """
async ([texts, size]) => {
  const ours = /^data-(language|math|path|task|align|drawn|after-heading)$/;
  const plain = /^(title|start|rel|target|tabindex|role|aria-label|class|type|alttext)$/;
  const risky = /^(script|style|img|svg|iframe|object|embed|form|input|link|meta|base|template)$/;
  const math = (element) => element.namespaceURI.endsWith("MathML");
  const found = [];
  for (const text of texts) {
    const host = await render(text, size);
    for (const element of host.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        const link = name === "href" && element.matches("a") && /^(https?:|mailto:)/.test(value);
        const known = link || ours.test(name) || plain.test(name);
        if (!known && (!math(element) || /^(on|style|href|src)/.test(name)))
          found.push([text, name, value]);
      }
      if (risky.test(element.localName.toLowerCase())) found.push([text, element.localName]);
      for (const kind of ["mouseover", "focus", "error", "load", "toggle", "animationstart"])
        element.dispatchEvent(new Event(kind, { bubbles: true }));
      if (element.matches("a, button")) element.click();
    }
    host.remove();
  }
  return found;
}
"""


@dataclass
class Traps:
    """What a page did that it must not do."""

    requests: list[str] = field(default_factory=list[str])
    elsewhere: list[str] = field(default_factory=list[str])
    knocks: int = 0

    def listen(self, page: Page) -> None:
        page.on("request", lambda request: self.note(request.url))
        page.on("framenavigated", lambda frame: self.elsewhere.append(frame.url))
        page.on("popup", lambda popup: self.elsewhere.append(popup.url))
        page.on("dialog", lambda dialog: self.elsewhere.append(dialog.message))

    def note(self, url: str) -> None:
        if not url.startswith(ORIGIN):
            self.requests.append(url)


@asynccontextmanager
async def canary(traps: Traps, knocked: anyio.Event) -> AsyncGenerator[str]:
    """A server that is there to be asked, and counts it."""

    def on_knock(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        traps.knocks += 1
        knocked.set()
        writer.close()

    server = await asyncio.start_server(on_knock, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("markdown"), SCRIPT)


async def open_page(browser: Browser, built: Path, traps: Traps, *, guarded: bool = True) -> Page:
    context = await browser.new_context()
    await serve(context, built, guarded=guarded)
    page = await context.new_page()
    await page.goto(ORIGIN)
    await page.wait_for_function("window.shown")
    traps.listen(page)
    return page


async def outcome(page: Page) -> Any:
    """What ran and what the policy had to stop, after the page had time to ask for anything."""
    await page.evaluate(
        "fetch('/end').then(() => new Promise((done) => requestIdleCallback(done)))"
    )
    return await page.evaluate("[runs, violations]")


async def test_no_text_runs_a_script_sends_a_request_or_leaves_the_page(
    browser: Browser, built: Path
) -> None:
    traps = Traps()
    async with canary(traps, anyio.Event()) as away:
        texts = payloads(away)
        page = await open_page(browser, built, traps)
        assert await kinds_shown(page) == ["math", "msup", "button", "span"]
        at_once = await page.evaluate(INSPECT, [texts, 1_000_000])
        in_pieces = await page.evaluate(INSPECT, [texts[: len(TAGS)], 17])
        ended = await outcome(page)
    assert len(texts) >= 500
    assert (at_once, in_pieces, ended, traps) == ([], [], [[], []], Traps())


async def kinds_shown(page: Page) -> list[str]:
    """Formulas and colours come in under our policy, too."""
    return await page.evaluate(
        """async (text) => {
          const host = await render(text, 5);
          const found = host.querySelectorAll("math, msup, .syntax-keyword, .code-copy");
          return [...found].map((one) => one.localName);
        }""",
        "Energy is $E = m c^2$.\n\n```js\nconst x = 1;\n```\n",
    )


async def test_no_policy_is_needed_for_that_and_the_traps_catch_what_is_shown_as_it_is(
    browser: Browser, built: Path
) -> None:
    traps, knocked = Traps(), anyio.Event()
    async with canary(traps, knocked) as away:
        page = await open_page(browser, built, traps, guarded=False)
        found = await page.evaluate(INSPECT, [payloads(away), 1_000_000])
        ended = await outcome(page)
        assert (found, ended, traps) == ([], [[], []], Traps())

        raw = f"<img src=x onerror=ran(1)><img src={away}/i.png>"
        await page.evaluate("(raw) => { document.body.innerHTML = raw; }", raw)
        with anyio.fail_after(60):
            await knocked.wait()
            await page.wait_for_function("runs.length > 0")
    assert traps.requests == [f"{away}/i.png"]
