"""Markdown shown as it reads: real keys, clicks, compositions; the text stays the truth."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, FloatRect, Page, expect

from tests.journeys.conftest import Complaints
from tests.journeys.film import film
from tests.journeys.rendered_page import SETTLED, built, open_page, show_text

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

TABLE = """| Constituent | Speed |  Note |
|:------------|------:|:-----:|
| M2          | 28.98 | *moon* |
| S2          | 30.00 |       |
"""
DOCUMENT = f"""---
title: Separating the tide
tags: [tide]
---

# The tide and the *surge*

A gauge records **two** things[^1], see [the paper](https://example.org/paper) and [[harmonics]].

$$
h(t) = h_0
+ s(t)
$$

{TABLE}
The residual $s(t)$ is `small`.

```python
surge = 1  # metre
```

- one
  - nested
- [ ] open task
- [x] done task

> A quote
> of two lines

Under
-----

![Gauge](figures/gauge.svg) and ![away](https://example.org/a.png)

***

<b>source</b>

[^1]: Doodson, 1921.
"""
SLOW = """() => view.contentDOM.addEventListener("beforeinput", () => {
  const start = performance.now();
  while (performance.now() < start + 120);
})"""
"""The page does something else between the announcement of an input and the input itself."""

Show = Callable[[str], Awaitable[Page]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("rendered"))


@pytest.fixture(scope="module")
async def tab(chromium: Browser, folder: Path) -> AsyncGenerator[tuple[Page, Complaints]]:
    """One page for all the tests here; each shows its text in an editor of its own."""
    complaints = Complaints()
    page = await open_page(chromium, folder, complaints)
    yield page, complaints
    await page.context.close()


@pytest.fixture
async def show(tab: tuple[Page, Complaints]) -> AsyncGenerator[Show]:
    """Shows a text. Any script error, and any request elsewhere, fails the test."""
    page, complaints = tab

    async def show_one(text: str) -> Page:
        await show_text(page, text)
        return page

    yield show_one
    found = Complaints([*complaints.errors], [*complaints.strangers])
    complaints.errors.clear()
    complaints.strangers.clear()
    assert found == Complaints()


async def put(page: Page, at: int, head: int | None = None) -> None:
    """Put the cursor somewhere, as if it had been brought there."""
    await page.evaluate(
        "([anchor, head]) => { view.focus(); view.dispatch({ selection: { anchor, head } }); }",
        [at, at if head is None else head],
    )
    await expect(page.locator(".cm-focused")).to_be_visible()


async def head(page: Page) -> int:
    return await page.evaluate("view.state.selection.main.head")


async def text(page: Page) -> str:
    return await page.evaluate("text()")


HEADS = """() => {
  window.heads = [view.state.selection.main.head];
  // Behind the editor, which moves its cursor by itself when it hears of a key.
  window.noteHead = () => heads.push(view.state.selection.main.head);
  addEventListener("keydown", noteHead);
}"""


async def hold(page: Page, key: str, end: int) -> list[int]:
    """Where the cursor stood while a key was held down, until it reached an end."""
    await page.evaluate(HEADS)
    stood: list[int] = []
    while not stood or stood[-1] != end:
        for _ in range(40):
            await page.keyboard.down(key)
        before, stood = stood, await page.evaluate("heads")
        if before and before[-1] == stood[-1]:
            raise AssertionError(f"{key} is stuck at {stood[-1]}, before {end}")
    await page.keyboard.up(key)
    await page.evaluate("removeEventListener('keydown', noteHead)")
    moves = stood[: stood.index(end) + 1]
    assert len(set(moves)) == len(moves), f"{key} was stuck on its way"
    return moves


async def middle_of(page: Page, word: str) -> tuple[float, float]:
    """The middle of a word that is shown."""
    x, y = await page.evaluate(
        """(word) => {
          const walker = document.createTreeWalker(view.contentDOM, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(word);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + word.length);
            const box = range.getBoundingClientRect();
            if (box.width > 0) return [box.x + box.width / 2, box.y + box.height / 2];
          }
          throw new Error(`${word} is not shown`);
        }""",
        word,
    )
    return x, y


async def click_on(page: Page, word: str) -> None:
    await page.evaluate(SETTLED)  # what the last click showed or hid may still move the word
    await page.mouse.click(*await middle_of(page, word))


async def test_arrows_go_through_the_whole_text_and_never_stick_or_turn(show: Show) -> None:
    page = await show(DOCUMENT)
    end = len(DOCUMENT)
    await put(page, 0)
    right = await hold(page, "ArrowRight", end)
    left = await hold(page, "ArrowLeft", 0)
    await put(page, 0)
    down = await hold(page, "ArrowDown", end)
    up = await hold(page, "ArrowUp", 0)
    assert right == sorted(right)
    assert left == sorted(left, reverse=True)
    assert down == sorted(down)
    assert up == sorted(up, reverse=True)
    lines = set(range(1, DOCUMENT.count("\n") + 2))
    delimiter = 1 + DOCUMENT[: DOCUMENT.index("|:--")].count("\n")

    def seen(stood: list[int]) -> set[int]:
        return {1 + DOCUMENT[:at].count("\n") for at in stood}

    assert (lines - seen(right), lines - seen(left)) == ({delimiter}, {delimiter})
    assert (lines - seen(down), lines - seen(up)) == ({delimiter}, {delimiter})
    assert await text(page) == DOCUMENT


async def test_a_click_lands_in_the_word_that_was_clicked(show: Show) -> None:
    page = await show(DOCUMENT)
    landed: dict[str, str] = {}
    words = ["surge", "records", "two", "paper", "S2", "moon", "28.98", "small", "nested", "lines"]
    for word in words:
        await click_on(page, word)
        at = await head(page)
        starts = [i for i in range(len(DOCUMENT)) if DOCUMENT.startswith(word, i)]
        landed[word] = word if any(i <= at <= i + len(word) for i in starts) else DOCUMENT[at:][:20]
    assert landed == {word: word for word in words}


async def test_the_text_does_not_move_while_it_is_being_selected(show: Show) -> None:
    page = await show(DOCUMENT)
    line = page.locator(".cm-line", has_text="A gauge records")
    calm = "A gauge records two things1, see the paper and harmonics."
    await page.mouse.move(*await middle_of(page, "records"))
    await page.mouse.down()
    await page.mouse.move(*await middle_of(page, "paper"), steps=5)
    await expect(line).to_have_text(calm)
    await page.mouse.up()
    await expect(line).to_have_text(DOCUMENT.splitlines()[7].replace("[[harmonics]]", "harmonics"))
    start, end = await page.evaluate(
        "[view.state.selection.main.from, view.state.selection.main.to]"
    )
    assert DOCUMENT[start:end].startswith(("cords", "ords", "rds"))
    assert DOCUMENT[start:end].endswith(("[the pa", "[the pap", "[the p"))


async def test_a_selection_shows_where_a_line_has_a_ground_of_its_own(show: Show) -> None:
    note = "> [!warning] Look\n> The datum moved up here.\n"
    page = await show(note)
    start = note.index("moved")
    end = note.index(" here")
    await put(page, end)
    x, y = await middle_of(page, "moved")
    word = FloatRect(x=x - 10, y=y - 10, width=20, height=20)
    plain = await page.screenshot(clip=word)
    await put(page, start, end)
    assert await page.screenshot(clip=word) != plain


async def test_typing_in_a_cell_edits_its_source_and_nothing_else(show: Show) -> None:
    page = await show(DOCUMENT)
    await click_on(page, "28.98")
    await page.keyboard.press("End")
    await page.keyboard.type("4 | x")
    once = DOCUMENT.replace("28.98 |", "28.984 \\| x |")
    assert await text(page) == once
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.keyboard.type("sun  ")
    twice = once.replace("30.00 |       |", "30.00 | sun        |")
    assert await text(page) == twice
    await page.keyboard.press("Tab")
    await page.keyboard.type("K1")
    await page.keyboard.press("Tab")
    await page.keyboard.type("15.04")
    added = twice.replace("sun        |\n", "sun        |\n| K1 | 15.04 |  |\n")
    assert await text(page) == added
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("ArrowRight")
    assert (await head(page)) == added.index("15.04") - 3


async def test_deleting_stops_at_the_borders_of_a_cell(show: Show) -> None:
    page = await show(DOCUMENT)
    await click_on(page, "28.98")
    await page.keyboard.press("Home")
    for key in ("Backspace", "Control+Backspace"):
        await page.keyboard.press(key)
    await page.keyboard.press("End")
    for key in ("Delete", "Control+Delete"):
        await page.keyboard.press(key)
    assert await text(page) == DOCUMENT
    after = DOCUMENT.index("\nThe residual")
    await put(page, after)
    await page.keyboard.press("Backspace")
    assert (await text(page), await head(page)) == (DOCUMENT, DOCUMENT.index("30.00 |") + 8)
    await page.evaluate(SLOW)
    await put(page, DOCUMENT.index("M2"), DOCUMENT.index("30.00") + 2)
    await page.keyboard.type("x")
    cleared = TABLE.replace("M2 ", "x ").replace("28.98", "").replace("*moon*", "")
    cleared = cleared.replace("S2 ", " ").replace("30.00", ".00")
    assert await text(page) == DOCUMENT.replace(TABLE, cleared)


async def test_typing_over_a_selection_leaves_what_is_around_it(show: Show) -> None:
    page = await show(DOCUMENT)
    for first, last in (
        ("harmonics]]", " residual $s"),  # from a link over a formula and a table to a formula
        ("*surge*", "](https://example.org/paper)"),
        ("# The", "[the"),
        ("residual", "1  #"),
        ("nested", "](figures"),
        ("A quote", "two lines"),
        ("$s(t)$", "- one"),
        ("tags", "tide and"),
        ("title", "[^1]: Doo"),
    ):
        for is_slow in (False, True):
            await page.evaluate("(text) => { show(text); parse(); }", DOCUMENT)
            if is_slow:
                await page.evaluate(SLOW)
            start, end = DOCUMENT.index(first) + 1, DOCUMENT.index(last)
            await put(page, start, end)
            await page.keyboard.type("x")
            assert await text(page) == DOCUMENT[:start] + "x" + DOCUMENT[end:]
            assert await head(page) == start + 1
            await page.evaluate("undoOnce()")
            assert await text(page) == DOCUMENT


async def test_composing_over_a_selection_leaves_what_is_around_it(show: Show) -> None:
    page = await show(DOCUMENT)
    devices: Any = await page.context.new_cdp_session(page)
    for first, last in (
        ("harmonics]]", " residual $s"),
        ("A gauge", "things[^1]"),
        ("nested", "](figures"),
    ):
        await page.evaluate("(text) => { show(text); parse(); }", DOCUMENT)
        start, end = DOCUMENT.index(first) + 1, DOCUMENT.index(last)
        await put(page, start, end)
        for said in ("に", "にほ"):
            caret = {"selectionStart": len(said), "selectionEnd": len(said)}
            await devices.send("Input.imeSetComposition", {"text": said, **caret})
            assert await text(page) == DOCUMENT[:start] + said + DOCUMENT[end:]
        await devices.send("Input.insertText", {"text": "日本"})
        assert await text(page) == DOCUMENT[:start] + "日本" + DOCUMENT[end:]


async def test_a_table_keeps_its_roles_and_its_rows_can_be_walked(show: Show) -> None:
    page = await show(DOCUMENT)
    table = page.get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text(["Constituent", "Speed", "Note"])
    await expect(table.get_by_role("row")).to_have_count(3)
    await expect(table.get_by_role("cell")).to_have_text(["M2", "28.98", "moon", "S2", "30.00", ""])
    await click_on(page, "28.98")
    await page.keyboard.press("Home")
    stood: list[str] = []
    for _ in range(3):
        await page.keyboard.press("ArrowUp")
        stood.append(DOCUMENT[await head(page) :][:5])
    assert stood == ["Speed", "\n| Co", "$$\n\n|"]


async def test_a_tick_edits_the_text_as_one_step_that_can_be_undone(show: Show) -> None:
    page = await show(DOCUMENT)
    await put(page, DOCUMENT.index("residual"))
    await page.keyboard.type("whole ")
    typed = DOCUMENT.replace("residual", "whole residual")
    box = page.get_by_role("checkbox", name="open task")
    await box.click()
    await expect(box).to_be_checked()
    assert await text(page) == typed.replace("[ ] open", "[x] open")
    await page.get_by_role("checkbox", name="done task").click()
    await page.evaluate("undoOnce()")
    await page.evaluate("undoOnce()")
    assert await text(page) == typed
    await expect(box).not_to_be_checked()


async def test_a_composition_is_left_alone_until_it_ends(show: Show) -> None:
    page = await show("Say **bold** words.\n\n| a | b |\n|---|---|\n| c | delta |\n")
    devices: Any = await page.context.new_cdp_session(page)
    await put(page, 4)
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowRight")
    line = page.locator(".cm-line").first
    await expect(line).to_have_text("Say **bold** words.")
    await put(page, 3)
    await expect(line).to_have_text("Say bold words.")

    async def compose(said: str) -> None:
        caret = {"selectionStart": len(said), "selectionEnd": len(said)}
        await devices.send("Input.imeSetComposition", {"text": said, **caret})

    for said in ("に", "にほ", " *にほん*"):
        await compose(said)
        assert (
            await text(page)
            == f"Say{said} **bold** words.\n\n| a | b |\n|---|---|\n| c | delta |\n"
        )
        await expect(line).to_have_text(f"Say{said} bold words.")
    await devices.send("Input.insertText", {"text": " *日本*"})
    await expect(line).to_have_text("Say *日本* bold words.")
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("End")
    await expect(line).to_have_text("Say 日本 bold words.")

    await click_on(page, "delta")
    await page.keyboard.press("End")
    for said in ("か", "かん"):
        await compose(said)
    await devices.send("Input.insertText", {"text": "漢"})
    assert (await text(page)).endswith("| c | delta漢 |\n")


async def test_a_line_becomes_a_heading_when_its_composition_has_ended(show: Show) -> None:
    page = await show("word\n")
    devices: Any = await page.context.new_cdp_session(page)
    await put(page, 0)
    said = {"text": "# に", "selectionStart": 3, "selectionEnd": 3}
    await devices.send("Input.imeSetComposition", said)
    assert await text(page) == "# にword\n"
    await expect(page.locator(".cm-heading")).to_have_count(0)
    await devices.send("Input.insertText", {"text": "# 日"})
    await expect(page.locator(".cm-heading")).to_have_text("# 日word")


async def test_what_is_copied_is_the_source(show: Show) -> None:
    page = await show(DOCUMENT)
    await page.evaluate(
        """() => document.addEventListener("copy", (event) => {
          window.copied = event.clipboardData.getData("text/plain");
        })"""
    )
    await click_on(page, "small")
    await page.keyboard.press("Control+a")
    await page.keyboard.press("Control+c")
    assert await page.evaluate("copied") == DOCUMENT
    await put(page, DOCUMENT.index("two"), DOCUMENT.index("M2 "))
    await page.keyboard.press("Control+c")
    assert await page.evaluate("copied") == DOCUMENT[DOCUMENT.index("two") : DOCUMENT.index("M2 ")]


async def test_finding_shows_a_match_inside_hidden_syntax(show: Show) -> None:
    page = await show(DOCUMENT)
    await click_on(page, "small")
    await page.keyboard.press("Control+f")
    for wanted, shown in (
        ("example.org/paper", "[the paper](https://example.org/paper)"),
        ("title:", "title: Separating the tide"),
        ("h_0", "h(t) = h_0"),
        ("--:|", "|:------------|------:|:-----:|"),
    ):
        await page.locator(".cm-search [name=search]").press("Control+a")
        await page.keyboard.type(wanted)
        await page.keyboard.press("Enter")
        await expect(page.locator(".cm-searchMatch-selected").first).to_be_visible()
        await expect(page.locator(".cm-content")).to_contain_text(shown)
    assert await text(page) == DOCUMENT


async def test_links_tell_their_host_and_open_with_the_command_key(show: Show) -> None:
    page = await show(
        DOCUMENT
        + "\n[evil](javascript:alert(1)), [file](data/a.csv), [by name][x]\n\n[x]: <https://x.org/y>\n"
    )
    for shown in ("the paper", "harmonics", "file", "by name", "evil"):
        await page.keyboard.down("Control")
        await click_on(page, shown)
        await page.keyboard.up("Control")
    opened = ["https://example.org/paper", "[[harmonics]]", "data/a.csv", "https://x.org/y"]
    assert await page.evaluate("opened") == opened
    await page.locator(".cm-link", has_text="the paper").hover()
    await expect(page.locator(".cm-link-card")).to_have_text("example.orghttps://example.org/paper")
    await page.locator(".cm-footnote-reference").hover()
    await expect(page.locator(".cm-link-card")).to_have_text("Doodson, 1921.")


async def test_pictures_of_the_workspace_show_and_others_are_named_and_never_asked_for(
    show: Show,
) -> None:
    page = await show(
        "Start\n\n![Gauge](figures/gauge.svg)\n\n![Lost](missing.png)\n\n![away](https://example.org/a.png)\n"
    )
    await expect(page.get_by_role("img", name="Gauge")).to_be_visible()
    await expect(page.locator(".cm-picture-missing")).to_have_text(
        "Lost (missing.png could not be shown)"
    )
    await expect(page.locator(".cm-picture-away")).to_have_text("away (example.org)")


async def test_a_formula_is_set_by_the_measures_of_a_font_for_formulas(show: Show) -> None:
    page = await show("$$\n\\sum_{k=1}^{K} A_k\n$$\n\nThe end.")
    await page.wait_for_function("() => document.fonts.check('16px \"STIX Two Math\"')")
    boxes = await page.locator("munderover").evaluate(
        "(sum) => [...sum.children].map((one) => one.getBoundingClientRect().toJSON())"
    )
    sign, below, above = boxes
    # Without such a font, the K stands in the sign.
    assert above["bottom"] <= sign["top"] + 1
    assert below["top"] >= sign["bottom"] - 1


async def test_source_and_back_again_leaves_cursor_and_text(show: Show) -> None:
    page = await show(DOCUMENT)
    await put(page, DOCUMENT.index("residual"))
    await page.evaluate("toggle(false)")
    await expect(page.locator(".cm-content")).to_contain_text("|:------------|------:|:-----:|")
    await page.evaluate("toggle(true)")
    await expect(page.get_by_role("table")).to_be_visible()
    assert (await text(page), await head(page)) == (DOCUMENT, DOCUMENT.index("residual"))


async def test_the_page_has_no_barriers(show: Show) -> None:
    page = await show(DOCUMENT)
    await expect(page.locator("[data-drawn]")).to_have_count(2)
    await put(page, DOCUMENT.index("two"))
    for scheme in ("dark", "light"):
        await page.emulate_media(color_scheme=scheme)
        await film(page, f"rendered-{scheme}")
