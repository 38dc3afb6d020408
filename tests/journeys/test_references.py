"""References as a person meets them: the library, citing in a text, publishing; driven once."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pypdf
import pytest
from playwright.async_api import Page, expect

from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, SINGLE, film_in, put_on
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

LIBRARY = """% kept by hand
@book{pugh1987,
  author = {Pugh, David T.},
  title = {Tides, Surges and Mean Sea-Level},
  publisher = {Wiley},
  year = 1987,
}
@article{munk1966,
  author = {Munk, Walter H. and Cartwright, David E.},
  title = {Tidal spectroscopy and prediction},
  year = {1966},
}
@article{munk1966b, author = {Munk, W.}, title = {Tidal Spectroscopy and Prediction}, year = {1966}}
"""
METHODS = """---
title: Separating the tide
csl: apa
---

# Methods

The split goes back to @munk1966b; see [@pugh1987, p. 117] and [@matte2013].

"""


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    folder = tmp_path / "tide-gauges"
    (folder / "references").mkdir(parents=True)
    (folder / "references" / "library.bib").write_text(LIBRARY)
    (folder / "methods.md").write_text(METHODS)
    async with served(tmp_path / "home", folder) as running:
        yield running


async def test_from_the_library_to_a_pdf(recto: Served, open_tab: OpenTab, tmp_path: Path) -> None:
    folder = tmp_path / "tide-gauges"
    page = await open_tab()
    await page.get_by_role("tab", name="References").click()
    rows = page.get_by_role("listbox", name="References").get_by_role("option")
    await expect(rows).to_have_count(3)
    await expect(page.get_by_text("library.bib, 2 to fix")).to_be_visible()

    # Two entries are one work: they are merged, and the text cites the one that stays.
    await page.get_by_role("button", name="1 duplicate").click()
    await page.get_by_role("button", name="Compare").click()
    await page.get_by_role("button", name="Merge").click()
    await expect(rows).to_have_count(2)
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert "goes back to @munk1966;" in (folder / "methods.md").read_text()

    # What is missing is filled in; nothing else in the file changes.
    await rows.filter(has_text="Munk").click()
    await page.get_by_label("Journal").fill("Phil. Trans. R. Soc. A")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Nothing else in the file was changed.")).to_be_visible()
    kept = (folder / "references" / "library.bib").read_text()
    assert kept.startswith(LIBRARY[: LIBRARY.index("@article{munk1966,")])
    assert "Phil. Trans. R. Soc. A" in kept
    await film_in(page, "references-entry", DARK, OVERLAY, SINGLE, LIGHT)
    await page.get_by_role("button", name="Close the entry").click()

    # The text shows its citations as they will print, and marks the key that nobody knows.
    await page.get_by_role("tab", name="Files").click()
    await page.get_by_role("treeitem", name="methods.md").click()
    await expect(page.locator(".cm-cite").filter(has_text="(Pugh, 1987, p. 117)")).to_be_visible()
    await expect(
        page.locator(".cm-cite").filter(has_text="Munk & Cartwright (1966)")
    ).to_be_visible()
    await expect(page.locator(".cm-cite-unknown")).to_have_text("matte2013")
    await expect(page.locator(".cm-bibliography")).to_contain_text("Wiley")
    await expect(page.locator(".folio")).to_contain_text("3 citations, 1 unknown")
    await film_in(page, "references-citing", DARK, LIGHT)

    # A key completes, and stands in the file.
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("Again [@tides")
    await page.locator(".cm-tooltip-autocomplete").get_by_text("pugh1987").click()
    await page.keyboard.type("].")
    await expect(page.locator(".folio")).to_contain_text("4 citations")

    await publish(page)
    text = "".join(one.extract_text() for one in pypdf.PdfReader(folder / "methods.pdf").pages)
    assert "(Pugh, 1987, p. 117)" in text
    assert "Again (Pugh, 1987)" in text


async def publish(page: Page) -> None:
    """Publish the open text as a PDF, and look at the dialog."""
    await page.get_by_role("button", name="More for this file").click()
    await page.get_by_role("menuitem", name="Publish as PDF, Word, HTML…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("img")).to_be_visible(timeout=60_000)
    await film_in(page, "references-publish", DARK, OVERLAY, SINGLE, LIGHT)
    await put_on(page, LIGHT)
    await dialog.get_by_role("button", name="Publish", exact=True).click()
    await expect(dialog.get_by_text("methods.pdf is ready.")).to_be_visible(timeout=60_000)
    await expect(dialog.get_by_text("Not in the library: matte2013")).to_be_visible()
    await dialog.get_by_role("button", name="Done").click()
