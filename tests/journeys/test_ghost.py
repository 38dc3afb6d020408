"""Every key of a suggestion in a real browser, in prose, in code and in Markdown as it reads."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import anyio
import pytest
from playwright.async_api import Browser, Locator, expect

from tests.journeys.ghost_page import (
    Look,
    Stage,
    answer_by,
    input_method,
    look,
    open_file,
    open_page,
    put,
    staged,
    two_plusses,
)

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of text: before and after the cursor, and what is suggested."""

    file: str
    before: str
    after: str
    texts: tuple[str, str, str]
    word: str
    line: str

    def with_(self, taken: str, ghost: str | None = None) -> Look:
        return Look(f"{self.before}{taken}|{self.after}", ghost)


PLACES = [
    Place(
        "notes.txt",
        "Levels are read hourly.\nThe tide",
        "\nThe end.\n",
        (" rises  and falls,\ntwice a day. \n", " turns.", " waits."),
        " rises",
        " rises  and falls,",
    ),
    Place(
        "methods.md",
        "# Methods\n\nIt is **not** the *tide*",
        "\n\n- one\n- two\n",
        (": it also carries\n  river discharge. ", " alone.", ", but a surge."),
        ":",
        ": it also carries",
    ),
    Place(
        "harmonics.py",
        "def days(speed):\n    return ",
        "\n\n\nclass Gauge:\n    pass\n",
        ("15 / abs(\n        speed\n    )\n", "1", "None"),
        "15",
        "15 / abs(",
    ),
]


@pytest.fixture(scope="module")
async def stage(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Stage]:
    place = tmp_path_factory.mktemp("ghost")
    folder = place / "tide-gauges"
    folder.mkdir()
    for item in PLACES:
        (folder / item.file).write_text("x", encoding="utf-8")
    async with staged(chromium, place, folder) as stage:
        yield stage


BADGE = ".ghost-badge"


async def ask(stage: Stage, text: Locator, place: Place, *keys: str) -> None:
    """Ask for suggestions at the cursor and wait until the first shows."""
    stage.answers.texts = place.texts
    await put(text, f"{place.before}|{place.after}")
    for key in keys or ["Alt+\\"]:
        await stage.page.keyboard.press(key)
    await expect(stage.page.locator(BADGE)).to_have_text("1/3")


def asked_for(place: Place) -> dict[str, Look]:
    """What each key does to a suggestion that was asked for."""
    first, second, third = place.texts
    whole = place.with_(first.rstrip())
    last = place.before[-1]
    return {
        "Tab": whole,
        "Enter": whole,
        "ArrowRight": whole,
        "Control+ArrowRight": place.with_(place.word, first.removeprefix(place.word)),
        "Control+End": place.with_(place.line, first.removeprefix(place.line)),
        "ArrowDown": place.with_("", second),
        "ArrowUp": place.with_("", third),
        "Escape": place.with_(""),
        "ArrowLeft": place.with_(""),
        "x": place.with_("x"),
        "Backspace": Look(f"{place.before[:-1]}|{place.after}", None),
        "Delete": Look(f"{place.before}|{place.after[1:]}", None),
        "Shift+ArrowLeft": Look(f"{place.before[:-1]}|{last}{place.after}", None),
    }


def not_asked_for(place: Place) -> dict[str, Look]:
    """What the keys do that mean something else when nobody asked, after an x was typed."""
    before, after = f"{place.before}x", place.after
    return {
        "Tab": Look(f"{before}{place.texts[0].rstrip()}|{after}", None),
        "ArrowRight": Look(f"{before}{after[0]}|{after[1:]}", None),
    }


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.file)
async def test_every_key_does_what_the_table_says(stage: Stage, place: Place) -> None:
    text = await stage.open(place.file)
    found: dict[str, Look] = {}
    for key in asked_for(place):
        await ask(stage, text, place)
        await stage.page.keyboard.press(key)
        found[key] = await look(text)
    assert found == asked_for(place)


async def test_after_a_pause_enter_and_right_mean_what_they_always_mean(stage: Stage) -> None:
    await stage.prefer(suggest="pause", suggestPauseMs=100)
    for place in PLACES:
        text = await stage.open(place.file)
        found: dict[str, Look] = {}
        for key in not_asked_for(place):
            await ask(stage, text, place, "x")
            await stage.page.keyboard.press(key)
            found[key] = await look(text)
        assert found == not_asked_for(place)
        await ask(stage, text, place, "x")
        await stage.page.keyboard.press("Enter")
        assert (await look(text)).text.startswith(f"{place.before}x\n")
    await stage.prefer(suggest="asked", suggestPauseMs=600)


