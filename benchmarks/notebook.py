"""Notebooks: how soon a cell's answer is in the page, 100,000 printed lines, 500 cells opened.

Against jupyter_client alone, and JupyterLab with its windowing, in the same run. Prints medians;
fails when Recto is slower than it must be. RECTO_BENCH_SMALL=1 tries it out with few rounds.
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.startup import RIVALS, TOKEN, free_port, wait_for_page
from tests.chromium import ARGUMENTS, find_chromium

SMALL = os.environ.get("RECTO_BENCH_SMALL") == "1"
RUNS = 5 if SMALL else 40
ROUNDS = 1 if SMALL else 5
LINES = 100_000
CELLS = 500
MOST_LATER_MS = 20
MOST_TASK_MS = 100
MOST_TIME = 1.3
LEAST_SOONER = 2.0
WAIT_MS = 120_000
COUNTING = "n = globals().get('n', 0) + 1\nprint('run', n)"
PRINTING = f"for line in range({LINES}): print('line', line)"
WINDOWED = ".jupyter/lab/user-settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
# A key that runs a cell, then how long it takes until the words are drawn.
UNTIL_SHOWN = """([selector, words]) => new Promise((done) => {
  const place = document.querySelector(selector);
  place.focus();
  const begun = performance.now();
  const look = () => {
    if (!(place.querySelector(".cell-output")?.textContent ?? "").includes(words)) return;
    seen.disconnect();
    done(performance.now() - begun);
  };
  const seen = new MutationObserver(look);
  seen.observe(place, { childList: true, subtree: true, characterData: true });
  place.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));
})"""
WATCH_TASKS = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    const all = list.getEntries().map(({ duration }) => duration);
    window.longest = Math.max(window.longest, ...all);
  }).observe({ entryTypes: ["longtask"] });
}"""


def code(number: int, source: str) -> dict[str, Any]:
    """A code cell."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"c{number}",
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def write_notebook(path: Path, cells: list[dict[str, Any]]) -> None:
    """A notebook for Python."""
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    found = {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def large_notebook() -> list[dict[str, Any]]:
    """Code, text and printed outputs, as they come in a long analysis."""
    cells: list[dict[str, Any]] = []
    for number in range(CELLS):
        source = f"values = [n * {number} for n in range(100)]\nfor n in values:\n    print(n)"
        cell: dict[str, Any] = code(number, source)
        if number % 5 == 4:
            words = f"## Part {number}\n\nSome words with *emphasis* and $x_{{{number}}}^2$."
            cell = {"cell_type": "markdown", "id": f"c{number}", "source": words}
            cell["metadata"] = {}
        else:
            printed = [f"{n * number}\n" for n in range(30)]
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": printed}]
            cell["execution_count"] = number + 1
        cells.append(cell)
    return cells


@contextmanager
def serving(name: str, place: Path, home: Path) -> Generator[int]:
    """A server on a folder; its port."""
    port = free_port()
    recto = [str(Path(sys.executable).parent / "recto"), str(place), "--no-open", "--port"]
    lab = [str(RIVALS / "jupyter"), "lab", "--no-browser", "--allow-root"]
    lab += ["--IdentityProvider.token=", f"--ServerApp.root_dir={place}", "--ServerApp.port"]
    environment = {
        "PATH": f"{RIVALS if name == 'lab' else ''}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "RECTO_TOKEN": TOKEN,
        "RECTO_HOME": str(home / "recto"),
    }
    process = subprocess.Popen(
        [*(recto if name == "recto" else lab), str(port)],
        env=environment,
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for_page(port, process)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class BareClient:
    """A kernel and its client, with nothing around them."""

    def __init__(self) -> None:
        self._manager, self._client = start_new_kernel()

    def run(self, source: str, words: str) -> float:
        """Milliseconds until the words have come."""
        begun = time.perf_counter()
        sent = self._client.execute(source)
        took = None
        while True:
            message = self._client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != sent:
                continue
            content = message["content"]
            if took is None and words in str(content.get("text", "")):
                took = (time.perf_counter() - begun) * 1000
            if content.get("execution_state") == "idle" and took is not None:
                return took

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


def recto_context(browser: Browser) -> BrowserContext:
    """A browser that has the cookie of nobody yet."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_extra_http_headers({"Authorization": f"Bearer {TOKEN}"})
    return context


def open_in_recto(page: Page, port: int, name: str) -> None:
    """Open the page and a notebook in it, unless it is open still."""
    page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
    item = page.get_by_role("treeitem", name=name)
    item.wait_for(timeout=WAIT_MS)
    if page.get_by_role("tab", name=name).count() == 0:
        item.click()


