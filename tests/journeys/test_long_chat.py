"""A chat of 5,000 messages: opened, read back, searched and written to, with few in the page."""

import json
import os
import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import pytest
from anyio import Event, to_thread
from playwright.async_api import Locator, Page, Route, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.journeys.chats_page import an_id
from tests.journeys.conftest import OpenTab
from tests.journeys.film import film
from tests.journeys.test_chat import AT_REST, answer, conversation, is_at_the_end, message, send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

MESSAGES = int(os.environ.get("RECTO_LONG_CHAT", "5000"))
NODES = 5_000
# What is asked of a quiet machine is 100 and 250; a busy one must only not hang.
TASK_MS = float(os.environ.get("RECTO_TASK_MS", "3000"))
BATCH_MS = float(os.environ.get("RECTO_BATCH_MS", "10000"))
LOUD = 1_234

WATCH = """() => {
  window.longest = 0;
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
  }).observe({ type: "longtask" });
}"""
NODE_COUNT = "() => document.querySelectorAll('*').length"
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SCROLLED = "() => document.querySelector('.message-scroll').scrollTop"
# Which message is the first in sight, and where it stands.
FIRST_IN_SIGHT = """() => {
  const view = document.querySelector(".message-scroll").getBoundingClientRect();
  const found = [...document.querySelectorAll(".message")]
    .find(one => one.getBoundingClientRect().bottom > view.top + 40);
  return [found.dataset.key, found.getBoundingClientRect().top - view.top];
}"""
WHERE = """key => {
  const view = document.querySelector(".message-scroll").getBoundingClientRect();
  const found = document.querySelector(`[data-key="${key}"]`);
  return found && found.getBoundingClientRect().top - view.top;
}"""
LINE = 30
# Asked right after a picture: that is what somebody sees.
PAINTED_FIRST, PAINTED_WHERE = (
    f"""key => new Promise(done => requestAnimationFrame(() => {{
  const {{ port1, port2 }} = new MessageChannel();
  port1.onmessage = () => done(({asked})(key));
  port2.postMessage(null);
}}))"""
    for asked in (FIRST_IN_SIGHT, WHERE)
)
EARLIER = "**/chats/*/entries?*"
# How far what is read has moved when earlier messages have come in, and when somebody scrolled by
# 30 before they were painted.
WATCH_ARRIVAL = f"""() => {{
  const view = document.querySelector(".message-scroll");
  const where = {WHERE};
  const [key, top] = ({FIRST_IN_SIGHT})();
  const height = view.scrollHeight;
  window.moved = new Promise(done => {{
    new MutationObserver((_, watching) => {{
      if (view.scrollHeight < height + 1000) return;
      watching.disconnect();
      const came = Math.round(where(key) - top);
      view.scrollTop -= 30;
      requestAnimationFrame(() => requestAnimationFrame(
        () => done([came, Math.round(where(key) - top)])));
    }}).observe(view, {{ childList: true, subtree: true, attributes: true }});
  }});
}}"""


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        async with running.script() as script:
            project = (await script.get("/api/v1/projects/current")).json()["id"]
            url = f"/api/v1/projects/{project}/chats/bulk-sync"
            answer = await script.post(url, json={"chats": [a_chat()]}, timeout=60)
            assert answer.json()["results"][0]["outcome"] == "taken", answer.text
        await to_thread.run_sync(make_long, home / "recto.db")
        yield running


def a_chat() -> dict[str, object]:
    """A chat that begins, as a client has it."""
    at = 1_700_000_000_000
    messages = [
        {"id": an_id(0, number), "role": role, "text": text_of(number), "createdAt": at}
        for number, role in ((1, "user"), (2, "assistant"))
    ]
    return {
        "id": an_id(0, 0),
        "title": "A very long one",
        "createdAt": at,
        "lastActiveAt": at,
        "messages": messages,
    }


def make_long(store: Path) -> None:
    """Thousands of messages like the first two, in one transaction: one by one takes minutes."""
    with closing(sqlite3.connect(store)) as rows, rows:
        rows.row_factory = sqlite3.Row
        first = rows.execute("SELECT * FROM entries ORDER BY seq").fetchall()
        names = first[0].keys()
        more = [
            {
                **dict(first[(number + 1) % 2]),
                "seq": number,
                "id": an_id(0, number),
                "body": first[(number + 1) % 2]["body"]
                .replace(
                    json.dumps(text_of(2 - number % 2))[1:-1], json.dumps(text_of(number))[1:-1]
                )
                .replace(an_id(0, 2 - number % 2), an_id(0, number)),
            }
            for number in range(3, MESSAGES + 1)
        ]
        marks = ", ".join(f":{name}" for name in names)
        rows.executemany(f"INSERT INTO entries VALUES ({marks})", more)


