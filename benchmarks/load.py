"""What a page costs to open cold: bytes over the wire, and time until it is usable, near and far.

Recto against JupyterLab, in turns, each server warm and each browser's cache empty: once as they
are, once over a line of 1.5 seconds' latency, where Recto must show its first words within a second
of its first byte. Prints medians and ratios; fails when Recto is not twice as light and as fast.
"""

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.startup import (
    PROGRAMS,
    RIVALS,
    SAMPLE,
    TOKEN,
    Program,
    free_port,
    wait_for_page,
)
from tests.chromium import ARGUMENTS, find_chromium

ROUNDS = int(os.environ.get("RECTO_LOAD_ROUNDS", "5"))
REQUIRED = 2.0
LATENCY_MS = 1500
FIRST_WORDS_MS = 1000
COMPARED = [program for program in PROGRAMS if program.name in {"recto", "jupyter lab"}]
# The browser makes up the line behind the place where it notes when an answer began.
PAINTED = """(latency) => {
  const [page] = performance.getEntriesByType("navigation");
  const words = performance.getEntriesByName("first-contentful-paint")[0];
  const began = Math.max(page.responseStart, page.requestStart + latency);
  return words ? words.startTime - began : Infinity;
}"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What opening a page once has cost."""

    kilobytes: float
    seconds: float
    words_ms: float
    """From the first byte to the first words that are seen."""


@contextmanager
def running(program: Program) -> Generator[int]:
    """A server of a program on a copy of the sample folder; its port."""
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        place = Path(home) / "folder"
        shutil.copytree(SAMPLE, place)
        environment = {
            "PATH": f"{RIVALS}{os.pathsep}{os.environ['PATH']}",
            "HOME": home,
            "RECTO_TOKEN": TOKEN,
            "RECTO_HOME": str(Path(home) / "recto"),
        }
        process = subprocess.Popen(
            program.command(port, place),
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
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def open_cold(program: Program, port: int, browser: Browser, latency_ms: int) -> Cost:
    """Open the page in a browser that has seen nothing of it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    if program.name == "recto":
        context.set_extra_http_headers({"Authorization": f"Bearer {TOKEN}"})
    page = context.new_page()
    line: Any = context.new_cdp_session(page)
    received = 0.0

    def count(event: dict[str, Any]) -> None:
        nonlocal received
        received += event["encodedDataLength"]

    line.on("Network.loadingFinished", count)
    line.send("Network.enable")
    if latency_ms:
        slow = {"offline": False, "latency": latency_ms}
        slow |= {"downloadThroughput": -1, "uploadThroughput": -1}
        line.send("Network.emulateNetworkConditions", slow)
    started = time.perf_counter()
    page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
    page.locator(program.usable).first.wait_for(state="visible", timeout=120_000)
    seconds = time.perf_counter() - started
    words = page.evaluate(PAINTED, latency_ms)
    context.close()
    return Cost(received / 1000, seconds, words)


def measure(browser: Browser, latency_ms: int) -> dict[str, Cost]:
    """Medians of each program, opened in turns."""
    taken: dict[str, list[Cost]] = {program.name: [] for program in COMPARED}
    for _ in range(ROUNDS):
        for program in COMPARED:
            with running(program) as port:
                open_cold(program, port, browser, 0)
                taken[program.name].append(open_cold(program, port, browser, latency_ms))
    return {
        name: Cost(
            statistics.median(cost.kilobytes for cost in costs),
            statistics.median(cost.seconds for cost in costs),
            statistics.median(cost.words_ms for cost in costs),
        )
        for name, costs in taken.items()
    }


def judge(costs: dict[str, Cost], label: str) -> bool:
    """Print what was measured; whether Recto is as light and as quick as it must be."""
    print(f"{label:24}{'kB':>8}{'usable s':>10}{'words ms':>10}   (median of {ROUNDS})")
    for name, cost in costs.items():
        print(f"{name:24}{cost.kilobytes:8.0f}{cost.seconds:10.2f}{cost.words_ms:10.0f}")
    ours, rival = costs["recto"], costs["jupyter lab"]
    lighter, faster = rival.kilobytes / ours.kilobytes, rival.seconds / ours.seconds
    print(f"recto is {lighter:.1f} × lighter and {faster:.1f} × faster than jupyter lab")
    return min(lighter, faster) >= REQUIRED


def main() -> None:
    """Measure near and far, print, and judge."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        near, far = measure(browser, 0), measure(browser, LATENCY_MS)
        browser.close()
    good = judge(near, "on this computer")
    good = judge(far, f"at {LATENCY_MS} ms latency") and good
    if not good or far["recto"].words_ms > FIRST_WORDS_MS:
        sys.exit("load: Recto's page is heavier or slower than it must be.")


if __name__ == "__main__":
    main()