def measure_running(browser: Browser, port: int) -> tuple[float, float, float]:
    """How long until a small answer shows, 100,000 lines show, and the longest task on the way."""
    page = recto_context(browser).new_page()
    open_in_recto(page, port, "run.ipynb")
    for name in ("c0", "c1"):
        page.locator(f'[data-cell="{name}"]').wait_for(timeout=WAIT_MS)
    taken: list[float] = []
    for number in range(1, RUNS + 2):
        taken.append(page.evaluate(UNTIL_SHOWN, ['[data-cell="c0"]', f"run {number}\n"]))
        page.locator('.cell[data-state="running"]').wait_for(state="detached", timeout=WAIT_MS)
    page.evaluate(WATCH_TASKS)
    last = f"line {LINES - 1}"
    printed = page.evaluate(UNTIL_SHOWN, ['[data-cell="c1"]', last])
    longest = page.evaluate("() => window.longest")
    page.context.close()
    return statistics.median(taken[1:]), printed, longest


def first_use(page: Page, place: str, begun: float) -> float:
    """Seconds until a letter that is typed in the first cell shows."""
    cell = page.locator(place).first
    cell.wait_for(timeout=WAIT_MS)
    cell.click()
    page.keyboard.type("zq")
    cell.get_by_text("zq").first.wait_for(timeout=WAIT_MS)
    return time.perf_counter() - begun


def measure_opening(browser: Browser, name: str, port: int) -> tuple[float, float]:
    """Seconds until the first of 500 cells can be used: in a new browser, and once more in it."""
    context = recto_context(browser) if name == "recto" else browser.new_context()
    taken: list[float] = []
    for _ in range(2):
        page = context.new_page()
        begun = time.perf_counter()
        if name == "recto":
            open_in_recto(page, port, "large.ipynb")
            taken.append(first_use(page, ".cell .cm-content", begun))
        else:
            page.goto(f"http://127.0.0.1:{port}/lab/tree/large.ipynb", wait_until="commit")
            taken.append(first_use(page, ".jp-Notebook .jp-Cell .cm-content", begun))
        page.close(run_before_unload=False)
    context.close()
    return taken[0], taken[1]


def main() -> None:
    """Measure in turns, print, and judge."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        place = Path(home) / "folder"
        place.mkdir()
        settings = Path(home) / WINDOWED
        settings.parent.mkdir(parents=True)
        settings.write_text('{"windowingMode": "full"}', encoding="utf-8")
        write_notebook(place / "run.ipynb", [code(0, COUNTING), code(1, PRINTING)])
        write_notebook(place / "large.ipynb", large_notebook())
        other = Path(home) / "other"
        shutil.copytree(place, other)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        bare = BareClient()
        opened: dict[str, list[tuple[float, float]]] = {"recto": [], "lab": []}
        with (
            serving("recto", place, Path(home)) as recto,
            serving("lab", other, Path(home)) as lab,
        ):
            shown, printed, longest = measure_running(browser, recto)
            small = [bare.run(COUNTING, "run ") for _ in range(RUNS + 1)]
            flood = bare.run(PRINTING, f"line {LINES - 1}\n")
            bare.close()
            for _ in range(ROUNDS):
                opened["recto"].append(measure_opening(browser, "recto", recto))
                opened["lab"].append(measure_opening(browser, "lab", lab))
        browser.close()
    later = shown - statistics.median(small[1:])
    first, again = (
        statistics.median(row[at] for row in opened["lab"])
        / statistics.median(row[at] for row in opened["recto"])
        for at in (0, 1)
    )
    print(f"a small answer: {later:.1f} ms later than bare (at most {MOST_LATER_MS})")
    print(f"{LINES:,} lines: {printed / flood:.2f} × the time of bare (at most {MOST_TIME})")
    print(f"longest task meanwhile: {longest:.0f} ms (under {MOST_TASK_MS})")
    print(f"{CELLS} cells: {first:.1f} × sooner than JupyterLab cold, {again:.1f} × warm (2)")
    for name, rows in opened.items():
        print(f"  {name}: {', '.join(f'{cold:.2f} {warm:.2f}' for cold, warm in rows)} s")
    failed = [later > MOST_LATER_MS, printed > MOST_TIME * flood, longest >= MOST_TASK_MS]
    if any(failed) or min(first, again) < LEAST_SOONER:
        sys.exit("notebook: Recto is slower than it must be.")


if __name__ == "__main__":
    main()
