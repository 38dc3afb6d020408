"""Opening, editing, undoing and saving in the page's own editor changes no byte of any file.

The editor and its socket are the page's, in Chromium, on a real Recto; around them is nothing.
"""

import os
import subprocess
from codecs import BOM_UTF16_BE
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.async_api import Browser, Page, Route

from tests.chromium import launched
from tests.journeys.hostile_markdown import payloads
from tests.journeys.markdown_page import ROOT, build
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser, pytest.mark.slow]

IS_WHOLE = os.environ.get("RECTO_CORPUS") == "all"
# How many are left out: with these steps each sentence, line end, construct and surrounding is met.
EVERY_ENCODED, EVERY_CONSTRUCT, EVERY_HOSTILE = (1, 1, 1) if IS_WHOLE else (3, 5, 3)
EVERY_FILE = 1 if IS_WHOLE else 60
TOGETHER = 50  # files that are open at the same time
SCRIPT = f"""
import {{ pageProtocols }} from "{(ROOT / "web" / "src").as_posix()}/api/index.ts";
import {{ DocumentSync, TextViewer }} from "{(ROOT / "web" / "src").as_posix()}/editor/index.ts";

const known = new Map();
const waiting = new Set();
let sync;
let viewer;

function onStatus(path, status) {{
  known.set(path, status);
  for (const wake of waiting) wake();
  waiting.clear();
}}

async function until(path, holds) {{
  while (!known.has(path) || !holds(known.get(path))) {{
    await new Promise((wake) => waiting.add(wake));
  }}
  return known.get(path);
}}

const isSaved = (status) => status.waiting === 0 && status.saved && !status.saving;

function show(path) {{
  const live = sync.text(path);
  viewer.show({{ path, text: live.content, hash: path, live }});
  return live;
}}

/** The middle, but not within a character. */
function middle(text) {{
  const at = Math.floor(text.length / 2);
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;
}}

async function begin(path) {{
  const live = sync.text(path);
  const {{ refused }} = await until(path, (status) => status.synced || status.refused !== null);
  if (refused !== null) return {{ refused, text: null }};
  show(path);
  const text = viewer.view.state.doc.toString();
  const isSame = text === live.content;
  const changes = {{ from: middle(text), insert: "x" }};
  viewer.view.dispatch({{ changes, userEvent: "input.type" }});
  sync.save(path);
  await until(path, isSaved);
  return {{ refused, text: isSame ? text : "differs" }};
}}

async function end(path) {{
  const live = show(path);
  live.undo.undo();
  const text = viewer.view.state.doc.toString();
  sync.save(path);
  await until(path, isSaved);
  return text === live.content ? text : "differs";
}}

window.meet = (url) => {{
  sync = new DocumentSync(url, {{ onStatus }}, (at) => new WebSocket(at, pageProtocols()));
  const nothing = () => null;
  const rendered = {{
    targetOf: nothing, openLink: nothing, openFile: nothing, openNote: nothing,
    pictureAt: nothing, drawFormula: nothing,
  }};
  viewer = new TextViewer(document.body, {{ rendered }});
  viewer.setRendered(true);
}};
window.begin = (paths) => Promise.all(paths.map(begin));
window.end = async (paths) => {{
  const texts = await Promise.all(paths.map(end));
  viewer.keepOnly([]);
  sync.keepOnly([]);
  known.clear();
  return texts;
}};
"""

