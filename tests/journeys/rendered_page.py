"""A page with one editor that shows Markdown as it reads, built from the page's own sources."""

import subprocess
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page, Route

from recto.server.gate import SECURITY_HEADERS
from scripts.page import node_files
from tests.journeys.conftest import Complaints
from tests.journeys.markdown_page import ROOT

ORIGIN = "http://localhost"
INDEX = """<!doctype html><html lang="en"><title>A document</title>
<body><script type="module" src="/main.js"></script></body></html>"""
SOURCES = (ROOT / "web" / "src").as_posix()
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".woff2": "font/woff2",
}
SCRIPT = f"""
import "{SOURCES}/styles/index.css";
import {{ defaultKeymap, history, historyKeymap, undo }} from "@codemirror/commands";
import {{ markdown, markdownLanguage }} from "@codemirror/lang-markdown";
import {{ ensureSyntaxTree, forceParsing, syntaxHighlighting }} from "@codemirror/language";
import {{ search, searchKeymap }} from "@codemirror/search";
import {{ Compartment, EditorState }} from "@codemirror/state";
import {{ drawSelection, EditorView, keymap }} from "@codemirror/view";
import {{ languages }} from "{SOURCES}/editor/syntax/languages.ts";
import {{ highlight, proseLook }} from "{SOURCES}/editor/look.ts";
import {{ rendered, renderedSyntax }} from "{SOURCES}/editor/rendered/index.ts";
import {{ typingOver }} from "{SOURCES}/editor/keys/typing-over.ts";
import {{ drawFormulas }} from "{SOURCES}/markdown/formulas.ts";
import {{ targetOf }} from "{SOURCES}/markdown/targets.ts";

const SQUARE = "<svg xmlns='http://www.w3.org/2000/svg' width='320' height='80'>"
  + "<rect width='320' height='80' fill='teal'/></svg>";
const PICTURE = `data:image/svg+xml,${{encodeURIComponent(SQUARE)}}`;
window.opened = [];
const options = {{
  targetOf,
  openLink: (href) => window.opened.push(href),
  openFile: (path) => window.opened.push(path),
  openTag: (tag) => window.opened.push(tag),
  noteShown: () => "missing",
  isMissing: () => false,
  preview: () => Promise.resolve(null),
  drawText: () => () => undefined,
  diagram: () => null,
  openNote: (name) => window.opened.push(`[[${{name}}]]`),
  pictureAt: (path) => (path.startsWith("missing") ? "/nothing.png" : PICTURE),
  pictureNamed: () => null,
  drawFormula: (place) => drawFormulas([place]),
}};
const shape = new Compartment();
const language = markdown({{
  base: markdownLanguage, codeLanguages: languages, extensions: renderedSyntax,
}});

window.show = (doc, isRendered = true) => {{
  window.view?.destroy();
  window.view = new EditorView({{
    parent: document.querySelector("main"),
    state: EditorState.create({{
      doc,
      extensions: [
        proseLook, history(), drawSelection(), typingOver, search({{ top: true }}),
        syntaxHighlighting(highlight), shape.of(isRendered ? rendered(options) : []), language,
        EditorView.contentAttributes.of({{ "aria-label": "Text of methods.md" }}),
        keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      ],
    }}),
  }});
}};
window.toggle = (isRendered) =>
  view.dispatch({{ effects: shape.reconfigure(isRendered ? rendered(options) : []) }});
window.text = () => view.state.doc.toString();
window.parse = () => {{
  const whole = ensureSyntaxTree(view.state, view.state.doc.length, 20000) !== null;
  forceParsing(view, view.viewport.to, 1000);
  return whole;
}};
window.undoOnce = () => undo(view);
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  html, body, main {{ height: 100%; background: var(--color-surface-page); }}
  main {{ --document-margin: 3.5rem; }}
`);
document.adoptedStyleSheets = [sheet];
document.body.append(document.createElement("main"));
"""


def built(folder: Path) -> Path:
    """Bundle the page, and return where it lies."""
    modules = ROOT / "web" / "node_modules"
    (folder / "node_modules").symlink_to(modules)
    (folder / "index.html").write_text(INDEX, encoding="utf-8")
    (folder / "main.js").write_text(SCRIPT, encoding="utf-8")
    # Fonts must stay files: the policy allows no data: addresses for them.
    options = ["--assetsInlineLimit", "0", "--logLevel", "error"]
    vite = [node_files()[0], modules / "vite" / "bin" / "vite.js"]
    subprocess.run([*vite, "build", folder, *options], check=True, cwd=ROOT / "web")
    return folder / "dist"


async def serve(context: BrowserContext, folder: Path) -> None:
    """Answer for the page's address from its folder, with the headers of Recto's own pages."""
    headers = {name.decode(): value.decode() for name, value in SECURITY_HEADERS}

    async def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ORIGIN).lstrip("/") or "index.html"
        path = folder / name
        if path.suffix not in TYPES or not path.is_file():
            await route.fulfill(status=404, headers=headers)
            return
        await route.fulfill(path=path, headers={**headers, "content-type": TYPES[path.suffix]})

    await context.route(f"{ORIGIN}/**", answer)


SETTLED = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const isDrawn = (one) => one.childElementCount > 0;
  await frame();
  while (![...document.querySelectorAll("[data-math]")].every(isDrawn)) await frame();
  while (![...document.images].every((picture) => picture.complete)) await frame();
  await document.fonts.ready;
  // The editor knows the new heights once it has measured, which it does a frame later.
  await frame();
  await new Promise((done) => view.requestMeasure({ read: () => null, write: () => done(null) }));
  await frame();
}"""


async def open_page(browser: Browser, folder: Path, complaints: Complaints) -> Page:
    """A page that can show one text after another."""
    context = await browser.new_context(
        viewport={"width": 820, "height": 1000}, reduced_motion="reduce"
    )
    await serve(context, folder)
    page = await context.new_page()
    complaints.listen(page, ORIGIN)
    await page.goto(ORIGIN)
    await page.locator("main").wait_for(state="attached")
    return page


async def show_text(page: Page, text: str) -> None:
    """Show a text in an editor of its own, ready to be typed in."""
    await page.mouse.move(0, 0)  # over nothing that tells something of itself
    await page.evaluate("(text) => { opened.length = 0; show(text); parse(); }", text)
    # What is drawn or set late moves what stands below it, and a click would land elsewhere.
    await page.evaluate(SETTLED)
