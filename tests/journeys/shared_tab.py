"""One tab for several journeys: opening one costs more than most of them do in it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page

from tests.journeys.conftest import Complaints
from tests.served import Served


@asynccontextmanager
async def shared_tab(chromium: Browser, recto: Served) -> AsyncGenerator[Page]:
    """A tab in a window of its own, signed in. Any script error or request elsewhere fails."""
    complaints = Complaints()
    context = await chromium.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    page = await context.new_page()
    complaints.listen(page, recto.url)
    async with recto.script() as script:
        link = (await script.post("/api/v1/session/link")).json()["url"]
    await page.goto(link)
    yield page
    await context.close()
    assert complaints == Complaints()
