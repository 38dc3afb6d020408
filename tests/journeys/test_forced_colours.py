"""Where a person's own colours replace ours, what is chosen, filled or in focus still shows."""

import pytest
from playwright.async_api import FloatRect, Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import SETTLED
from tests.journeys.test_editor_tools import open_file

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

AROUND = 4
HIDDEN = "(element, is) => { element.style.visibility = is ? 'hidden' : ''; }"


async def box_of(place: Locator) -> FloatRect:
    """A place with what may be drawn around it."""
    box = await place.bounding_box()
    assert box is not None
    return {
        "x": max(0, box["x"] - AROUND),
        "y": max(0, box["y"] - AROUND),
        "width": box["width"] + 2 * AROUND,
        "height": box["height"] + 2 * AROUND,
    }


async def picture(page: Page, box: FloatRect) -> bytes:
    await page.evaluate(SETTLED)
    return await page.screenshot(clip=box)


async def is_drawn(page: Page, element: Locator, box: FloatRect) -> bool:
    """Whether a part of the page looks otherwise without an element."""
    shown = await picture(page, box)
    # By its handle: what is hidden has no role to be found by.
    held = await element.element_handle()
    await held.evaluate(HIDDEN, True)
    without = await picture(page, box)
    await held.evaluate(HIDDEN, False)
    return shown != without


async def test_what_is_chosen_edged_filled_or_in_focus_shows_without_our_colours(
    open_tab: OpenTab,
) -> None:
    page = await open_tab(forced_colors="active")
    await see_the_selection(page)
    await see_the_separator(page)
    await see_the_field(page)
    bar = page.locator(".token-bar")
    await expect(bar).to_be_visible()
    assert await is_drawn(page, bar, await box_of(bar))
    await see_the_palette(page)


async def see_the_selection(page: Page) -> None:
    text = await open_file(page, "pipeline/harmonics.py")
    await expect(text).to_have_attribute("aria-readonly", "false")
    line = await box_of(text.locator(".cm-line").first)
    await text.press("Control+End")
    plain = await picture(page, line)
    await text.press("Control+a")
    await expect(page.locator(".cm-selectionBackground").first).to_be_attached()
    assert await picture(page, line) != plain


async def see_the_separator(page: Page) -> None:
    separator = page.get_by_role("separator").first
    place = await box_of(separator)
    plain = await picture(page, place)
    await separator.focus()
    # Only the keyboard's focus is drawn.
    await page.keyboard.press("Shift")
    assert await picture(page, place) != plain


async def see_the_field(page: Page) -> None:
    await page.keyboard.press("Control+Shift+f")
    field = page.get_by_role("textbox", name="Text to search for")
    await expect(field).to_be_focused()
    place = await box_of(page.locator(".field", has=field))
    focused = await picture(page, place)
    await page.get_by_role("textbox", name="Message").focus()
    assert await picture(page, place) != focused


async def see_the_palette(page: Page) -> None:
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Palette")
    option = palette.get_by_role("option").first
    await expect(option).to_have_attribute("aria-selected", "true")
    place = await box_of(option)
    chosen = await picture(page, place)
    await page.keyboard.press("ArrowDown")
    await expect(option).to_have_attribute("aria-selected", "false")
    assert await picture(page, place) != chosen
    # Of what lies below nothing is left to be mistaken for an edge.
    await page.locator(".workspace").evaluate(HIDDEN, True)
    edge = await box_of(palette)
    assert await is_drawn(page, palette, {**edge, "width": 2 * AROUND, "height": 40})
