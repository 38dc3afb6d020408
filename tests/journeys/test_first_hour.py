"""A first hour, filmed: once with the built-in model, once with a server of one's own."""

import re
from base64 import b64decode
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.async_api import FilePayload, Page, expect

from recto.config import Settings
from recto.config.settings import ModelSettings
from tests.fakes.model_servers import ModelServer
from tests.fakes.providers import Fault, Gate, says
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film_looks
from tests.journeys.test_browser_tabs import another_tab
from tests.journeys.test_chat import answer, conversation, message, send
from tests.journeys.test_consent import card
from tests.journeys.test_file_operations import give_name, row
from tests.journeys.test_typing import open_file, press, saved
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser, pytest.mark.slow]

README = "# Tide gauges\n\nThis project separates the tide from the weather at six ports.\n"
WISH = "Answer in plain words."
CODE = "def tide(day):\n    if day:\n        return 1\n    return 0\n"
LISTS = "# To do\n\n- read the gauges\n"
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
# The built-in model takes its time on a busy machine.
SLOW = 120_000


@pytest.fixture
async def own() -> AsyncGenerator[ModelServer]:
    async with ModelServer("vllm", "tide-7b", "tide-70b", key="secret-of-the-lab") as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    """A Recto without keys on a folder that brings instructions, code and lists."""
    folder = tmp_path / "tide-gauges"
    folder.mkdir()
    files = {"README.md": README, "AGENTS.md": f"{WISH}\n", "tide.py": CODE, "todo.md": LISTS}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = Settings(models=ModelSettings(servers=[]))
    async with served(tmp_path / "home", folder, settings) as running:
        yield running


async def is_answered(page: Page, count: int) -> None:
    await expect(page.get_by_role("button", name="Copy answer")).to_have_count(count, timeout=SLOW)


@pytest.mark.builtin_model
async def test_a_first_hour_with_the_built_in_model(open_tab: OpenTab, recto: Served) -> None:
    page = await open_tab()
    await expect(page.get_by_text("It can’t read the folder by itself")).to_be_visible()
    await tabs_are_in_one_row(page)
    await film_looks(page, "hour-1-welcome")
    await page.get_by_role("button", name="Sum up the README in three sentences.").click()
    await message(page).press("Enter")
    await expect(card(page).get_by_label("Exactly this")).to_contain_text(WISH)
    await expect(message(page)).to_be_focused()
    await expect(card(page).get_by_role("button").first).to_have_text("Deny")
    await film_looks(page, "hour-2-consent")
    await card(page).get_by_role("button", name="This chat").click()
    await is_answered(page, 1)
    await expect(card(page)).to_have_count(0)
    along = page.get_by_role("list", name="Sent along")
    await expect(along).to_contain_text("Names of files")
    await expect(along.get_by_role("button", name="README.md")).to_be_visible()
    await expect(answer(page)).to_contain_text("tide")
    # The marks of a file that went along are no part of an answer.
    await expect(answer(page)).not_to_contain_text("</file")
    await film_looks(page, "hour-3-answer")

    await write_code_and_a_list(page, recto)
    await keep_an_edited_preview(page)
    await make_rename_and_delete_a_file(page, recto)
    await two_tabs(page)
    await stop_an_answer(page, recto)


async def tabs_are_in_one_row(page: Page) -> None:
    """The left panel as it is by itself shows all of its tabs, and its buttons right below."""
    tabs = page.get_by_role("tablist", name="Left panel").get_by_role("tab")
    places = [await tab.bounding_box() for tab in await tabs.all()]
    panel = await page.locator(".panel-left").bounding_box()
    button = await page.get_by_role("button", name="Filter files").bounding_box()
    assert panel is not None
    assert button is not None
    assert len({place["y"] for place in places if place}) == 1
    assert all(place["x"] + place["width"] <= panel["width"] for place in places if place)
    assert button["x"] + button["width"] <= panel["width"]