SENTENCES = {
    "ascii": "Plain words.",
    "utf-8": "Größe, 漢字, שלום, 😀 and e\u0301.",
    "utf-8-sig": "A mark before 漢字.",
    "utf-16": "Pairs 😀 of units.",
    "utf-16-be": "Pairs 😀 of units, the other way.",
    "utf-16-le": "Without a mark.",
    "utf-32": "Four bytes each.",
    "cp1252": "“Straße” – 5 €",
    "latin-1": "caf\xe9 \x81 cr\xe8me",
    "iso8859-15": "caf\xe9, 5 €, na\xefve",
    "koi8-r": "Привет, мир",
    "cp1251": "Привет, мир",
    "cp437": "│ box ┤ ü",
    "mac-roman": "Café “déjà”",
    "shift-jis": "日本語の文",
    "iso2022-jp": "日本語の文",
    "gb18030": "中文文本",
    "big5": "中文文本",
    "euc-kr": "한국어 글",
}
MARKS = {"utf-16-be": BOM_UTF16_BE}
MARKED = {"utf-8-sig", "utf-16", "utf-16-be"}
NOT_TEXT = {"utf-16-le", "utf-32"}  # they hold zero bytes, and no mark that says why
ENDS = {
    "lf": "{0}\nsecond\n",
    "crlf": "{0}\r\nsecond\r\n",
    "cr": "{0}\rsecond\r",
    "mixed": "{0}\r\nsecond\nthird\rfourth\n\r",
    "open": "{0}\nsecond",
    "line": "{0}",
    "blank": "\n\n{0}\n\n\n",
}
ODD = {
    "empty.txt": "",
    "newline.txt": "\n",
    "returns.txt": "\r\r\n\r",
    "separators.txt": "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n",
    "marks-inside.txt": "a\ufeffb\ufeff\n\ufeff\n",
    "controls.txt": "bell \x07, escape \x1b[1m, delete \x7f\n",
    "directions.md": "\u202eright to left\u202c \u200b\u200d\u2066x\u2069\n",
    "joined.md": "👩‍👩‍👧‍👦 e\u0301\u0327 \U0010ffff \ufffe \ufffd\n",
    "tabs.md": "a\tb \t \n\t- c  \n  \t- d\\\n",
    "long-line.txt": "word " * 200_000,
    "long-line.md": "*word* [a](b) " * 20_000,
    "long-row.md": "|a" * 3000 + "|\n" + "|-" * 3000 + "|\n",
    "many-lines.txt": "x\n" * 150_000,
    "nothing-closed.md": "```\n~~~\n$$\n<div>\n[a]: <b\n| a |\n|---",
}
CONSTRUCTS = [
    "---\ntitle: A  paper\nlist: [a, b]\n---\n\nText",
    "Setext\n===\n\nSecond\n---",
    "#  Heading with  marks  ##\n#none",
    "hard  \nbreak\\\nsoft\nend   ",
    "* a\n  * b\n\n\n  c\n+ d\n1) e\n10. f",
    "- [ ] open\n- [x] done\n-    [X] far",
    "| a | b |\n|:--|--:|\n| `x|y` | \\| |\n|  |",
    "a | b\n-|-\n1|2",
    "> quote\nlazy\n>> more\n> ```\n> code",
    "```python title='x'\n\tdef f():\n```\n~~~~\n```\n~~~~",
    "    indented\n\n    code  \n",
    "$a_1$ and $$\nb\n$$ and $5 or $6",
    "a[^1] [[note|shown]]\n\n[^1]: foot\nnote",
    "[a](<b c> 'd') ![e][f]\n\n[f]: <g> \"h\"\n[^x]:",
    "***bold*** __b__ ~~s~~ `` ` `` \\* &amp; &#0; <b>",
    "<div>\n*a*\n\n</div>\n<!-- b\n\n-->\n<?c?>",
    "* * *\n_ _ _\n- - -\n***bold",
    "www.a.example <https://b.example> c@d.example",
]
AROUND = ["{0}", "> {0}", "- {0}", "1. a\n\n   {0}", "| a |\n|---|\n| {0} |\n", "[^1]: {0}"]


@dataclass(frozen=True, slots=True)
class File:
    """A file as it must still be afterwards; without a text, one that is not edited."""

    name: str
    data: bytes
    text: str | None


def file_of(name: str, text: str) -> File:
    """A file in UTF-8."""
    return File(name, text.encode(), shown(text))


def shown(text: str) -> str:
    """The text that people edit: where all lines end alike, in one sign."""
    bare = text.replace("\r\n", "")
    ends = ["\r\n" in text, "\n" in bare, "\r" in bare]
    return text if sum(ends) > 1 else text.replace("\r\n", "\n").replace("\r", "\n")


def encoded() -> list[File]:
    """Sentences in many encodings, with all line ends. What is none of ours is kept by bytes."""
    files: list[File] = []
    pairs = [*product(SENTENCES.items(), ENDS.items())][::EVERY_ENCODED]
    for (encoding, sentence), (end, form) in pairs:
        text = form.format(sentence)
        data = MARKS.get(encoding, b"") + text.encode(encoding)
        known = text if encoding in MARKED else as_read(data)
        is_text = encoding not in NOT_TEXT
        files.append(File(f"{encoding}.{end}.txt", data, shown(known) if is_text else None))
    return files


