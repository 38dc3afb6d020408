"""Suggestions from a scripted model to the text: streamed, accepted, known as such, and seen."""

import json
import re
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Page, expect

from tests.fakes.providers import Fault, Gate, UseTool
from tests.journeys.film import film, film_looks, film_schemes
from tests.journeys.ghost_page import Stage, answer_by, look, open_page, staged, two_plusses

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

SAMPLE = Path(__file__).parents[2] / "sample" / "tide-gauges"
END = "leave a trace in it too."
THREE = [
    " So do the river's discharge and the clock errors of the paper records [citation].",
    " Nobody has corrected them since.",
    " A median over 25 hours removes it.",
]
ANSWER = {"prefix_end": "leave a trace in it too.", "suffix_start": "", "suggestions": THREE}
FRAMES_TO_THE_FIRST = 4
"""The head, the block, its empty beginning, the first half."""
FIND = """(content, words) => {
  const view = content.cmTile.root.view;
  const at = view.state.doc.toString().indexOf(words) + words.length;
  view.dispatch({selection: {anchor: at}, scrollIntoView: true});
  view.focus();
}"""


@pytest.fixture(scope="module")
async def stage(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Stage]:
    place = tmp_path_factory.mktemp("ghost")
    folder = place / "tide-gauges"
    shutil.copytree(SAMPLE, folder)
    async with staged(chromium, place, folder) as stage:
        yield stage


async def open_in(page: Page, folder: str, name: str) -> None:
    """Open a file of a folder, and wait until it can be edited."""
    parent = page.get_by_role("treeitem", name=folder, exact=True)
    await expect(parent).to_be_visible()
    if await parent.get_attribute("aria-expanded") != "true":
        await parent.click()
    await page.get_by_role("treeitem", name=name, exact=True).dblclick()
    text = page.get_by_role("textbox", name=f"Text of {name}")
    await expect(text).to_have_attribute("aria-readonly", "false")


async def rows(stage: Stage) -> list[tuple[str, int]]:
    """Who wrote the methods, and how many characters in a row."""
    async with stage.recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()["id"]
        address = f"/api/v1/projects/{project}/authorship"
        found = (await script.get(address, params={"path": "manuscript/methods.md"})).json()
    return [
        (found["authors"][span["author"]]["kind"], span["end"] - span["start"])
        for span in found["spans"]
    ]


async def test_the_first_shows_while_the_others_are_written_and_is_known_when_accepted(
    stage: Stage,
) -> None:
    page = await open_page(stage.browser, stage.recto, stage.complaints)
    await open_in(page, "manuscript", "methods.md")
    text = page.get_by_role("textbox", name="Text of methods.md")
    before = (SAMPLE / "manuscript/methods.md").read_text(encoding="utf-8")
    told, gate = json.dumps(ANSWER), Gate()
    after_one = told.index(THREE[0]) + len(THREE[0]) + 1
    halves = (told[:after_one], told[after_one:])
    stage.upstream.answer(UseTool("suggest_completions", halves), fault=Fault(drip=True, gate=gate))
    gate.step(FRAMES_TO_THE_FIRST)
    await text.evaluate(FIND, END)
    await two_plusses(page)
    badge = page.locator(".ghost-badge")
    await expect(badge).to_have_text("1/1")
    assert (await look(text)).ghost == THREE[0]
    gate.open()
    await expect(badge).to_have_text("1/3")
    await expect(badge).to_have_attribute(
        "title", re.compile(r"^Suggestion 1 of 3\. Confidence unknown\. ")
    )
    await page.keyboard.press("Control+ArrowRight")
    await page.keyboard.press("Tab")
    await expect(page.locator(".running-head").get_by_role("status").first).to_have_text("Saved")
    saved = await anyio.Path(stage.recto.folder / "manuscript/methods.md").read_text("utf-8")
    assert saved.rstrip().endswith(END + THREE[0])
    assert await rows(stage) == [
        ("before", len(before) - 1),
        ("ghost", len(THREE[0])),
        ("before", 1),
    ]


async def test_over_budget_nothing_comes_and_nothing_is_said(stage: Stage) -> None:
    await allow(stage, "0")
    page = await open_page(stage.browser, stage.recto, stage.complaints)
    await open_in(page, "manuscript", "results.md")
    text = page.get_by_role("textbox", name="Text of results.md")
    await text.press("Control+End")
    asked = len(stage.upstream.exchanges)
    async with page.expect_response("**/api/v1/suggest"):
        await page.keyboard.press("Alt+\\")
    await expect(page.locator(".ghost")).to_have_count(0)
    await expect(page.get_by_role("alert")).to_have_count(0)
    await expect(page.locator(".toast")).to_have_count(0)
    assert len(stage.upstream.exchanges) == asked
    await allow(stage, "20")


async def allow(stage: Stage, dollars: str) -> None:
    """Set the limit of the month."""
    async with stage.recto.script() as script:
        limit = await script.put("/api/v1/budget", json={"monthlyLimitUsd": dollars, "warnAt": 0.8})
        assert limit.status_code == 200, limit.text


async def test_suggestions_are_filmed(stage: Stage) -> None:
    page = await open_page(stage.browser, stage.recto, stage.complaints)
    await answer_by(page, stage.answers)
    stage.answers.texts = [item.replace(" So", " The residual holds: so") for item in THREE]
    await open_in(page, "manuscript", "methods.md")
    text = page.get_by_role("textbox", name="Text of methods.md")
    badge = page.locator(".ghost-badge")
    for place, words in (("end", "fitted to the record."), ("middle", "A tide gauge")):
        await text.evaluate(FIND, words)
        await page.keyboard.press("Alt+\\")
        await expect(badge).to_have_text("1/3")
        await (film_looks if place == "end" else film_schemes)(page, f"ghost-{place}")
        await expect(badge).to_have_text("1/3")
        await page.keyboard.press("Escape")
    await open_in(page, "pipeline", "harmonics.py")
    code = page.get_by_role("textbox", name="Text of harmonics.py")
    stage.answers.texts = ["\n    # Longer than this, and both are told apart.\n    return days"]
    await code.evaluate(FIND, '"""How many days of record separate two constituents."""')
    await page.keyboard.press("Alt+\\")
    await expect(badge).to_have_text("1/1")
    await film(page, "ghost-code")
