"""The whole way through a chat with a scripted model, filmed."""

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says, thinks
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, SINGLE, film_in
from tests.journeys.test_chat import answer, conversation, message, send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser, pytest.mark.slow]

LOOKS = (DARK, SINGLE, LIGHT)
SAMPLE = Path(__file__).parents[2] / "sample" / "tide-gauges"
ANSWER = """No. Two constituents separate only once the record is longer than $1/|f_1 - f_2|$. For
S₂ and K₂ that is **182.6 days**, twice our window.

```python
def rayleigh_days(a: str, b: str) -> float:
    return 15 / abs(SPEED[a] - SPEED[b])
```

| constituent | separated after |
| --- | --- |
| M2 | 14.8 days |
| K2 | 182.6 days |
"""


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    """A Recto on the sample folder, whose Anthropic is the strict server on loopback."""
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    shutil.copytree(SAMPLE, folder)
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def ask_with_tools(page: Page, upstream: AnthropicServer) -> None:
    """A question that is answered with a look at the code."""
    gate = Gate()
    upstream.answer(
        thinks("The record must be longer than the Rayleigh period."),
        says("I look at the code first."),
        calls("read_file", {"path": "pipeline/harmonics.py"}),
        calls("search_content", {"query": "days"}),
    )
    upstream.answer(says(ANSWER[:60], ANSWER[60:]), fault=Fault(drip=True, gate=gate))
    await send(page, "Does a 90-day window resolve all the constituents we list?")
    gate.step(3)
    await expect(answer(page)).to_contain_text("Two constituents separate")
    await film_in(page, "chat-2-streaming", DARK, LIGHT)
    upstream.answer(says("Ninety days and the constituents"))
    gate.open()
    await expect(conversation(page)).to_contain_text("182.6 days")
    await expect(page.get_by_text("Ninety days and the constituents").first).to_be_visible()
    await film_in(page, "chat-3-answer", DARK, LIGHT)


async def approve(page: Page, upstream: AnthropicServer) -> None:
    """A change and a command that asks."""
    upstream.answer(
        calls("create_file", {"path": "notes.md", "content": "# Notes\n\n369 days.\n"}),
        calls("run_command", {"command": "wc -w notes.md"}),
    )
    upstream.answer(says("Four words."))
    await send(page, "Write it down and count the words.")
    card = page.get_by_role("group", name="Run a command?")
    await expect(card).to_be_visible()
    await film_in(page, "chat-4-asks", *LOOKS)
    await card.get_by_role("button", name="Once").click()
    await expect(conversation(page)).to_contain_text("Four words.")
    await film_in(page, "chat-5-done", DARK, LIGHT)


async def test_a_question_a_change_a_command_and_back(
    open_tab: OpenTab, upstream: AnthropicServer, recto: Served
) -> None:
    page = await open_tab()
    await expect(message(page)).to_be_visible()
    await film_in(page, "chat-1-empty", *LOOKS)
    await ask_with_tools(page, upstream)
    await approve(page, upstream)
    assert (recto.folder / "notes.md").exists()

    upstream.answer(says("The constituents were compared; notes.md has four words."))
    await message(page).fill("/summ")
    await page.get_by_role("option", name="Summarise").first.click()
    await conversation(page).get_by_role("button", name="Read").click()
    await expect(conversation(page)).to_contain_text("notes.md has four words")
    await film_in(page, "chat-6-summary", *LOOKS)
