"""From an empty folder to notes that know each other, as people of other editors expect it."""

import base64
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, SINGLE, film_in
from tests.journeys.test_file_operations import hold_undo, row
from tests.journeys.test_review import until_saved
from tests.served import Served, served
from tests.server.test_raw import png

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

HTML = """<h2>Measured</h2><p>The <b>storm</b> of <a href="https://a.example/1962">1962</a>
<script>window.ran = 1</script><img src="https://evil.example/x.png" onerror="window.ran = 2">
</p>"""
PASTE = """(element, [html, text, picture]) => {
  const data = new DataTransfer();
  if (html) { data.setData("text/html", html); data.setData("text/plain", text); }
  if (picture) {
    const bytes = Uint8Array.from(atob(picture), letter => letter.charCodeAt(0));
    data.items.add(new File([bytes], "image.png", {type: "image/png"}));
  }
  const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
  element.dispatchEvent(event);
}"""
DRAWING = """
```mermaid
graph LR
  A[Gauge] --> B[Tide]
  A --> C["<img src=x onerror='parent.ran=3'>"]
  click A "javascript:parent.ran=4"
```

"""
HOSTILE = """
```mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "*{background:url(//evil.example/y)}"}}%%
graph LR
  X["<script>parent.ran=5</script><iframe src='https://evil.example'></iframe>"] --> Y
```

End.
"""


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    """A Recto on an empty folder."""
    async with served(tmp_path / "home", tmp_path / "gauges") as running:
        yield running


def text_of(page: Page, name: str) -> Locator:
    return page.get_by_role("textbox", name=f"Text of {name}")


async def command(page: Page, title: str) -> None:
    await page.keyboard.press("Control+K")
    await page.keyboard.insert_text(f">{title}")
    await page.get_by_role("option", name=title).first.click()