async def test_two_plusses_ask_and_undoing_brings_them_back(stage: Stage) -> None:
    keyboard = stage.page.keyboard
    for place in PLACES:
        text = await stage.open(place.file)
        stage.answers.texts = place.texts
        await put(text, f"{place.before}|{place.after}")
        await two_plusses(stage.page)
        await expect(stage.page.locator(BADGE)).to_have_text("1/3")
        assert await look(text) == place.with_("", place.texts[0])
        await keyboard.press("Control+z")
        assert await look(text) == place.with_("++")
        await put(text, f"{place.before}|{place.after}")
        asked = len(stage.answers.asked)
        await keyboard.type(" C++ i++ 5++ ")
        assert await look(text) == place.with_(" C++ i++ 5++ ")
        assert len(stage.answers.asked) == asked
    last = stage.answers.asked[-1]
    assert (last["path"], last["language"]) == ("harmonics.py", "Python")
    assert (last["prefix"], last["suffix"]) == (PLACES[-1].before, PLACES[-1].after)


async def test_accepting_is_one_step_back_and_so_is_every_part(stage: Stage) -> None:
    keyboard = stage.page.keyboard
    for place in PLACES:
        text = await stage.open(place.file)
        await ask(stage, text, place)
        await keyboard.press("Tab")
        await keyboard.type(" on")
        for expected in (place.with_(place.texts[0].rstrip()), place.with_("")):
            await keyboard.press("Control+z")
            assert await look(text) == expected
        await keyboard.press("Control+y")
        assert await look(text) == place.with_(place.texts[0].rstrip())
    place = PLACES[0]
    text = await stage.open(place.file)
    await ask(stage, text, place)
    stage.answers.outcomes.clear()
    for words in (" rises", " rises  and", " rises  and falls,", " rises  and falls,\ntwice"):
        await keyboard.press("Control+ArrowRight")
        rest = place.texts[0].removeprefix(words)
        assert await look(text) == place.with_(words, rest)
    await keyboard.press("Control+z")
    assert await look(text) == place.with_(" rises  and falls,")
    assert stage.answers.outcomes == [{"outcome": "partly", "index": 0, "characters": 24}]


async def test_a_composition_neither_asks_nor_is_disturbed(stage: Stage) -> None:
    page, place = stage.page, PLACES[1]
    compose, commit = await input_method(page)
    text = await stage.open(place.file)
    await ask(stage, text, place)
    for words in ("し", "しお", "潮"):
        await compose(words)
        assert await look(text) == place.with_(words)
    await commit("潮")
    assert await look(text) == place.with_("潮")

    asked = len(stage.answers.asked)
    for words in ("+", "++"):
        await compose(words)
    await commit("++")
    assert await look(text) == place.with_("潮++")
    assert len(stage.answers.asked) == asked

    late = await ask_late(stage, text, place)
    await compose("潮")
    late.set()
    stage.answers.late = None
    await compose("潮位")
    await commit("潮位")
    assert await look(text) == place.with_("潮位")


HEARD = """() => {
  const region = document.querySelector(".cm-announced");
  window.heard = [];
  const note = () => { if (region.textContent.trim()) heard.push(region.textContent); };
  new MutationObserver(note).observe(region, {childList: true, characterData: true, subtree: true});
  return region.getAttribute("aria-live");
}"""


async def test_a_screen_reader_hears_it_once_with_its_keys(stage: Stage) -> None:
    page, place = stage.page, PLACES[0]
    text = await stage.open(place.file)
    assert await page.evaluate(HEARD) == "polite"
    await ask(stage, text, place)
    await page.keyboard.press("ArrowDown")
    keys = (
        "Tab accepts it, Control and right arrow a word, Control and End a line. "
        "Up and down arrows show others, Escape sends it away."
    )
    assert await page.evaluate("heard") == [
        f"Suggestion: rises  and falls,\ntwice a day. {keys}",
        "Suggestion 2 of 3: turns.",
    ]
    assert await page.locator(".cm-ghost-layer").get_attribute("aria-hidden") == "true"
    await expect(page.locator(BADGE)).to_have_attribute(
        "title", "Suggestion 2 of 3. High confidence 0.86, by log-probabilities"
    )
    await page.keyboard.press("Escape")