def text_of(number: int) -> str:
    """Messages of all lengths, so that no height is known before it is seen."""
    if number == LOUD:
        return "Here alone stands the barometer."
    lines = [f"Message {number}."]
    if number % 3 == 0:
        lines.append("The gauge at the pier stood higher than the table says. " * (number % 11))
    if number % 10 == 4:
        lines += [f"- reading {reading}" for reading in range(number % 7)]
    if number % 50 == 8:
        lines += ["```python", *("print('tide')" for _ in range(number % 30)), "```"]
    return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])


def said(page: Page, number: int) -> Locator:
    return conversation(page).get_by_text(f"Message {number}.", exact=True)


async def few_nodes(page: Page) -> None:
    assert await page.evaluate(NODE_COUNT) <= NODES


async def test_a_chat_of_5000_messages_is_read_found_in_and_written_to(
    open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await page.evaluate(WATCH)
    await page.get_by_role("tab", name="Chats", exact=True).click()
    await page.get_by_role("treeitem", name="A very long one").click()
    await expect(said(page, MESSAGES)).to_be_in_viewport()
    await is_at_the_end(page)
    await few_nodes(page)

    await earlier_ones_come_late(page)
    await stays_in_place(page)
    await conversation(page).focus()
    await page.keyboard.press("Home")
    await expect(said(page, 1)).to_be_in_viewport()
    await few_nodes(page)
    await short_tasks(page)
    await film(page, "long-chat-1-beginning")
    await page.evaluate("() => { window.longest = 0; }")

    await find_the_loud_one(page)
    await stream_into(page, upstream)
    await short_tasks(page)


async def short_tasks(page: Page) -> None:
    """Nothing since the last look kept the page from answering."""
    await page.evaluate(FRAMES)
    assert await page.evaluate("() => window.longest") <= TASK_MS


async def earlier_ones_come_late(page: Page) -> None:
    """What is read stays where it is from one line of script to the next, not only when painted."""
    arrived = Event()

    async def hold(route: Route) -> None:
        await arrived.wait()
        await route.continue_()

    await page.route(EARLIER, hold)
    await page.evaluate("() => { document.querySelector('.message-scroll').scrollTop = 300; }")
    await expect(conversation(page).get_by_text("Reading earlier messages")).to_be_attached()
    await page.evaluate(AT_REST)
    await page.evaluate(WATCH_ARRIVAL)
    arrived.set()
    came, painted = await page.evaluate("() => window.moved")
    # A line that is measured with the picture may be missing before it; then all is in its place.
    assert abs(came) <= LINE
    assert painted == 30
    await page.unroute(EARLIER)


async def stays_in_place(page: Page) -> None:
    """What is read does not move when earlier messages come in above it, and others go below."""
    await conversation(page).hover()
    tallest = 0
    for _ in range(16):
        await page.mouse.wheel(0, -700)
        await page.evaluate(FRAMES)
        key, top = await page.evaluate(PAINTED_FIRST)
        await page.evaluate(FRAMES)
        assert abs(await page.evaluate(PAINTED_WHERE, key) - top) <= 1
        tallest = max(tallest, await page.evaluate(SCROLLED))
    # Reading on took the view down in what scrolls, and nobody saw it.
    assert tallest > await page.evaluate(SCROLLED)
    await few_nodes(page)


async def find_the_loud_one(page: Page) -> None:
    """Ctrl+F finds what is not in the page; Escape goes back to the conversation."""
    await page.keyboard.press("Control+f")
    bar = page.get_by_role("search", name="Find in this chat")
    await bar.get_by_role("textbox").fill("barometer")
    await expect(bar.get_by_role("status")).to_have_text("1 of 1")
    loud = conversation(page).get_by_text("Here alone stands the barometer.")
    await expect(loud).to_be_in_viewport()
    await few_nodes(page)
    await short_tasks(page)
    await film(page, "long-chat-2-found")
    await page.evaluate("() => { window.longest = 0; }")
    await page.keyboard.press("Escape")
    await expect(bar).to_have_count(0)
    await expect(conversation(page)).to_be_focused()


async def stream_into(page: Page, upstream: AnthropicServer) -> None:
    """An answer is shown as it comes, however much stands before it."""
    gate = Gate()
    pieces = [f"Piece {number} of the answer.\n\n" for number in range(20)]
    upstream.answer(says(*pieces), fault=Fault(drip=True, gate=gate))
    await send(page, "Write.")
    gate.step(2)
    slowest = 0.0
    for number in range(len(pieces)):
        began = time.perf_counter()
        gate.step()
        await expect(answer(page).last).to_contain_text(f"Piece {number} of")
        # Before the first piece the question is sent, stored and asked.
        slowest = max(slowest, time.perf_counter() - began if number else 0)
        await is_at_the_end(page)
        await few_nodes(page)
    gate.open()
    await expect(message(page)).to_be_editable()
    assert slowest * 1000 <= BATCH_MS
