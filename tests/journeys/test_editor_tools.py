"""Around the text: pictures, outline, finding, a split, focus mode; by keys, in a real browser."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.film import film, film_schemes
from tests.served import Served, served
from tests.server.test_raw import SCRIPTED, png

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

NOTES = """# Separating the tide

A tide gauge records two things at once: the tide and the surge.

![The gauge](../figures/the%20gauge.png)

Under the picture.

## The fit

The tide is a sum of waves. The surge is what remains of the tide.

![A drawing](../figures/chart.svg) ![Missing](missing.png) ![Away](https://example.org/a.png)

### Of the year

A year separates the waves.
"""
CODE = """class Gauge:
    def read(self) -> float:
        return 1.0


def fit(gauge: Gauge) -> float:
    return gauge.read()
"""
CHART = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="80">'
    b'<path d="M0 40 Q30 0 60 40 T120 40 T180 40 T240 40" fill="none" stroke="black"/></svg>'
)

PAPER = b"""%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R
/Resources<</Font<</F 5 0 R>>>>>> endobj
4 0 obj <</Length 40>> stream
BT /F 24 Tf 40 100 Td (The tide) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
%%EOF
\x00"""


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    """A Recto on a folder with texts, pictures and a PDF."""
    folder = tmp_path / "tide-gauges"
    for name in ("manuscript", "figures"):
        (folder / name).mkdir(parents=True)
    (folder / "manuscript" / "notes.md").write_text(NOTES, encoding="utf-8")
    (folder / "gauge.py").write_text(CODE, encoding="utf-8")
    (folder / "figures" / "the gauge.png").write_bytes(png(640, 200))
    (folder / "figures" / "chart.svg").write_bytes(CHART)
    (folder / "figures" / "evil.svg").write_bytes(SCRIPTED)
    (folder / "figures" / "false.png").write_bytes(b"\x00<script>alert(1)</script>")
    (folder / "paper.pdf").write_bytes(PAPER)
    async with served(tmp_path / "home", folder) as running:
        yield running


async def open_file(page: Page, path: str) -> Locator:
    """Open a file by its name, and give its text, which may be on several sides."""
    name = path.rsplit("/", 1)[-1]
    await expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    await page.keyboard.press("Control+p")
    await page.get_by_role("combobox", name="File name").fill(name)
    await page.get_by_role("option", name=name).first.click()
    await expect(page.get_by_role("tab", name=name, selected=True).last).to_be_visible()
    return page.get_by_role("textbox", name=f"Text of {name}")


async def open_notes(page: Page) -> Locator:
    text = await open_file(page, "manuscript/notes.md")
    await expect(text).to_have_attribute("aria-readonly", "false")
    return text


async def saved(page: Page, recto: Served, content: str) -> None:
    """Wait until the page says that it is saved, and look."""
    standing = page.locator(".running-head").get_by_role("status").first
    await expect(standing).to_have_text("Saved")
    file = anyio.Path(recto.folder / "manuscript" / "notes.md")
    assert await file.read_text(encoding="utf-8") == content


def folio(page: Page) -> Locator:
    return page.locator(".folio")


async def test_pictures_of_the_folder_show_in_the_text_and_others_are_named(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    text = await open_notes(page)
    gauge = text.get_by_role("img", name="The gauge")
    await expect(gauge).to_be_visible()
    await expect(text.get_by_role("img", name="A drawing")).to_have_js_property("naturalWidth", 240)
    await expect(text).to_contain_text("Missing (missing.png could not be shown)")
    await expect(text).to_contain_text("Away (example.org)")
    await text.get_by_text("Under the picture.").click()
    await page.keyboard.press("End")
    await page.keyboard.type(" Here.")
    await expect(text).to_contain_text("Under the picture. Here.")
    await anyio.Path(recto.folder / "figures" / "the gauge.png").write_bytes(png(300, 40))
    await expect(gauge).to_have_js_property("naturalWidth", 300)
    await text.get_by_text("The tide is a sum of waves.").click()
    await page.keyboard.press("Home")
    await page.keyboard.type("Now: ")
    await expect(text).to_contain_text("Now: The tide is a sum of waves.")


async def test_a_picture_is_zoomed_by_keys_and_no_script_of_a_drawing_ever_runs(
    open_tab: OpenTab,
) -> None:
    page = await open_tab()
    await zoom_a_picture(page)
    await open_file(page, "false.png")
    await expect(page.get_by_text("false.png is not shown.")).to_be_visible()
    await expect(page.get_by_text("whatever its name says")).to_be_visible()
    await see_a_pdf(page)
    await look_into_a_drawing(page)


async def zoom_a_picture(page: Page) -> None:
    """A picture opens in place of a text."""
    await open_file(page, "the gauge.png")
    stage = page.get_by_role("group", name="Picture the gauge.png")
    picture = stage.get_by_role("img", name="the gauge.png")
    await expect(folio(page)).to_contain_text("640 × 200 pixels")
    await expect(picture).to_be_visible()
    await stage.focus()
    for key, scale in (("1", "100 %"), ("+", "140 %"), ("+", "200 %"), ("-", "140 %")):
        await page.keyboard.press(key)
        await expect(page.locator(".picture-scale")).to_have_text(scale)
    await expect(picture).to_have_js_property("width", 896)
    await page.keyboard.press("0")
    await expect(page.get_by_role("button", name="Fit")).to_have_attribute("aria-pressed", "true")


async def look_into_a_drawing(page: Page) -> None:
    """It is a picture or its source."""
    text = await open_file(page, "evil.svg")
    await expect(page.get_by_role("img", name="evil.svg")).to_have_count(1)
    await page.keyboard.press("Control+e")
    await expect(text).to_contain_text("<script>alert(2)</script>")
    alone = await page.context.new_page()
    dialogs: list[str] = []
    alone.on("dialog", lambda dialog: dialogs.append(dialog.message))
    project = await page.evaluate("new URL(location.href).searchParams.get('project')")
    ticket = await page.evaluate("localStorage['recto.page-secret'].split('.')[1]")
    raw = f"{page.url.split('/?')[0]}/api/v1/projects/{project}/raw?path=figures/evil.svg"
    answer = await alone.goto(f"{raw}&ticket={ticket}")
    assert answer is not None
    assert (answer.status, dialogs) == (200, [])
    assert await alone.evaluate("document.documentElement.localName") == "svg"


async def see_a_pdf(page: Page) -> None:
    """The page shows it itself, and it can be saved; no viewer of the browser opens it."""
    await open_file(page, "paper.pdf")
    await expect(page.get_by_role("group", name="Page 1")).to_contain_text("The tide")
    link = page.get_by_role("link", name="Save a copy")
    answer = await page.request.get(
        page.url.split("/?")[0] + (await link.get_attribute("href") or "")
    )
    assert (answer.status, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.headers["content-disposition"].startswith("attachment")


async def go_by_the_outline(page: Page, text: Locator) -> None:
    """To headings, definitions and lines."""
    await text.get_by_text("A year separates").click()
    await page.keyboard.press("Control+j")
    outline = page.get_by_role("dialog", name="Outline")
    field = outline.get_by_role("combobox")
    rows = outline.get_by_role("option")
    await expect(rows).to_have_text(
        [
            "Separating the tide Line 1",
            "The fit Line 9",
            "Of the year You are here",
        ],
        use_inner_text=False,
    )
    await expect(rows.nth(2)).to_have_attribute("aria-selected", "true")
    await field.fill("fit")
    await expect(rows).to_have_text(["The fit Line 9"])
    await page.keyboard.press("Enter")
    await expect(text).to_be_focused()
    await page.keyboard.type("X")
    await expect(text).to_contain_text("X## The fit")
    code = await open_file(page, "gauge.py")
    await expect(code).to_contain_text("class Gauge")
    await page.keyboard.press("Control+j")
    await expect(rows).to_have_text(["Gauge You are here", "read Line 2", "fit Line 6"])
    await page.keyboard.press("Escape")
    await expect(outline).to_have_count(0)
    await page.keyboard.press("Control+Alt+g")
    await field.press_sequentially("3")
    await expect(rows).to_have_text(["Line 3 Line 3"])
    await page.keyboard.press("Enter")
    await expect(code).to_be_focused()
    await page.keyboard.type("# ")
    await expect(code).to_contain_text("#         return 1.0")


async def test_finding_replaces_all_as_one_step_and_the_outline_leads_everywhere(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    text = await open_notes(page)
    await text.press("Control+Home")
    # At once: on a machine that is held up, letters become steps of their own.
    await page.keyboard.insert_text("typed ")
    await page.keyboard.press("Control+f")
    bar = page.get_by_role("search")
    await bar.get_by_role("textbox", name="Find").fill("tide")
    await page.keyboard.press("Enter")
    await expect(bar.get_by_role("status")).to_have_text("1 of 5")
    for _ in range(3):
        await page.keyboard.press("F3")
    await expect(bar.get_by_role("status")).to_have_text("4 of 5")
    await page.keyboard.press("Shift+F3")
    await expect(bar.get_by_role("status")).to_have_text("3 of 5")
    await bar.get_by_role("textbox", name="Replace with").fill("wave")
    await bar.get_by_role("button", name="Replace all").click()
    replaced = "typed " + NOTES.replace("tide", "wave")
    await saved(page, recto, replaced)
    await page.keyboard.press("Escape")
    await expect(text).to_be_focused()
    await page.keyboard.press("Control+z")
    await saved(page, recto, "typed " + NOTES)
    await page.keyboard.press("Control+z")
    await saved(page, recto, NOTES)
    await go_by_the_outline(page, text)


async def test_a_split_shows_one_text_twice_and_is_remembered(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    texts = await open_notes(page)
    await page.get_by_role("button", name="Split right").click()
    await expect(texts).to_have_count(2)
    left, right = texts.nth(0), texts.nth(1)
    await right.press("Control+Home")
    await page.keyboard.type("right ")
    await expect(left).to_contain_text("right # Separating the tide")
    await left.press("Control+End")
    await page.keyboard.insert_text("left")
    await expect(right).to_contain_text("left")
    await page.keyboard.press("Control+z")
    await expect(right).not_to_contain_text("left")
    await page.keyboard.press("Control+y")
    await saved(page, recto, f"right {NOTES}left")
    await open_file(page, "gauge.py")
    await expect(texts).to_have_count(1)
    await page.reload()
    await expect(page.get_by_role("group", name="Left side")).to_contain_text("class Gauge")
    await expect(page.get_by_role("group", name="Right side")).to_contain_text("A tide gauge")
    await page.set_viewport_size({"width": 900, "height": 800})
    await expect(page.get_by_role("group", name="Right side")).to_have_count(0)
    await expect(page.get_by_role("button", name="Split right")).to_have_count(0)
    await page.set_viewport_size({"width": 1440, "height": 900})
    await page.get_by_role("button", name="Close the split").click()
    await expect(page.get_by_role("tab", name="notes.md")).to_have_count(1)
    await expect(page.get_by_role("tab", name="gauge.py", selected=True)).to_be_visible()


async def look_at_one_paragraph(page: Page, text: Locator) -> None:
    """Focus mode shows only the paragraph at hand."""
    await text.get_by_text("Under the picture.").click()
    await page.keyboard.press("Shift+F11")
    await expect(page.locator(".panel-left, .page-recto")).to_have_count(0)
    await expect(text.locator(".cm-line:not(.cm-dim)")).to_have_text(["Under the picture."])
    await page.get_by_role("button", name="Leave focus mode").click()
    await expect(page.locator(".panel-left")).to_be_visible()
    await expect(text.locator(".cm-dim")).to_have_count(0)


async def test_focus_mode_shows_a_paragraph_words_are_counted_and_saving_needs_no_focus(
    open_tab: OpenTab, recto: Served
) -> None:
    page = await open_tab()
    text = await open_notes(page)
    await expect(text).to_have_attribute("spellcheck", "true")
    await look_at_one_paragraph(page, text)
    words = len(NOTES.split())
    await expect(folio(page)).to_contain_text(f"{words} words")
    await text.press("Control+End")
    await page.keyboard.type("Two words")
    await expect(folio(page)).to_contain_text(f"{words + 2} words")
    await page.keyboard.press("Shift+Home")
    await expect(folio(page)).to_contain_text(f"2 of {words + 2} words")
    await page.get_by_role("treeitem", name="gauge.py").focus()
    await page.keyboard.press("Control+s")
    await saved(page, recto, NOTES + "Two words")
    code = await open_file(page, "gauge.py")
    await expect(code).to_have_attribute("spellcheck", "false")


async def test_the_tools_look_as_they_should_and_fit_into_900_pixels(open_tab: OpenTab) -> None:
    page = await open_tab()
    text = await open_notes(page)
    await expect(text.get_by_role("img", name="The gauge")).to_be_visible()
    find = page.get_by_role("search").get_by_role("textbox", name="Find")
    await page.keyboard.press("Control+f")
    await find.fill("tide")
    await page.keyboard.press("Enter")
    await film_schemes(page, "tools-find")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+j")
    await expect(page.get_by_role("dialog", name="Outline")).to_be_visible()
    await film_schemes(page, "tools-outline")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Split right").click()
    await open_file(page, "gauge.py")
    await expect(page.get_by_role("group", name="Right side")).to_contain_text("class Gauge")
    await film_schemes(page, "tools-split")
    await open_file(page, "chart.svg")
    await expect(page.get_by_role("img", name="chart.svg")).to_be_visible()
    await film_schemes(page, "tools-picture")
    await page.get_by_role("button", name="Close the split").click()
    await page.get_by_role("tab", name="notes.md").click()
    await text.get_by_text("Under the picture.").click()
    await page.keyboard.press("Shift+F11")
    await expect(page.locator(".panel-left")).to_have_count(0)
    await film_schemes(page, "tools-focus")
    await page.get_by_role("button", name="Leave focus mode").click()

    await page.set_viewport_size({"width": 900, "height": 800})
    await text.press("Control+f")
    await find.fill("tide")
    await film(page, "tools-find-900")
    await page.keyboard.press("Escape")
    await open_file(page, "the gauge.png")
    await expect(folio(page)).to_contain_text("640 × 200 pixels")
    await film(page, "tools-picture-900")
    await open_file(page, "paper.pdf")
    await expect(page.get_by_role("link", name="Save a copy")).to_be_visible()
    await film(page, "tools-pdf-900")
