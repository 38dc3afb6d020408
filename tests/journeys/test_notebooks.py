"""A notebook in the page: opened, edited, run, interrupted, restarted, by two tabs."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


def code(name: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def write_notebook(path: Path, *cells: dict[str, Any]) -> None:
    found: dict[str, Any] = {
        "cells": list(cells),
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def text(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


async def open_notebook(page: Page, name: str) -> None:
    await page.get_by_role("treeitem", name=name).click()
    await expect(page.locator(".cell").first).to_be_visible()


def cell(page: Page, name: str) -> Locator:
    return page.locator(f'[data-cell="{name}"]')


async def test_a_notebook_is_edited_run_interrupted_and_restarted(
    recto: Served, open_tab: OpenTab
) -> None:
    file = recto.folder / "residuals.ipynb"
    write_notebook(
        file,
        text("head", "## Residuals, winter 2014"),
        code("one", "x = 20"),
        code("two", "print('\\x1b[31mred\\x1b[0m', x + 1)\nx * 2"),
        code("three", "import time\nfor _ in range(600): time.sleep(0.1)"),
    )
    page = await open_tab()
    await open_notebook(page, "residuals.ipynb")
    await expect(page.get_by_role("heading", name="Residuals, winter 2014")).to_be_visible()
    await cell(page, "one").locator(".cm-content").click()
    await page.keyboard.press("End")
    await page.keyboard.type("0")
    await page.keyboard.press("Shift+Enter")
    await expect(cell(page, "one").locator(".cell-count")).to_have_text("1")
    await page.keyboard.press("Shift+Enter")
    output = cell(page, "two").locator(".cell-output")
    await expect(output).to_contain_text("red 201")
    await expect(output).to_contain_text("400")
    await expect(output.locator(".ansi-red")).to_have_text("red")
