"""One page in several looks: driving a journey costs more than looking at where it came to."""

from typing import Literal

from playwright.async_api import Page

from tests.journeys.film import film

Look = tuple[str, int, Literal["light", "dark"]]
"""What it is called, the width of the window, the colours."""

LIGHT: Look = ("light", 1440, "light")
DARK: Look = ("dark", 1440, "dark")
OVERLAY: Look = ("narrow", 900, "light")
SINGLE: Look = ("single", 400, "light")

# The page hears of its new width in a frame, and lays itself out in the next one.
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def put_on(page: Page, look: Look) -> None:
    """Give the window a width and colours, and wait until the page has taken them in."""
    _, width, scheme = look
    before = page.viewport_size
    assert before is not None
    await page.set_viewport_size({"width": width, "height": before["height"]})
    await page.emulate_media(color_scheme=scheme)
    await page.evaluate(SETTLED)


async def film_in(page: Page, name: str, *looks: Look) -> None:
    """Film the page in each of the looks; it ends in the last one."""
    for look in looks:
        await put_on(page, look)
        await film(page, f"{name}-{look[0]}")
