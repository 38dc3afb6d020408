"""Every screen of the page, reached by the keyboard alone, in light and dark, without a barrier."""

import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film_colours
from tests.journeys.test_chat import answer, message
from tests.journeys.test_editor_tools import PAPER
from tests.served import Served, point_anthropic_at, served
from tests.server.test_raw import png

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif("RECTO_SCREENS" not in os.environ, reason="a long run: make soak"),
]

NOTES = """---
title: Tides
tags: [sea]
---

# Tides

A **tide** is a sum of $n$ waves, see [[gauge]] and `fit()`. #water

> [!note] A callout
> with words

- [ ] read the gauges
- [x] plot them

| Port | Level |
| --- | ---: |
| Brest | 4.2 |

```python
def fit():
    return 1
```
"""
NOTEBOOK: dict[str, object] = {
    "cells": [
        {"cell_type": "markdown", "id": "one", "metadata": {}, "source": "# Levels"},
        {
            "cell_type": "code",
            "id": "two",
            "execution_count": 1,
            "metadata": {},
            "source": "print(1)",
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
# Files, each shown in a way of its own, and what shows them.
FILES = {
    "gauge.md": ".cm-content",
    "fit.py": ".cm-content",
    "levels.csv": "[role=grid]",
    "levels.ipynb": "[aria-label='Code of the cell']",
    "gauge.png": "img[alt='gauge.png']",
    "paper.pdf": "[aria-label='Page 1']",
}
# What the palette opens over the page while a note is open and a chat is.
DIALOGS = (
    "Open folder…",
    "Rename project…",
    "Remove project from the list…",
    "Rename this chat…",
    "Move this chat…",
    "Delete this chat…",
    "New file…",
    "New folder…",
    "Rename file or folder…",
    "Move file or folder…",
    "New note from a template…",
    "Show all tags…",
    "Show deleted files…",
    "Who wrote this…",
    "Versions…",
    "Publish as PDF, Word, HTML…",
    "Go to a heading or definition",
    "New skill…",
    "What will be sent",
    "Show all shortcuts",
)
# What it opens in the page itself, and how that shows.
VIEWS = {
    "Show contexts and skills": "#left-tab-contexts[aria-selected=true]",
    "Show chats": "#left-tab-chats[aria-selected=true]",
    "Show references": "#left-tab-references[aria-selected=true]",
    "Show changes, stage and commit": ".changes-again",
    "Replace in files": "[aria-label='What comes in its place']",
    "Show the threads": "#threads-panel",
    "Show earlier chats": "[role=dialog][aria-label=Chats]",
    "Find in the document": "[aria-label=Find]",
    "Split right": "[role=group][aria-label='Right side']",
}
SECTIONS = 14
NO_MOUSE = """() => {
  window.pointed = 0;
  addEventListener("pointerdown", () => { window.pointed += 1; }, { capture: true });
}"""


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    texts = {
        "gauge.md": "# Gauge\n",
        "fit.py": "def fit():\n    return 1\n",
        "levels.csv": "port,level\nBrest,4.2\n",
        "levels.ipynb": json.dumps(NOTEBOOK),
        "library.bib": "@book{pugh1987,\n  title = {Tides},\n  author = {Pugh, D.}\n}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "gauge.png").write_bytes(png(64, 20))
    (folder / "paper.pdf").write_bytes(PAPER)
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def test_the_keyboard_alone_reaches_every_screen_and_none_has_a_barrier(
    open_tab: OpenTab, recto: Served, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await page.evaluate(NO_MOUSE)
    await expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    await film_colours(page, "screen-welcome")
    await write_a_note(page, recto)
    await ask(page, upstream)
    await comment(page)
    await rename_and_delete(page, recto)
    for name, shown in FILES.items():
        await open_file(page, name)
        await expect(page.locator(f".page-verso {shown}").first).to_be_visible()
        await film_colours(page, f"screen-{name}")
    await open_file(page, "tides.md")
    for number, title in enumerate(DIALOGS):
        await command(page, title)
        await expect(page.get_by_role("dialog")).to_have_count(1)
        await film_colours(page, f"screen-dialog-{number}")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
    for number, (title, shown) in enumerate(VIEWS.items()):
        await command(page, title)
        await expect(page.locator(shown).first).to_be_visible()
        await film_colours(page, f"screen-view-{number}")
    await see_the_settings(page)
    assert await page.evaluate("() => window.pointed") == 0


async def command(page: Page, title: str) -> None:
    """Run a command by its name."""
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Palette")
    await expect(palette.get_by_role("combobox")).to_be_focused()
    await page.keyboard.insert_text(f">{title}")
    chosen = palette.get_by_role("option", selected=True)
    await expect(chosen).to_contain_text(title)
    await page.keyboard.press("Enter")
    await expect(palette).to_have_count(0)


async def open_file(page: Page, name: str) -> None:
    await page.keyboard.press("Control+p")
    await expect(page.get_by_role("combobox", name="File name")).to_be_focused()
    await page.keyboard.insert_text(name)
    found = page.get_by_role("listbox", name="Results").get_by_role("option", selected=True)
    await expect(found).to_contain_text(name)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("tab", name=name, selected=True)).to_be_visible()


async def write_a_note(page: Page, recto: Served) -> None:
    """A note is made, written, read and saved."""
    await command(page, "New file…")
    await page.keyboard.insert_text("tides.md")
    await page.keyboard.press("Enter")
    text = page.get_by_role("textbox", name="Text of tides.md")
    await expect(text).to_be_focused()
    await expect(text).to_have_attribute("aria-readonly", "false")
    await page.keyboard.insert_text(NOTES)
    await page.keyboard.press("Control+s")
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    assert await anyio.Path(recto.folder / "tides.md").read_text(encoding="utf-8") == NOTES
    await film_colours(page, "screen-rendered")
    await page.keyboard.press("Control+e")
    await film_colours(page, "screen-source")
    await page.keyboard.press("Control+a")
    await film_colours(page, "screen-selection")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Control+e")


async def ask(page: Page, upstream: AnthropicServer) -> None:
    """A question is asked and answered."""
    upstream.answer(says("The **tide** comes.\n\n```python\nfit()\n```\n"))
    upstream.answer(says("Tides"))
    await page.keyboard.press("Control+Shift+o")
    await expect(message(page)).to_be_focused()
    await page.keyboard.insert_text("What comes?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Tides", level=2)).to_be_visible()
    await expect(answer(page)).to_contain_text("The tide comes.")
    await film_colours(page, "screen-answer")


async def comment(page: Page) -> None:
    """A passage gets a comment."""
    await open_file(page, "tides.md")
    text = page.get_by_role("textbox", name="Text of tides.md")
    await page.keyboard.press("F6")
    await text.focus()
    await page.keyboard.press("Control+Home")
    await page.keyboard.press("Control+Shift+ArrowRight")
    await page.keyboard.press("Control+Shift+m")
    await expect(message(page)).to_have_attribute("placeholder", "Write a comment")
    await expect(message(page)).to_be_focused()
    await page.keyboard.insert_text("Is that so?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("tab", name="Threads")).to_contain_text("1")
    await film_colours(page, "screen-comment")
    await page.keyboard.press("Escape")


async def rename_and_delete(page: Page, recto: Served) -> None:
    """A file gets another name, is deleted, and lies in the trash."""
    await command(page, "New file…")
    await page.keyboard.insert_text("gone.md")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Text of gone.md")).to_be_focused()
    await command(page, "Rename file or folder…")
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text("went.md")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("tab", name="went.md")).to_be_visible()
    await command(page, "Delete file or folder")
    await expect(page.get_by_role("tab", name="went.md")).to_have_count(0)
    assert not await anyio.Path(recto.folder / "went.md").exists()


async def see_the_settings(page: Page) -> None:
    """From one section to the next by Tab and Enter."""
    await page.keyboard.press("Control+,")
    links = page.get_by_role("navigation", name="Sections").get_by_role("link")
    await expect(links).to_have_count(SECTIONS)
    for link in await links.all():
        await link.press("Enter")
        await expect(link).to_have_attribute("aria-current", "page")
        await expect(page.locator("main h1")).to_be_visible()
        await film_colours(page, f"screen-settings-{await link.text_content()}")
