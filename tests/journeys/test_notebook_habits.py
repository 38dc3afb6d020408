"""What users of Jupyter do without a thought: a new notebook, its keys, pictures in its texts."""

import base64
import json
import sys
from typing import Any

import pytest
from playwright.async_api import expect

from tests.journeys.conftest import OpenTab
from tests.journeys.test_notebooks import cell, code, open_notebook, text, write_notebook
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
RED = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
    "gg=="
)
DATA = f"data:image/png;base64,{base64.b64encode(RED).decode()}"
LOADED = "image => image.complete && image.naturalWidth > 0"


async def test_a_new_notebook_is_made_written_and_run_by_keys_alone(
    recto: Served, open_tab: OpenTab
) -> None:
    page = await open_tab()
    await page.get_by_role("button", name="Open or make a file").click()
    await page.get_by_role("menuitem", name="New notebook…").click()
    # Its name is chosen, but for the ending.
    await page.keyboard.type("levels")
    await page.keyboard.press("Enter")
    cells = page.locator(".cell")
    await expect(cells).to_have_count(1)
    await expect(cells.locator(".cm-content")).to_be_focused()
    await page.keyboard.type("6 * 7")
    await page.keyboard.press("Control+Enter")
    await expect(cells.locator(".cell-output")).to_have_text("42")
    # As in Jupyter the keys act on cells now.
    await page.keyboard.press("b")
    await expect(cells).to_have_count(2)
    await page.keyboard.press("Enter")
    await page.keyboard.type("later = 1")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Kernel").click()
    await page.get_by_role("menuitem", name="Run all above").click()
    await expect(cells.first.locator(".cell-count")).to_have_text("2")
    await expect(cells.last.locator(".cell-count")).to_have_text("")
    await page.get_by_role("button", name="Kernel").click()
    await page.get_by_role("menuitem", name="Run this cell and all below").click()
    await expect(cells.last.locator(".cell-count")).to_have_text("3")
    await expect(cells.first.locator(".cell-count")).to_have_text("2")
    saved = json.loads((recto.folder / "levels.ipynb").read_bytes())
    assert saved["metadata"]["kernelspec"]["name"] == "python3"


async def test_pictures_in_a_text_are_shown_from_the_cell_the_text_and_beside_the_notebook(
    recto: Served, open_tab: OpenTab
) -> None:
    (recto.folder / "lab").mkdir()
    (recto.folder / "lab" / "map.png").write_bytes(RED)
    words = "![A gauge](attachment:a%20b.png) and ![The map](map.png), ![far](https://x.test/a.png)"
    words += f' <img src="{DATA}" alt="A drawing" width="40"> <img src="https://x.test/b.png">'
    carried: dict[str, Any] = {
        **text("texts", words),
        "attachments": {"a b.png": {"image/png": base64.b64encode(RED).decode()}},
    }
    write_notebook(recto.folder / "lab" / "n.ipynb", carried, code("one", "1"))
    page = await open_tab()
    await page.get_by_role("treeitem", name="lab").click()
    await open_notebook(page, "n.ipynb")
    pictures = cell(page, "texts").get_by_role("img")
    await expect(pictures).to_have_count(3)
    for name in ("A gauge", "The map", "A drawing"):
        picture = await pictures.and_(page.get_by_alt_text(name)).element_handle()
        assert picture is not None
        await page.wait_for_function(LOADED, arg=picture)


async def test_cells_are_copied_from_one_notebook_to_another(
    recto: Served, open_tab: OpenTab
) -> None:
    write_notebook(recto.folder / "from.ipynb", code("one", "tide = 1"))
    write_notebook(recto.folder / "to.ipynb", code("two", "level = 2"))
    page = await open_tab()
    await open_notebook(page, "from.ipynb")
    await cell(page, "one").locator(".cm-content").click()
    await page.keyboard.press("Escape")
    await page.keyboard.press("c")
    await page.get_by_role("treeitem", name="to.ipynb").click()
    await cell(page, "two").locator(".cm-content").click()
    await page.keyboard.press("Escape")
    await page.keyboard.press("v")
    await expect(page.locator(".cell .cm-content")).to_have_text(["level = 2", "tide = 1"])


async def test_an_environment_without_a_kernel_is_told_with_what_to_do(
    recto: Served, open_tab: OpenTab
) -> None:
    environment = recto.folder / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    write_notebook(recto.folder / "n.ipynb", code("one", "1"))
    page = await open_tab()
    await open_notebook(page, "n.ipynb")
    told = page.get_by_text("Install ipykernel in the folder's .venv: uv pip install ipykernel")
    await expect(told).to_be_visible()
    await page.get_by_role("button", name="Not now").click()
    await expect(told).to_have_count(0)
    (environment / "lib" / "python3.11" / "site-packages" / "pip").mkdir(parents=True)
    await page.reload()
    await expect(page.get_by_text(".venv/bin/python -m pip install ipykernel")).to_be_visible()


async def test_a_long_notebook_is_used_at_once_and_drawn_to_its_end(
    recto: Served, open_tab: OpenTab
) -> None:
    cells = [code(f"c{number}", f"x{number} = {number}") for number in range(120)]
    write_notebook(recto.folder / "long.ipynb", *cells, text("last", "The *needle* is here."))
    page = await open_tab()
    await open_notebook(page, "long.ipynb")
    await cell(page, "c0").locator(".cm-content").click()
    await page.keyboard.press("End")
    await page.keyboard.type("0")
    await expect(cell(page, "c0").locator(".cm-content")).to_have_text("x0 = 00")
    await expect(page.locator(".cell")).to_have_count(121)
    await page.keyboard.press("Control+f")
    await page.keyboard.type("needle")
    await page.keyboard.press("Enter")
    await expect(cell(page, "last").locator(".cm-searchMatch-selected")).to_be_visible()
