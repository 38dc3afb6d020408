"""Films a journey as screenshots, for people who want to look: RECTO_FILM names a folder."""

import os
from pathlib import Path
from typing import Literal

from playwright.async_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Two frames: what a new width or scheme changes is laid out, then painted. What fades has a colour
# of its own at every moment; what pulses never ends.
SETTLED = """async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  await frame(); await frame();
  const ends = document.getAnimations()
    .filter(one => one.effect?.getComputedTiming().endTime !== Infinity)
    .map(one => one.finished.catch(() => undefined));
  await Promise.all(ends);
  return "axe" in window;
}"""
# Whatever is right need not be described: that takes a quarter of the time.
RULES = """rules => axe.run(document, {
    runOnly: rules,
    resultTypes: ["violations"],
  }).then(result => result.violations.map(one =>
        one.id + ": " + one.nodes.map(node => node.target).join(" ")))"""
ALL = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
COLOURS = ["color-contrast"]

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")


async def film(page: Page, name: str, *, rules: list[str] = ALL) -> None:
    """One picture of the page as it is, where somebody wants it, and a look for barriers."""
    found = await barriers(page, rules)
    folder = os.environ.get("RECTO_FILM")
    if folder:
        await page.screenshot(path=Path(folder) / f"{name}.png")
    assert found == [], f"{name}: {found}"


async def film_colours(page: Page, name: str) -> None:
    """The page in light, and its colours in dark: no other rule needs them. Then it is light."""
    await film(page, f"{name}-light")
    await page.emulate_media(color_scheme="dark")
    await film(page, f"{name}-dark", rules=COLOURS)
    await page.emulate_media(color_scheme="light")


async def film_schemes(page: Page, name: str) -> None:
    """The page in light and in dark; then it is light."""
    for scheme in reversed(SCHEMES):
        await page.emulate_media(color_scheme=scheme)
        await film(page, f"{name}-{scheme}")


async def film_looks(page: Page, name: str) -> None:
    """The page in light, in dark and in a narrow window; then it is as it was."""
    before = page.viewport_size
    assert before is not None
    await film_schemes(page, name)
    await page.set_viewport_size({"width": 900, "height": before["height"]})
    await film(page, f"{name}-narrow")
    await page.set_viewport_size(before)


async def barriers(page: Page, rules: list[str] = ALL) -> list[str]:
    """What stands in the way of people with disabilities, as axe sees it."""
    if not await page.evaluate(SETTLED):
        # The page's own policy forbids foreign scripts; the checker comes in by the debugger.
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    return await page.evaluate(RULES, rules)
