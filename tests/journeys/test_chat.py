"""A chat as a person meets it: streamed, watched from two tabs, reloaded, approved, undone."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says, thinks
from tests.journeys.conftest import OpenTab
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

RELOADS = int(os.environ.get("RECTO_RELOADS", "5"))


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto whose Anthropic is the strict server on loopback, with its key set."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    (folder / "methods.md").write_text("# Methods\n\nNinety days.\n", encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def conversation(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation")


def answer(page: Page) -> Locator:
    return conversation(page).get_by_role("article", name="Answer")


async def send(page: Page, text: str) -> None:
    await message(page).fill(text)
    await message(page).press("Enter")


async def is_titled(page: Page, title: str) -> None:
    """Wait until the chat has its title: a message sent before that is answered before it."""
    await expect(page.locator(".recto-running h2")).to_have_text(title)


async def test_an_answer_stays_after_a_reload_and_a_file_goes_along_by_its_name(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    upstream.answer(thinks("Hm."), says("The **tide** ", "comes ", "and goes."))
    upstream.answer(says("The tide"))
    await send(page, "What does the tide do?")
    await expect(conversation(page)).to_contain_text("The tide comes and goes.")
    await expect(conversation(page).locator("strong")).to_have_text("tide")
    await is_titled(page, "The tide")
    await page.reload()
    await expect(conversation(page)).to_contain_text("What does the tide do?")
    await expect(conversation(page)).to_contain_text("The tide comes and goes.")

    upstream.answer(says("Ninety."))
    await message(page).press_sequentially("How many days are in @meth")
    await page.get_by_role("option", name="methods.md").click()
    await message(page).press("Enter")
    await expect(answer(page).last).to_contain_text("Ninety.")
    await expect(conversation(page).get_by_label("Sent along").last).to_contain_text("methods.md")
    assert "Ninety days." in str(upstream.exchanges[-1].json)


@pytest.mark.slow
async def test_reloads_during_one_answer_lose_and_double_nothing(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    # I8: a page that loaded the chat shows what one that watched it shows.
    page = await open_tab()
    gate = Gate()
    words = [f"word{number} " for number in range(RELOADS)]
    upstream.answer(says(*words), fault=Fault(drip=True, gate=gate))
    upstream.answer(says("Words"))
    await send(page, "Count.")
    gate.step(2)  # the beginning of the message and of its text
    for number in range(RELOADS):
        gate.step()
        so_far = "".join(words[: number + 1]).strip()
        await expect(answer(page)).to_have_text(so_far)
        await page.reload()
        await expect(answer(page)).to_have_text(so_far)
    gate.open()
    await expect(page.get_by_role("button", name="Copy answer")).to_be_visible()
    await expect(answer(page)).to_contain_text("".join(words).strip())


# A turn of the wheel moves the view over several frames.
AT_REST = """async () => {
  const view = document.querySelector(".message-scroll");
  const frame = () => new Promise(done => requestAnimationFrame(done));
  let before = null;
  for (let still = 0; still < 5; still = before === view.scrollTop ? still + 1 : 0) {
    before = view.scrollTop;
    await frame();
  }
  return before;
}"""


async def is_at_the_end(page: Page) -> None:
    """Wait until the conversation shows its last line."""
    await page.wait_for_function(
        "() => { const at = document.querySelector('.message-scroll');"
        " return at.scrollHeight - at.scrollTop - at.clientHeight < 2; }"
    )


async def test_the_view_follows_an_answer_until_somebody_scrolls_up(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab(height=600)
    gate = Gate()
    pieces = [f"Paragraph {number}.\n\n" + "word " * 120 + "\n\n" for number in range(8)]
    upstream.answer(says(*pieces), fault=Fault(drip=True, gate=gate))
    upstream.answer(says("Words"))
    await send(page, "Write.")
    gate.step(2)
    for number in range(4):
        gate.step()
        await expect(answer(page)).to_contain_text(f"Paragraph {number}.")
        await is_at_the_end(page)
    # Each line makes the field taller, and the end of the answer stays in sight.
    for number in range(6):
        await message(page).press("Shift+Enter")
        await page.keyboard.type(f"line {number}")
        await is_at_the_end(page)
    gate.step()
    await expect(answer(page)).to_contain_text("Paragraph 4.")
    await is_at_the_end(page)
    await expect(page.get_by_role("button", name="Jump to the end")).to_have_count(0)
    await conversation(page).hover()
    await page.mouse.wheel(0, -400)
    await expect(page.get_by_role("button", name="Jump to the end")).to_be_visible()
    before = await page.evaluate(AT_REST)
    gate.open()
    await expect(answer(page)).to_contain_text("Paragraph 7.")
    assert await page.evaluate(AT_REST) == before


async def test_two_tabs_show_the_same_turn_live(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    one, two = await open_tab(), await open_tab()
    gate = Gate()
    upstream.answer(says("First ", "second ", "third."), fault=Fault(drip=True, gate=gate))
    upstream.answer(says("Numbers"))
    await send(one, "Count.")
    gate.step(3)
    await expect(conversation(one)).to_contain_text("First")
    await two.get_by_role("button", name="Earlier chats").click()
    await two.locator(".history-open").click()
    await expect(conversation(two)).to_contain_text("First")
    await two.get_by_role("button", name="Stop").click()
    for tab in (one, two):
        await expect(tab.get_by_role("button", name="Stop")).to_have_count(0)
        await expect(conversation(tab)).to_contain_text("First")


async def test_a_browser_with_many_tabs_goes_on_in_each(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    tabs = [await open_tab()]
    upstream.answer(says("It turns."))
    upstream.answer(says("Tides"))
    await send(tabs[0], "When?")
    await expect(answer(tabs[0])).to_contain_text("It turns.")
    await is_titled(tabs[0], "Tides")
    # Of ordinary connections a browser allows six to an address, for all of its tabs together.
    for _ in range(6):
        tab = await tabs[0].context.new_page()
        await tab.goto(recto.url)
        await expect(answer(tab)).to_contain_text("It turns.")
        tabs.append(tab)
    upstream.answer(says("At noon."))
    await send(tabs[-1], "When exactly?")
    for tab in tabs:
        await expect(answer(tab).last).to_contain_text("At noon.")


async def test_a_command_asks_and_a_change_is_undone(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    file = recto.folder / "methods.md"
    upstream.answer(
        calls("edit_file", {"path": "methods.md", "old_string": "Ninety", "new_string": "369"}),
        calls("run_command", {"command": "echo ebb"}),
    )
    upstream.answer(says("Both are done."))
    upstream.answer(says("A change"))
    await send(page, "Change it, then run the command.")
    card = page.get_by_role("group", name="Run a command?")
    await expect(card.get_by_label("Exactly this")).to_have_text("echo ebb")
    await card.get_by_role("button", name="Once").click()
    await expect(conversation(page)).to_contain_text("Both are done.")
    # The turn has ended once the answer can be copied: nothing is undone before.
    await expect(page.get_by_role("button", name="Copy answer")).to_have_count(1)
    assert file.read_text(encoding="utf-8") == "# Methods\n\n369 days.\n"

    await conversation(page).get_by_text("Edited").click()
    await page.get_by_role("button", name="Undo this call").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("methods.md")
    await dialog.get_by_role("button", name="Undo 1 file").click()
    await expect(dialog).to_have_count(0)
    await expect(conversation(page)).to_contain_text("ndone")
    assert file.read_text(encoding="utf-8") == "# Methods\n\nNinety days.\n"


async def test_a_person_and_the_ai_write_in_one_text(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    await page.get_by_role("treeitem", name="methods.md").dblclick()
    text = page.locator(".cm-content")
    await expect(text).to_contain_text("Ninety days.")
    await expect(text).to_have_attribute("aria-readonly", "false")
    await text.click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("Hourly levels.")
    upstream.answer(calls("read_file", {"path": "methods.md"}))
    upstream.answer(
        calls("edit_file", {"path": "methods.md", "old_string": "Ninety", "new_string": "369"})
    )
    upstream.answer(says("Changed."))
    upstream.answer(says("A change"))
    await send(page, "Use a full year.")
    await expect(answer(page)).to_contain_text("Changed.")
    assert "Hourly levels." in str(upstream.exchanges[1].json), "the tool sees what was typed"
    await expect(text).to_contain_text("369 days.")
    await expect(text).to_contain_text("Hourly levels.")

    await text.click()
    await page.keyboard.press("Control+z")
    await expect(text).to_contain_text("Ninety days.")
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert "Ninety days." in (recto.folder / "methods.md").read_text(encoding="utf-8")
