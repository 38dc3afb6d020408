"""Works come into the library by their DOI, and from a chat; their PDFs, deleting and undoing."""

from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect

from recto.config import Home, ResearchSettings, Secret, Settings, save_keys
from tests.fakes.papers import pdf_that_says
from tests.fakes.providers import AnthropicServer, calls, says
from tests.fakes.record_services import CROSSREF_WORK, DOI, RecordWorld, record_services
from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, OVERLAY, SINGLE, film_in, put_on
from tests.journeys.test_chat import send
from tests.served import Served, point_anthropic_at, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

LIBRARY = """% kept by hand
@book{pugh1987,
  author = {Pugh, David T.}, title = {Tides, Surges and Mean Sea-Level}, publisher = {Wiley},
  year = 1987,
}
"""
FOUND_DOI = "10.7717/peerj.4375"
DRAFT = "# Methods\n\nThe split is old [@spectroscopy].\n"


@pytest.fixture
async def world() -> AsyncGenerator[RecordWorld]:
    async with record_services() as found:
        yield found


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(
    tmp_path: Path, world: RecordWorld, upstream: AnthropicServer
) -> AsyncGenerator[Served]:
    folder = tmp_path / "tide-gauges"
    (folder / "references").mkdir(parents=True)
    (folder / "references" / "library.bib").write_text(LIBRARY, encoding="utf-8")
    (folder / "draft.md").write_text(DRAFT, encoding="utf-8")
    names = [name for name in ResearchSettings.model_fields if name.endswith("_url")]
    settings = Settings(research=ResearchSettings(**dict.fromkeys(names, world.url)))
    point_anthropic_at(tmp_path / "home", upstream.url)
    save_keys(Home(tmp_path / "home"), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(tmp_path / "home", folder, settings) as running:
        yield running


async def test_a_work_is_added_by_its_doi(
    recto: Served,
    open_tab: OpenTab,
    world: RecordWorld,
    upstream: AnthropicServer,
    tmp_path: Path,
) -> None:
    file = tmp_path / "tide-gauges" / "references" / "library.bib"
    page = await open_tab()

    # The text cites what nobody knows: "Add" asks which work that is, and the key stays.
    await page.get_by_role("treeitem", name="draft.md").click()
    await expect(page.locator(".cm-cite-unknown")).to_have_text("spectroscopy")
    await page.get_by_role("button", name="Add spectroscopy to the library").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("spectroscopy")

    # What no service knows is told, and nothing is written.
    work = dialog.get_by_label("Work")
    await work.fill("10.9999/nothing-here")
    await dialog.get_by_role("button", name="Add", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_be_visible()
    assert file.read_text(encoding="utf-8") == LIBRARY
    await film_in(page, "references-add", DARK, OVERLAY, SINGLE, LIGHT)

    await work.fill(f"https://doi.org/{DOI}")
    await dialog.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_text("Added as spectroscopy, from CrossRef.")).to_be_visible()
    await expect(page.get_by_label("Title", exact=True)).to_have_value(
        "Tidal spectroscopy and prediction"
    )
    kept = file.read_text(encoding="utf-8")
    assert kept.startswith(LIBRARY)
    assert "@article{spectroscopy," in kept
    assert DOI in kept
    assert [asked for asked in world.asked if unquote(asked).startswith(f"crossref /works/{DOI}")]
    await film_in(page, "references-added", DARK, OVERLAY, SINGLE, LIGHT)
    await put_on(page, LIGHT)
    await page.get_by_role("button", name="Close the entry").click()
    await expect(page.locator(".cm-cite-unknown")).to_have_count(0)
    await expect(page.locator(".cm-cite")).to_contain_text("Munk")

    # The same work again, pasted where the library is searched: its key is answered.
    await page.get_by_role("tab", name="References").click()
    field = page.get_by_role("textbox", name="Find, or add by DOI or title")
    await field.fill(f"doi:{DOI}")
    await page.get_by_role("button", name="Look it up and add it").click()
    await expect(page.get_by_text("It is in the library already, as spectroscopy.")).to_be_visible()
    assert file.read_text(encoding="utf-8") == kept
    rows = page.get_by_role("listbox", name="References").get_by_role("option")
    await expect(rows).to_have_count(2)
    await show_its_pdf(page, rows)

    await delete_and_undo(page, rows)
    assert file.read_text(encoding="utf-8") == kept

    await add_from_a_chat(page, world, upstream)
    assert file.read_text(encoding="utf-8").startswith(kept)


async def show_its_pdf(page: Page, rows: Locator) -> None:
    """Its PDF, attached, shows beside the entry."""
    await rows.filter(has_text="Munk").click()
    pdf = FilePayload(name="a.pdf", mimeType="application/pdf", buffer=pdf_that_says("Tides"))
    await page.get_by_label("Attach a PDF").set_input_files(pdf)
    await page.get_by_role("button", name="Open beside").click()
    await expect(page.get_by_role("group", name="Page 1", exact=True)).to_be_visible()
    await expect(page.get_by_label("Title", exact=True)).to_be_visible()
    await film_in(page, "references-pdf", DARK, LIGHT)


async def delete_and_undo(page: Page, rows: Locator) -> None:
    """What was deleted comes back as it was."""
    await page.get_by_role("button", name="Delete").click()
    await expect(rows).to_have_count(1)
    await page.get_by_role("button", name="Undo").click()
    await expect(rows).to_have_count(2)


async def add_from_a_chat(page: Page, world: RecordWorld, upstream: AnthropicServer) -> None:
    """What a model found comes into the library from the chat, in one step."""
    world.works_by_doi[FOUND_DOI] = {
        **CROSSREF_WORK,
        "DOI": FOUND_DOI,
        "title": ["The state of OA"],
    }
    upstream.answer(calls("search_papers", {"query": "open access"}))
    upstream.answer(says("There is one."))
    upstream.answer(says("Open access"))
    world.failing["openalex"] = 503
    await send(page, "Find a paper on open access.")
    # The text that is open went along: whatever reaches out asks from then on.
    await page.get_by_role("button", name="Once", exact=True).click()
    found = page.get_by_role("list", name="Papers found")
    await expect(page.locator(".found-note")).to_contain_text("OpenAlex failed with status 503.")
    await found.get_by_role("button", name="Add The state of OA to the library").click()
    await expect(found.locator("code")).to_have_text("munk1966")
    await film_in(page, "references-found", DARK, LIGHT)
