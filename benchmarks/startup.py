"""How long it takes from starting the process to the first page, and to a page one can use.

Recto against chainlit and JupyterLab, in turns, in one warm Chromium. Prints medians and ratios;
fails when Recto is not at least twice as fast as each.
"""

import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import ARGUMENTS, find_chromium

ROUNDS = 7
REQUIRED = 2.0
RIVALS = Path(__file__).resolve().parent.parent / "build" / "rivals" / "bin"
SAMPLE = Path(__file__).resolve().parent.parent / "sample" / "tide-gauges"
TOKEN = "a-token-for-the-benchmark"
CHAT = "import chainlit\n\n@chainlit.on_message\nasync def answer(message): ...\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that serves a page."""

    name: str
    command: Callable[[int, Path], list[str]]
    usable: str
    """What is on the page once one can use it."""


PROGRAMS = (
    Program(
        "recto",
        lambda port, place: [
            str(Path(sys.executable).parent / "recto"),
            str(place),
            "--no-open",
            "--port",
            str(port),
        ],
        '[role="tree"] [role="treeitem"]',
    ),
    Program(
        "chainlit",
        lambda port, place: [
            str(RIVALS / "chainlit"),
            "run",
            str(place / "chat.py"),
            "--headless",
            "--port",
            str(port),
        ],
        "#chat-input, textarea",
    ),
    Program(
        "jupyter lab",
        lambda port, place: [
            str(RIVALS / "jupyter"),
            "lab",
            "--no-browser",
            "--allow-root",
            "--IdentityProvider.token=",
            f"--ServerApp.port={port}",
            f"--ServerApp.root_dir={place}",
        ],
        ".jp-Launcher-body, .jp-DirListing-item",
    ),
)


def free_port() -> int:
    """A port nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def measure(program: Program, browser: Browser) -> tuple[float, float, float]:
    """Seconds to the first page, seconds to a usable page, CPU seconds of the server until then."""
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        place = Path(home) / "folder"
        shutil.copytree(SAMPLE, place)
        (place / "chat.py").write_text(CHAT, encoding="utf-8")
        environment = {
            "PATH": f"{RIVALS}{os.pathsep}{os.environ['PATH']}",
            "HOME": home,
            "RECTO_TOKEN": TOKEN,
            "RECTO_HOME": str(Path(home) / "recto"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        started = time.perf_counter()
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
            first_page = time.perf_counter() - started
            open_page(program, port, browser)
            usable = time.perf_counter() - started
            return first_page, usable, cpu_seconds(process.pid)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for_page(port: int, process: subprocess.Popen[bytes]) -> None:
    """Ask until the first page is answered."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    while process.poll() is None:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                answer.read()
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.005)
    raise RuntimeError(f"{process.args!r} ended by itself")


def open_page(program: Program, port: int, browser: Browser) -> None:
    """Open the page and wait until one can use it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    if program.name == "recto":
        context.set_extra_http_headers({"Authorization": f"Bearer {TOKEN}"})
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
    page.locator(program.usable).first.wait_for(state="visible", timeout=60_000)
    context.close()


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def help_cpu_ms() -> float:
    """CPU milliseconds of `recto --help`."""
    before = os.times()
    recto = Path(sys.executable).parent / "recto"
    subprocess.run([recto, "--help"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    user = after.children_user - before.children_user
    return (user + after.children_system - before.children_system) * 1000


def main() -> None:
    """Measure in turns, print, and judge."""
    taken: dict[str, list[tuple[float, float, float]]] = {item.name: [] for item in PROGRAMS}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for _ in range(ROUNDS):
            for program in PROGRAMS:
                taken[program.name].append(measure(program, browser))
        browser.close()
    middle = {
        name: tuple(statistics.median(column) for column in zip(*rows, strict=True))
        for name, rows in taken.items()
    }
    print(f"{'':12}{'first page':>12}{'usable':>10}{'CPU':>8}   (seconds, median of {ROUNDS})")
    for name, (first, usable, cpu) in middle.items():
        print(f"{name:12}{first:12.2f}{usable:10.2f}{cpu:8.2f}")
    slow = False
    for rival in [name for name in middle if name != "recto"]:
        first, usable = (middle[rival][index] / middle["recto"][index] for index in (0, 1))
        print(
            f"recto is {first:.1f} × faster to the first page than {rival}, {usable:.1f} × usable"
        )
        slow = slow or min(first, usable) < REQUIRED
    helps = statistics.median(help_cpu_ms() for _ in range(ROUNDS))
    print(f"recto --help takes {helps:.0f} ms of CPU (at most 250)")
    if slow or helps > 250:
        sys.exit("startup: Recto is slower than it must be.")


if __name__ == "__main__":
    main()
