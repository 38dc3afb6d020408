"""A draft published for Word in a real browser, changed by a co-author, and brought back."""

import pytest
from playwright.async_api import expect

from tests.journeys.conftest import OpenTab
from tests.journeys.looks import DARK, LIGHT, film_in
from tests.publishing.drafts import library_of
from tests.served import Served
from tests.server.test_files import project_address
from tests.server.test_returned_drafts import TEXT, changed

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


async def publish(recto: Served) -> None:
    """The draft as a Word document that a co-author has changed."""
    (recto.folder / "references").mkdir()
    (recto.folder / "references" / "library.bib").write_text(library_of(2))
    (recto.folder / "surge.md").write_text(TEXT)
    async with recto.script() as script:
        address = f"{await project_address(script)}/publish"
        told = await script.post(address, json={"path": "surge.md", "to": "docx"})
        assert "event: done" in told.text
    changed(recto.folder / "surge.docx")


async def test_a_copy_that_came_back_is_opened_and_brought_into_its_draft(
    recto: Served, open_tab: OpenTab
) -> None:
    await publish(recto)
    page = await open_tab()
    await page.get_by_role("treeitem", name="surge.docx").dblclick()
    notice = page.get_by_role("status").filter(has_text="published from surge.md")
    await notice.get_by_role("button", name="Bring back changes…").click()
    dialog = page.get_by_role("dialog", name="Changes from Word")
    await expect(dialog).to_contain_text("1 change of surge.md")
    await expect(dialog).to_contain_text("Ines: Say more.")
    left = dialog.get_by_role("list", name="Has no place in the draft")
    await expect(left).to_contain_text("1999")
    await film_in(page, "word-brought-back", DARK, LIGHT)
    await dialog.get_by_role("button", name="Bring them back").click()
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("tab", name="surge.md")).to_be_visible()
    await expect(page.get_by_text("1 edit waits for review")).to_be_visible()
    assert (recto.folder / "surge.md").read_text() == TEXT.replace("large", "huge")