def as_read(data: bytes) -> str:
    """Bytes by the first of the rules that fits."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def markdown() -> list[File]:
    """Constructs in surroundings, and texts that were made to mislead a renderer."""
    pairs = [*product(AROUND, CONSTRUCTS)][::EVERY_CONSTRUCT]
    made = [around.format(item) for around, item in pairs]
    hostile = payloads("https://away.example")
    starts = range(0, len(hostile), 40 * EVERY_HOSTILE)
    made += ["\n\n".join(hostile[at : at + 40]) for at in starts]
    return [file_of(f"{number}.md", text) for number, text in enumerate(made)]


def odd() -> list[File]:
    """Texts that trip up editors, and what is no text."""
    texts = [file_of(name, text) for name, text in ODD.items()]
    return [*texts, File("zero.txt", b"a\0b\n", None), File("noise.md", bytes(range(256)), None)]


def repository() -> list[File]:
    """Every file of this repository, or every so many of them."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    files: list[File] = []
    for number, path in enumerate(path for path in paths[::EVERY_FILE] if path.is_file()):
        data = path.read_bytes()
        text = None if b"\0" in data else shown(data.decode())
        files.append(File(f"{number}-{path.name}", data, text))
    assert len(files) * EVERY_FILE > 900
    return files


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, bundled."""
    return build(tmp_path_factory.mktemp("corpus"), SCRIPT)


@pytest.fixture(scope="module")
async def browser() -> AsyncGenerator[Browser]:
    async with launched() as running:
        yield running


@asynccontextmanager
async def editor(browser: Browser, recto: Served, built: Path) -> AsyncGenerator[Page]:
    """The editor alone, at an address of Recto's, signed in."""
    (main,) = (built / "assets").glob("index-*.js")

    async def answer(route: Route) -> None:
        path = built / route.request.url.removeprefix(recto.url).lstrip("/")
        await (route.fulfill(path=path) if path.is_file() else route.continue_())

    # A page with a context of its own, which ends with it.
    page = await browser.new_page()
    await page.goto(recto.ready.link)
    await page.route(f"{recto.url}/assets/**", answer)
    # A plain text of Recto's own: no page around it, and its address may open the socket.
    await page.goto(f"{recto.url}/licences.txt")
    await page.evaluate("(address) => import(address)", f"/assets/{main.name}")
    async with recto.script() as script:
        project: str = (await script.get("/api/v1/projects/current")).json()["id"]
    address = f"/api/v1/projects/{project}/documents/sync"
    await page.evaluate("meet", recto.url.replace("http", "ws") + address)
    yield page
    await page.close()


async def check(page: Page, folder: Path, files: Sequence[File]) -> None:
    """Open, edit, save, undo and save some files; look at the disk and at the editor each time."""
    for file in files:
        (folder / file.name).write_bytes(file.data)
    with anyio.fail_after(60):
        opened: list[dict[str, Any]] = await page.evaluate("begin", [file.name for file in files])
    edited = [file for file, item in zip(files, opened, strict=True) if item["refused"] is None]
    unread = {file.name for file in files if file.text is None}
    assert {file.name for file in files} - {file.name for file in edited} == unread
    for file, item in zip(files, opened, strict=True):
        assert (file.name, item["text"]) == (file.name, file.text)
        changed = (folder / file.name).read_bytes() != file.data
        assert (file.name, changed) == (file.name, file.text is not None)
    with anyio.fail_after(60):
        texts: list[str] = await page.evaluate("end", [file.name for file in edited])
    for file, text in zip(edited, texts, strict=True):
        assert (file.name, text) == (file.name, file.text)
    for file in files:
        assert (folder / file.name).read_bytes() == file.data, file.name


@pytest.mark.parametrize("corpus", [encoded, markdown, odd, repository])
async def test_no_byte_of_any_file_changes(
    tmp_path: Path, browser: Browser, built: Path, corpus: Any
) -> None:
    files: list[File] = corpus()
    async with (
        served(tmp_path / "home", tmp_path / "folder") as recto,
        editor(browser, recto, built) as page,
    ):
        for at in range(0, len(files), TOGETHER):
            folder = recto.folder / str(at)
            folder.mkdir()
            names = [replace_name(file, at) for file in files[at : at + TOGETHER]]
            await check(page, recto.folder, names)


def replace_name(file: File, at: int) -> File:
    """The same file in a folder of its batch, so that few are looked at when one changes."""
    return File(f"{at}/{file.name}", file.data, file.text)
