"""What was typed while nobody answered, after the browser itself has ended."""

import os
import signal
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from playwright.async_api import BrowserContext, Page, WebSocketRoute, async_playwright, expect

from tests.chromium import ARGUMENTS, find_chromium
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

# Looking must not make the database: the page would find it without its table.
KEPT = """async () => {
  const there = await indexedDB.databases();
  if (!there.some(one => one.name === "recto-unsent")) return [];
  return new Promise((done, failed) => {
    const asked = indexedDB.open("recto-unsent");
    asked.onerror = () => failed(asked.error);
    asked.onsuccess = () => {
      const all = asked.result.transaction("edits").objectStore("edits").getAll();
      all.onsuccess = () => {
        asked.result.close();
        done(all.result.map(({ content }) => content));
      };
    };
  });
}"""


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


async def until(page: Page, holds: str) -> None:
    """Wait until what the browser keeps is as it should be."""
    looks = f"""async () => {{
      while (!({holds})(await ({KEPT})())) await new Promise(requestAnimationFrame);
    }}"""
    with anyio.fail_after(60):
        await page.evaluate(looks)


async def open_readme(page: Page) -> None:
    await page.get_by_role("treeitem", name="README.md").dblclick()
    text = page.get_by_role("textbox", name="Text of README.md")
    await expect(text).to_have_attribute("aria-readonly", "false")


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


def forget(store: Path) -> None:
    """Have Recto know nothing of the document's history: its text begins anew, with the file."""
    with closing(sqlite3.connect(store)) as rows, rows:
        assert rows.execute("DELETE FROM document_updates").rowcount > 0


async def type_offline(recto: Served, profile: Path) -> None:
    """Type while the line is cut, and let the browser be killed."""
    async with browser_at(profile) as context:
        page = context.pages[0]
        lines: list[WebSocketRoute] = []

        def pass_on(line: WebSocketRoute) -> None:
            line.connect_to_server()
            lines.append(line)

        await page.route_web_socket("**/documents/sync", pass_on)
        await page.goto(recto.ready.link)
        await open_readme(page)
        await page.route_web_socket("**/documents/sync", lambda line: line.close())
        for line in lines:
            await line.close()
        text = page.get_by_role("textbox", name="Text of README.md")
        await text.press("Control+End")
        await page.keyboard.type("Written while nobody answered.")
        await until(page, "kept => kept.join().includes('answered.')")
        ended = anyio.Event()
        context.on("close", lambda _: ended.set())
        kill(profile)
        with anyio.fail_after(60):
            await ended.wait()


async def sign_in(page: Page, recto: Served) -> None:
    """A browser that is killed may not have written down its cookie yet."""
    async with recto.script() as script:
        link = (await script.post("/api/v1/session/link")).json()["url"]
    await page.goto(link)
    await open_readme(page)


async def nothing_is_kept(page: Page) -> None:
    saved = page.locator(".running-head").get_by_role("status").first
    await expect(saved).to_have_text("Saved")
    await until(page, "kept => kept.length === 0")


@pytest.mark.parametrize("meanwhile", ["nothing", "changed", "changed and forgotten"])
async def test_edits_made_offline_survive_the_end_of_browser_and_server(
    tmp_path: Path, meanwhile: str
) -> None:
    home, folder, profile = tmp_path / "home", tmp_path / "folder", tmp_path / "profile"
    folder.mkdir()
    file = folder / "README.md"
    file.write_text("# Tide gauges\n\nA line.\n", encoding="utf-8")
    async with served(home, folder) as recto:
        port = int(recto.url.rpartition(":")[2])
        await type_offline(recto, profile)
    assert "answered" not in file.read_text(encoding="utf-8")
    if meanwhile != "nothing":
        file.write_text("# All tide gauges\n\nA line.\n", encoding="utf-8")
    if meanwhile == "changed and forgotten":
        await to_thread.run_sync(forget, home / "recto.db")
    async with served(home, folder, port=port) as recto, browser_at(profile) as context:
        page = context.pages[0]
        await sign_in(page, recto)
        text = page.get_by_role("textbox", name="Text of README.md")
        if meanwhile == "changed and forgotten":
            await page.get_by_role("button", name="Put my edits in").click()
        await expect(text).to_contain_text("Written while nobody answered.")
        await nothing_is_kept(page)
        head = "# All tide gauges" if meanwhile != "nothing" else "# Tide gauges"
        written = f"{head}\n\nA line.\nWritten while nobody answered."
        assert file.read_text(encoding="utf-8") == written
        await page.reload()
        await expect(text).to_contain_text("Written while nobody answered.")
        await nothing_is_kept(page)
        assert file.read_text(encoding="utf-8") == written

        await page.goto(f"{recto.url}/#settings/session")
        await page.get_by_role("button", name="Sign out", exact=True).click()
        await expect(page.get_by_role("heading", name="This session has ended.")).to_be_visible()
        names = await page.evaluate(
            "async () => (await indexedDB.databases()).map(one => one.name)"
        )
        assert "recto-unsent" not in names
