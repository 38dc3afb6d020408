"""The core of the journeys in the Firefox that people have."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.firefox import FirefoxTab, find_firefox, firefox_tab
from tests.served import Served, point_anthropic_at, served

FIREFOX = find_firefox()
TEXT = "document.querySelector('.cm-content')?.textContent"
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.browser,
    pytest.mark.skipif(FIREFOX is None, reason="there is no Firefox"),
]


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    (folder / "methods.md").write_text("# Methods\n\n- one\n", encoding="utf-8")
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def test_a_note_is_written_and_a_question_answered_in_firefox(
    recto: Served, upstream: AnthropicServer, tmp_path: Path
) -> None:
    async with firefox_tab(str(FIREFOX), tmp_path / "profile") as tab:
        await tab.open(recto.ready.link)
        await write_a_note(tab, recto)
        await ask(tab, upstream)
        await tab.reload()
        await tab.until("document.querySelector('[role=log] strong')?.textContent === 'tide'")
        await tab.until(f"{TEXT}?.includes('two tides')")
        assert tab.errors == []


async def write_a_note(tab: FirefoxTab, recto: Served) -> None:
    """Lists go on, and the file has what was typed."""
    await tab.click("[role=treeitem]", "methods.md", times=2)
    await tab.until("document.querySelector('.cm-content')?.ariaReadOnly === 'false'")
    await tab.click(".cm-line", "one")
    await tab.press("End", "Enter")
    await tab.type("two tides")
    await tab.until(f"{TEXT}.includes('two tides')")
    await tab.press("Control+s")
    await tab.until("document.querySelector('.running-head [role=status]').textContent === 'Saved'")
    text = await anyio.Path(recto.folder / "methods.md").read_text(encoding="utf-8")
    assert text == "# Methods\n\n- one\n- two tides\n"


async def ask(tab: FirefoxTab, upstream: AnthropicServer) -> None:
    """An answer is shown as it comes, as it reads."""
    gate = Gate()
    upstream.answer(says("The **tide** ", "comes."), fault=Fault(drip=True, gate=gate))
    upstream.answer(says("Tides"))
    await tab.click("textarea[aria-label=Message]")
    await tab.type("What comes?")
    await tab.press("Enter")
    gate.step(3)  # the beginning of the message, of its text, and the first words
    await tab.until("document.querySelector('[role=log] strong')?.textContent === 'tide'")
    gate.open()
    await tab.until("document.querySelector('[aria-label=\"Copy answer\"]') !== null")
    await tab.until("document.querySelector('[role=log]').textContent.includes('comes.')")