async def write_code_and_a_list(page: Page, recto: Served) -> None:
    """Tab and Enter indent as the file does."""
    code = await open_file(page, "tide.py")
    await code.press("Control+End")
    await page.keyboard.type("for day in days:")
    await press(page, "Enter")
    await page.keyboard.type("if day:")
    await press(page, "Enter")
    await page.keyboard.type("tide(day)")
    await press(page, "Enter", "Shift+Tab", "Shift+Tab")
    await page.keyboard.type("def ebb():")
    await press(page, "Enter", "Tab", "Shift+Tab")
    await page.keyboard.type("pass")
    await expect(code).to_be_focused()
    grown = "for day in days:\n    if day:\n        tide(day)\ndef ebb():\n    pass"
    await saved(page, recto, "tide.py", CODE + grown)
    await film_looks(page, "hour-4-code")

    todo = await open_file(page, "todo.md")
    await todo.get_by_text("read the gauges").click()
    await press(page, "End", "Enter")
    await page.keyboard.type("Brest")
    await press(page, "Tab", "Enter")
    await page.keyboard.type("Cuxhaven")
    await press(page, "Enter", "Shift+Tab")
    await page.keyboard.type("plot them")
    await expect(todo).to_be_focused()
    nested = "- read the gauges\n  - Brest\n  - Cuxhaven\n- plot them\n"
    await saved(page, recto, "todo.md", f"# To do\n\n{nested}")
    await film_looks(page, "hour-5-list")


async def keep_an_edited_preview(page: Page) -> None:
    """A look becomes a tab that stays once something was typed in it."""
    text = await open_file(page, "README.md", kept=False)
    await text.press("Control+End")
    await page.keyboard.type("Mine.")
    await open_file(page, "AGENTS.md", kept=False)
    tabs = page.get_by_role("tablist", name="Open files").get_by_role("tab")
    await expect(tabs).to_have_text(["tide.py", "todo.md", "README.md", "AGENTS.md"])
    await tabs.get_by_text("README.md").click()
    await expect(text).to_contain_text("Mine.")
    await text.press("Control+z")
    await expect(text).not_to_contain_text("Mine.")


async def make_rename_and_delete_a_file(page: Page, recto: Served) -> None:
    """What is made can be renamed, deleted and brought back."""
    await page.get_by_role("button", name="New file or folder").click()
    await page.get_by_role("menuitem", name="New file…").click()
    await give_name(page, "ports.md")
    made = page.get_by_role("textbox", name="Text of ports.md")
    await expect(made).to_have_attribute("aria-readonly", "false")
    await expect(made).to_be_focused()
    await page.keyboard.insert_text("Brest, Cuxhaven.")
    await saved(page, recto, "ports.md", "Brest, Cuxhaven.")
    await row(page, "ports.md").focus()
    await page.keyboard.press("F2")
    await give_name(page, "harbours.md")
    await row(page, "harbours.md").press("Delete")
    # What offers the undo goes after a while, unless somebody is at it.
    await page.get_by_role("button", name="Undo").focus()
    await expect(row(page, "harbours.md")).to_have_count(0)
    assert not await anyio.Path(recto.folder / "harbours.md").exists()
    await film_looks(page, "hour-6-deleted")
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "harbours.md")).to_be_visible()
    there = anyio.Path(recto.folder / "harbours.md")
    assert await there.read_text(encoding="utf-8") == "Brest, Cuxhaven."


async def two_tabs(page: Page) -> None:
    """Each tab of the browser has its own chat and draft, and has them after a reload."""
    other = await another_tab(page)
    await expect(answer(other)).to_have_count(1)
    await other.get_by_role("button", name="New chat").first.click()
    await expect(answer(other)).to_have_count(0)
    await message(other).fill("A question for later")
    await message(page).fill("Another one, here")
    picture = FilePayload(name="gauge.png", mimeType="image/png", buffer=PNG)
    await page.locator(".composer input[type=file]").set_input_files(picture)
    await expect(page.get_by_role("img", name="gauge.png")).to_be_visible()
    for tab in (page, other):
        await tab.reload()
    await expect(message(page)).to_have_value("Another one, here")
    await page.get_by_role("button", name="Remove gauge.png").click()
    await expect(answer(page)).to_have_count(1)
    await expect(message(other)).to_have_value("A question for later")
    await expect(answer(other)).to_have_count(0)
    await film_looks(other, "hour-7-second-tab")
    await other.close()


