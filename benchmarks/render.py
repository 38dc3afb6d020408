"""What showing a long answer costs the browser while it comes: Recto's view against the usual way.

200 KB of Markdown in 51,200 pieces of 4 characters, 64 of them with each frame. The usual way
renders everything again with each piece, by marked, DOMPurify and innerHTML. With as many pieces
it would take hours, so it gets the same text in 400 pieces, which is to its advantage. Prints how
long the main thread was busy with script, style and layout; fails below ten times less.
"""

import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.chromium import ARGUMENTS, find_chromium
from tests.journeys.markdown_page import bundle

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path(__file__).resolve().parent / "render"
CHARACTERS = 200 * 1024
REQUIRED = 10.0
PIECES = {"size": 4, "perFrame": 64}
FEWER_PIECES = {"size": 512, "perFrame": 1}
SECTION = """
## Station {number}

The gauge at *station {number}* records **two** things, as [the paper][{number}] says: the tide, and
everything else. Its clock ran `{number} s` late until 1986, see <https://tides.example/{number}>.

1. Read the record and take the mean off.
   - Gaps over an hour stay gaps.
   - Shorter ones are filled, see `fill()`.
2. Fit the constituents, $M_2$ first.

| constituent | period in h | amplitude in m |
|---|--:|--:|
| M2 | 12.4206 | {number}.05 |
| S2 | 12.0000 | 0.{number} |

```python
def residual(record, constituents):
    \"\"\"What is left when the tide is taken off.\"\"\"
    fitted = sum(c.amplitude * cos(c.speed * record.time + c.phase) for c in constituents)
    return record.level - fitted
```

> What remains is weather, and the slow rise.

[{number}]: https://papers.example/{number}
"""


def text() -> str:
    """An answer as models write them, of the wanted length."""
    sections = (SECTION.format(number=number) for number in range(1, 1000))
    return "".join(sections)[:CHARACTERS]


class Quiet(SimpleHTTPRequestHandler):
    """Serves the built page and says nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Print no line for each file."""


@contextmanager
def served(folder: Path) -> Generator[str]:
    """Serve a folder on loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def busy_s(page: Page, way: str, pace: dict[str, int]) -> float:
    """Seconds the page's main thread works to show the text in one way."""
    session: Any = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def taken() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    before = taken()
    shown = page.evaluate(f"([text, pace]) => {way}(text, pace)", [text(), pace])
    if not shown:
        sys.exit(f"render: {way} showed nothing.")
    return taken() - before


def main() -> None:
    """Measure both, print, and judge."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(bundle(SOURCE, Path(folder))) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(0)
        page.goto(url)
        page.wait_for_function("window.isReady")
        ours = busy_s(page, "recto", PIECES)
        usual = busy_s(page, "everything", FEWER_PIECES)
        browser.close()
    print(f"main thread busy for 200 KB: recto, in 51,200 pieces, {ours:.1f} s;", end=" ")
    print(f"everything again, in 400 pieces, {usual:.1f} s")
    print(f"{usual / ours:.0f} × less work", flush=True)
    if usual / ours < REQUIRED:
        sys.exit(f"render: less than {REQUIRED:.0f} times the usual way.")


if __name__ == "__main__":
    main()
