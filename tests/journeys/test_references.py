"""References as a person meets them: the library, citing in a text, publishing; driven once."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pypdf
import pytest
from playwright.async_api import Page, expect

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, SINGLE, film_in, put_on
from tests.journeys.test_chat import send
from tests.served import Served, point_anthropic_at, served

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
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(tmp_path: Path, upstream: AnthropicServer) -> AsyncGenerator[Served]:
    folder = tmp_path / "tide-gauges"
    (folder / "references").mkdir(parents=True)
    (folder / "references" / "library.bib").write_text(LIBRARY)
    (folder / "methods.md").write_text(METHODS)
    point_anthropic_at(tmp_path / "home", upstream.url)
    save_keys(Home(tmp_path / "home"), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(tmp_path / "home", folder) as running:
        yield running


async def test_from_the_library_to_a_pdf(
    recto: Served, open_tab: OpenTab, upstream: AnthropicServer, tmp_path: Path
) -> None:
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

    await point_at_a_citation(page)

    await cite_by_typing(page)

    await let_it_invent(page, upstream)
    await publish(page)
    text = "".join(one.extract_text() for one in pypdf.PdfReader(folder / "methods.pdf").pages)
    printed = [words in text for words in ("(Pugh, 1987, p. 117)", "Again (Pugh, 1987)", "Surges")]
    assert printed == [True, True, False]


async def point_at_a_citation(page: Page) -> None:
    """The pointer on a citation shows its entry, and nothing else."""
    await page.locator(".cm-cite").filter(has_text="(Pugh, 1987, p. 117)").hover()
    card = page.locator(".cm-cite-card")
    await expect(card).to_contain_text("Pugh. Wiley. 1987")
    await expect(page.locator(".cm-tooltip-hover")).not_to_contain_text("no address")
    await page.mouse.move(5, 5)
    await expect(card).to_have_count(0)


async def cite_by_typing(page: Page) -> None:
    """A key completes, and stands in the file."""
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("Again [@tides")
    await page.locator(".cm-tooltip-autocomplete").get_by_text("pugh1987").click()
    await page.keyboard.type("].")
    await expect(page.locator(".folio")).to_contain_text("4 citations")


async def let_it_invent(page: Page, upstream: AnthropicServer) -> None:
    """A model cites what nobody knows: it is marked, and "accept all" leaves it out."""
    old = "Again [@pugh1987]."
    new = f"{old} Tides are older. Surges have not grown [@invented2020]."
    edit = {"path": "methods.md", "old_string": old, "new_string": new}
    upstream.answer(calls("edit_file", edit))
    upstream.answer(says("I added a sentence."))
    upstream.answer(says("Surges"))
    await send(page, "Say whether surges have grown.")
    await expect(page.get_by_role("heading", name="Surges")).to_be_visible()
    await expect(page.locator(".cm-claim")).to_have_text("[citation?]")
    waiting = page.get_by_role("region", name="Edits to review")
    await waiting.get_by_role("button", name="Accept all").click()
    await expect(waiting.get_by_role("alert")).to_contain_text("could not be verified")
    await expect(page.locator(".folio")).to_contain_text("1 without a source")
    await film_in(page, "references-claim", DARK, LIGHT)
    await page.locator(".folio").get_by_role("button", name="1 without a source").click()
    marked = page.get_by_role("dialog").get_by_role("list", name="Marked citations")
    await expect(marked).to_contain_text("@invented2020")
    await film_in(page, "references-report", DARK, OVERLAY, SINGLE, LIGHT)
    await put_on(page, LIGHT)
    await page.keyboard.press("Escape")


async def publish(page: Page) -> None:
    """Publish the open text as a PDF, and look at the dialog."""
    await page.get_by_role("button", name="More for this file").click()
    await page.get_by_role("menuitem", name="Publish as PDF, Word, HTML…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("img")).to_be_visible(timeout=60_000)
    before = dialog.get_by_role("list", name="Before you publish")
    told = ("Not in the library: matte2013", "1 claim marked", "1 edit to review is left out")
    await expect(before.get_by_role("listitem")).to_contain_text(told)
    await film_in(page, "references-publish", DARK, OVERLAY, SINGLE, LIGHT)
    await put_on(page, LIGHT)
    await dialog.get_by_role("button", name="Publish", exact=True).click()
    await expect(dialog.get_by_text("methods.pdf is ready.")).to_be_visible(timeout=60_000)
    await expect(dialog.get_by_text("Not in the library: matte2013")).to_be_visible()
    await expect(dialog.get_by_text("1 edit to review is left out")).to_be_visible()
    await dialog.get_by_role("button", name="Done").click()