async def ask_late(stage: Stage, text: Locator, place: Place) -> anyio.Event:
    """Ask for suggestions that arrive when the event is set."""
    stage.answers.late = anyio.Event()
    stage.answers.texts = place.texts
    await put(text, f"{place.before}|{place.after}")
    await stage.page.keyboard.press("Alt+\\")
    await expect(stage.page.locator(BADGE)).to_have_text("…")
    return stage.answers.late


async def test_what_arrives_late_never_changes_what_was_typed(stage: Stage) -> None:
    page, place = stage.page, PLACES[0]
    stage.answers.texts = place.texts
    text = await stage.open(place.file)
    late = await ask_late(stage, text, place)
    await page.keyboard.type(" turn")
    late.set()
    await expect(page.locator(".ghost-text")).to_have_text("s.")
    await page.keyboard.press("Tab")
    assert await look(text) == place.with_(" turns.")
    ways = {" rows": place.with_(" rows"), "Enter": place.with_("\n"), "ArrowLeft": None}
    for key in ways:
        late = await ask_late(stage, text, place)
        if key.startswith(" "):
            await page.keyboard.type(key)
        else:
            await page.keyboard.press(key)
        before = await look(text)
        late.set()
        await expect(page.locator(BADGE)).to_have_count(0)
        assert await look(text) == (ways[key] or Look(f"{place.before[:-1]}|e{place.after}", None))
        assert (await look(text)).text == before.text
    stage.answers.late = None


async def test_no_real_text_moves_for_a_suggestion(stage: Stage) -> None:
    page = stage.page
    boxes = """content => [...content.querySelectorAll(".cm-line")].map(line => {
        const range = document.createRange();
        range.selectNodeContents(line);
        const {x, y, width, height} = range.getBoundingClientRect();
        return [x, y, width, height];
    })"""
    for place in PLACES:
        text = await stage.open(place.file)
        for at in (
            place,
            Place(place.file, place.before[:-3], place.before[-3:], place.texts, "", ""),
        ):
            await put(text, f"{at.before}|{at.after}")
            await look(text)
            before = await text.evaluate(boxes)
            await ask(stage, text, at)
            await look(text)
            assert await text.evaluate(boxes) == before
            await page.keyboard.press("Escape")


async def test_it_goes_after_its_seconds_unless_the_pointer_is_on_it(stage: Stage) -> None:
    # The page's clock also runs by itself: of so many, a busy computer uses up none that matter.
    await stage.prefer(suggestHideSeconds=600)
    stage.answers.texts = PLACES[0].texts
    page = await open_page(stage.browser, stage.recto, stage.complaints)
    await page.clock.install()
    await answer_by(page, stage.answers)
    ghost = page.locator(BADGE)
    text = await open_file(page, PLACES[0].file)
    await put(text, "The tide|")
    await page.keyboard.press("Alt+\\")
    await expect(ghost).to_have_text("1/3")
    await page.clock.fast_forward(400_000)
    await page.keyboard.press("ArrowDown")
    await expect(ghost).to_have_text("2/3")
    await page.clock.fast_forward(400_000)
    await expect(ghost).to_have_text("2/3")
    await ghost.hover()
    await page.clock.fast_forward(3_000_000)
    await expect(ghost).to_have_text("2/3")
    await page.mouse.move(0, 0)
    await page.clock.fast_forward(601_000)
    await expect(ghost).to_have_count(0)
    await stage.prefer(page, suggestHideSeconds=0)
    await page.keyboard.press("Alt+\\")
    await expect(ghost).to_have_text("1/3")
    await page.clock.fast_forward(3_600_000)
    await expect(ghost).to_have_text("1/3")
    await text.click()
    await expect(ghost).to_have_count(0)
    await page.close()


async def test_one_switch_turns_suggestions_off(stage: Stage) -> None:
    place = PLACES[0]
    text = await stage.open(place.file)
    await stage.prefer(suggest="off")
    asked = len(stage.answers.asked)
    await put(text, f"{place.before}|{place.after}")
    await stage.page.keyboard.press("Alt+\\")
    await stage.page.keyboard.type(" ++")
    assert await look(text) == place.with_(" ++")
    assert len(stage.answers.asked) == asked
    await stage.prefer(suggest="asked")
