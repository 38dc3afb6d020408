"""The Contexts tab as a person meets it: contexts and skills, made, switched, trusted, shared."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

FOUND = """---
name: tide-tables
description: Read a tide table and name its constituents.
allowed-tools: read_file
---
# Tide tables

Name the constituents of each table, the largest first.
"""
FILES = {
    "manuscript/methods.md": "# Separating the tide\n\nA tide gauge records *two* things.\n",
    "manuscript/results.md": "# Results\n\nThe surge is 0.48 m high.\n",
    "pipeline/harmonics.py": "def rayleigh() -> float:\n    return 182.6\n",
    "README.md": "# Tide gauges\n",
    ".agents/skills/tide-tables/SKILL.md": FOUND,
    ".recto/skills/nameless/SKILL.md": "No front matter at all.\n",
}


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    folder = tmp_path / "tide-gauges"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    async with served(tmp_path / "home", folder) as running:
        yield running


async def show_contexts(page: Page) -> None:
    await page.get_by_role("tab", name="Contexts").click()
    await expect(row(page, "Concise")).to_be_visible()


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=f"{name}, ")


async def choose(page: Page, name: str, item: str) -> None:
    await page.get_by_role("button", name=f"More for {name}", exact=True).click()
    await page.get_by_role("menuitem", name=item).click()


async def make_context(page: Page, name: str, *files: str) -> None:
    await page.get_by_role("button", name="New context", exact=True).click()
    await expect(page.locator("#context-name")).to_be_focused()
    await page.keyboard.type(name)
    field = page.get_by_role("combobox", name="Add a file")
    for path in files:
        await field.fill(path)
        await expect(page.get_by_role("option", selected=True)).to_contain_text(Path(path).name)
        await field.press("Enter")
    await page.get_by_role("button", name="Make the context").click()
    await expect(row(page, name)).to_be_checked()


async def test_a_context_is_shared_loses_a_file_and_comes_back_after_it_was_deleted(
    open_tab: OpenTab, recto: Served
) -> None:
    page, other = await open_tab(), await open_tab()
    for item in (page, other):
        await show_contexts(item)
    await make_context(page, "Manuscript", "methods.md", "results.md")
    await expect(row(other, "Manuscript")).not_to_be_checked()

    (recto.folder / "manuscript" / "results.md").unlink()
    await expect(page.get_by_role("checkbox", name="1 missing")).to_be_visible()
    await row(page, "Manuscript").press("ArrowRight")
    await expect(page.get_by_text("What is missing is not sent.")).to_be_visible()

    await row(other, "Manuscript").press("Delete")
    # What offers the undo goes after a while, unless the pointer is on it.
    await other.get_by_role("button", name="Undo").hover()
    await expect(row(page, "Manuscript")).to_have_count(0)
    await other.get_by_role("button", name="Undo").click()
    await expect(row(page, "Manuscript")).not_to_be_checked()


async def follow_the_ticks(page: Page) -> None:
    """A context takes over what is ticked when it is told to."""
    await page.keyboard.press("Control+Shift+E")
    await page.get_by_role("treeitem", name="README.md").press("Space")
    await page.keyboard.press("Control+Shift+X")
    await expect(row(page, "Manuscript")).to_have_accessible_name(re.compile("ticked files differ"))
    await choose(page, "Manuscript", "Update to match the ticks")
    await expect(page.get_by_role("checkbox", name="Manuscript, 3 files")).to_be_checked()


async def test_a_found_skill_is_used_only_as_somebody_has_read_it(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await show_contexts(page)
    await expect(page.get_by_role("button", name="nameless, can’t be used")).to_be_visible()
    await page.get_by_role("button", name="tide-tables, wants your trust").click()
    dialog = page.get_by_role("dialog", name="Use the skill “tide-tables”?")
    await expect(dialog.get_by_label("The whole text")).to_contain_text("the largest first.")
    await expect(dialog).to_contain_text(".agents/skills/tide-tables/SKILL.md")

    file = recto.folder / ".agents" / "skills" / "tide-tables" / "SKILL.md"
    file.write_text(FOUND + "Then send them away.\n", encoding="utf-8")
    await expect(dialog.get_by_text("The text has changed")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Trust this text")).to_be_disabled()
    await dialog.get_by_role("button", name="I have read it again").click()
    await expect(dialog.get_by_label("The whole text")).to_contain_text("Then send them away.")
    await dialog.get_by_role("button", name="Trust this text").click()
    await row(page, "tide-tables").click()
    await expect(row(page, "tide-tables")).to_be_checked()

    file.write_text(FOUND + "Then delete them.\n", encoding="utf-8")
    await expect(page.get_by_role("button", name="tide-tables, wants your trust")).to_be_visible()


async def test_who_saves_second_is_told_and_keeps_what_was_typed(open_tab: OpenTab) -> None:
    page, other = await open_tab(), await open_tab()
    for item in (page, other):
        await show_contexts(item)
        await choose(item, "Proofread", "Edit…")
    words = "What the model is to do"
    await page.get_by_label(words).fill("Mend the commas.")
    await other.get_by_label(words).fill("Mend the hyphens.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)

    await other.get_by_role("button", name="Save").click()
    await expect(other.get_by_text("Somebody else changed this skill")).to_be_visible()
    await expect(other.get_by_text("begins with “Mend the commas.")).to_be_visible()
    await expect(other.get_by_label(words)).to_have_value("Mend the hyphens.")
    await other.get_by_role("button", name="Save").click()
    await expect(other.get_by_role("dialog")).to_have_count(0)
    await choose(page, "Proofread", "Edit…")
    # A form in which nothing was typed follows, even if it opened before the news came.
    await expect(page.get_by_label(words)).to_have_value("Mend the hyphens.")


async def test_keys_palette_and_slash_switch_and_new_chats_begin_with_the_defaults(
    open_tab: OpenTab,
) -> None:
    page = await open_tab()
    await show_contexts(page)
    await make_context(page, "Manuscript", "methods.md", "results.md")
    await follow_the_ticks(page)
    await choose(page, "Manuscript", "Begin new chats with it")
    await choose(page, "Concise", "Begin new chats with it")

    await page.keyboard.press("Control+k")
    await page.get_by_role("dialog", name="Palette").get_by_role("combobox").fill("manuscript")
    chosen = page.get_by_role("option", selected=True)
    await expect(chosen).to_contain_text("Manuscript")
    await page.keyboard.press("Enter")
    await expect(row(page, "Manuscript")).not_to_be_checked()

    await page.keyboard.press("Control+Shift+Y")
    await expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    await page.keyboard.type("debug")
    await expect(chosen).to_contain_text("Debug Mode")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("option", name="Debug Mode on")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(row(page, "Debug Mode")).to_be_checked()

    message = page.get_by_role("textbox", name="Message")
    await message.fill("/educ")
    await expect(chosen).to_contain_text("Educational")
    await message.press("Enter")
    await expect(row(page, "Educational")).to_be_checked()
    await expect(message).to_have_value("")

    await page.keyboard.press("Control+Shift+O")
    for name in ("Manuscript", "Concise"):
        await expect(row(page, name)).to_be_checked()
    await page.get_by_role("button", name="Skills in the settings").click()
    for name in ("Manuscript", "Concise"):
        await expect(page.get_by_role("switch", name=f"{name} in new chats")).to_be_checked()


@pytest.mark.parametrize(
    ("scheme", "other", "width"), [("light", "dark", 1440), ("dark", "light", 900)]
)
async def test_the_tab_its_forms_and_its_question_can_be_seen_and_operated(
    open_tab: OpenTab, scheme: Literal["light", "dark"], other: Literal["light", "dark"], width: int
) -> None:
    page = await open_tab(width, 900, color_scheme=other)
    if width < 1080:
        await page.get_by_role("button", name="Show files").click()
    await show_contexts(page)
    await make_context(page, "Manuscript", "methods.md", "results.md")
    await row(page, "Manuscript").press("ArrowRight")
    await film(page, f"contexts-{other}-{width}")
    await page.emulate_media(color_scheme=scheme)
    name = f"contexts-{scheme}-{width}"
    await film(page, name)
    await page.get_by_role("button", name="New skill").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await film(page, f"{name}-skill")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.get_by_role("button", name="tide-tables, wants your trust").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await film(page, f"{name}-trust")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.get_by_role("button", name="Skills in the settings").click()
    await expect(page.get_by_role("heading", name="Skills", level=1)).to_be_visible()
    await film(page, f"{name}-settings")
