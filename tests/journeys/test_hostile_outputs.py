"""Outputs that mean ill, in the real page: nothing runs, nothing leaves, nothing holds it up."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.journeys.test_notebooks import cell, code, open_notebook, text, write_notebook
from tests.served import Served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
LEAK = "http://127.0.0.1:PORT/leak"
HACK = "window.hacked=1;try{parent.hacked=1;top.hacked=1}catch(e){}"
HTML = f"""
<script>{HACK}</script><img src=x onerror="{HACK}"><img src="{LEAK}/img">
<iframe srcdoc="<script>{HACK}</script>"></iframe><iframe src="{LEAK}/frame"></iframe>
<a href="javascript:{HACK}">a link</a><form action="{LEAK}/form"><button id=b>send</button></form>
<style>@import url({LEAK}/css); body {{ display: none }}</style>
<link rel=stylesheet href="{LEAK}/l">
<meta http-equiv=refresh content="0;url={LEAK}/meta"><base href="{LEAK}/base/">
<svg onload="{HACK}"><script>{HACK}</script><image href="{LEAK}/svgimage"/></svg>
<video src="{LEAK}/video" autoplay></video><object data="{LEAK}/object"></object>
<div id="app" class="workspace" style="position:fixed;inset:0;background:url({LEAK}/style)">
harmless words</div>
"""
# In the frame that a person asked for, scripts run; they say so by what they draw.
INTERACTIVE = f"""<div id=it>still</div><script>
document.getElementById("it").textContent = "it runs";
{HACK}
fetch("{LEAK}/fetch").catch(() => 0);
fetch("/api/v1/projects/current").then(() => {{ parent.postMessage("api", "*") }}).catch(() => 0);
new Image().src = "{LEAK}/beacon";
try {{ localStorage.length; document.getElementById("it").textContent = "it reads" }} catch (e) {{}}
</script>"""
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="{HACK}">
<script>{HACK}</script><image href="{LEAK}/svg" width="9" height="9"/><rect width="40" height="40"/>
<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="{LEAK}/foreign"/></foreignObject>
</svg>"""
MARKDOWN = f'# Words\n<img src=x onerror="{HACK}"> ![]({LEAK}/md) [x](javascript:{HACK})'
FLOOD = """
for _ in range(500): print("y" * 99_999)
print("behind fifty megabytes")
"""


def shown(**forms: Any) -> dict[str, Any]:
    data = {name.replace("__", "/").replace("_", "+"): value for name, value in forms.items()}
    return {"data": data, "metadata": {}, "output_type": "display_data"}


def answered(name: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {**code(name, "x"), "outputs": list(outputs), "execution_count": 1}


@asynccontextmanager
async def lonely_tab(recto: Served, browser: Browser) -> AsyncGenerator[Page]:
    """A tab of which the browser may say what it has kept outputs from doing."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    async with recto.script() as script:
        link = (await script.post("/api/v1/session/link")).json()["url"]
    page = await context.new_page()
    await page.goto(link)
    yield page
    await context.close()


async def test_nothing_runs_or_leaves_unasked_and_the_page_goes_on(
    recto: Served, browser: Browser
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as ear:
        ear.setblocking(False)
        write_hostile(recto.folder / "hostile.ipynb", ear.getsockname()[1])
        async with lonely_tab(recto, browser) as page:
            await look_and_run(page, ear)


def write_hostile(file: Path, port: int) -> None:
    deep: Any = "deep"
    for _ in range(60):
        deep = [deep]
    write_notebook(
        file,
        answered("html", shown(text__html=HTML)),
        answered("frame", shown(text__html=INTERACTIVE)),
        answered("svg", shown(image__svg_xml=SVG)),
        answered(
            "md", shown(text__markdown=MARKDOWN), shown(text__latex="$\\href{javascript:1}{x}$")
        ),
        answered("json", shown(application__json=[{"n": n} for n in range(30_000)])),
        answered("deep", shown(application__json=deep)),
        answered("many", *(shown(text__plain=f"output {n}") for n in range(2000))),
        text("words", MARKDOWN),
        code("flood", FLOOD),
        code("endless", "n = 0\nwhile True:\n    n += 1\n    print('line', n)"),
    )
    file.write_text(file.read_text(encoding="utf-8").replace("PORT", str(port)), encoding="utf-8")


async def look_and_run(page: Page, ear: socket.socket) -> None:
    await open_notebook(page, "hostile.ipynb")
    await expect(cell(page, "html").get_by_text("harmless words")).to_be_visible()
    await expect(cell(page, "md").get_by_role("heading", name="Words")).to_be_visible()
    await expect(cell(page, "svg").get_by_role("img")).to_be_visible()
    await expect(cell(page, "json").locator(".cell-output")).to_contain_text("between; show all")
    await expect(cell(page, "many").get_by_text("output 49", exact=True)).to_be_visible()
    await expect(cell(page, "many").get_by_text("1,950 more outputs; show them")).to_be_visible()
    await check_untouched(page, ear)

    frame = cell(page, "frame")
    await frame.get_by_role("button", name="Show interactive output").click()
    await expect(frame.frame_locator("iframe").locator("#it")).to_have_text("it runs")
    await check_untouched(page, ear)

    await cell(page, "flood").get_by_role("button", name="Run this cell").click()
    flood = cell(page, "flood").locator(".cell-output")
    await expect(flood).to_contain_text("between; show all in a tab", timeout=60_000)
    await expect(cell(page, "flood").locator(".cell-run")).to_be_visible(timeout=60_000)
    await cell(page, "endless").get_by_role("button", name="Run this cell").click()
    endless = cell(page, "endless").locator(".cell-output")
    await expect(endless).to_contain_text("line 9", timeout=60_000)
    await expect(endless).to_contain_text("between; show all in a tab", timeout=60_000)
    await cell(page, "html").click()
    await page.keyboard.press("Escape")
    await cell(page, "endless").get_by_role("button", name="Interrupt").click()
    await expect(endless).to_contain_text("KeyboardInterrupt", timeout=60_000)
    await check_untouched(page, ear)


async def check_untouched(page: Page, ear: socket.socket) -> None:
    """No script of an output has run in the page, and no request has gone out."""
    assert await page.evaluate("() => window.hacked") is None
    assert await page.locator("#app .cell-output .workspace").count() == 0
    assert await page.evaluate("() => getComputedStyle(document.body).display") != "none"
    found = (
        '[onerror], [onload], [href^="javascript"], .cell-output :is(script, form, style, object)'
    )
    assert await page.locator(found).count() == 0
    with pytest.raises(BlockingIOError):  # nobody has come
        ear.accept()
