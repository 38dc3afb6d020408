"""A Recto with chats in folders, and the Chats tab as the journeys drive it."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx
from playwright.async_api import Locator, Page, Position, expect

LOUD = "The word barometer stands here alone."
LONG = 90
"""So many messages that the first ones are not read when the chat opens."""
CHATS = (
    ("A long one", None),
    ("Gauge at the pier", None),
    ("Storm list", None),
    ("Harmonic analysis", "Methods"),
    ("Which constituents", "Tide tables"),
)


@dataclass(frozen=True, slots=True)
class Shelf:
    """What lies in the project: ids by name."""

    project: str
    groups: dict[str, str]
    chats: dict[str, str]


async def lay_shelf(script: httpx.AsyncClient) -> Shelf:
    """Three folders, one in another, and five chats; one of them is long."""
    project: str = (await script.get("/api/v1/projects/current")).json()["id"]
    groups: dict[str, str] = {}
    for name, parent in (("Methods", None), ("Tide tables", "Methods"), ("Field work", None)):
        body = {"name": name, "parentId": groups[parent] if parent else None}
        answer = await script.post(f"/api/v1/projects/{project}/chat-groups", json=body)
        assert answer.status_code == 201, answer.text
        groups[name] = answer.json()["id"]
    rows = [
        a_chat(number, title, groups[group] if group else None)
        for number, (title, group) in enumerate(CHATS)
    ]
    url = f"/api/v1/projects/{project}/chats/bulk-sync"
    answer = await script.post(url, json={"chats": rows}, timeout=60)
    assert {result["outcome"] for result in answer.json()["results"]} == {"taken"}, answer.text
    return Shelf(project, groups, {str(item["title"]): str(item["id"]) for item in rows})


def a_chat(number: int, title: str, group: str | None) -> dict[str, object]:
    """A chat as a client has it, the later in the list the earlier active."""
    texts = [f"About {title.lower()}: what does the tide do?"]
    if title == "A long one":
        texts += [LOUD, *(f"Reading {reading} of the gauge. " * 8 for reading in range(LONG))]
    at = 1_700_000_000_000 - number * 86_400_000
    messages = [
        {"id": an_id(number, item), "role": "user", "text": text, "createdAt": at}
        for item, text in enumerate(texts, 1)
    ]
    return {
        "id": an_id(number, 0),
        "title": title,
        "groupId": group,
        "createdAt": at,
        "lastActiveAt": at,
        "messages": messages,
    }


def an_id(chat: int, message: int) -> str:
    return f"{chat:013d}{message:013d}"


async def show_chats(page: Page, *, first: str = "Methods") -> None:
    """Open the Chats tab."""
    button = page.get_by_role("button", name="Show files")
    tab = page.get_by_role("tab", name="Chats", exact=True)
    await expect(button.or_(tab)).to_be_visible()
    if await button.is_visible():
        await button.click()
    await tab.click()
    await expect(row(page, first)).to_be_visible()


def tree(page: Page) -> Locator:
    return page.get_by_role("tree", name="Chats")


def row(page: Page, name: str) -> Locator:
    """A chat or a folder by what it is called."""
    return tree(page).locator(f'[role=treeitem][title="{name}"]')


async def outline(page: Page) -> list[str]:
    """Every row, indented by how deep it lies."""
    return await tree(page).evaluate(
        """tree => [...tree.querySelectorAll('[role=treeitem][title]')].map(row =>
            '  '.repeat(row.ariaLevel - 1) + row.title)"""
    )


async def expect_outline(page: Page, lines: Sequence[str]) -> None:
    """Wait until the rows are these, in this order and depth."""
    names = [line.strip() for line in lines]
    rows = tree(page).locator("[role=treeitem][title]")
    await expect(rows).to_have_count(len(names))
    for index, line in enumerate(lines):
        await expect(rows.nth(index)).to_have_attribute("title", line.strip())
        level = (len(line) - len(line.lstrip())) // 2 + 1
        await expect(rows.nth(index)).to_have_attribute("aria-level", str(level))


async def choose(page: Page, name: str, item: str) -> None:
    """Take something from the menu of a row."""
    await row(page, name).click(button="right")
    await page.get_by_role("menuitem", name=item).click()


async def drag(page: Page, name: str, onto: str, *, at: float = 0.5) -> None:
    """Drag a row with the mouse and let go over another: at its top, middle or bottom."""
    place = await row(page, onto).bounding_box()
    assert place is not None
    position: Position = {"x": place["width"] / 2, "y": place["height"] * at}
    await row(page, name).drag_to(row(page, onto), target_position=position)
