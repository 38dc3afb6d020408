"""A notebook in the page: opened, edited, run, interrupted, restarted, by two tabs."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import OpenTab
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

ASKS = """
import getpass, sys
name = input("Name: ")
print(name, len(getpass.getpass("Key: ")))
for done in (50, 100):
    print(f"\\r{done:3}%|{'#' * (done // 10):10}|", end="", file=sys.stderr, flush=True)
"""


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
        code("asks", ASKS),
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
    # Its names are defined anew: what it answered is stale until it has run again.
    await cell(page, "one").get_by_role("button", name="Run this cell").click()
    again = output.get_by_role("button", name="Run again")
    await again.click()
    await expect(again).to_have_count(0)
    await expect(output).to_contain_text("red 201")

    await answer_by_keys_alone(page)
    await cell(page, "two").locator(".cm-content").click()
    await page.keyboard.press("Shift+Enter")
    other = await open_tab()
    await open_notebook(other, "residuals.ipynb")
    await interrupt_from_another_tab(page, other)
    await add_a_cell_that_ends_the_kernel(page, other)
    await remove(page, cell(page, "three"))
    await page.get_by_role("button", name="Kernel").click()
    await page.get_by_role("menuitem", name="Restart and run all").click()
    await expect(cell(page, "two").locator(".cell-count")).to_have_text("2")
    await expect(output).to_contain_text("red 201")
    await expect(page.get_by_text("The kernel has died")).to_have_count(0)


async def answer_by_keys_alone(page: Page) -> None:
    """A cell asks twice, and whoever ran it types on without a click."""
    asks = cell(page, "asks")
    await asks.locator(".cm-content").click()
    await page.keyboard.press("Shift+Enter")
    await expect(page.get_by_label("Name:")).to_be_focused()
    await page.keyboard.type("Ada")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Key:")).to_be_focused()
    await expect(page.get_by_label("Key:")).to_have_attribute("type", "password")
    await page.keyboard.type("abc")
    await page.keyboard.press("Enter")
    await expect(asks.locator(".cell-output")).to_contain_text("Ada 3")
    await expect(asks.locator(".cell-output")).to_contain_text("100%|##########|")
    await expect(asks.locator(".cell-output")).not_to_contain_text("50%|")
    await remove(page, asks)


async def interrupt_from_another_tab(page: Page, other: Page) -> None:
    await page.keyboard.press("Shift+Enter")
    await expect(cell(page, "three").get_by_role("button", name="Interrupt")).to_be_visible()
    await cell(other, "three").get_by_role("button", name="Interrupt").click()
    await expect(cell(page, "three").locator(".cell-output")).to_contain_text("KeyboardInterrupt")


async def add_a_cell_that_ends_the_kernel(page: Page, other: Page) -> None:
    """In command mode, as Jupyter's users know it; what one types, the other runs."""
    await cell(other, "two").locator(".cm-content").click()
    await other.keyboard.press("Escape")
    await other.keyboard.press("b")
    await other.keyboard.press("Enter")
    await other.keyboard.type("import os; os.kill(os.getpid(), 9)")
    added = page.locator(".cell", has_text="os.kill")
    await expect(added).to_be_visible()
    await added.locator(".cm-content").click()
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_text("The kernel has died")).to_be_visible()
    await remove(page, added)
    await expect(other.locator(".cell", has_text="os.kill")).to_have_count(0)


async def remove(page: Page, place: Locator) -> None:
    await place.locator(".cm-content").click()
    await page.keyboard.press("Escape")
    await page.keyboard.press("d")
    await page.keyboard.press("d")
    await expect(place).to_have_count(0)
