"""A server's app in the chat: it is shown, asks through us, and gets nowhere else."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketStream
from playwright.async_api import Browser, FrameLocator, Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.looks import DARK, LIGHT, film_in, put_on
from tests.journeys.test_chat import conversation, message, send
from tests.mcp.conftest import lay_servers, program
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

APP = Path(__file__).with_name("hostile_app.html")


@asynccontextmanager
async def a_stranger() -> AsyncGenerator[tuple[str, list[bytes]]]:
    """Another computer, for all an app knows; what was sent there."""
    heard: list[bytes] = []

    async def take(stream: SocketStream) -> None:
        async with stream:
            try:
                heard.append(await stream.receive())
            except anyio.EndOfStream:
                # Chromium connects ahead of a frame's navigation, and says nothing: its policy is
                # looked at only then.
                return

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as group,
    ):
        group.start_soon(listener.serve, take)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        yield f"http://127.0.0.1:{port}", heard
        group.cancel_scope.cancel()


async def signed_in(recto: Served, browser: Browser) -> Page:
    """A tab of its own: the browser complains of what a hostile app tries."""
    context = await browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    page = await context.new_page()
    async with recto.script() as script:
        await page.goto((await script.post("/api/v1/session/link")).json()["url"])
    return page


async def test_an_app_is_shown_asks_through_us_and_gets_nowhere_else(
    tmp_path: Path, browser: Browser
) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    async with AnthropicServer() as upstream, a_stranger() as (stranger, heard):
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        app = APP.read_text(encoding="utf-8").replace("{stranger}", stranger)
        lay_servers(home, gauges=program(tools=["panel", "refresh", "kinds"], app=app))
        upstream.answer(calls("gauges__panel", {"text": "Brest"}))
        upstream.answer(calls("gauges__kinds", {}))
        upstream.answer(says("There it is."))
        upstream.answer(says("Levels"))
        async with served(home, folder) as recto:
            page = await signed_in(recto, browser)
            frame = page.frame_locator("iframe.mcp-app-frame")
            await put_on(page, LIGHT)
            await send(page, "Show the levels.")
            await page.get_by_role("button", name="Once").click()
            await is_kept_in(frame)
            await page.get_by_role("button", name="Once").click()
            await expect(conversation(page)).to_contain_text("There it is.")
            await is_asked_for(page, frame)
            # The colours of the page are passed on.
            await put_on(page, DARK)
            await expect(frame.locator("#told")).to_contain_text('"theme":"dark"')
            await is_shown_with_every_kind(page)
            await is_ended(page, frame)
            assert page.url.startswith(recto.url)
            await expect(conversation(page)).to_contain_text("There it is.")
        assert heard == []


async def is_kept_in(frame: FrameLocator) -> None:
    """The app has what its tool was asked and answered, and reached nothing else."""
    given = '{"theme":"light","given":{"text":"Brest"},"result":{"of":{"text":"Brest"}}}'
    await expect(frame.locator("#told")).to_have_text(given)
    out = "kept out"
    tried = {"page": out, "cookies": out, "storage": out, "top": out, "popup": out}
    found = json.dumps({**tried, "socket": out, "fetched": [out, out]}, separators=(",", ":"))
    await expect(frame.locator("#tried")).to_have_text(found)


async def is_asked_for(page: Page, frame: FrameLocator) -> None:
    """The app's call asks; a link is shown whole before it is opened."""
    await frame.get_by_role("button", name="Refresh").click()
    card = page.get_by_role("group", name="Call gauges: refresh?")
    await expect(card).to_contain_text("text: fresh")
    await film_in(page, "mcp-app", DARK, LIGHT)
    await card.get_by_role("button", name="Once").click()
    await expect(frame.locator("#said")).to_contain_text("fresh")
    await frame.get_by_role("button", name="Read on").click()
    card = page.get_by_role("group", name="Open this address?")
    await expect(card).to_contain_text("https://stranger.example/more")
    await card.get_by_role("button", name="Don’t").click()
    await expect(frame.locator("#said")).to_have_text('"The person said no."')


async def is_shown_with_every_kind(page: Page) -> None:
    """Sound, pictures, resources and links of an answer are shown; a link can be mentioned."""
    await page.get_by_text("gauges: kinds", exact=True).click()
    await expect(page.locator("audio.tool-audio")).to_be_visible()
    await expect(page.locator("img.tool-image")).to_be_visible()
    await expect(page.get_by_text("memo://two", exact=True)).to_be_visible()
    await film_in(page, "mcp-answer", DARK, LIGHT)
    await page.get_by_role("button", name="Mention").click()
    await expect(message(page)).to_have_value("@gauges:memo://one ")


async def is_ended(page: Page, frame: FrameLocator) -> None:
    """An app that floods is ended; one that leaves for elsewhere does not get there."""
    await frame.get_by_role("button", name="Flood").click()
    ended = page.get_by_text("It sent too many messages and was ended.")
    await expect(ended).to_be_visible()
    await page.get_by_role("button", name="Load the app again").click()
    await frame.get_by_role("button", name="Leave").click()
    await expect(frame.locator("#told")).to_have_count(0)