async def stop_an_answer(page: Page, recto: Served) -> None:
    """What was written stays, and the page shows what was booked."""
    await send(page, "Write a very long story about the sea, chapter by chapter.")
    words = answer(page).nth(1).locator(".answer")
    await expect(words).to_contain_text(re.compile(r"\w+ \w+"), timeout=SLOW)
    await page.get_by_role("button", name="Stop").click()
    await is_answered(page, 2)
    foot = answer(page).nth(1).locator(".message-foot")
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()["id"]
        chats = f"/api/v1/projects/{project}/chats"
        (chat,) = (await script.get(chats)).json()["items"]
        told = (await script.get(f"/api/v1/chats/{chat['id']}")).json()
    booked = [entry for entry in told["entries"] if entry["kind"] == "assistant"][-1]
    assert booked["reason"] == "cancelled"
    assert 0 < booked["usage"]["output"] < 400
    await expect(foot.locator(".cost")).to_have_text(f"{in_and_out(booked)}, estimated · $0.00")
    await foot.hover()
    await film_looks(page, "hour-8-stopped")


def in_and_out(entry: dict[str, Any]) -> str:
    """The tokens of an answer as the page writes them."""
    usage = entry["usage"]
    sent = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
    return f"{short(sent)} in, {short(usage['output'])} out"


def short(count: int) -> str:
    return str(count) if count < 1000 else f"{count / 1000:.1f}".removesuffix(".0") + "k"


async def test_a_first_hour_with_a_server_of_ones_own(open_tab: OpenTab, own: ModelServer) -> None:
    page = await open_tab()
    await page.get_by_role("link", name="Your own server").click()
    section = page.get_by_role("region", name="Your own servers")
    await section.get_by_role("button", name="Add a server").click()
    await section.get_by_label("Address").fill(own.url)
    await section.get_by_role("button", name="Find models").click()
    await expect(section.get_by_role("alert")).to_contain_text("key")
    await film_looks(page, "own-1-wants-a-key")
    await section.get_by_label("Key, if it wants one").fill("secret-of-the-lab")
    await section.get_by_label("Key, if it wants one").press("Enter")
    for model in ("tide-7b", "tide-70b"):
        await expect(section.get_by_role("checkbox", name=model)).to_be_checked()
    await film_looks(page, "own-2-models")
    await section.get_by_role("button", name="Save").click()
    await page.get_by_role("radio", name="tide-70b").check()
    await expect(page.get_by_role("contentinfo")).to_contain_text("of 16k")
    await film_looks(page, "own-3-chosen")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Model: tide-70b")).to_be_visible()

    await ask_and_stop(page, own)
    assert {exchange.json["model"] for exchange in own.exchanges if exchange.json} == {"tide-70b"}


async def ask_and_stop(page: Page, own: ModelServer) -> None:
    """The server answers, and says what its model is called."""
    own.answer(says("Six ports, ", "and the **weather**."))
    own.answer(says("Tides and weather"))
    await send(page, "What is this folder about?")
    await card(page).get_by_role("button", name="Deny").click()
    await expect(conversation(page)).to_contain_text("Six ports, and the weather.")
    await expect(page.get_by_role("heading", name="Tides and weather")).to_be_visible()
    gate = Gate()
    own.answer(says("High water ", "is at noon."), fault=Fault(drip=True, gate=gate))
    await send(page, "And when is high water?")
    gate.step(2)  # the opening and the first words
    await expect(answer(page).nth(1)).to_contain_text("High water")
    await page.get_by_role("button", name="Stop").click()
    await is_answered(page, 2)
    await answer(page).nth(1).get_by_role("button", name="Source").click()
    facts = page.get_by_role("dialog", name="Confidence unknown")
    exact = facts.locator("dt", has_text="Exact model").locator("+ dd")
    await expect(exact).to_have_text("tide-70b")
    await film_looks(page, "own-4-stopped")
