"""Servers as a person adds them: a program, an address with a sign-in, one that dies in a call."""

import shlex
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, SINGLE, film_in, put_on
from tests.journeys.test_chat import conversation, send
from tests.mcp.conftest import lay_servers, program
from tests.mcp.guarded_server import GuardedServer
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
CARRIED = "data:image/png;base64,iVBORw0KGgo="
DATABASE = f"data/{'levels' * 60}"
LEVELS = {"command": "npx", "args": ["-y", "@lab/levels-mcp@1.4.2", "--db", DATABASE]}
FITS = "box => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight"
LONG = "".join(f"Line {number}: the tide at the north pier.\n" for number in range(1, 1001))


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "tide-gauges"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n", encoding="utf-8")
    lay_servers(folder / ".recto", levels=LEVELS)
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as running:
        yield running


async def add(page: Page, typed: str, name: str) -> None:
    """Fill in the form for a server."""
    await page.get_by_role("button", name="Add server").click()
    await page.get_by_label("Command or address").fill(typed)
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_role("button", name="Add and start").click()
    await expect(page.get_by_text(f"{name} was added.")).to_be_visible()


async def test_servers_are_added_signed_in_to_ticked_and_survived(
    recto: Served, open_tab: OpenTab, upstream: AnthropicServer
) -> None:
    page = await open_tab()
    await page.get_by_role("button", name="Settings").click()
    sections = page.get_by_role("navigation", name="Sections")
    await sections.get_by_role("link", name="MCP servers", exact=True).click()
    main = page.get_by_role("main")

    await decide_about_the_folders(page)
    # A program, typed as one types it in a terminal; what can't be started says why.
    shown = program(tools=["echo", "die"], icons=[{"src": CARRIED}])
    await add(page, shlex.join([shown["command"], *shown["args"]]), "gauges")
    await expect(main.get_by_text("Running")).to_be_visible()
    await expect(main.get_by_title("gauges__echo")).to_be_visible()
    await add(page, "no-such-program --stdio", "typo")
    await expect(main.get_by_text("no-such-program").first).to_be_visible()
    await film_in(page, "mcp-added", DARK, OVERLAY, SINGLE, LIGHT)
    await put_on(page, LIGHT)

    await sign_in_to_another(page)
    await page.keyboard.press("Escape")
    await call_both(page, upstream)
    await tick_one(page, upstream)


async def decide_about_the_folders(page: Page) -> None:
    """Every letter of what would run is in sight, however narrow; a no can be taken back."""
    main = page.get_by_role("main")
    for look in (SINGLE, OVERLAY, LIGHT):
        await put_on(page, look)
        exactly = main.get_by_label("All that runs")
        await expect(exactly).to_contain_text(DATABASE)
        assert await exactly.evaluate(FITS), look
    await main.get_by_role("button", name="Keep off").click()
    await main.get_by_role("button", name="Look at it again").click()
    await expect(main.get_by_role("button", name="Approve and start")).to_be_visible()
    await main.get_by_role("button", name="Keep off").click()
    await expect(main.get_by_text("You kept it off.")).to_be_visible()


async def sign_in_to_another(page: Page) -> None:
    """An address that wants a sign-in says so, leads there, and runs once it is done."""
    main = page.get_by_role("main")
    async with GuardedServer() as guarded:
        await add(page, f"{guarded.url}/mcp", "library")
        await main.get_by_role("button", name="Sign in", exact=True).click()
        async with page.context.expect_page() as opened:
            await main.get_by_role("link", name="Open", exact=True).click()
        await (await opened.value).wait_for_load_state()
        await expect(main.get_by_text("Running")).to_have_count(2)
        await page.bring_to_front()


async def call_both(page: Page, upstream: AnthropicServer) -> None:
    """One that dies in a call harms that call alone; a long answer is there to be read."""
    upstream.answer(calls("gauges__die", {}))
    upstream.answer(calls("gauges__echo", {"text": LONG}, size=9000))
    upstream.answer(says("It died, and came back."))
    upstream.answer(says("Gauges"))
    await send(page, "Try both.")
    for tool in ("die", "echo"):
        await expect(conversation(page)).to_contain_text(f"Call gauges: {tool}?")
        if tool == "echo":
            # What is long can be allowed once all of it has been shown.
            await page.get_by_role("button", name="989 more lines").click()
        await page.get_by_role("button", name="Once").click()
    await expect(conversation(page)).to_contain_text("It died, and came back.")
    # The server's own picture stands in the line of its call.
    picture = conversation(page).locator(f'img.mcp-icon[src="{CARRIED}"]').first
    await expect(picture).to_be_attached()
    await conversation(page).get_by_text("gauges: echo").last.click()
    await page.get_by_role("button", name="Show all").click()
    await expect(page.get_by_label("Whole output")).to_contain_text("Line 999: the tide")
    await film_in(page, "mcp-whole-output", DARK, LIGHT)


async def tick_one(page: Page, upstream: AnthropicServer) -> None:
    """One tick takes or leaves all tools of a server."""
    button = page.get_by_role("button", name="Tools: Cached")
    await button.focus()
    await page.keyboard.press("Alt+ArrowDown")
    await page.get_by_role("radio", name="Manual").click()
    ticks = page.get_by_role("group", name="Tools that are sent")
    await ticks.get_by_role("checkbox", name="gauges").check()
    await expect(ticks).to_contain_text("2 of 2")
    await ticks.get_by_role("button", name="Tools of gauges").click()
    await ticks.get_by_role("checkbox", name="die").uncheck()
    await expect(ticks).to_contain_text("1 of 2")
    await expect(page.get_by_role("button", name="never")).to_be_in_viewport(ratio=1)
    await film_in(page, "mcp-ticks", DARK, LIGHT)
    await page.keyboard.press("Escape")
    upstream.answer(says("Only one."))
    await send(page, "Which are left?")
    await expect(conversation(page)).to_contain_text("Only one.")
    assert [tool["name"] for tool in upstream.last.json["tools"]] == ["gauges__echo"]
