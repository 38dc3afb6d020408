"""Films a journey as screenshots, for people who want to look: RECTO_FILM names a folder."""

import os
from pathlib import Path

from playwright.async_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = """() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    .then(result => result.violations.map(one =>
        one.id + ": " + one.nodes.map(node => node.target).join(" ")))"""


async def film(page: Page, name: str) -> None:
    """One picture of the page as it is, where somebody wants it, and a look for barriers."""
    folder = os.environ.get("RECTO_FILM")
    if folder:
        await page.screenshot(path=Path(folder) / f"{name}.png")
    assert (name, await barriers(page)) == (name, [])


async def film_looks(page: Page, name: str) -> None:
    """The page in light, in dark and in a narrow window; then it is as it was."""
    before = page.viewport_size
    assert before is not None
    for look, width in (("light", before["width"]), ("dark", before["width"]), ("narrow", 900)):
        await page.set_viewport_size({"width": width, "height": before["height"]})
        await page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        await film(page, f"{name}-{look}")
    await page.set_viewport_size(before)


async def barriers(page: Page) -> list[str]:
    """What stands in the way of people with disabilities, as axe sees it."""
    # The page's own policy forbids foreign scripts; the checker comes in by the debugger.
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    return await page.evaluate(RULES)
