"""A real Chromium on a real Recto. Any script error or request elsewhere fails the test."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, expect

from tests.chromium import launched
from tests.served import Served, served

# A deadline only ends what hangs: several browsers share the machine with other tests.
expect.set_options(timeout=60_000)

# What never leaves the browser; the last two are its own viewer of PDFs.
INSIDE = ("data:", "blob:", "chrome:", "chrome-extension:")


@dataclass
class Complaints:
    """What a page did that it must not do."""

    errors: list[str] = field(default_factory=list[str])
    strangers: list[str] = field(default_factory=list[str])

    def on_console(self, line: ConsoleMessage) -> None:
        # An answer such as 404 is noted by the browser itself; what the page makes of it is tested.
        if line.type != "error" or line.text.startswith("Failed to load resource"):
            return
        # What the policy of the frame for diagrams has stopped: so it is meant.
        if "directive 'script-src 'sha256-" not in line.text:
            self.errors.append(line.text)

    def listen(self, page: Page, address: str) -> None:
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self.on_console)
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, *INSIDE))
                else self.strangers.append(request.url)
            ),
        )


OpenTab = Callable[..., Awaitable[Page]]


@pytest.fixture(scope="package")
async def chromium() -> AsyncGenerator[Browser]:
    """One Chromium for all journeys of this process."""
    async with launched() as running:
        yield running


@pytest.fixture
async def browser(chromium: Browser) -> AsyncGenerator[Browser]:
    """A browser in which nothing is open, and of which nothing is left for the next journey."""
    assert chromium.contexts == []
    yield chromium
    for context in chromium.contexts:
        await context.close()


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    """A Recto on a small folder."""
    folder = tmp_path / "tide-gauges"
    (folder / "manuscript").mkdir(parents=True)
    (folder / "pipeline").mkdir()
    (folder / "manuscript" / "methods.md").write_text(
        "# Separating the tide\n\nA tide gauge records *two* things.\n", encoding="utf-8"
    )
    (folder / "pipeline" / "harmonics.py").write_text(
        'def rayleigh() -> float:\n    """Days."""\n    return 182.6\n', encoding="utf-8"
    )
    (folder / "README.md").write_text("# Tide gauges\n", encoding="utf-8")
    async with served(tmp_path / "home", folder) as running:
        yield running


@pytest.fixture
async def open_tab(recto: Served, browser: Browser) -> AsyncGenerator[OpenTab]:
    """Opens tabs, each in a browser window of its own, signed in by a fresh link."""
    complaints = Complaints()
    async with AsyncExitStack() as closing, recto.script() as script:

        async def open_one(width: int = 1440, height: int = 900, **options: Any) -> Page:
            context = await browser.new_context(
                viewport={"width": width, "height": height}, reduced_motion="reduce", **options
            )
            closing.push_async_callback(context.close)
            page = await context.new_page()
            complaints.listen(page, recto.url)
            link = (await script.post("/api/v1/session/link")).json()["url"]
            await page.goto(link)
            return page

        yield open_one
    assert complaints == Complaints()