async def test_notes_pictures_links_and_a_rename_that_they_follow(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    await page.get_by_role("button", name="New file or folder").click()
    await page.get_by_role("menuitem", name="New file…").click()
    await page.get_by_role("textbox", name="Name", exact=True).fill("Gauge.md")
    await page.keyboard.press("Enter")
    gauge = text_of(page, "Gauge.md")
    await expect(gauge).to_be_focused()
    await expect(gauge).to_have_attribute("aria-readonly", "false")
    await page.keyboard.insert_text("# Gauge\n\nSee [[Tide]] and [[Tide#Ebb|its ebb]]. #field\n\n")
    await gauge.evaluate(PASTE, [HTML, "Measured The storm", ""])
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await gauge.evaluate(PASTE, ["", "", base64.b64encode(png(120, 40)).decode()])
    await expect(gauge.get_by_text("Keeping the picture…")).to_have_count(0)
    await page.keyboard.press("Enter")
    await page.keyboard.insert_text("\n> [!warning] Look\n> The ==datum== moved.\n" + DRAWING)
    await until_saved(page, recto.folder / "Gauge.md", "## Measured\n\nThe **storm** of [1962](")
    (picture,) = [path async for path in anyio.Path(recto.folder / "attachments").iterdir()]
    await until_saved(
        page, recto.folder / "Gauge.md", f"](attachments/{picture.name.replace(' ', '%20')})"
    )
    await make_the_note_that_is_linked(page, recto)
    await look_at_what_is_drawn(page, recto)
    await rename_and_take_back(page, recto)


async def make_the_note_that_is_linked(page: Page, recto: Served) -> None:
    gauge = text_of(page, "Gauge.md")
    await page.keyboard.press("Control+J")
    outline = page.get_by_role("dialog", name="Outline")
    await expect(outline.get_by_role("heading", name="Leads nowhere yet")).to_be_visible()
    await outline.get_by_role("button", name="Make the note Tide").click()
    tide = text_of(page, "Tide.md")
    await expect(tide).to_be_focused()
    await expect(tide).to_have_attribute("aria-readonly", "false")
    await page.keyboard.insert_text(
        "# Tide\n\n## Ebb\n\nThe water goes.\n\n## Flood\n\nIt comes. `[[Tide]]`\n"
    )
    await until_saved(page, recto.folder / "Tide.md", "It comes.")
    await page.keyboard.press("Control+J")
    await outline.get_by_role("button", name=re.compile("Gauge.md")).first.click()
    await expect(gauge).to_be_visible()
    await gauge.press("Control+End")
    await page.keyboard.insert_text("![[Tide#Ebb]]\n" + HOSTILE)
    await until_saved(page, recto.folder / "Gauge.md", "![[Tide#Ebb]]")
    await gauge.press("Control+Home")


async def look_at_what_is_drawn(page: Page, recto: Served) -> None:
    gauge = text_of(page, "Gauge.md")
    drawn = gauge.get_by_role("img", name=re.compile("^Diagram: graph LR"))
    await drawn.scroll_into_view_if_needed()
    await expect(gauge.get_by_role("group", name="Shown from Tide.md")).to_contain_text(
        "The water goes."
    )
    await expect(gauge.locator("mark")).to_have_text("datum")
    await expect(gauge.get_by_text("Warning:")).to_be_visible()
    assert await page.evaluate("window.ran") is None
    frame = page.locator("iframe.diagram-frame")
    assert await frame.get_attribute("sandbox") == "allow-scripts"
    # What a link leads to shows under the pointer.
    await gauge.get_by_text("its ebb").hover()
    await expect(page.locator(".cm-link-preview")).to_contain_text("The water goes.")
    await page.mouse.move(5, 5)
    await film_in(page, "notes-1-written", DARK, SINGLE, OVERLAY, LIGHT)
    # A tag shows its notes where it is pressed.
    await gauge.get_by_text("#field").click(modifiers=["Control"])
    tag = page.get_by_role("dialog", name="#field")
    await expect(tag.get_by_role("button", name="Gauge")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(tag).to_have_count(0)


async def rename_and_take_back(page: Page, recto: Served) -> None:
    before = (recto.folder / "Gauge.md").read_text(encoding="utf-8")
    await row(page, "Tide.md").focus()
    await page.keyboard.press("F2")
    await page.get_by_role("textbox", name="Name", exact=True).fill("Ebb and flood.md")
    await page.keyboard.press("Enter")
    preview = page.get_by_role("dialog", name="Rename “Tide.md”")
    await expect(preview.get_by_text("3 links in one file would follow")).to_be_visible()
    await film_in(page, "notes-2-links", DARK, OVERLAY, LIGHT)
    assert (recto.folder / "Tide.md").exists()
    await preview.get_by_role("button", name="Rename and change links").click()
    await expect(row(page, "Ebb and flood.md")).to_be_visible()
    await hold_undo(page)
    after = (recto.folder / "Gauge.md").read_text(encoding="utf-8")
    assert after == before.replace("[[Tide", "[[Ebb and flood")
    assert "`[[Tide]]`" in (recto.folder / "Ebb and flood.md").read_text(encoding="utf-8")
    await expect(text_of(page, "Gauge.md")).to_contain_text("See Ebb and flood")
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "Tide.md")).to_be_visible()
    await expect(text_of(page, "Gauge.md")).to_contain_text("See Tide and")
    await until_saved(page, recto.folder / "Gauge.md", "See [[Tide]] and")
    assert (recto.folder / "Gauge.md").read_text(encoding="utf-8") == before
    await todays_note(page, recto)


async def todays_note(page: Page, recto: Served) -> None:
    await (anyio.Path(recto.folder) / "templates").mkdir()
    await (anyio.Path(recto.folder) / "templates" / "Visit.md").write_text(
        "# {{title}} on {{date}}\n"
    )
    await command(page, "Today’s note")
    day = page.get_by_role("textbox", name=re.compile(r"Text of \d{4}-\d\d-\d\d\.md"))
    await expect(day).to_be_focused()
    (note,) = (recto.folder / "daily").iterdir()
    await command(page, "New note from a template…")
    await page.get_by_role("textbox", name="Name of the note").fill("Harbour")
    await page.get_by_role("button", name="Visit.md").click()
    await expect(text_of(page, "Harbour.md")).to_be_focused()
    # It lies where the tree is at, and goes on behind what it begins with.
    await page.keyboard.type("Calm.")
    await expect(text_of(page, "Harbour.md")).to_contain_text("Calm.")
    begun = f"# Harbour on {note.stem}\nCalm."
    await until_saved(page, recto.folder / "daily" / "Harbour.md", begun)
