"""What was typed while nobody answered, after the browser itself has ended."""

import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from playwright.async_api import BrowserContext, Page, WebSocketRoute, async_playwright, expect

from tests.chromium import ARGUMENTS, find_chromium
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

KEPT = """() => new Promise((done, failed) => {
  const asked = indexedDB.open("recto-unsent");
  asked.onerror = () => failed(asked.error);
  asked.onsuccess = () => {
    const database = asked.result;
    if (!database.objectStoreNames.contains("edits")) { database.close(); done([]); return; }
    const all = database.transaction("edits").objectStore("edits").getAll();
    all.onsuccess = () => { database.close(); done(all.result.map(({ content }) => content)); };
  };
})"""


@asynccontextmanager
async def browser_at(profile: Path) -> AsyncGenerator[BrowserContext]:
    """A browser with a profile on disk; one that was killed is gone already."""
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            profile, executable_path=find_chromium(), args=ARGUMENTS, reduced_motion="reduce"
        )
        ended = anyio.Event()
        context.on("close", lambda _: ended.set())
        try:
            yield context
        finally:
            if not ended.is_set():
                await context.close()


async def open_readme(page: Page) -> None:
    await page.get_by_role("treeitem", name="README.md").dblclick()
    await expect(page.get_by_role("textbox", name="Text of README.md")).to_contain_text(
        "Tide gauges"
    )


def kill(profile: Path) -> None:
    """End the browser of a profile as a crash does: without a word to its pages."""
    mine = f"--user-data-dir={profile}"
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            words = (process / "cmdline").read_text(encoding="utf-8").split("\0")
        except OSError:
            continue
        if mine in words and not any(word.startswith("--type=") for word in words):
            os.kill(int(process.name), signal.SIGKILL)
            return
    raise AssertionError("The browser is not there.")


async def test_edits_made_offline_survive_the_end_of_the_browser(
    recto: Served, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    async with browser_at(profile) as context:
        page = context.pages[0]
        lines: list[WebSocketRoute] = []

        def pass_on(line: WebSocketRoute) -> None:
            line.connect_to_server()
            lines.append(line)

        await page.route_web_socket("**/documents/sync", pass_on)
        await page.goto(recto.ready.link)
        await open_readme(page)
        assert await page.evaluate(KEPT) == []
        await page.route_web_socket("**/documents/sync", lambda line: line.close())
        for line in lines:
            await line.close()
        text = page.get_by_role("textbox", name="Text of README.md")
        await text.press("Control+End")
        await page.keyboard.type("Written while nobody answered.")
        await page.wait_for_function(f"async () => (await ({KEPT})()).join().includes('answered.')")
        ended = anyio.Event()
        context.on("close", lambda _: ended.set())
        kill(profile)
        with anyio.fail_after(60):
            await ended.wait()
    assert "answered" not in (recto.folder / "README.md").read_text(encoding="utf-8")

    async with browser_at(profile) as context:
        page = context.pages[0]
        # A browser that is killed may not have written down its cookie yet.
        async with recto.script() as script:
            link = (await script.post("/api/v1/session/link")).json()["url"]
        await page.goto(link)
        await open_readme(page)
        text = page.get_by_role("textbox", name="Text of README.md")
        await expect(text).to_contain_text("Written while nobody answered.")
        await expect(page.locator(".running-head").get_by_role("status").first).to_have_text(
            "Saved"
        )
        await page.wait_for_function(f"async () => (await ({KEPT})()).length === 0")
        written = (recto.folder / "README.md").read_text(encoding="utf-8")
        assert written.endswith("Written while nobody answered.")

        await page.goto(f"{recto.url}/#settings/session")
        await page.get_by_role("button", name="Sign out", exact=True).click()
        await expect(page.get_by_role("heading", name="This session has ended.")).to_be_visible()
        names = await page.evaluate(
            "async () => (await indexedDB.databases()).map(one => one.name)"
        )
        assert "recto-unsent" not in names
